"""How far one record can move a query, in both norms and under every relation."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any, Literal, Self

from hockeystick.checks import checked, declared, finite_positive, positive, whole
from hockeystick.errors import ParameterError
from hockeystick.relation import REPLACE_ONE, Relation

Norm = Literal["L1", "L2"]


@declared
class Sensitivity:
    """The largest distance between a query's answers on two neighbouring data sets.

    Laplace noise and integer noise take the L1 distance, Gaussian noise takes L2; for a query that
    is one number they are the same. `l1` and `l2` are for a record that is added, removed or zeroed
    out, `replace_l1` and `replace_l2` for one that is replaced: never more than twice as far, as
    that is one record out and one in.

    The sums are those of real numbers, or of integers: a sum of floats can move further by its
    rounding (Casacuberta et al. 2022).

    Parameters
    ----------
    l1, l2, replace_l1, replace_l2: in (0, inf]; inf where that norm has no bound.

    >>> Sensitivity.sum(0, 10).of("L1", REPLACE_ONE)
    10.0
    """

    l1: float = checked(positive)
    l2: float = checked(positive)
    replace_l1: float = checked(positive)
    replace_l2: float = checked(positive)

    def of(self, norm: Norm, relation: Relation) -> float:
        """The distance in one norm under one relation."""
        if relation is REPLACE_ONE:
            return self.replace_l1 if norm == "L1" else self.replace_l2
        return self.l1 if norm == "L1" else self.l2

    @classmethod
    def scalar(cls, add_remove: float, replace_one: float | None = None) -> Self:
        """One number: how far adding or removing a record moves it, and how far replacing one."""
        replace = 2 * add_remove if replace_one is None else replace_one
        return cls(add_remove, add_remove, replace, replace)

    @classmethod
    def count(cls) -> Self:
        """How many records have some property: 1 under every relation.

        >>> Sensitivity.count()
        Sensitivity(l1=1.0, l2=1.0, replace_l1=1.0, replace_l2=1.0)
        """
        return cls.scalar(1, 1)

    @classmethod
    def sum(cls, lower: float, upper: float) -> Self:
        """Σ x over records with x clipped to the declared [lower, upper].

        max(|lower|, |upper|) to add or remove one, upper − lower to replace one.

        >>> Sensitivity.sum(-1, 3)
        Sensitivity(l1=3.0, l2=3.0, replace_l1=4.0, replace_l2=4.0)
        """
        lower, upper = _bounds(lower, upper)
        return cls.scalar(max(abs(lower), abs(upper)), upper - lower)

    @classmethod
    def mean(cls, lower: float, upper: float, records: int) -> Self:
        """Σ x / n over records with x clipped to [lower, upper], n the public constant `records`.

        The divisor must not be counted from the data: where the number of records is not public,
        release a noisy sum and a noisy count, and divide those.

        >>> Sensitivity.mean(0, 100, records=50).of("L2", REPLACE_ONE)
        2.0
        """
        lower, upper = _bounds(lower, upper)
        n = whole("records", records, 1)
        return cls.scalar(max(abs(lower), abs(upper)) / n, (upper - lower) / n)

    @classmethod
    def histogram(cls, bins_per_record: int = 1) -> Self:
        """Counts of disjoint or overlapping bins, of which one record is in at most so many.

        With m bins for each record: L1 m and L2 √m to add or remove one, 2m and √(2m) to replace.

        >>> Sensitivity.histogram().of("L1", REPLACE_ONE)
        2.0
        """
        m = whole("bins_per_record", bins_per_record, 1)
        return cls(m, math.sqrt(m), 2 * m, math.sqrt(2 * m))

    @classmethod
    def clipped(
        cls,
        clip: float,
        *,
        norm: Norm = "L2",
        divisor: float = 1.0,
        dimension: int | None = None,
    ) -> Self:
        """Σ g / b over vectors g clipped to norm C = `clip`, b the public constant `divisor`.

        C/b to add, remove or zero out one record and 2C/b to replace one, as g can turn round. A
        batch's own size must not be the divisor; its expected size may be. Clipped in L1, the L2
        distance is no more; clipped in L2, the L1 distance is up to √`dimension` times as much.

        >>> Sensitivity.clipped(1.0, divisor=512).of("L2", REPLACE_ONE) == 2 / 512
        True
        """
        unit = finite_positive("clip", clip) / finite_positive("divisor", divisor)
        if norm not in ("L1", "L2"):
            raise ParameterError(f"norm must be 'L1' or 'L2', got {norm!r}")
        wide = math.inf
        if norm == "L1":
            wide = unit
        elif dimension is not None:
            wide = unit * math.sqrt(whole("dimension", dimension, 1))
        return cls(wide, unit, 2 * wide, 2 * unit)


def _bounds(lower: Any, upper: Any) -> tuple[float, float]:
    for name, value in (("lower", lower), ("upper", upper)):
        if isinstance(value, bool) or not isinstance(value, Real):
            raise ParameterError(f"{name} must be a number, declared and not taken from the data")
        if not math.isfinite(value):
            raise ParameterError(f"{name} must be finite, got {value!r}")
    if not lower < upper:
        raise ParameterError(f"lower must be below upper, got {lower!r} and {upper!r}")
    return float(lower), float(upper)

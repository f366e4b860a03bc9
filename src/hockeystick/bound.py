"""Answers with their own error and their question: one number (`Bound`) or a curve (`Bounds`)."""

from __future__ import annotations

import math
import pickle
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from hockeystick.errors import NumericalError

if TYPE_CHECKING:
    from hockeystick.mechanism import Mechanism
    from hockeystick.relation import Relation

LOOSE = 1e-4
"""Relative gap between the ends from which on another route is tried as well."""


class Interval(NamedTuple):
    """The two ends a route computed, before they are dressed as an answer."""

    lower: float
    upper: float
    method: str

    @property
    def is_tight(self) -> bool:
        """Whether no other route needs to be tried."""
        return self.lower >= (1 - LOOSE) * self.upper


class Asked(TypedDict, total=False):
    """The question of an answer, as far as it is known; see `About`."""

    mechanism: Mechanism | None
    relation: Relation | None
    delta: Any
    epsilon: Any
    order: Any
    alpha: Any
    counts: Any


class About:
    """What an answer is about; None where it was not asked, or where a number was made by hand.

    A mechanism that cannot be pickled, such as one made of a lambda, is left out of a pickle.
    """

    mechanism: Mechanism | None = None
    relation: Relation | None = None
    """The neighbours that it is about, also where they were not named."""
    delta: Any = None
    """The δ that an ε was asked at; one of these four is given, an array for a curve of answers."""
    epsilon: Any = None
    order: Any = None
    alpha: Any = None
    counts: Any = None
    """How often the mechanism is repeated, for each answer of a curve over steps."""

    def asked(self) -> Asked:
        """All of it that is known, as keywords."""
        values = {name: getattr(self, name) for name in Asked.__annotations__}
        return {name: value for name, value in values.items() if value is not None}  # type: ignore[return-value]

    def asked_in_pickles(self) -> Asked:
        """All of it that a pickle can hold."""
        asked = self.asked()
        try:
            pickle.dumps(self.mechanism)
        except (pickle.PicklingError, AttributeError, TypeError):
            del asked["mechanism"]
        return asked


class Bound(About, float):
    """A float equal to its safe (upper) end, with the other end, how it was found and of what.

    The true value lies in [`lower`, `upper`]. `method` names the route that found it: "closed
    form", "contour", "lattice", "renyi" or, for coins, the theorem. `certified` is True only where
    every error, rounding included, is proven. `mechanism`, `relation` and `delta` (of an ε),
    `epsilon` (of a δ) or `order` (of a Rényi divergence) are what was asked.

    >>> answer = Bound(1.0, lower=0.75, method="contour")
    >>> answer + 1, answer.lower, answer.certified
    (2.0, 0.75, False)
    >>> from hockeystick import Laplace
    >>> answer = Laplace(2.0).epsilon(delta=0)
    >>> answer.mechanism, str(answer.relation), answer.delta
    (Laplace(2.0), 'add-remove', 0.0)
    """

    lower: float
    method: str
    certified: bool
    certificate: Mapping[str, Any] | None
    """Of a certified answer: what `hockeystick verify` proves again."""

    def __new__(
        cls,
        upper: float,
        *,
        lower: float,
        method: str,
        certified: bool = False,
        certificate: Mapping[str, Any] | None = None,
        **asked: Unpack[Asked],
    ) -> Self:
        if math.isnan(upper) or math.isnan(lower):
            raise NumericalError(f"a bound is not a number: [{lower!r}, {upper!r}]")
        if not asked.keys() <= Asked.__annotations__.keys():
            raise TypeError(f"a Bound is asked for {', '.join(Asked.__annotations__)}, got {asked}")
        self = super().__new__(cls, upper)
        self.lower = float(lower)
        self.method = method
        self.certified = certified
        self.certificate = certificate
        vars(self).update(asked)
        return self

    @property
    def upper(self) -> float:
        """The safe end, as a plain float."""
        return float(self)

    def __copy__(self) -> Self:
        return type(self)(self.upper, **vars(self))

    def __deepcopy__(self, memo: object) -> Self:
        return self.__copy__()  # all that it holds is immutable

    def __reduce__(self) -> tuple[Any, ...]:
        names = ("lower", "method", "certified", "certificate")
        ends = {name: getattr(self, name) for name in names}
        return _bound, (type(self), self.upper, ends | self.asked_in_pickles())

    def __str__(self) -> str:
        return str(float(self))

    def __repr__(self) -> str:
        """All but the mechanism, which may be long."""
        names = ("lower", "method", "delta", "epsilon", "order", "relation")
        shown = ((name, getattr(self, name)) for name in names)
        words = [f"{name}={value!r}" for name, value in shown if value is not None]
        return f"Bound({', '.join([repr(float(self)), *words])})"

    def _repr_html_(self) -> str:
        from hockeystick.report.html import of_bound

        return of_bound(self)


def _bound(kind: type[Bound], upper: float, options: dict[str, Any]) -> Bound:
    return kind(upper, **options)


class Bounds(About, np.ndarray[Any, np.dtype[np.float64]]):
    """An array equal to its safe ends, with both ends in `lower` and `upper`, and its question.

    The safe end of a cost (ε, δ) is the upper one, of an attacker's error (trade-off) the lower.
    What is computed from it (slices, sums) is a plain array of the safe ends. What was asked is
    kept as for a `Bound`; `epsilon`, `order`, `alpha` or `counts` is then an array of that shape.
    """

    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    method: str
    safe: Literal["lower", "upper"]

    @classmethod
    def of(
        cls,
        lower: NDArray[np.float64],
        upper: NDArray[np.float64],
        method: str,
        safe: Literal["lower", "upper"] = "upper",
        **asked: Unpack[Asked],
    ) -> Bounds:
        """Pair up two arrays of ends."""
        self = np.array(upper if safe == "upper" else lower, dtype=float).view(cls)
        self.lower = np.array(lower, dtype=float)
        self.upper = np.array(upper, dtype=float)
        self.method, self.safe = method, safe
        vars(self).update(asked)
        return self

    def about(self, mechanism: Mechanism, relation: Relation, **at: Any) -> Bounds:
        """The same, which now knows what was asked of what, and at which numbers."""
        vars(self).update(at, mechanism=mechanism, relation=relation)
        return self

    def __copy__(self) -> Bounds:
        return type(self).of(self.lower, self.upper, self.method, self.safe, **self.asked())

    def __deepcopy__(self, memo: Any) -> Bounds:
        return self.__copy__()

    def copy(self, order: Any = "C") -> Bounds:
        """A copy, whose ends are its own."""
        return self.__copy__()

    def __reduce__(self) -> tuple[Any, ...]:
        ends = self.lower, self.upper, self.method, self.safe
        return _bounds, (type(self), ends, self.asked_in_pickles())

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        return array[()] if return_scalar else np.asarray(array)

    def __getitem__(self, key: Any) -> Any:
        return np.asarray(self)[key]


def _bounds(kind: type[Bounds], ends: tuple[Any, ...], asked: Asked) -> Bounds:
    return kind.of(*ends, **asked)

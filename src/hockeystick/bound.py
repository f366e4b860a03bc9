"""Answers that carry their own error: one number (`Bound`) or a curve of them (`Bounds`)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from hockeystick.errors import NumericalError

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


class Bound(float):
    """A float equal to its safe (upper) end, with the other end and how it was found.

    The true value lies in [`lower`, `upper`]. `method` names the route that found it: "closed
    form", "contour", "lattice", "renyi" or, for coins, the theorem. `certified` is True only where
    every error, rounding included, is proven.

    >>> answer = Bound(1.0, lower=0.75, method="contour")
    >>> answer + 1, answer.lower, answer.certified
    (2.0, 0.75, False)
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
    ) -> Self:
        if math.isnan(upper) or math.isnan(lower):
            raise NumericalError(f"a bound is not a number: [{lower!r}, {upper!r}]")
        self = super().__new__(cls, upper)
        self.lower = float(lower)
        self.method = method
        self.certified = certified
        self.certificate = certificate
        return self

    @property
    def upper(self) -> float:
        """The safe end, as a plain float."""
        return float(self)

    def __getnewargs_ex__(self) -> tuple[tuple[float], dict[str, Any]]:
        names = ("lower", "method", "certified", "certificate")
        return (self.upper,), {name: getattr(self, name) for name in names}

    def __str__(self) -> str:
        return str(float(self))

    def __repr__(self) -> str:
        return f"Bound({float(self)!r}, lower={self.lower!r}, method={self.method!r})"


class Bounds(np.ndarray[Any, np.dtype[np.float64]]):
    """An array equal to its safe ends, with both ends in `lower` and `upper`.

    The safe end of a cost (ε, δ) is the upper one, of an attacker's error (trade-off) the lower.
    What is computed from it (slices, sums) is a plain array of the safe ends.
    """

    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    method: str

    @classmethod
    def of(
        cls,
        lower: NDArray[np.float64],
        upper: NDArray[np.float64],
        method: str,
        safe: Literal["lower", "upper"] = "upper",
    ) -> Bounds:
        """Pair up two arrays of ends."""
        self = np.array(upper if safe == "upper" else lower, dtype=float).view(cls)
        self.lower = np.array(lower, dtype=float)
        self.upper = np.array(upper, dtype=float)
        self.method = method
        return self

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        return array[()] if return_scalar else np.asarray(array)

    def __getitem__(self, key: Any) -> Any:
        return np.asarray(self)[key]

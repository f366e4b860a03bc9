"""A mechanism known by its privacy profile alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from hockeystick.checks import finite_non_negative, probability
from hockeystick.errors import ParameterError
from hockeystick.loss.base import Loss
from hockeystick.loss.dots import dotted_loss
from hockeystick.loss.profile import ProfileLoss
from hockeystick.mechanism import Mechanism, call_text
from hockeystick.mechanisms.renyi import Points, _pairs
from hockeystick.relation import Relation


@dataclass(frozen=True, repr=False)
class ProfileDP(Mechanism):
    """Any mechanism that is (ε, profile(ε))-DP for every ε >= 0, in both directions.

    `profile` is a function of ε with values in [0, 1], not increasing and convex in e^ε; a mapping
    {ε: δ}, which stands for the least convex curve through the points (Doroshenko et al. 2022); or
    another mechanism, of which then only δ(ε), its upper end, is used. It is composed exactly,
    through Theorem 6 of Balle, Barthe and Gaboardi (2018).

    >>> round((ProfileDP({0.0: 0.1, 1.0: 0.0}) * 2).delta(epsilon=2.0), 12)
    0.0
    """

    source = "Doroshenko et al. 2022"

    text_constructors = ("table",)

    curve: Callable[[float], float] | Points | Mechanism

    def __init__(
        self, profile: Callable[[float], float] | Mapping[float, float] | Mechanism
    ) -> None:
        value: object = profile
        if isinstance(profile, Mapping):
            value = _curve_points(profile)
        elif not isinstance(profile, Mechanism) and not callable(profile):
            raise ParameterError(
                f"profile must be a function, a mapping or a mechanism, got {profile!r}"
            )
        object.__setattr__(self, "curve", value)

    @classmethod
    def table(cls, *numbers: float) -> ProfileDP:
        """From ε, δ, ε, δ, … one after the other: `ProfileDP.table(0, 0.1, 1, 0)`."""
        return cls(_pairs(numbers))

    def loss(self, relation: Relation) -> Loss:
        return _loss(self.curve, relation)

    def __repr__(self) -> str:
        if isinstance(self.curve, tuple):
            return call_text("ProfileDP.table", *(x for point in self.curve for x in point))
        return call_text("ProfileDP", self.curve)


def _curve_points(profile: Mapping[float, float]) -> Points:
    if not profile:
        raise ParameterError("profile must hold at least one point, got an empty mapping")
    points = sorted(
        (finite_non_negative("epsilon", e), probability("delta", d)) for e, d in profile.items()
    )
    return tuple(points)


@lru_cache(maxsize=64)
def _loss(curve: Callable[[float], float] | Points | Mechanism, relation: Relation) -> Loss:
    if isinstance(curve, tuple):
        return dotted_loss(curve)
    if isinstance(curve, Mechanism):
        mechanism = curve
        return ProfileLoss(lambda epsilon: mechanism.delta(epsilon, relation=relation))
    return ProfileLoss(curve)

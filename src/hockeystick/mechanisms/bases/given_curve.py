"""What guarantees share that are given as a curve: by a function, points or another mechanism."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, Self

from hockeystick.checks import Between, call_text
from hockeystick.errors import ParameterError
from hockeystick.mechanism import Mechanism

Points = tuple[tuple[float, float], ...]
Curve = Callable[[float], float] | Points | Mechanism
GivenAs = Callable[[float], float] | Mapping[float, float] | Mechanism


class GivenCurve(Mechanism):
    """A mechanism of which one curve is known, and nothing else."""

    text_constructors = ("table",)

    curve: Curve

    @abstractmethod
    def __init__(self, curve: GivenAs) -> None: ...

    @classmethod
    def table(cls, *numbers: float) -> Self:
        """From the points of the curve, one number after the other: x, y, x, y, …"""
        if not numbers or len(numbers) % 2:
            raise ParameterError(f"table must hold pairs of numbers, got {len(numbers)} numbers")
        return cls(dict(zip(numbers[::2], numbers[1::2], strict=True)))

    def __repr__(self) -> str:
        name = type(self).__name__
        if isinstance(self.curve, tuple):
            return call_text(f"{name}.table", *(x for point in self.curve for x in point))
        return call_text(name, self.curve)


def given_curve(name: str, point: str, **domains: Between) -> Callable[[str, Any], Curve]:
    """The check of a curve, by the names and the domains of its x and y.

    A mapping becomes points in order, each of them checked.
    """
    (x_name, x_domain), (y_name, y_domain) = domains.items()

    def check(_field: str, value: Any) -> Curve:
        if isinstance(value, Mapping):
            if not value:
                raise ParameterError(f"{name} must hold at least one {point}, got an empty mapping")
            points = ((x_domain(x_name, x), y_domain(y_name, y)) for x, y in value.items())
            return tuple(sorted(points))
        if isinstance(value, Mechanism) or callable(value):
            curve: Curve = value
            return curve
        raise ParameterError(f"{name} must be a function, a mapping or a mechanism, got {value!r}")

    return check

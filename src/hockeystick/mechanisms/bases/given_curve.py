"""What guarantees share that are given as a curve: by a function, points or another mechanism."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, Self

from hockeystick.checks import call_text
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


def given_curve(
    name: str, value: Any, point: str, read: Callable[[Any, Any], tuple[float, float]]
) -> Curve:
    """The curve as it is kept: a mapping becomes points in order, each of them checked."""
    if isinstance(value, Mapping):
        if not value:
            raise ParameterError(f"{name} must hold at least one {point}, got an empty mapping")
        return tuple(sorted(read(x, y) for x, y in value.items()))
    if isinstance(value, Mechanism) or callable(value):
        curve: Curve = value
        return curve
    raise ParameterError(f"{name} must be a function, a mapping or a mechanism, got {value!r}")

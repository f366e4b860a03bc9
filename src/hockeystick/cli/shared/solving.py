"""Calibration that also says which number it found."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hockeystick.mechanism import Mechanism


def solved(family: Callable[[float], Mechanism], **budget: Any) -> tuple[float, Mechanism]:
    """The number and the mechanism `family(number)` that `calibrate` finds for the budget."""
    from hockeystick.calibration import calibrate

    tried: dict[Mechanism, float] = {}

    def remembered(number: float) -> Mechanism:
        mechanism = family(number)
        tried[mechanism] = number
        return mechanism

    found = calibrate(remembered, **budget)
    return tried[found], found

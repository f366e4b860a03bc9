"""Composing three mechanisms on 1 record in 1000: ε against the number of steps."""

from __future__ import annotations

from hockeystick.figures.catalogue import Progress
from hockeystick.figures.figure import Curve, Figure, Panel


def figure(progress: Progress) -> Figure:
    progress(1.0)
    curve = Curve("exact", [1, 2], [1, 2])
    return Figure("wang-4", "t", "s", (Panel("a", "k", "ε", (curve,)),), columns=1)

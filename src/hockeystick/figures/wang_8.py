"""ε of up to 600 000 steps of three mechanisms on samples without replacement, γ = 0.01."""

from __future__ import annotations

from collections.abc import Sequence

from hockeystick.figures.catalogue import Progress
from hockeystick.figures.figure import Figure
from hockeystick.figures.wang_composition import COUNTS, composition_figure


def figure(progress: Progress, counts: Sequence[int] = COUNTS) -> Figure:
    """Figure 8 of Wang, Balle and Kasiviswanathan (2019)."""
    return composition_figure(8, 0.01, progress, counts)

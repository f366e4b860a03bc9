"""What one Bernoulli vector of a private parameter costs, of order 50, by d and c."""

from __future__ import annotations

from hockeystick.figures.catalogue import Progress
from hockeystick.figures.figure import Figure
from hockeystick.figures.imola_panels import POINTS, Case, panels_figure

DIMENSIONS = (1, 2, 3, 5, 15)
CLIPPINGS = (0.01, 0.1, 0.3)


def figure(progress: Progress, points: int = POINTS) -> Figure:
    """Figure 1 of Imola and Chaudhuri."""
    return by_dimension(1, 50, progress, points)


def by_dimension(number: int, order: float, progress: Progress, points: int) -> Figure:
    """Figures 1 and 2 are the same but for the order."""
    cases = [Case(order, c, d, 1) for c in CLIPPINGS for d in DIMENSIONS]
    title = f"One Bernoulli vector of an (α, ε)-RDP parameter in [c, 1 − c]^d, α = {order:g}"
    return panels_figure(number, title, cases, len(DIMENSIONS), progress, points)

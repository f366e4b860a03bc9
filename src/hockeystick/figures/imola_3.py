"""What several Bernoulli vectors of a private parameter cost, of order 50, by d and k."""

from __future__ import annotations

from hockeystick.figures.catalogue import Progress
from hockeystick.figures.figure import Figure
from hockeystick.figures.imola_panels import POINTS, Case, panels_figure

ORDER, CLIPPING = 50, 0.1
DIMENSIONS = (1, 3, 5)
SAMPLES = (1, 2, 4)


def figure(progress: Progress, points: int = POINTS) -> Figure:
    """Figure 3 of Imola and Chaudhuri."""
    cases = [Case(ORDER, CLIPPING, d, k) for k in SAMPLES for d in DIMENSIONS]
    title = f"k Bernoulli vectors of an (α, ε)-RDP parameter in [c, 1 − c]^d, α = {ORDER}"
    return panels_figure(3, title, cases, len(DIMENSIONS), progress, points)

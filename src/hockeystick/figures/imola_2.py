"""What one Bernoulli vector of a private parameter costs, of order 5, by d and c."""

from __future__ import annotations

from hockeystick.figures.catalogue import Progress
from hockeystick.figures.figure import Figure
from hockeystick.figures.imola_1 import by_dimension
from hockeystick.figures.imola_panels import POINTS


def figure(progress: Progress, points: int = POINTS) -> Figure:
    """Figure 2 of Imola and Chaudhuri."""
    return by_dimension(2, 5, progress, points)

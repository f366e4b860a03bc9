"""Rényi divergence of three mechanisms on a sample without replacement, γ = 0.1, by order."""

from __future__ import annotations

from collections.abc import Sequence

from hockeystick.figures.catalogue import Progress
from hockeystick.figures.figure import Figure
from hockeystick.figures.wang_rdp import ORDERS, rdp_figure


def figure(progress: Progress, orders: Sequence[int] = ORDERS) -> Figure:
    """Figure 6 of Wang, Balle and Kasiviswanathan (2019)."""
    return rdp_figure(6, 0.1, progress, orders)

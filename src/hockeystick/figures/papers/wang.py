"""Wang, Balle and Kasiviswanathan (2019): two kinds of figures, each at four fractions γ."""

from __future__ import annotations

from functools import partial

from hockeystick.figures.figure import Entry
from hockeystick.figures.wang_composition import composition_figure
from hockeystick.figures.wang_rdp import rdp_figure

RENYI = {3: 0.001, 5: 0.01, 6: 0.1, 7: 0.5}
"""The fraction γ of each figure of Rényi divergences."""
STEPS = {4: 0.001, 8: 0.01, 9: 0.1, 10: 0.5}
"""The fraction γ of each figure of ε after many steps."""

FIGURES = {
    number: Entry(
        "Rényi divergence of three mechanisms on a sample without replacement, "
        f"γ = {gamma:g}, by order.",
        partial(rdp_figure, number, gamma),
    )
    for number, gamma in RENYI.items()
} | {
    number: Entry(
        "ε of up to 600 000 steps of three mechanisms on samples without replacement, "
        f"γ = {gamma:g}.",
        partial(composition_figure, number, gamma),
    )
    for number, gamma in STEPS.items()
}

"""Draws docs/images/fixed-size.svg: ε of fixed-size batches, by pairs, by the game, and attained.

python docs/images/draw_fixed_size.py
"""

from __future__ import annotations

from pathlib import Path

from matplotlib import rcParams
from matplotlib.figure import Figure

import hockeystick as hs
from hockeystick.figures.palette import BLUE, GREY, VERMILION

STEPS = [30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000]
RUNS = [
    ("randomized response, truth 0.9", hs.RandomizedResponse.truthful(0.9)),
    ("Gaussian σ = 2 (records in a ball)", hs.Gaussian(2.0)),
]


def main() -> None:
    """Above what is attained, in per cent: a tenth of the pair's excess is left."""
    rcParams["svg.hashsalt"] = "hockeystick"
    figure = Figure(figsize=(8, 3.2), layout="constrained")
    axes = figure.subplots(1, 2, sharey=True)
    for axis, (title, base) in zip(axes, RUNS, strict=True):
        step = base.on(hs.WithoutReplacement(100, 10_000))
        answers = [(step * count).epsilon(1e-6) for count in STEPS]
        pairs = [(step * count).epsilon(1e-6, method="lattice").upper for count in STEPS]
        lower = [each.lower for each in answers]
        for name, upper, colour in (
            ("pair of single steps", pairs, VERMILION),
            ("the game", [each.upper for each in answers], BLUE),
        ):
            excess = [100 * (u / low - 1) for u, low in zip(upper, lower, strict=True)]
            axis.plot(STEPS, excess, color=colour, marker="o", label=name)
        axis.axhline(0, color=GREY, linestyle=":", label="attained")
        axis.set(xscale="log", title=title, xlabel="steps (γ = 0.01, δ = 1e-6)")
    axes[0].set_ylabel("ε above what is attained, %")
    axes[0].legend(frameon=False)
    figure.savefig(Path(__file__).parent / "fixed-size.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()

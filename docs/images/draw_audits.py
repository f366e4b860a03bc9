"""Draws docs/images/audits.svg: what audits show of Gaussian noise, by the number of runs.

python docs/images/draw_audits.py
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib import rcParams
from matplotlib.figure import Figure

import hockeystick as hs
from hockeystick import audit
from hockeystick.figures.palette import BLUE, GREY, VERMILION
from hockeystick.numerics.types import Array

RUNS = [300, 1000, 3000, 10_000, 30_000, 100_000]
REPEATS = 9
DELTA = 1e-5


def shown(runs: int, seed: int) -> tuple[float, float]:
    """The bound that assumes nothing and the one that assumes Gaussian noise."""
    rng = np.random.default_rng(seed)

    def run(answer: int, count: int) -> Array:
        return answer + rng.normal(size=count)

    found = audit.lower_bound(run, 0, 1, delta=DELTA, runs=runs, batched=True)
    return found.epsilon, found.epsilon_assuming(hs.Gaussian)


def main() -> None:
    """Medians of some audits, and the range of them all."""
    rcParams["svg.hashsalt"] = "hockeystick"
    figure = Figure(figsize=(6, 3.2), layout="constrained")
    axis = figure.subplots()
    values = np.array([[shown(runs, seed) for seed in range(REPEATS)] for runs in RUNS])
    names = ("nothing assumed", "Gaussian noise assumed")
    for k, (name, colour) in enumerate(zip(names, (VERMILION, BLUE), strict=True)):
        each = values[:, :, k]
        axis.plot(RUNS, np.median(each, axis=1), color=colour, marker="o", label=name)
        axis.fill_between(RUNS, each.min(axis=1), each.max(axis=1), color=colour, alpha=0.15)
    truth = float(hs.Gaussian(1.0).epsilon(DELTA))
    axis.axhline(truth, color=GREY, linestyle=":", label=f"the truth, {truth:.2f}")
    axis.set(xscale="log", xlabel="runs on either input", ylabel="ε is at least (95 %)")
    axis.set(title="Gaussian(1), δ = 1e-5", ylim=(0, 5))
    axis.legend(frameon=False)
    figure.savefig(Path(__file__).parent / "audits.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()

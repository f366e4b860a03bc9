"""Draws docs/images/correlated.svg: how far private training stays from the best, by ε and noise.

python docs/images/draw_correlated.py
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
from matplotlib import rcParams
from matplotlib.figure import Figure

import hockeystick as hs
from hockeystick import learn
from hockeystick.figures.palette import BLUE, GREEN, GREY, ORANGE, PURPLE, VERMILION
from hockeystick.learn.correlated import noise_in_turns
from hockeystick.learn.plan import noise_for
from hockeystick.numerics.types import Array

RECORDS, FEATURES, PERIOD, EPOCHS = 20_000, 20, 20, 20
DELTA = 1e-6
EPSILONS = [0.25, 0.5, 1.0, 2.0, 4.0, 8.0]
RATES = [0.5, 1.0, 2.0, 4.0]
"""Learning rates; the best one is shown, for each kind of noise and each ε."""
SEEDS = range(4)
KINDS = {
    "independent, batches in turns": (GREY, "s"),
    "tree": (VERMILION, "^"),
    "independent, Poisson batches (DP-SGD)": (ORANGE, "v"),
    "buffered, 3 buffers": (GREEN, "o"),
    "banded, 20 bands": (BLUE, "D"),
    "banded, 4 bands, Poisson in turns": (PURPLE, "P"),
}


@cache
def data() -> tuple[Array, Array]:
    """Features of length 1 at most, and labels of a logistic model."""
    rng = np.random.default_rng(1)
    features = rng.normal(size=(RECORDS, FEATURES)) / np.sqrt(FEATURES)
    features /= np.maximum(1, np.linalg.norm(features, axis=1))[:, None]
    truth = rng.normal(size=FEATURES) * 4
    return features, (rng.random(RECORDS) < 1 / (1 + np.exp(-features @ truth))).astype(float)


def loss(parameters: Array) -> float:
    """The mean logistic loss."""
    features, labels = data()
    margins = features @ parameters.ravel() * (2 * labels - 1)
    return float(np.logaddexp(0, -margins).mean())


@cache
def least() -> float:
    """The loss of the best parameters, without privacy."""
    from scipy.optimize import minimize

    return float(minimize(loss, np.zeros(FEATURES)).fun)


def plan_for(kind: str, epsilon: float, rate: float) -> learn.Plan:
    """A run of all epochs that is (ε, δ)-DP for records that are zeroed out."""
    batch, steps = RECORDS / PERIOD, PERIOD * EPOCHS
    target = {"epsilon": epsilon, "delta": DELTA, "relation": hs.ZERO_OUT}
    if "in turns" in kind and "Poisson" in kind:
        run = few_bands(epsilon)
        return learn.Plan.correlated(run, 1.0, batch, learning_rate=rate, relation=hs.ZERO_OUT)
    if "Poisson" in kind:
        sampler = hs.Poisson(1 / PERIOD)
        noise = noise_for(hs.Gaussian, sampler, steps, **target)
        return learn.Plan(
            noise, sampler, steps, 1.0, batch, learning_rate=rate, relation=hs.ZERO_OUT
        )
    name = kind.split(",")[0]
    run = noise_in_turns(name, PERIOD, EPOCHS, **target)
    return learn.Plan.correlated(run, 1.0, batch, learning_rate=rate, relation=hs.ZERO_OUT)


@cache
def few_bands(epsilon: float) -> hs.Correlated:
    """Groups of records that take turns; of each, records by coins, which the account counts on."""
    matrix = hs.matrix.optimal_banded(PERIOD * EPOCHS, 4, hs.Cyclic(PERIOD, EPOCHS), "mean")
    coins = hs.CyclicPoisson(4 / PERIOD, 4)
    return hs.calibrate(
        lambda noise: hs.Correlated(matrix, noise, coins),
        epsilon=epsilon, delta=DELTA, relation=hs.ZERO_OUT,
    )  # fmt: skip


def excess(kind: str, epsilon: float) -> float:
    """How much more loss than the best, on average, at the best learning rate."""
    losses = []
    for rate in RATES:
        plan = plan_for(kind, epsilon, rate)
        runs = [learn.private_sgd(learn.Logistic(), *data(), plan, rng=seed) for seed in SEEDS]
        losses.append(np.mean([loss(run.parameters) for run in runs]))
    return float(min(losses)) - least()


def main() -> None:
    """One curve for each kind of noise."""
    rcParams["svg.hashsalt"] = "hockeystick"
    figure = Figure(figsize=(6.4, 3.8), layout="constrained")
    axis = figure.subplots()
    for kind, (colour, marker) in KINDS.items():
        values = [excess(kind, epsilon) for epsilon in EPSILONS]
        print(kind, *(f"{value:.5f}" for value in values), flush=True)
        axis.plot(EPSILONS, values, color=colour, marker=marker, label=kind)
    axis.set(xscale="log", yscale="log", xlabel=f"ε at δ = {DELTA:g}, one record zeroed out")
    axis.set(ylabel="logistic loss above the least")
    axis.set_xticks(EPSILONS, [f"{epsilon:g}" for epsilon in EPSILONS])
    axis.minorticks_off()
    axis.legend(frameon=False, title="noise", fontsize="small")
    figure.savefig(Path(__file__).parent / "correlated.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()

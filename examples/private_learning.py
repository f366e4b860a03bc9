"""What privacy costs in accuracy: three ways to train, on real data, as one would show a team.

    python examples/private_learning.py --output accuracy.png

The data is the Wisconsin breast-cancer set that scikit-learn bundles: 426 records to learn from and
143 to test on. The three scenarios are those of Yıldırım's lecture (2024): pure ε-DP with Laplace
noise on samples without replacement, (ε, δ)-DP with Gaussian noise on all records, and (ε, δ)-DP
with Gaussian noise on Poisson samples. All noise is exactly calibrated.

Seeds are for pictures: a real run leaves random_state=None, fits once, and tests on public data.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import numpy as np
from matplotlib import pyplot as plt
from rich.console import Console
from rich.progress import track
from rich.table import Table
from sklearn import linear_model
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from hockeystick.learn import BoundedScaler, LogisticRegression
from hockeystick.learn.scenarios import Calibration, Problem, scenarios
from hockeystick.learn.schema import Number, Schema

EPSILONS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
DELTA = 1e-5
SCENARIOS: dict[str, dict[str, Any]] = {
    "pure, without replacement": {
        "delta": 0.0, "sampler": "without-replacement", "batch_size": 64, "epochs": 2,
        "learning_rate": 10.0,
    },
    "all records": {
        "delta": DELTA, "sampler": "full", "relation": "replace-one", "epochs": 40,
        "learning_rate": 2.0,
    },
    "Poisson": {"delta": DELTA, "sampler": "poisson", "batch_size": 64, "epochs": 20},
}  # fmt: skip
COLOURS = ("#b2473e", "#4477aa", "#228833")
ASIDE = (0.93, 1.0, 1.075)
"""Points of one ε stand beside each other, so that their bars do not hide one another."""


def data() -> tuple[Any, Any, Any, Any]:
    """Features by declared bounds, split into records to learn from and to test on."""
    bunch = load_breast_cancer()
    schema = Schema.load(Path(__file__).with_name("breast_cancer.toml"))
    columns = [schema.columns[name] for name in bunch.feature_names]
    bounds = [(c.lower, c.upper) for c in columns if isinstance(c, Number)]
    lower, upper = zip(*bounds, strict=True)
    x = BoundedScaler(lower, upper).fit_transform(bunch.data)
    x, x_test, y, y_test = train_test_split(x, bunch.target, random_state=0, stratify=bunch.target)
    return x, x_test, y, y_test


def accuracies(split: tuple[Any, Any, Any, Any], options: dict[str, Any], seeds: int) -> Any:
    """Test accuracies: a row for each ε, a column for each seed."""
    x, x_test, y, y_test = split

    def one(epsilon: float, seed: int) -> float:
        model = LogisticRegression(epsilon=epsilon, classes=(0, 1), random_state=seed, **options)
        return float(model.fit(x, y).score(x_test, y_test))

    return np.array([[one(epsilon, seed) for seed in range(seeds)] for epsilon in EPSILONS])


def noises() -> list[tuple[Calibration, ...]]:
    """The noise that each scenario needs for the same 100 steps on the same data, by ε."""
    return [scenarios(Problem(e, DELTA, steps=100, population=426, batch=64)) for e in EPSILONS]


def draw(found: dict[str, Any], without: float, path: Path) -> None:
    """Accuracy on the left, noise on the right, one legend of colours below both."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.8), layout="constrained")
    keys = []
    for colour, aside, (name, scores) in zip(COLOURS, ASIDE, found.items(), strict=True):
        delta = f"{SCENARIOS[name]['delta']:g}".replace("e-0", "e-")
        low, middle, high = np.quantile(scores, (0.1, 0.5, 0.9), axis=1)
        bars = left.errorbar(
            np.array(EPSILONS) * aside, middle, (middle - low, high - middle), color=colour,
            capsize=3, marker="o", ms=4, label=f"{name}, δ = {delta}",
        )  # fmt: skip
        keys.append(bars)
    left.axhline(without, color="0.4", ls="--", lw=1)
    left.annotate("without privacy", (EPSILONS[0], without), (0, 4), textcoords="offset points",
                  color="0.4")  # fmt: skip
    left.set(xlabel="ε", ylabel="test accuracy", title="Accuracy: median, and 10 % to 90 % of runs")
    left.set_ylim(top=1.0)
    for colour, each in zip(COLOURS, zip(*noises(), strict=True), strict=True):
        right.plot(EPSILONS, [c.exact for c in each], color=colour)
        right.plot(EPSILONS, [c.corrected for c in each], color=colour, ls="--", marker="o", ms=3)
    right.plot([], [], color="0.3", label="exact")
    right.plot([], [], color="0.3", ls="--", marker="o", ms=3, label="by the (corrected) formula")
    right.set(xlabel="ε", ylabel="noise on the mean gradient (clip 1)", yscale="log",
              title="Noise for the same 100 steps")  # fmt: skip
    right.legend()
    for axes in (left, right):
        axes.set_xscale("log", base=2)
        axes.set_xticks(EPSILONS, [f"{e:g}" for e in EPSILONS])
        axes.grid(alpha=0.25)
    figure.legend(handles=keys, loc="outside lower center", ncols=len(keys), frameon=False)
    figure.savefig(path, dpi=130)


def main() -> None:
    """Train, print a table and draw the picture."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=Path("accuracy.png"))
    parser.add_argument("--seeds", type=int, default=20, help="runs for each point")
    options = parser.parse_args()
    split = data()
    console = Console()
    names = track(SCENARIOS.items(), "training", console=Console(stderr=True))
    found = {name: accuracies(split, given, options.seeds) for name, given in names}
    plain = linear_model.LogisticRegression(C=1e4, max_iter=10_000).fit(split[0], split[2])
    without = float(plain.score(split[1], split[3]))
    table = Table("scenario", *(f"ε = {e:g}" for e in EPSILONS), title="test accuracy, ± one sd")
    for name, scores in found.items():
        cells = zip(scores.mean(axis=1), scores.std(axis=1), strict=True)
        table.add_row(name, *(f"{mean:.3f} ±{sd:.3f}" for mean, sd in cells))
    console.print(table)
    console.print(f"without privacy {without:.3f}")
    draw(found, without, options.output)
    console.print(f"saved {options.output}", highlight=False)


if __name__ == "__main__":
    main()

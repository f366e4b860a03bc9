"""What privacy costs in time: `python -m benchmarks.learning`.

One step of logistic regression on 32 561 records with 100 features, about 512 in a batch, without
privacy in plain NumPy and with everything that privacy adds: exact secure Poisson batches,
clipping of each record, secure noise, accounting. Batches of the plain step are drawn by
`Generator.choice` without replacement.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from numpy.random import Generator, default_rng
from rich.console import Console
from rich.table import Table
from scipy.special import expit

import hockeystick as hs
from hockeystick import learn
from hockeystick.learn.descent import Descent
from hockeystick.learn.records import Records
from hockeystick.mechanisms.bases.additive_noise import AdditiveNoise
from hockeystick.numerics.types import Array
from hockeystick.random.generators import generator

RECORDS, FEATURES, BATCH = 32_561, 100, 512
REPEATS, STEPS = 15, 100
LIMIT = 2.0


def plain_step(x: Array, y: Array, theta: Array, rng: Generator) -> Array:
    """The same step without privacy."""
    batch = rng.choice(len(y), BATCH, replace=False)
    rows = x[batch]
    return np.asarray(theta - 0.5 * (rows.T @ (expit(rows @ theta) - y[batch, None]) / BATCH))


def private_run(x: Array, y: Array, noise: AdditiveNoise, sampler: hs.Sampler) -> Descent:
    """A run that takes its steps one by one, with secure randomness."""
    plan = learn.Plan(noise, sampler, steps=10**6, clip=1.0, batch_size=BATCH)
    return Descent(
        learn.Logistic(), learn.Records(x, y), plan, hs.Accountant(plan.relation), None, None
    )


def both_steps() -> tuple[Callable[[], object], Callable[[], object]]:
    """A step without privacy, and a private one."""
    rng = default_rng(0)
    x = rng.standard_normal((RECORDS, FEATURES))
    y = (x[:, 0] > 0).astype(float)
    theta = np.zeros((FEATURES, 1))
    run = private_run(x, y, hs.Gaussian(1.1), hs.Poisson(BATCH / RECORDS))
    return lambda: plain_step(x, y, theta, rng), run.step


def cost(steps: dict[str, Callable[[], object]], runs: list[Descent]) -> dict[str, float]:
    """Microseconds of CPU for one call of each, the least of several rounds taken in turn."""
    best = dict.fromkeys(steps, float("inf"))
    for _ in range(REPEATS):
        for name, step in steps.items():
            for run in runs:
                run.turns.ahead(STEPS)
            start = time.process_time()
            for _ in range(STEPS):
                step()
            best[name] = min(best[name], 1e6 * (time.process_time() - start) / STEPS)
    return best


def main() -> None:
    """Print the table."""
    rng = default_rng(0)
    x = rng.standard_normal((RECORDS, FEATURES))
    y = (x[:, 0] > 0).astype(float)
    theta, secure = np.zeros((FEATURES, 1)), generator()
    poisson = hs.Poisson(BATCH / RECORDS)
    gaussian = private_run(x, y, hs.Gaussian(1.1), poisson)
    fixed = private_run(x, y, hs.Gaussian(1.1), hs.WithoutReplacement(BATCH, RECORDS))
    laplace = private_run(x, y, hs.Laplace(1.1), poisson)
    batch = Records(x, y).take(poisson.draw(RECORDS, secure))
    release = hs.Gaussian(1.1).release
    found = cost(
        {
            "without privacy, NumPy": lambda: plain_step(x, y, theta, rng),
            "Poisson, Gaussian": gaussian.step,
            "Poisson, Laplace": laplace.step,
            "without replacement, Gaussian": fixed.step,
            "  of it: a Poisson batch": lambda: poisson.draw(RECORDS, secure),
            "  of it: clipped gradient": lambda: learn.Logistic().clipped_sum(
                theta, batch, 1.0, "L2"
            ),
            "  of it: noise, drawn ahead": lambda: gaussian.turns.release(theta),
            "noise by itself": lambda: release(theta, rng=secure),
        },
        [gaussian, fixed, laplace],
    )
    plain = found["without privacy, NumPy"]
    table = Table("step", "CPU µs", "ratio", title=f"{RECORDS} x {FEATURES}, batch {BATCH}")
    for name, time_ in found.items():
        table.add_row(name, f"{time_:.0f}", f"{time_ / plain:.2f}")
    console = Console()
    console.print(table)
    ratio = found["Poisson, Gaussian"] / plain
    verdict = "within" if ratio <= LIMIT else "ABOVE"
    console.print(f"a private step costs {ratio:.2f} plain ones: {verdict} the limit of {LIMIT:g}")


if __name__ == "__main__":
    main()

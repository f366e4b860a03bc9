"""What privacy costs in time: `python -m benchmarks.learning`.

One step of logistic regression, without privacy in plain NumPy and with everything that privacy
adds: exact secure Poisson batches, clipping of each record, secure noise. As in a run, what is to
come is announced: noise and Poisson batches are drawn for several steps at once, and the steps are
on the accountant by then. On 32 561 records with 100 features, about 512 in a batch, and on 60 000
with 784, about 256 in a batch.

Plain batches are of fixed size, by `Generator.choice`, which is the quickest way; a row has Poisson
batches by a coin for each record. The plain step gathers its rows as people write it, `x[batch]`;
another row has `take`, as the private step does: it is the quicker one for short rows.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.random import default_rng
from rich.console import Console
from rich.table import Table
from scipy.special import expit

import hockeystick as hs
from hockeystick import learn
from hockeystick.learn.descent import Descent
from hockeystick.mechanisms.bases.additive_noise import AdditiveNoise
from hockeystick.numerics.types import Array
from hockeystick.random.generators import generator

Step = Callable[[], object]
RECORDS, FEATURES, BATCH = 32_561, 100, 512
WIDE = 60_000, 784, 256
REPEATS, STEPS = 15, 100
LIMIT = 1.5


@dataclass(frozen=True)
class Task:
    """Records, and how many are in a batch."""

    x: Array
    y: Array
    batch: int

    @classmethod
    def made(cls, records: int, features: int, batch: int) -> Task:
        x = default_rng(0).standard_normal((records, features))
        return cls(x, (x[:, 0] > 0).astype(float), batch)

    @property
    def poisson(self) -> hs.Poisson:
        return hs.Poisson(self.batch / len(self.y))

    @property
    def theta(self) -> Array:
        return np.zeros((self.x.shape[1], 1))

    def plain(self, drawn: Callable[[], Array], gather: Callable[[Array], Array]) -> Step:
        """The same step without privacy."""
        theta, y = self.theta, self.y

        def step() -> Array:
            batch = drawn()
            rows = gather(batch)
            residuals = expit(rows @ theta) - y[batch, None]
            return np.asarray(theta - 0.5 * (rows.T @ residuals / self.batch))

        return step

    def plain_steps(self) -> dict[str, Step]:
        """As people write it; with the gather of the private step; with its law of batches."""
        rng, count = default_rng(1), len(self.y)

        def fixed() -> Array:
            return rng.choice(count, self.batch, replace=False)

        def coins() -> Array:
            return np.flatnonzero(rng.random(count) < self.poisson.rate)

        def taken(batch: Array) -> Array:
            return self.x.take(batch, axis=0)

        return {
            "without privacy, NumPy": self.plain(fixed, self.x.__getitem__),
            "without privacy, by take": self.plain(fixed, taken),
            "without privacy, Poisson by coins": self.plain(coins, self.x.__getitem__),
        }

    def private(self, noise: AdditiveNoise, sampler: hs.Sampler) -> Descent:
        """A run that takes its steps one by one, with secure randomness."""
        plan = learn.Plan(noise, sampler, steps=10**6, clip=1.0, batch_size=self.batch)
        records, account = learn.Records(self.x, self.y), hs.Accountant(plan.relation)
        return Descent(learn.Logistic(), records, plan, account, None, None)


def both_steps() -> tuple[Step, Step]:
    """A step without privacy, and a private one of a run that was announced."""
    task = Task.made(RECORDS, FEATURES, BATCH)
    run = task.private(hs.Gaussian(1.1), task.poisson)
    run.turns.ahead(run.plan.steps)
    return task.plain_steps()["without privacy, NumPy"], run.step


def cost(steps: dict[str, Step], runs: list[Descent]) -> dict[str, float]:
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


def table(task: Task) -> tuple[Table, dict[str, float]]:
    """What each step takes, and what the private one is made of."""
    secure, theta, gaussian = generator(), task.theta, hs.Gaussian(1.1)
    count, features = task.x.shape
    run = task.private(gaussian, task.poisson)
    fixed = task.private(gaussian, hs.WithoutReplacement(task.batch, count))
    laplace = task.private(hs.Laplace(1.1), task.poisson)
    records = learn.Records(task.x, task.y)
    batch = records.take(task.poisson.draw(count, secure))
    found = cost(
        {
            **task.plain_steps(),
            "Poisson, Gaussian": run.step,
            "Poisson, Laplace": laplace.step,
            "without replacement, Gaussian": fixed.step,
            "  of it: a Poisson batch, drawn ahead": run.turns.batches,
            "  of it: this, and its rows gathered": lambda: records.take(run.turns.batches()[0]),
            "  of it: clipped gradient": lambda: learn.Logistic().clipped_sum(
                theta, batch, 1.0, "L2"
            ),
            "  of it: noise, drawn ahead": lambda: run.turns.release(theta),
            "a Poisson batch by itself": lambda: task.poisson.draw(count, secure),
            "noise by itself": lambda: gaussian.release(theta, rng=secure),
        },
        [run, fixed, laplace],
    )
    plain = found["without privacy, NumPy"]
    shown = Table("step", "CPU µs", "ratio", title=f"{count} x {features}, batch {task.batch}")
    for name, time_ in found.items():
        shown.add_row(name, f"{time_:.0f}", f"{time_ / plain:.2f}")
    return shown, found


def main() -> None:
    """Print the tables."""
    console = Console()
    for shape in ((RECORDS, FEATURES, BATCH), WIDE):
        shown, found = table(Task.made(*shape))
        console.print(shown)
        ratios = [
            found["Poisson, Gaussian"] / found[f"without privacy, {plain}"]
            for plain in ("NumPy", "by take")
        ]
        verdict = "within" if ratios[0] <= LIMIT else "ABOVE"
        console.print(
            f"a private step costs {ratios[0]:.2f} plain ones, {verdict} the limit of {LIMIT:g}; "
            f"{ratios[1]:.2f} of those that take"
        )


if __name__ == "__main__":
    main()

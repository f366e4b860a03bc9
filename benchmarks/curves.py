"""Whole curves and long sums, each with its ends, time and memory: `python -m benchmarks.curves`.

Every row runs in a process of its own, so that its peak memory is its own: the least CPU of a few
calls, how far apart the ends are at most (over the upper end), and by how much the process grew.
`python -m benchmarks.curves ROW` runs one row here and prints its numbers as JSON.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table

import hockeystick as hs
from benchmarks.worker import peak_mb
from hockeystick.learn.clipping import lengths
from hockeystick.numerics.types import Array

REPEATS, ENOUGH = 5, 2.0
"""Calls of a row, fewer where they took so many seconds in all."""
STEP = hs.Gaussian(1.0).on(hs.Poisson(0.01))
RARE = hs.Gaussian(1.0).on(hs.Poisson(0.001))
FIXED = hs.Gaussian(2.0).on(hs.WithoutReplacement(100, 10_000))
COMMAND = ("epsilon", "Gaussian(1.1).on(Poisson(0.01)) * 10000", "--delta", "1e-5")


class Row(NamedTuple):
    """What is asked, given how often it was asked before, and the seconds it should take."""

    title: str
    goal: float
    ask: Callable[[int], Any]
    ready: Callable[[], object] = object
    """What is made before anything is measured."""


def many(noises: Array, rate: float = 0.005, count: int = 10) -> hs.Bound:
    """Different sampled Gaussians, so many steps of each."""
    steps = (hs.Gaussian(float(noise)).on(hs.Poisson(rate)) * count for noise in noises)
    return sum(steps, start=hs.Composition()).epsilon(1e-6)


def loop(asked: int, steps: list[hs.Mechanism], count: int = 1000) -> hs.Bound:
    """A training loop that logs ε after each step."""
    accountant = hs.Accountant()
    for n in range(count):
        accountant.spend(steps[n % len(steps)])
        found = accountant.epsilon(1e-5 + 1e-12 * asked)
    return found


@cache
def rows() -> Array:
    """A large table, made once."""
    return np.ones((10**6, 100))


def command(_: int) -> None:
    """The command line, from a cold start."""
    subprocess.run(
        [sys.executable, "-m", "hockeystick.cli", *COMMAND], check=True, stdout=subprocess.DEVNULL
    )


ROWS = {
    "profile": Row(
        "delta at 1000 epsilons, sigma=1 q=.01 T=1000", 0.2,
        lambda k: (STEP * 1000).profile(np.linspace(0, 3 + 1e-7 * k, 1000)),
    ),
    "tradeoff": Row(
        "type II errors at 20 type I errors", 0.1,
        lambda k: (STEP * 1000).tradeoff(np.linspace(0.01, 0.99 + 1e-7 * k, 20)),
    ),
    "steps": Row(
        "epsilon after each of 1..10000 steps", 0.15,
        lambda k: STEP.epsilons(1e-5 + 1e-12 * k, range(1, 10_001)),
    ),
    "rare": Row(
        "epsilon after each of 1..1000 steps, q=.001", 0.3,
        lambda k: RARE.epsilons(1e-5 + 1e-12 * k, range(1, 1001)),
    ),
    "loop": Row("1000 steps, epsilon asked after each", 1.0, lambda k: loop(k, [STEP])),
    "rare loop": Row(
        "1000 steps of q=.001, epsilon asked after each", 1.0, lambda k: loop(k, [RARE]),
    ),
    "in turn": Row(
        "1000 steps of two mechanisms in turn, epsilon asked after each", 1.0,
        lambda k: loop(k, [STEP, RARE]),
    ),
    "fixed size": Row(
        "1000 steps of fixed size, epsilon asked after each", 1.0, lambda k: loop(k, [FIXED]),
    ),
    "left": Row(
        "how many steps of q=.001 a budget allows", 0.1,
        lambda k: hs.Accountant(budget=(1 + 1e-9 * k, 1e-5)).steps_left(RARE),
    ),
    "calibrate": Row(
        "noise for epsilon=1 after 1000 steps", 0.02,
        lambda k: hs.calibrate(
            lambda x: hs.Gaussian(x).on(hs.Poisson(0.01)) * 1000, epsilon=1 + 1e-9 * k, delta=1e-5
        ),
    ),
    "thousand": Row(
        "1000 sampled Gaussians sigma=1..1.999", 0.3,
        lambda k: many(1 + 1e-7 * k + 0.001 * np.arange(1000)),
    ),
    "hundred": Row(
        "100 sampled Gaussians sigma=.6..3.6", 1.0,
        lambda k: many(0.6 + 1e-7 * k + 0.03 * np.arange(100)),
    ),
    "singles": Row(
        "1000 different sampled Gaussians, one step each, q=.01", 0.5,
        lambda k: many(1 + 1e-7 * k + 0.001 * np.arange(1000), 0.01, 1),
    ),
    "posterior": Row(
        "a Beta posterior on samples of 50 of 1000, T=20", 2.0,
        lambda k: (
            hs.BetaPosterior(4 + 1e-7 * k, 4.0).on(hs.WithoutReplacement(50, 1000)) * 20
        ).epsilon(1e-6),
    ),
    "orders": Row(
        "epsilon by Renyi divergences, sigma=.02 q=.01 T=1000", 0.5,
        lambda k: (hs.Gaussian(0.02 + 1e-9 * k).on(hs.Poisson(0.01)) * 1000).epsilon(
            1e-5, method="renyi"
        ),
    ),
    "events": Row(
        "type II errors at 20 type I errors, from a Renyi curve", 1.0,
        lambda k: hs.ZeroConcentratedDP(0.5 + 1e-7 * k).tradeoff(np.linspace(0.01, 0.99, 20)),
    ),
    "renyi": Row(
        "fixed-size Gaussian, 100 orders", 0.02,
        lambda k: (hs.Gaussian(1 + 1e-7 * k).on(hs.WithoutReplacement(100, 10_000)) * 1000).rdp(
            np.linspace(1.5, 100, 100)
        ),
    ),
    "coins": Row(
        "bernoulli.amplify, epsilon=1 alpha=3 c=.1 d=3 k=5", 0.1,
        lambda k: hs.bernoulli.amplify(1 + 1e-9 * k, 3, 0.1, 3, 5),
    ),
    "lengths": Row(
        "L1 lengths of 1e6 rows of 100", 0.07, lambda k: lengths(rows(), "L1"), rows,
    ),
    "command": Row("hockeystick epsilon, from a cold start", 0.35, command),
}  # fmt: skip


def width(answer: Any) -> float | None:
    """How far apart the ends are, over the upper one; None for what has no ends."""
    if getattr(answer, "upper", None) is None:
        return None
    lower, upper = np.asarray(answer.lower), np.asarray(answer.upper)
    return float(np.max((upper - lower) / np.maximum(upper, 1e-300)))


def cpu() -> float:
    """Seconds of this process and of those that it waited for."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def measure(row: Row) -> dict[str, float | None]:
    """Numbers of one row, in this process."""
    row.ready()
    before, best, spent = peak_mb(), float("inf"), 0.0
    for k in range(REPEATS):
        start = cpu()
        answer = row.ask(k)
        taken = cpu() - start
        best, spent = min(best, taken), spent + taken
        if spent > ENOUGH:
            break
    return {"cpu": best, "width": width(answer), "grown_mb": peak_mb() - before}


def main() -> None:
    """Print the table, or one row's numbers."""
    if len(sys.argv) > 1:
        print(json.dumps(measure(ROWS[sys.argv[1]])))
        return
    table = Table("what", "CPU s", "goal s", "ends apart", "MB more")
    for name, row in ROWS.items():
        own = [sys.executable, "-m", "benchmarks.curves", name]
        found = json.loads(subprocess.run(own, check=True, capture_output=True).stdout)
        apart = "" if found["width"] is None else f"{found['width']:.0e}"
        numbers = f"{found['cpu']:.3f}", f"{row.goal:g}", apart, f"{found['grown_mb']:.0f}"
        table.add_row(row.title, *numbers)
    Console().print(table)


if __name__ == "__main__":
    main()

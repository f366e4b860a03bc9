"""Training on data larger than memory: `python -m benchmarks.scale [rows] [folder]`.

Logistic regression on 10 million records of 50 features (4 GB of floats in a file), one record in a
hundred in a batch. Measured, each in a process of its own: the peak of its memory, and the time of
a step, private (keyed secure batches, clipping, exact sums, secure noise) and plain (a batch by
`Generator.choice`, the same reads, no privacy); then private with 1 and 2 worker processes. Steps
in one process are compared by their CPU time, which other programs disturb less.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from numpy.random import default_rng
from rich.console import Console
from rich.table import Table
from scipy.special import expit

import hockeystick as hs
from hockeystick import learn
from hockeystick.learn.descent import Descent
from hockeystick.learn.scale.source import Source

ROWS, FEATURES, RATE = 10_000_000, 50, 0.01
STEPS = 20
AIM_RATIO, AIM_MEMORY = 1.5, 1.0
WAYS = ("plain", "private", "1 worker", "2 workers")


def write(rows: int, folder: Path) -> None:
    """The data, some rows at a time."""
    rng, truth = default_rng(0), np.linspace(-1, 1, FEATURES)
    with (folder / "x").open("wb") as x, (folder / "y").open("wb") as y:
        for start in range(0, rows, 2**17):
            block = rng.uniform(-1, 1, size=(min(2**17, rows - start), FEATURES))
            block.tofile(x)
            (block @ truth + rng.normal(size=len(block)) > 0).astype(float).tofile(y)


def source(rows: int, folder: Path, **options: object) -> Source:
    """The data where they are."""
    x = np.memmap(folder / "x", float, "r", shape=(rows, FEATURES))
    y = np.memmap(folder / "y", float, "r", shape=(rows,))
    return learn.from_arrays(x, y, **options)  # type: ignore[arg-type]


def plain(data: Source, rows: int) -> Callable[[], None]:
    """A step without privacy."""
    rng, theta = default_rng(1), np.zeros((FEATURES, 1))

    def step() -> None:
        nonlocal theta
        batch = np.sort(rng.choice(rows, int(RATE * rows), replace=False))
        total = np.zeros_like(theta)
        for part in data.parts:
            own = batch[batch.searchsorted(part.first) : batch.searchsorted(part.stop)] - part.first
            x, y = part.features.open().take(own, axis=0), part.targets.open().take(own)
            total += x.T @ (expit(x @ theta) - y[:, None])
        theta = theta - 0.5 * total / len(batch)

    return step


def private(data: Source, rows: int) -> Callable[[], None]:
    """A step with privacy."""
    plan = learn.Plan(
        hs.Gaussian(1.0), hs.Poisson(RATE), steps=10**6, clip=1.0, batch_size=RATE * rows
    )
    run = Descent(learn.Logistic(), data, plan, hs.Accountant(plan.relation), None, None)
    return run.step


def measured(way: str, rows: int, folder: Path) -> dict[str, float]:
    """The least wall and CPU times of a step, and the peaks of memory in GB."""
    with ExitStack() as stack:
        options = {}
        if way.endswith(("worker", "workers")):
            pool = ProcessPoolExecutor(int(way[0]), get_context("spawn"))
            options["executor"] = stack.enter_context(pool)
        data = source(rows, folder, **options)
        step, taken = (plain if way == "plain" else private)(data, rows), []
        for _ in range(STEPS):
            wall, cpu = time.perf_counter(), time.process_time()
            step()
            taken.append((time.perf_counter() - wall, time.process_time() - cpu))
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    workers = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**20
    seconds, cpu = np.min(taken, axis=0).tolist()
    return {"seconds": seconds, "cpu": cpu, "driver": own, "worker": workers}


def main(rows: int = ROWS, place: str | None = None) -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory(dir=place) as name:
        write(rows, Path(name))
        found = {}
        for way in WAYS:
            call = [sys.executable, "-m", "benchmarks.scale", way, str(rows), name]
            done = subprocess.run(call, check=True, capture_output=True, text=True)
            found[way] = json.loads(done.stdout)
    title = f"A step on {rows:,} records of {FEATURES} features, one in {1 / RATE:g} in a batch"
    table = Table("", "seconds", "CPU seconds", "peak, GB", "of a worker", title=title)
    for way, each in found.items():
        peaks = [f"{each[who]:.2f}" if each[who] else "" for who in ("driver", "worker")]
        table.add_row(way, f"{each['seconds']:.3f}", f"{each['cpu']:.3f}", *peaks)
    Console().print(table)
    ratio = found["private"]["cpu"] / found["plain"]["cpu"]
    peak = found["private"]["driver"]
    print(f"private is {ratio:.2f} times plain, by CPU; the aim is {AIM_RATIO}")
    print(f"the peak is {peak:.2f} GB; the aim is {AIM_MEMORY}")


if __name__ == "__main__":
    if len(sys.argv) == 4:
        print(json.dumps(measured(sys.argv[1], int(sys.argv[2]), Path(sys.argv[3]))))
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else ROWS, *sys.argv[2:3])

"""Correlated noise: what answers, noise and matrices take: `python -m benchmarks.correlated`.

Beside it, where it is installed, what jax_privacy takes to optimise the same matrices.
"""

from __future__ import annotations

import importlib.util
import time
import tracemalloc
from collections.abc import Callable

import numpy as np
from rich.console import Console
from rich.table import Table

import hockeystick as hs
from hockeystick.evidence import known
from hockeystick.matrix import Strategy
from hockeystick.release.stream import Stream

STEPS, DIMENSION, BANDS = 2000, 10**6, 64
TIMED = 3
"""Steps that are timed, once as many are done as vectors are kept."""


def streams() -> dict[str, tuple[Strategy, int]]:
    """Matrices, and how many vectors their noise keeps."""
    return {
        "independent": (hs.matrix.identity(STEPS), 0),
        "banded, 64 bands": (hs.matrix.banded(steps=STEPS, bands=BANDS), BANDS - 1),
        "3 buffers": (
            hs.matrix.buffered(STEPS, decay=(0.999, 0.98, 0.6), scale=(0.03, 0.1, 0.3)),
            3,
        ),
        "tree": (hs.matrix.tree(STEPS), STEPS.bit_length()),
    }


def stream_cost(strategy: Strategy, vectors: int) -> tuple[float, float, float]:
    """Seconds of CPU for a step, and memory held and at its peak, in vectors."""
    tracemalloc.start()
    stream = Stream(strategy, 1.0, DIMENSION, rng=0)
    for _ in range(vectors + 1):
        next(stream)
    start = time.process_time()
    for _ in range(TIMED):
        next(stream)
    took = (time.process_time() - start) / TIMED
    held, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return took, held / 8 / DIMENSION, peak / 8 / DIMENSION


def timed(make: Callable[[], Strategy]) -> tuple[float, Strategy]:
    """Seconds of CPU, and what was made."""
    start = time.process_time()
    made = make()
    return time.process_time() - start, made


def optimisations() -> dict[str, Callable[[], Strategy]]:
    """What is found, for records that take part 5 times, 100 steps apart or once."""
    pattern = hs.MinSeparated(every=100, at_most=5)
    return {
        "banded, 64 bands": lambda: hs.matrix.optimal_banded(STEPS, BANDS, pattern, "mean"),
        "3 buffers": lambda: hs.matrix.optimal_buffered(STEPS, 3, pattern, "mean"),
        "dense, 256 steps, once": lambda: hs.matrix.optimal_dense(256),
    }


def theirs() -> dict[str, float]:
    """Seconds of CPU that jax_privacy takes for the same; nothing where it is not installed."""
    if importlib.util.find_spec("jax_privacy") is None:
        return {}
    from jax_privacy.matrix_factorization import toeplitz

    start = time.process_time()
    toeplitz.optimize_banded_toeplitz(n=STEPS, bands=BANDS)
    return {"banded, 64 bands": time.process_time() - start}


def runs() -> dict[str, Callable[[], hs.Correlated]]:
    """Runs whose sensitivity and ε are asked for, made anew each time."""
    apart = hs.MinSeparated(every=100, at_most=20)
    matrix = hs.matrix
    return {
        "100 bands, 100 apart": lambda: hs.Correlated(matrix.banded(STEPS, 100), 10.0, apart),
        "150 bands, 100 apart": lambda: hs.Correlated(matrix.banded(STEPS, 150), 10.0, apart),
        "square root, 100 apart": lambda: hs.Correlated(matrix.square_root(STEPS), 10.0, apart),
        "tree of 1e5, 100 apart": lambda: hs.Correlated(matrix.tree(10**5), 50.0, apart),
        "64 bands, coins every 64": lambda: hs.Correlated(
            matrix.banded(STEPS, 64), 4.0, hs.CyclicPoisson(0.1, 64)
        ),
        "32 bands, coins": lambda: hs.Correlated(matrix.banded(STEPS, 32), 20.0, hs.Poisson(0.01)),
        "square root, 16 bins": lambda: hs.Correlated(
            matrix.square_root(64), 3.0, hs.BallsInBins(16)
        ),
    }


def answer_cost(make: Callable[[], hs.Correlated]) -> tuple[float, float, hs.Bound]:
    """Seconds of CPU for the sensitivity, and for ε after it, the least of three; and ε."""
    times: list[tuple[float, float]] = []
    for _ in range(3):
        run, start = make(), time.process_time()
        _ = run.sensitivity
        middle = time.process_time()
        known.cache_clear()
        answer = run.epsilon(1e-6)
        times.append((middle - start, time.process_time() - middle))
    return min(first for first, _ in times), min(second for _, second in times), answer


def main() -> None:
    """Print the tables."""
    costs = Table("run", "sensitivity ms", "epsilon ms", "epsilon", "at least")
    for name, make_run in runs().items():
        first, second, answer = answer_cost(make_run)
        row = (f"{1e3 * first:.1f}", f"{1e3 * second:.1f}", f"{answer:.4f}", f"{answer.lower:.4f}")
        costs.add_row(name, *row)
    Console().print(costs)
    table = Table("stream of noise", "vectors kept", "held", "peak", "s a step")
    for name, (strategy, vectors) in streams().items():
        took, held, peak = stream_cost(strategy, vectors)
        row = (str(vectors), f"{held:.1f}", f"{peak:.1f}", f"{took:.3f}")
        table.add_row(f"{name}, {DIMENSION} entries", *row)
    Console().print(table)
    other, found = theirs(), Table("matrix", "s", "jax_privacy s", "error mean")
    for name, make in optimisations().items():
        took, strategy = timed(make)
        beside = f"{other[name]:.1f}" if name in other else "-"
        found.add_row(name, f"{took:.1f}", beside, f"{np.round(strategy.error('mean'), 4)}")
    Console().print(found)


if __name__ == "__main__":
    main()

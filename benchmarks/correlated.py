"""Time and memory of correlated noise, and of finding matrices: `python -m benchmarks.correlated`.

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
from hockeystick.matrix import Strategy
from hockeystick.release.stream import Stream

STEPS, DIMENSION, BANDS = 2000, 10**6, 64
WARM, TIMED = 66, 3
"""Steps until a history of 64 bands is full, and steps that are timed after them."""


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


def stream_cost(strategy: Strategy) -> tuple[float, float, float]:
    """Seconds of CPU for a step, and memory held and at its peak, in vectors."""
    tracemalloc.start()
    stream = Stream(strategy, 1.0, DIMENSION, rng=0)
    for _ in range(WARM):
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


def main() -> None:
    """Print both tables."""
    table = Table("stream of noise", "vectors kept", "held", "peak", "s a step")
    for name, (strategy, vectors) in streams().items():
        took, held, peak = stream_cost(strategy)
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

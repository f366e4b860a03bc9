"""What exactly rounded noise costs in time, beside NumPy's floats: `python -m benchmarks.noise`."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

import numpy as np
from rich.console import Console
from rich.table import Table

import hockeystick as hs
from hockeystick.random.generators import generator, source
from hockeystick.random.noise import laplace, normal

MANY, FEW, REPEATS = 10**6, 100, 15
SCALE = 1.3 * 2.0**30
"""Steps of the grid in a noise scale, as releases have them."""


def cost(calls: list[Callable[[], object]], times: int) -> list[float]:
    """Milliseconds of CPU for one call of each, the least of several rounds taken in turn."""
    best = [float("inf")] * len(calls)
    for _ in range(REPEATS):
        for i, call in enumerate(calls):
            start = time.process_time()
            for _ in range(times):
                call()
            best[i] = min(best[i], 1e3 * (time.process_time() - start) / times)
    return best


def main() -> None:
    """Print the table."""
    table = Table("draw", "generator", "NumPy ms", "here ms", "ratio")
    for rng in (generator(0), generator()):
        words, name = source(rng), type(rng.bit_generator).__name__
        theirs = [partial(rng.standard_normal, MANY), partial(rng.laplace, size=MANY)]
        ours = [partial(draw, SCALE, MANY, words) for draw in (normal, laplace)]
        found = cost([*theirs, *ours], 1)
        for i, kind in enumerate(("Gaussian", "Laplace")):
            plain, exact = found[i], found[i + 2]
            row = f"{plain:.1f}", f"{exact:.1f}", f"{exact / plain:.2f}"
            table.add_row(f"{MANY} {kind}", name, *row)
    value, secure = np.zeros(FEW), generator()
    kinds = (hs.Gaussian(1.3), hs.Laplace(1.3), hs.DiscreteGaussian(1.3), hs.DiscreteLaplace(1.3))
    for mechanism in kinds:
        (took,) = cost([partial(mechanism.release, value, rng=secure)], 100)
        table.add_row(f"release of {FEW}, {mechanism!r}", "ChaCha", "", f"{took:.3f}", "")
    Console().print(table)


if __name__ == "__main__":
    main()

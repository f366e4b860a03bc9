"""The table of typical certified answers."""

from __future__ import annotations

import time
from collections.abc import Iterator

import hockeystick as hs
from hockeystick.mechanism import Mechanism


def typical() -> Iterator[tuple[Mechanism, float]]:
    """What the table of speeds is about."""
    poisson, fixed = hs.Poisson, hs.WithoutReplacement
    yield hs.Gaussian(1.0), 1e-5
    yield hs.Gaussian(1.1).on(poisson(0.01)) * 10_000, 1e-5
    yield hs.Gaussian(1.0).on(poisson(0.001)) * 600_000, 1e-8
    yield hs.Gaussian(1.0).on(poisson(0.01)) * 1000, 1e-30
    yield hs.Gaussian(1.0).on(poisson(0.01)) * 10, 1e-5
    yield hs.Laplace(2.0).on(poisson(0.001)) * 600_000, 1e-8
    yield hs.Laplace(1.0) * 20, 1e-5
    yield hs.Laplace(1.0).on(poisson(0.05)) * 10, 1e-5
    yield hs.RandomizedResponse(1.0).on(poisson(0.01)) * 10_000, 1e-6
    yield hs.Gaussian(5.0).on(fixed(10, 10_000)) * 100_000, 1e-8
    yield hs.Gaussian(1.1).on(poisson(0.01)) * 1000 + hs.Laplace(10.0) * 20 + hs.Gaussian(5.0), 1e-6


def speed() -> None:
    """Print the table: both proven ends, how far apart, and the least CPU time of three."""
    print("| mechanism | δ | ε | width | CPU s |\n| --- | --- | --- | --- | --- |")
    for mechanism, delta in typical():
        times = []
        for _ in range(3):
            start = time.process_time()
            bound = mechanism.epsilon(delta, certify=True)
            times.append(time.process_time() - start)
        width = bound.upper - bound.lower
        print(
            f"| `{mechanism!r}` | {delta:g} | {bound.upper:.9g} | {width:.1g} | {min(times):.2f} |"
        )

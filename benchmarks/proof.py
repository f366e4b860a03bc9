"""Certified ends against the uncertified ones: random cases of a seed, and every violation.

python -m benchmarks.proof --cases 100 --seed 1
python -m benchmarks.proof --speed
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator

import numpy as np

import hockeystick as hs
from hockeystick.errors import CannotCertify
from hockeystick.mechanism import Mechanism

ROUNDING = 1e-14
"""Relative room that an uncertified end is given: its own rounding is estimated, not proven."""


def cases(count: int, seed: int) -> Iterator[tuple[Mechanism, float]]:
    """Random mechanisms and δ: noise, rates, steps over many orders of magnitude."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        yield _mechanism(rng), float(10 ** rng.uniform(-12, -2))


def _mechanism(rng: np.random.Generator) -> Mechanism:
    noise, rate = float(10 ** rng.uniform(-0.4, 1)), float(10 ** rng.uniform(-4, -0.3))
    steps = int(10 ** rng.uniform(1.7, 6))
    poisson = hs.Poisson(rate)
    population = 10_000
    fixed = hs.WithoutReplacement(max(1, int(rate * population)), population)
    few = int(rng.integers(2, 40))
    made: list[Mechanism] = [
        hs.Laplace(noise) * few,
        hs.RandomizedResponse(noise / 5, categories=int(rng.integers(3, 9))) * min(steps, 3000),
        hs.RandomizedResponse(noise / 5, categories=4).on(poisson) * min(steps, 200),
        hs.DiscreteLaplace(1 + noise) * min(steps, 1000),
        hs.RandomizedResponse(noise / 9).on(poisson) * min(steps, 900)
        + hs.RandomizedResponse(noise / 7) * few,
        hs.Gaussian(noise).on(poisson) * steps,
        hs.Gaussian(noise) * steps,
        hs.Gaussian(noise).on(poisson) * steps,
        hs.Laplace(noise).on(poisson) * max(steps, 200),
        hs.Laplace(noise) * max(steps, 200),
        hs.RandomizedResponse(noise / 10) * steps,
        hs.RandomizedResponse(noise / 10).on(poisson) * steps,
        hs.Gaussian(noise).on(fixed) * max(steps, 1000),
        hs.Gaussian(noise).on(poisson) * steps + hs.Laplace(5 * noise) * 20 + hs.Gaussian(3.0),
        _different(rng),
    ]
    return made[int(rng.integers(len(made)))]


def _different(rng: np.random.Generator) -> Mechanism:
    """A dozen and more different parts, each of many steps or few."""
    total: Mechanism | None = None
    for _ in range(int(rng.integers(12, 25))):
        part = hs.Gaussian(float(10 ** rng.uniform(0, 1))).on(
            hs.Poisson(float(rng.uniform(0, 0.05)))
        )
        part = part * int(10 ** rng.uniform(0, 3))
        total = part if total is None else total + part
    assert total is not None
    return total


def violation(mechanism: Mechanism, delta: float) -> str | None:
    """What contradicts what, if anything does: the proven interval must meet the other one."""
    proven = mechanism.epsilon(delta, certify=True)
    plain = mechanism.epsilon(delta)
    room = ROUNDING * max(1.0, abs(float(plain)))
    if proven.lower > plain.upper + room or proven.upper < plain.lower - room:
        return f"{mechanism!r} at {delta!r}: proven [{proven.lower!r}, {proven.upper!r}], {plain!r}"
    return None


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


def main() -> None:
    """Print every violation, and how many cases there were."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--speed", action="store_true", help="the table of typical answers")
    asked = parser.parse_args()
    if asked.speed:
        speed()
        return
    wrong = unproven = 0
    times = []
    for mechanism, delta in cases(asked.cases, asked.seed):
        start = time.process_time()
        try:
            found = violation(mechanism, delta)
        except CannotCertify as error:
            unproven += 1
            print(f"not proven: {mechanism!r} at {delta!r}: {error}")
            continue
        times.append(time.process_time() - start)
        if found:
            wrong += 1
            print(found)
    middle = f"{float(np.median(times)):.3f} s, mean {np.mean(times):.3f} s" if times else "-"
    print(
        f"{asked.cases} cases: {wrong} violations, {unproven} not proven; "
        f"both answers: median {middle}"
    )


if __name__ == "__main__":
    main()

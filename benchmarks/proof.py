"""Certified ends against the uncertified ones: random cases of a seed, and every violation.

python -m benchmarks.proof --cases 100 --seed 1
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
    ]
    return made[int(rng.integers(len(made)))]


def violation(mechanism: Mechanism, delta: float) -> str | None:
    """What contradicts what, if anything does: the proven interval must meet the other one."""
    proven = mechanism.epsilon(delta, certify=True)
    plain = mechanism.epsilon(delta)
    room = ROUNDING * max(1.0, abs(float(plain)))
    if proven.lower > plain.upper + room or proven.upper < plain.lower - room:
        return f"{mechanism!r} at {delta!r}: proven [{proven.lower!r}, {proven.upper!r}], {plain!r}"
    return None


def main() -> None:
    """Print every violation, and how many cases there were."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
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
    typical = f"{float(np.median(times)):.3f}" if times else "-"
    print(
        f"{asked.cases} cases: {wrong} violations, {unproven} not proven; median {typical} s, both"
    )


if __name__ == "__main__":
    main()

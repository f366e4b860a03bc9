"""Mechanisms and samplers, each beside its oracle."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import hockeystick as hs
from tests.oracles.sampling import samplers
from tests.oracles.sampling.lines import GAUSSIAN, LAPLACE
from tests.oracles.sampling.samplers import Base, Pair

Oracle = Callable[[Base, str], list[Pair]]

BASES: dict[str, tuple[hs.Mechanism, Base]] = {
    "Gaussian": (hs.Gaussian(1.5), samplers.additive(GAUSSIAN, 1.5)),
    "Laplace": (hs.Laplace(1.5), samplers.additive(LAPLACE, 1.5)),
    "response": (hs.RandomizedResponse(1.0), samplers.response(1.0)),
}
SAMPLERS: dict[str, tuple[hs.Sampler, Oracle]] = {
    "Poisson": (hs.Poisson(0.2), lambda base, r: samplers.poisson(base, 0.2, r)),
    "WithoutReplacement": (
        hs.WithoutReplacement(20, 100),
        lambda base, r: samplers.fixed_size(base, 0.2, r),
    ),
    "WithReplacement": (
        hs.WithReplacement(5, 20),
        lambda base, r: samplers.with_replacement(base, 5, 20, r),
    ),
    "TruncatedPoisson": (
        hs.TruncatedPoisson(0.2, 4, 20),
        lambda base, r: samplers.truncated_poisson(base, 0.2, 4, 20, r),
    ),
}


Key = tuple[str, str, str]


def cases(slow: Callable[[Key], bool] = lambda key: False) -> list[Any]:
    """Every sampler, relation and base."""
    found = []
    for name in SAMPLERS:
        for relation in hs.Relation:
            for base in BASES:
                key = (name, relation.name, base)
                marks = [pytest.mark.slow] if slow(key) else []
                found.append(pytest.param(*key, id=" ".join(key), marks=marks))
    return found


def slack(sampler: str, relation: str, base: str) -> tuple[float, float]:
    """How far the answer may be below and above the oracle.

    The bounds for zeroing out are not convex. The oracle draws their envelope by chords between
    points of a grid, which lie a little above it, the more so where the curve has kinks.
    """
    if relation != "ZERO_OUT" or sampler == "Poisson":
        return 1e-11, 1e-8
    return (1e-3, 1e-6) if base == "Laplace" else (1e-7, 1e-8)

"""Mechanisms and samplers, each beside its oracle."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import hockeystick as hs

from . import samplers
from .lines import GAUSSIAN, LAPLACE
from .samplers import Base, Pair

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
CONCAVE = "only the first chord of the convex envelope is drawn; further on the bound is concave"


def cases(two_steps: bool = False) -> list[Any]:
    """Every sampler, relation and base; with the faults that are known."""
    found = []
    known = KNOWN | (KNOWN_TWICE if two_steps else {})
    for name in SAMPLERS:
        for relation in hs.Relation:
            for base in BASES:
                key = (name, relation.value, base)
                if two_steps and key in SLOW:
                    found.append(pytest.param(*key, marks=pytest.mark.skip("takes 5 to 40 s")))
                    continue
                marks = [pytest.mark.xfail(strict=True, reason=known[key])] if key in known else []
                found.append(pytest.param(*key, marks=marks, id=" ".join(key)))
    return found


KNOWN: dict[tuple[str, str, str], str] = {
    ("WithoutReplacement", "ZERO_OUT", "Laplace"): CONCAVE,
    ("WithReplacement", "ZERO_OUT", "Laplace"): CONCAVE,
    ("TruncatedPoisson", "ZERO_OUT", "Laplace"): CONCAVE,
}
KNOWN_TWICE: dict[tuple[str, str, str], str] = {}
SLOW = [
    *(("WithReplacement", relation.value, "Gaussian") for relation in hs.Relation),
    ("WithoutReplacement", "ZERO_OUT", "Gaussian"),
    ("TruncatedPoisson", "ZERO_OUT", "Gaussian"),
    ("TruncatedPoisson", "REPLACE_ONE", "Gaussian"),
]

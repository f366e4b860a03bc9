"""One step of every sampler, relation and kind of mechanism: the upper end is the theorem's.

Of pure DP with replacement it may be smaller, but not below what two data sets attain.
"""

from __future__ import annotations

import numpy as np
import pytest

import hockeystick as hs
from tests.oracles.sampling.samplers import attained_with_replacement, smallest
from tests.samplers.cases import BASES, SAMPLERS, cases, slack


@pytest.mark.parametrize(
    ("sampler", "relation", "base"),
    cases(lambda key: key[::2] == ("WithReplacement", "Gaussian") and key[1] != "ADD_REMOVE"),
)
def test_profile(sampler: str, relation: str, base: str) -> None:
    mechanism, divergences = BASES[base]
    drawn, oracle = SAMPLERS[sampler]
    pairs = oracle(divergences, relation)
    below, above = slack(sampler, relation, base)
    epsilons = np.array([0.0, 0.02, 0.05, 0.1, 0.2, 0.3, 0.7])
    expected = smallest(pairs, epsilons)
    least = expected * (1 - below)
    if sampler == "WithReplacement" and base != "Gaussian":
        least = attained_with_replacement(divergences, 5, 20, relation)(epsilons) * (1 - 1e-11)
    for epsilon, low, high in zip(epsilons, least, expected * (1 + above), strict=True):
        found = mechanism.on(drawn).delta(float(epsilon), relation=hs.Relation[relation])
        assert found.lower <= found.upper
        assert low - 1e-15 <= found <= high + 1e-15, epsilon

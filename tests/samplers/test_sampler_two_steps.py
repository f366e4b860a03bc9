"""Two steps of every sampler, relation and kind of mechanism, composed by hand.

The oracle rounds one of the two steps up to N losses, which costs O(1/N²); what it changes by when
N is halved is more than twice its error, and the answer must lie within that of it. Of pure DP with
replacement it may be smaller, but not below what two data sets attain.
"""

from __future__ import annotations

import numpy as np
import pytest

import hockeystick as hs
from tests.oracles.sampling.lines import Profile, twice
from tests.oracles.sampling.samplers import Pair, attained_with_replacement
from tests.samplers.cases import BASES, SAMPLERS, Key, cases, slack

CELLS = 2000
REACH = 5.0  # losses beyond ±REACH count as infinite


def composed(profile: Profile, epsilon: float, cells: int) -> float:
    return twice(profile, epsilon, REACH, cells)


def worse(pair: Pair, epsilon: float, cells: int) -> float:
    return max(composed(profile, epsilon, cells) for profile in pair)


def attained(profile: Profile, epsilon: float) -> float:
    """Less than two steps cost."""
    coarse, fine = (composed(profile, epsilon, cells) for cells in (CELLS // 2, CELLS))
    return 2 * fine - coarse


def slow(key: Key) -> bool:
    """All but a record added or removed: one step, and a few by enumeration, are tried anyway."""
    sampler, relation, base = key
    return relation != "ADD_REMOVE" or (sampler == "WithReplacement" and base != "response")


@pytest.mark.slow
@pytest.mark.parametrize(("sampler", "relation", "base"), cases(slow))
def test_delta(sampler: str, relation: str, base: str) -> None:
    mechanism, divergences = BASES[base]
    drawn, oracle = SAMPLERS[sampler]
    pairs = oracle(divergences, relation)
    for epsilon in (0.3,):
        expected = min(worse(pair, epsilon, CELLS) for pair in pairs)
        error = min(worse(pair, epsilon, CELLS // 2) for pair in pairs) - expected
        assert -1e-12 <= error <= 5e-5 * expected
        found = (mechanism.on(drawn) * 2).delta(epsilon, relation=hs.Relation[relation])
        assert found.lower <= found.upper
        below = max(1e-7, slack(sampler, relation, base)[0])
        least = expected * (1 - below) - error
        if sampler == "WithReplacement" and base != "Gaussian":
            least = attained(attained_with_replacement(divergences, 5, 20, relation), epsilon)
        assert least <= found <= expected * (1 + 1e-6), epsilon


def test_the_oracle_on_a_known_answer() -> None:
    """Two Gaussian steps are one of √2 times the shift."""
    from tests.oracles.sampling.lines import GAUSSIAN, at, stick

    one = stick(at(GAUSSIAN, 0.3), at(GAUSSIAN, 0.0))
    two = stick(at(GAUSSIAN, 0.3 * np.sqrt(2)), at(GAUSSIAN, 0.0))
    exact = float(two(np.array([0.2]))[0])
    coarse, fine = (composed(one, 0.2, cells) for cells in (CELLS // 2, CELLS))
    assert exact <= fine <= exact + 0.5 * (coarse - fine) <= exact * (1 + 1e-5)

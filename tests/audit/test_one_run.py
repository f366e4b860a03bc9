"""Audits in one run: the theorem's bound by enumeration, and right at its confidence."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

import hockeystick as hs
from hockeystick.audit import in_one_run
from hockeystick.audit.one_run import epsilon_shown, log_likely, right_guesses

Flags = NDArray[np.bool_]


def p_value(m: int, r: int, v: int, epsilon: float, delta: float) -> float:
    """Steinke, Nasr and Jagielski (2023), Appendix D, term by term."""
    q = 1 / (1 + math.exp(-epsilon))
    beta = float(stats.binom.sf(v - 1, r, q))
    alpha = total = 0.0
    for i in range(1, v + 1):
        total += float(stats.binom.pmf(v - i, r, q))
        alpha = max(alpha, total / i)
    return min(1.0, beta + alpha * delta * 2 * m)


@pytest.mark.parametrize("counts", [(100, 40, 36), (100, 100, 70), (50, 8, 8), (1000, 300, 0)])
@pytest.mark.parametrize("epsilon", [0.0, 0.7, 3.0])
@pytest.mark.parametrize("delta", [0.0, 1e-6, 1e-3])
def test_the_bound_of_the_theorem(counts: Any, epsilon: float, delta: float) -> None:
    m, r, v = counts
    bound = math.exp(log_likely(r, v, epsilon, delta, m))
    assert bound == pytest.approx(p_value(m, r, v, epsilon, delta), rel=1e-9)


@pytest.mark.parametrize("delta", [0.0, 1e-5])
def test_epsilon_is_where_the_bound_is_what_may_be_missed(delta: float) -> None:
    epsilon = epsilon_shown(200, 180, delta, 1000, 0.05)
    assert p_value(1000, 200, 180, epsilon, delta) == pytest.approx(0.05, rel=1e-9)
    assert epsilon_shown(200, 100, delta, 1000, 0.05) == 0


def test_randomized_response_attains_the_bound() -> None:
    """m coins, each told truly with probability q: all 2^m outcomes of who is guessed right."""
    m, epsilon = 6, 1.3
    q = math.exp(epsilon) / (1 + math.exp(epsilon))
    for v in range(m + 1):
        exact = sum(
            q ** sum(right) * (1 - q) ** (m - sum(right))
            for right in product((0, 1), repeat=m)
            if sum(right) >= v
        )
        assert math.exp(log_likely(m, v, epsilon, 0.0, m)) == pytest.approx(exact, rel=1e-12)


def test_guesses_by_hand() -> None:
    scores = np.array([5.0, 1.0, 3.0, 2.0, 4.0])
    inside = np.array([True, False, False, True, False])
    assert [right_guesses(scores, inside, k) for k in range(6)] == [0, 1, 2, 2, 2, 2]


def sums(noise: float, seed: int) -> Any:
    rng = np.random.default_rng(seed)
    return lambda inside: inside + noise * rng.normal(size=len(inside))


def responses(epsilon: float, seed: int) -> Any:
    rng, q = np.random.default_rng(seed), 1 / (1 + math.exp(-epsilon))
    return lambda inside: inside == (rng.random(len(inside)) < q)


@pytest.mark.slow
def test_what_is_shown_of_sound_and_broken_noise() -> None:
    claim = hs.Gaussian(2.0)
    sound, broken = (
        in_one_run(sums(noise, 1), 4000, delta=1e-6, confidence=0.99, rng=2) for noise in (2, 0.5)
    )
    assert 0.5 < sound.epsilon < sound.epsilon_assuming(hs.Gaussian) < claim.epsilon(1e-6)
    assert not sound.contradicts(claim)
    assert broken.contradicts(claim)
    assert broken.epsilon > claim.epsilon(1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("guesses", [None, 40, 200])
def test_it_is_wrong_no_more_often_than_announced(guesses: int | None) -> None:
    """Randomized response is the worst case of the theorem: 300 audits at 80 %, each of one run."""
    run, allowed = responses(1.0, 3), stats.binom.isf(1e-4, 300, 0.2)
    options: Any = {"delta": 0.0, "confidence": 0.8, "guesses": guesses}
    found = [in_one_run(run, 200, rng=seed, **options) for seed in range(300)]
    wrong = sum(each.epsilon > 1 for each in found)
    assert (0 if guesses is None else 25) <= wrong <= allowed
    assert np.median([each.epsilon for each in found]) > 0.4
    claim = hs.RandomizedResponse(1.0)
    assert sum(each.contradicts(claim) for each in found[:40]) <= stats.binom.isf(1e-4, 40, 0.2)


@pytest.mark.slow
def test_gaussian_noise_is_accused_no_more_often_than_announced() -> None:
    run, truth = sums(2.0, 4), hs.Gaussian(2.0).epsilon(1e-2)
    options: Any = {"delta": 1e-2, "confidence": 0.8, "guesses": 60}
    found = [in_one_run(run, 100, rng=seed, **options) for seed in range(200)]
    assert sum(each.epsilon > truth for each in found) <= stats.binom.isf(1e-4, 200, 0.2)


def test_the_coins_are_fair_and_the_runs_own() -> None:
    seen: list[Flags] = []

    def run(inside: Flags) -> Any:
        seen.append(inside.copy())
        inside[:] = True  # what a run writes into its copy changes nothing
        return np.arange(len(inside))

    found = in_one_run(run, 1000, delta=0.0, rng=5)
    assert 400 < seen[0].sum() < 600
    assert len(seen) == 1
    assert 400 < dict(found.tried)[1000] < 600
    in_one_run(run, 1000, delta=0.0)  # secure coins
    assert (seen[1] != seen[0]).any()


def test_numbers_of_guesses() -> None:
    found = in_one_run(sums(1, 6), 100, delta=0.0, rng=0)
    assert [count for count, _ in found.tried] == [100, 50, 25, 12]
    assert (found.guesses, found.correct) in found.tried
    assert in_one_run(sums(1, 6), 100, delta=0.0, guesses=30, rng=0).guesses == 30


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"canaries": 7}, "canaries must be an integer >= 8"),
        ({"guesses": 101}, "guesses must be at most the 100 canaries"),
        ({"guesses": 2}, "guesses must be an integer >= 8"),
        ({"delta": 2.0}, "delta must be in [0, 1]"),
        ({"confidence": 0.0}, "confidence must be in (0, 1)"),
        ({"run": lambda inside: 1.0}, "run must return 100 scores, one for each canary"),
        ({"run": lambda inside: np.full(100, np.nan)}, "NaN"),
        ({"run": lambda inside: np.zeros(100)}, "score must vary"),
    ],
)
def test_refusals(options: Any, words: str) -> None:
    call: Any = {"run": sums(1, 7), "canaries": 100, "delta": 0.0, **options}
    with pytest.raises(hs.ParameterError) as caught:
        in_one_run(**call)
    assert words in str(caught.value)

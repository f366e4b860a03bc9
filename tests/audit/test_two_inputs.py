"""Audits: broken mechanisms are found, sound ones are accused no more often than announced."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from scipy import stats

import hockeystick as hs
from hockeystick.audit import Audit, lower_bound, two_inputs
from hockeystick.numerics import clopper_pearson

Run = Callable[[Any, int], Any]
DELTA = 1e-5


def audited(run: Run, one: Any, other: Any, **options: Any) -> Audit:
    settings: dict[str, Any] = {"delta": DELTA, "confidence": 0.999, "runs": 60_000}
    return lower_bound(run, one, other, batched=True, **{**settings, **options})


def released(mechanism: Any, seed: int = 0) -> Run:
    rng = np.random.default_rng(seed)
    return lambda answer, count: mechanism.release(np.full(count, answer), rng=rng)


SOUND = {
    "Gaussian": (hs.Gaussian.for_query(sensitivity=1, epsilon=1, delta=DELTA), DELTA),
    "Laplace": (hs.Laplace.for_query(sensitivity=1, epsilon=1), 0.0),
    "DiscreteGaussian": (
        hs.DiscreteGaussian.for_query(sensitivity=1, epsilon=1, delta=DELTA),
        DELTA,
    ),
    "DiscreteLaplace": (hs.DiscreteLaplace.for_query(sensitivity=1, epsilon=1), 0.0),
    "RandomizedResponse": (hs.RandomizedResponse(1.0), 0.0),
}
TIGHT = {"Laplace", "DiscreteLaplace", "RandomizedResponse"}
"""Some event has the ratio e^ε, and often enough to be seen."""


@pytest.mark.parametrize("name", SOUND)
def test_sound_mechanisms_stay_below_their_claim(name: str) -> None:
    claim, delta = SOUND[name]
    found = audited(released(claim), 0, 1, delta=delta)
    assert found.epsilon <= claim.epsilon(delta)
    assert not found.contradicts(claim)
    assert found.epsilon > (0.8 if name in TIGHT else 0.05)


@pytest.mark.parametrize("name", ["Gaussian", "Laplace", "DiscreteGaussian", "DiscreteLaplace"])
def test_half_the_noise_is_found(name: str) -> None:
    claim, delta = SOUND[name]
    fields = dict(claim.__dict__)
    fields["noise_multiplier"] /= 2
    found = audited(released(type(claim)(**fields)), 0, 1, delta=delta)
    assert found.contradicts(claim)
    if name in TIGHT:
        assert found.epsilon > claim.epsilon(delta)


def test_lies_among_all_answers_are_found() -> None:
    """The lecture's "otherwise answer at random" tells the truth too often."""
    claim, rng = hs.RandomizedResponse(1.0, 4), np.random.default_rng(0)

    def literal(answer: int, count: int) -> Any:
        honest = rng.random(count) < math.e / (math.e + 3)
        return np.where(honest, answer, rng.integers(0, 4, count)) == 1

    found = audited(literal, 0, 1, delta=0)
    assert 1.4 < found.epsilon <= 1.531
    assert found.contradicts(claim)


# One step of training: a sum of gradients with noise; the record to find has a long gradient.
CLIP = 1.0
NOISE = hs.Gaussian(2.0, sensitivity=CLIP)


def step(clips: bool) -> Run:
    rng = np.random.default_rng(1)

    def run(gradients: list[float], count: int) -> Any:
        g = np.array(gradients)
        if clips:
            g = g / np.maximum(1, abs(g) / CLIP)
        return NOISE.release(np.full(count, g.sum()), rng=rng)

    return run


def test_gradients_that_are_not_clipped_are_found() -> None:
    data = [0.3, -0.5], [0.3, -0.5, 6.0]
    sound, broken = (audited(step(clips), *data) for clips in (True, False))
    assert not sound.contradicts(NOISE)
    assert sound.epsilon < NOISE.epsilon(DELTA) < broken.epsilon
    assert broken.contradicts(NOISE)


def training(reuses: bool) -> tuple[hs.Mechanism, Run]:
    """Twenty steps on Poisson samples of one record, or on one sample for all steps."""
    rate, steps, noise = 0.2, 20, hs.Gaussian(1.5)
    rng = np.random.default_rng(2)

    def run(gradient: float, count: int) -> Any:
        drawn = rng.random((count, 1 if reuses else steps)) < rate
        answers = np.broadcast_to(gradient * drawn, (count, steps))
        return noise.release(answers, rng=rng).sum(axis=1)

    return noise.on(hs.Poisson(rate)) * steps, run


@pytest.mark.slow
def test_batches_that_are_used_again_are_found() -> None:
    claim, sound = training(reuses=False)
    _, broken = training(reuses=True)
    kept = audited(sound, 0.0, 1.0)
    assert not kept.contradicts(claim)
    assert kept.epsilon < claim.epsilon(DELTA)
    assert audited(broken, 0.0, 1.0).contradicts(claim)


def test_sensitivity_of_a_replaced_record() -> None:
    """A clipped gradient that turns round moves by 2: noise for 1 is found under replacement."""
    claim = hs.Gaussian(2.0, replace_sensitivity=1.0)
    found = audited(step(clips=True), [-3.0], [3.0])
    assert found.contradicts(claim, relation=hs.REPLACE_ONE)
    assert not found.contradicts(NOISE, relation=hs.REPLACE_ONE)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mechanism", "delta"),
    [
        (hs.RandomizedResponse(1.0), 0.0),
        (hs.Laplace(1.0), 0.0),
        (hs.Gaussian(0.7), 0.05),
    ],
    ids=lambda value: type(value).__name__,
)
def test_the_bound_is_wrong_no_more_often_than_announced(mechanism: Any, delta: float) -> None:
    """300 audits at 80 %: above the true ε in at most a fifth of them; contradicted as rarely."""
    run, true = released(mechanism, 3), mechanism.epsilon(delta)
    found = [audited(run, 0, 1, delta=delta, runs=600, confidence=0.8) for _ in range(300)]
    allowed = stats.binom.isf(1e-4, 300, 0.2)
    assert sum(one.epsilon > true for one in found) <= allowed
    assert sum(one.contradicts(mechanism) for one in found[:50]) <= stats.binom.isf(1e-4, 50, 0.2)
    assert np.median([one.epsilon for one in found]) > 0.4 * true  # and it says something


@pytest.mark.slow
def test_the_event_is_not_chosen_on_the_runs_that_count() -> None:
    """Two inputs with the same law: the best event of the same runs would accuse too often."""
    rng = np.random.default_rng(4)
    naive = 0
    for _ in range(150):
        scores = list(rng.normal(size=(2, 100)))
        worth = partial(two_inputs._epsilon, delta=0.0)
        [(side, threshold, swapped)] = two_inputs._choose(scores, 0.6, [worth])
        one, other = (int(two_inputs._count(np.sort(part), threshold, side)) for part in scores)
        counts = (other, one) if swapped else (one, other)
        naive += bool(two_inputs._epsilon(*two_inputs._bounds(*counts, 100, 0.6), 0.0) > 0)
    allowed = stats.binom.isf(1e-4, 150, 0.4)
    assert naive > 1.2 * allowed
    run = lambda x, count: rng.normal(size=count)  # noqa: E731
    fair = [audited(run, 0, 1, delta=0, runs=200, confidence=0.6) for _ in range(150)]
    assert sum(one.epsilon > 0 for one in fair) <= allowed


def barely_noisy() -> Callable[[float], float]:
    rng = np.random.default_rng(7)
    return lambda x: 10 * x + int(rng.integers(2))


def test_a_mechanism_that_answers_nearly_exactly() -> None:
    """Every run tells: the most that so many runs can show."""
    found = lower_bound(barely_noisy(), 0, 1, delta=0, runs=2000, confidence=0.95)
    most = math.log(1000 / math.log(2 / 0.05))
    assert most - 0.02 < found.epsilon <= most
    assert (found.likely, found.unlikely, found.runs) == (1000, 0, 1000)


def test_outputs_are_scored_one_by_one() -> None:
    rng = np.random.default_rng(5)
    found = lower_bound(
        lambda x: {"noisy": x + rng.laplace()},
        0,
        1,
        delta=0,
        runs=4001,
        score=lambda output: -output["noisy"],
    )
    assert 0.6 < found.epsilon < 1.0
    assert found.runs == 2001


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("data", [(1, 0), (0, 1)])
def test_the_event_that_is_reported_is_the_one_counted(sign: int, data: tuple[int, int]) -> None:
    """Scores that only the input 0 can have: they are the event, on whichever side they lie."""
    seen: dict[int, list[float]] = {0: [], 1: []}
    rng = np.random.default_rng(6)

    def run(x: int) -> float:
        seen[x].append(sign * float(rng.exponential() + 3 * x))
        return seen[x][-1]

    found = lower_bound(run, *data, delta=0, runs=300)
    assert found.side == ("at most" if sign > 0 else "at least")
    assert found.swapped == (data == (1, 0))
    happened = lambda v: sign * v <= sign * found.threshold  # noqa: E731
    counted = {x: sum(map(happened, values[150:])) for x, values in seen.items()}
    assert counted == {0: found.likely, 1: found.unlikely}
    upper = stats.binomtest(found.unlikely, 150).proportion_ci(0.95, "exact").high
    lower = stats.binomtest(found.likely, 150).proportion_ci(0.95, "exact").low
    assert found.epsilon == pytest.approx(math.log(lower / upper))


def test_progress_is_told_and_ends_at_the_end() -> None:
    told: list[tuple[int, int]] = []
    noisy, tell = barely_noisy(), lambda *done: told.append(done)
    lower_bound(noisy, 0, 1, delta=0, runs=2003, progress=tell)
    assert told == sorted(told)
    assert told[-1] == (4006, 4006)
    assert 45 < len(told) < 60
    few: list[tuple[int, int]] = []
    lower_bound(noisy, 0, 1, delta=0, runs=2, progress=lambda *done: few.append(done))
    assert few == [(2, 4), (4, 4)]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"delta": -0.1}, "delta must be in [0, 1]"),
        ({"confidence": 1.0}, "confidence must be in (0, 1)"),
        ({"confidence": math.nan}, "confidence must be in (0, 1)"),
        ({"runs": 1}, "runs must be an integer >= 2"),
        ({"score": lambda output: math.nan}, "score must be a number for every output"),
    ],
)
def test_refusals(options: Any, words: str) -> None:
    with pytest.raises(hs.ParameterError) as caught:
        lower_bound(barely_noisy(), 0, 1, **{"delta": 0.0, "runs": 10, **options})
    assert words in str(caught.value)


def test_with_delta_one_nothing_is_found() -> None:
    assert lower_bound(barely_noisy(), 0, 1, delta=1, runs=100).epsilon == 0


@pytest.mark.parametrize("trials", [1, 7, 30])
@pytest.mark.parametrize("miss", [0.3, 0.025, 1e-4])
def test_the_interval_of_clopper_and_pearson(trials: int, miss: float) -> None:
    """By its definition: the tail at the bound has probability `miss`."""
    for happened in range(trials + 1):
        low = float(clopper_pearson.at_least(happened, trials, miss))
        high = float(clopper_pearson.at_most(happened, trials, miss))
        if happened:
            assert stats.binom.sf(happened - 1, trials, low) == pytest.approx(miss)
        if happened < trials:
            assert stats.binom.cdf(happened, trials, high) == pytest.approx(miss)
        assert low <= happened / trials <= high
    assert float(clopper_pearson.at_least(0, trials, miss)) == 0
    assert float(clopper_pearson.at_most(trials, trials, miss)) == 1

"""Randomized response: exact coins, lies among the other answers, and honest estimates."""

from __future__ import annotations

import math
from typing import Any

import mpmath as mp
import numpy as np
import pytest
from scipy import stats

import hockeystick as hs
from hockeystick.random.generators import source
from hockeystick.release.response import respond, truth_digits, truths
from tests.support.fixed_words import Fixed

CASES = [(0.1, 2), (1.0, 5), (math.log(3), 2), (5.0, 1000), (40.0, 3), (700.0, 2)]


@pytest.mark.parametrize(("epsilon", "categories"), CASES)
@pytest.mark.parametrize("bits", [64, 192, 1024])
def test_digits_of_the_probability(epsilon: float, categories: int, bits: int) -> None:
    low, high = truth_digits(epsilon, categories, bits)
    assert high - low <= 3
    with mp.workprec(bits + 1200):
        p = mp.exp(mp.mpf(epsilon)) / (mp.exp(mp.mpf(epsilon)) + categories - 1)
        assert low < p * mp.mpf(2) ** bits < high or high == 2**bits


@pytest.mark.parametrize(("epsilon", "categories"), CASES[:4])
def test_a_coin_is_compared_with_the_probability_itself(epsilon: float, categories: int) -> None:
    """Whatever the first words are: the number they begin is below p, or it is not."""
    with mp.workprec(400):
        p = 1 / (1 + (categories - 1) * mp.exp(-mp.mpf(epsilon)))
        digits = [int(p * 2**64), int(p * 2**128) % 2**64, int(p * 2**192) % 2**64]
    for depth in range(3):
        for step, truth in ((-2, True), (2, False)):
            words = [*digits[:depth], digits[depth] + step]
            assert truths(epsilon, categories, 1, Fixed(*words, 0, 0)).tolist() == [truth], words


def test_an_exponent_so_large_that_no_word_alone_decides() -> None:
    """ε = 100: the first 64 digits of p are ones, and so are many more."""
    ones = 2**64 - 1
    assert truths(100.0, 2, 2, Fixed(0, ones, 0)).tolist() == [True, True]
    assert truths(100.0, 2, 1, Fixed(ones, ones, ones, 0)).tolist() == [False]


@pytest.mark.parametrize(("epsilon", "categories"), [(0.0, 3), (1.0, 2), (1.0, 5), (3.0, 20)])
def test_reports_have_the_law(epsilon: float, categories: int) -> None:
    count = 40_000
    reports = hs.RandomizedResponse(epsilon, categories).release(np.full(count, 1), rng=8)
    weights = np.ones(categories)
    weights[1] = math.exp(epsilon)
    observed = np.bincount(reports, minlength=categories)
    assert stats.chisquare(observed, count * weights / weights.sum()).pvalue > 1e-3


def test_a_lie_is_never_the_truth() -> None:
    """Else the truth would be told more often than ε allows (uniform over all: 1.531, not 1)."""
    answers = np.arange(3000) % 3
    always_lying = Fixed(*[2**64 - 1] * 3000, *range(3000))
    reports = respond(answers, 1.0, 3, always_lying)
    assert (reports != answers).all()
    assert set(((reports - answers) % 3).tolist()) == {1, 2}


def test_the_losses_of_the_reports_are_those_accounted() -> None:
    """Two answers, every report: the frequencies' ratios stay below e^ε, and reach it."""
    survey, count = hs.RandomizedResponse(1.0, 4), 60_000
    one, other = (
        np.bincount(survey.release(np.full(count, x), rng=x), minlength=4) / count for x in (0, 3)
    )
    assert np.log(one / other) == pytest.approx([1, 0, 0, -1], abs=0.06)


@pytest.mark.parametrize(
    ("answers", "shape"), [(1, ()), (True, ()), ([0, 1, 1], (3,)), ([[1.0, 0.0]], (1, 2))]
)
def test_shapes(answers: Any, shape: Any) -> None:
    reports = hs.RandomizedResponse(1.0).release(answers)
    assert np.shape(reports) == shape
    assert type(reports) is int if shape == () else reports.dtype == np.int64


@pytest.mark.parametrize("answers", [5, [0, 5], -1, 0.5, "5", [None], math.nan, [[0], [0, 1]]])
def test_answers_outside_the_categories(answers: Any) -> None:
    with pytest.raises(hs.ParameterError, match="answers must be") as caught:
        hs.RandomizedResponse(1.0, 5).release(answers)
    assert "got" not in str(caught.value)


def test_what_hides_nothing_is_not_released() -> None:
    assert hs.RandomizedResponse(1e6).release([0, 1, 1]).tolist() == [0, 1, 1]
    for epsilon in (1.1e6, math.inf):
        with pytest.raises(hs.ParameterError, match=r"epsilon must be at most 1e\+06 to release"):
            hs.RandomizedResponse(epsilon).release(1)


@pytest.mark.slow
@pytest.mark.parametrize(("epsilon", "categories"), [(0.5, 2), (1.0, 5)])
def test_estimates_are_unbiased_and_their_intervals_cover(epsilon: float, categories: int) -> None:
    """600 surveys of 300 people each: the mean is the truth, and 90 % of the intervals hold it."""
    rng = np.random.default_rng(7)
    shares = np.arange(1, categories + 1) / (categories * (categories + 1) / 2)
    survey = hs.RandomizedResponse(epsilon, categories)
    frequencies, covered = [], []
    for _ in range(600):
        answers = rng.choice(categories, 300, p=shares)
        found = survey.estimate(survey.release(answers, rng=rng), confidence=0.9)
        assert found.frequencies.sum() == pytest.approx(1)
        assert (found.lower <= found.upper).all()
        assert found.reports == 300
        frequencies.append(found.frequencies)
        covered.append((found.lower <= shares) & (shares <= found.upper))
    mean, error = np.mean(frequencies, axis=0), np.std(frequencies, axis=0) / math.sqrt(600)
    assert (abs(mean - shares) < 4 * error).all()
    times = np.sum(covered, axis=0)
    assert (times >= stats.binom.ppf(1e-4, 600, 0.9)).all()
    assert times.mean() < 600 * 0.96  # not so wide that it would always hold


def test_estimates_by_hand() -> None:
    """p = 3/4 and 60 of 100 reports say 1: (0.6 − 1/4)/(1/2)."""
    survey = hs.RandomizedResponse.truthful(0.75)
    found = survey.estimate([1] * 60 + [0] * 40)
    assert found.frequencies == pytest.approx([0.3, 0.7])
    ends = stats.binomtest(60, 100).proportion_ci(0.95, method="exact")
    assert found.lower[1] == pytest.approx((ends.low - 0.25) / 0.5)
    assert found.upper[1] == pytest.approx((ends.high - 0.25) / 0.5)
    never = survey.estimate([0, 0, 0])
    assert (never.frequencies[1], never.lower[1], never.upper[0]) == (-0.5, 0.0, 1.0)


@pytest.mark.parametrize(
    ("survey", "options", "words"),
    [
        (hs.RandomizedResponse(1.0), {"reports": []}, "at least one report"),
        (hs.RandomizedResponse(1.0), {"reports": [2]}, "reports must be integers in [0, 1]"),
        (hs.RandomizedResponse(0.0), {"reports": [1]}, "epsilon must be in (0, inf)"),
        (hs.RandomizedResponse(1.0), {"reports": [1], "confidence": 1}, "confidence must be in"),
        (hs.RandomizedResponse(1.0), {"reports": [1], "confidence": 95}, "confidence must be in"),
    ],
)
def test_what_cannot_be_estimated(survey: Any, options: Any, words: str) -> None:
    with pytest.raises(hs.ParameterError) as caught:
        survey.estimate(**options)
    assert words in str(caught.value)


def test_a_million_reports_use_one_generator() -> None:
    reports = respond(np.zeros(10_000, dtype=np.int64), 2.0, 3, source(0))
    assert len(set(reports.tolist())) == 3


def test_labels_in_place_of_numbers() -> None:
    survey, labels = hs.RandomizedResponse(1.0, categories=3), ["red", "green", "blue"]
    numbers = np.arange(3000) % 3
    names = [labels[number] for number in numbers]
    reports = survey.release(numbers, rng=5)
    named = survey.release(names, labels=labels, rng=5)
    assert named.tolist() == [labels[report] for report in reports]
    one, other = survey.estimate(reports), survey.estimate(named, labels=labels)
    assert one.frequencies.tolist() == other.frequencies.tolist()
    assert (one.labels, other.labels) == (None, ("red", "green", "blue"))
    assert survey.release("red", labels=labels, rng=5) in labels
    assert survey.release([[1, 2]], labels=[1, 2, 3], rng=5).shape == (1, 2)


@pytest.mark.parametrize("labels", [["a"], ["a", "b"], ["a", "a", "b"], "abc", [], "ab"])
def test_labels_name_every_category_once(labels: Any) -> None:
    survey = hs.RandomizedResponse(1.0, categories=3)
    for ask in (survey.release, survey.estimate):
        with pytest.raises(hs.ParameterError, match="labels must be 3 different names"):
            ask(["a"], labels=labels)


@pytest.mark.parametrize("answers", [["secret"], "secret", [["a", None]], [["a"], ["a", "b"]]])
def test_an_answer_without_a_label_is_not_shown(answers: Any) -> None:
    survey = hs.RandomizedResponse(1.0)
    with pytest.raises(hs.ParameterError, match="answers must be among the labels") as error:
        survey.release(answers, labels=["a", "b"])
    assert "secret" not in str(error.value)

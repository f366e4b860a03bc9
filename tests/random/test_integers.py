"""Integer noise has exactly its law: followed choice by choice, and by a chi-square test."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import stats

import hockeystick as hs
from hockeystick.random import integers
from hockeystick.random.generators import source
from hockeystick.random.integers import LARGEST, discrete_gaussian, discrete_laplace
from tests.support.choices import Choices, Rejected, law
from tests.support.fixed_words import Fixed

KINDS: dict[str, tuple[Any, Callable[[int, float], float]]] = {
    "laplace": (discrete_laplace, lambda x, b: math.exp(-abs(x) / b)),
    "gaussian": (discrete_gaussian, lambda x, s: math.exp(-(x**2) / (2 * s**2))),
}
each = pytest.mark.parametrize("kind", KINDS)


def true_law(kind: str, scale: float) -> Callable[[int], float]:
    """The probabilities, by their definition."""
    weight = KINDS[kind][1]
    reach = math.ceil(50 * scale) + 3
    total = math.fsum(weight(x, scale) for x in range(-reach, reach + 1))
    return lambda x: weight(x, scale) / total


@each
@pytest.mark.parametrize("scale", [0.5, 1.0, 1.5, 2.75, 4.0])
def test_the_law_by_every_choice(kind: str, scale: float, monkeypatch: Any) -> None:
    """What is rejected starts again, so the law is that of the paths that are not."""
    choices = Choices()

    def below(bound: int, count: int, words: Any) -> Any:
        assert count == 1
        return np.array([choices.one_of([1 / bound] * bound)], dtype=np.uint64)

    def exponential(numerators: Any, denominator: int, words: Any) -> Any:
        (numerator,) = numerators
        p = math.exp(-int(numerator) / denominator)
        return np.array([bool(choices.one_of([1 - p, p]))])

    def until(count: int, kept: Callable[[int], Any]) -> Any:
        found = kept(count)
        if found.size == 0:
            raise Rejected
        return found

    for name, stand_in in (("below", below), ("exponential", exponential), ("_until", until)):
        monkeypatch.setattr(integers, name, stand_in)
    found = law(lambda: int(KINDS[kind][0](scale, 1, Fixed())[0]), choices, 1e-7)
    probability = true_law(kind, scale)
    assert {-2, -1, 0, 1, 2} <= set(found)
    for x, mass in found.items():
        assert mass == pytest.approx(probability(x), abs=1e-6)


def test_the_kept_draws_are_taken_in_order() -> None:
    """So that how many are tried at once cannot change the law."""
    stream = iter(range(1000))

    def kept(tries: int) -> Any:
        tried = np.array([next(stream) for _ in range(tries)])
        return tried[tried % 3 == 1]

    assert integers._until(40, kept).tolist() == list(range(1, 120, 3))
    assert integers._until(0, kept).tolist() == []


@each
@pytest.mark.parametrize("scale", [0.3, 1.1, 7.0, 23.7, 300.25])
def test_many_draws(kind: str, scale: float) -> None:
    """Chi-square against the exact law, in cells of at least 20 expected draws."""
    count = 40_000
    drawn = KINDS[kind][0](scale, count, source(4))
    probability = true_law(kind, scale)
    width = max(1, round(scale / 4))
    cells: dict[int, list[float]] = {}
    reach = math.ceil(20 * scale) + 2
    for x in range(-reach, reach + 1):
        cells.setdefault(x // width, [0.0, 0.0])[1] += count * probability(x)
    for x, times in zip(*np.unique(drawn, return_counts=True), strict=True):
        cells[int(x) // width][0] += times
    table = np.array(list(cells.values()))
    large = table[:, 1] >= 20
    observed, expected = np.append(table[large], [table[~large].sum(axis=0)], axis=0).T
    if expected[-1] < 5:  # too little is left for a cell of its own
        observed[-2] += observed[-1]
        expected[-2] += expected[-1]
        observed, expected = observed[:-1], expected[:-1]
    assert stats.chisquare(observed, expected * observed.sum() / expected.sum()).pvalue > 1e-3
    assert expected.sum() == pytest.approx(count)


@each
def test_the_ends_of_the_scale(kind: str) -> None:
    draw = KINDS[kind][0]
    assert not draw(1e-300, 50, source(0)).any()
    assert not draw(5e-324, 50, source(0)).any()
    spread = np.abs(draw(float(LARGEST), 2000, source(0)).astype(float)).mean() / LARGEST
    assert spread == pytest.approx(1.0 if kind == "laplace" else math.sqrt(2 / math.pi), rel=0.08)
    assert draw(1.0, 0, source(0)).shape == (0,)
    for scale in (0.0, -1.0, 2.0 * LARGEST, math.inf, math.nan):
        with pytest.raises(hs.ParameterError, match=r"scale of integer noise must be in \(0, 2"):
            draw(scale, 1, source(0))


def test_sums_beyond_64_bits_are_python_integers() -> None:
    """A scale of 2^53 − 1 halves of halves: the numerator times the rounds leaves 64 bits."""
    scale = (2**53 - 1) / 2**60
    drawn = discrete_laplace(scale, 4000, source(9))
    assert (drawn == 0).mean() > 0.9999
    assert integers._geometric(2**62 + 1, 2**70, 100, source(1)).max() == 0
    wide = integers._geometric(2**62 + 1, 2**60, 4000, source(1))
    assert wide.mean() == pytest.approx(1 / math.expm1(0.25), rel=0.1)

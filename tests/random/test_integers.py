"""Integer noise has exactly its law, and takes a time that does not tell it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from mpmath import mp, mpf
from scipy import stats

import hockeystick as hs
from hockeystick.random import integers
from hockeystick.random.generators import source
from hockeystick.random.integers import LARGEST, discrete_gaussian, discrete_laplace
from hockeystick.random.reals import collect

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


def test_the_kept_draws_are_taken_in_order() -> None:
    """So that how many are tried at once cannot change the law."""
    stream = iter(range(1000))

    def kept(tries: int) -> Any:
        tried = np.array([next(stream) for _ in range(tries)])
        return tried[tried % 3 == 1]

    assert collect(40, 0.4, kept).tolist() == list(range(1, 120, 3))
    assert collect(0, 0.4, kept).tolist() == []


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


@each
@pytest.mark.parametrize("scale", [2.0**31 * 1.1, 2.0**33 * 1.7, 2.0**45])
def test_the_low_digits_of_large_scales(kind: str, scale: float) -> None:
    """The law of a large scale is as good as continuous, and its low digits as good as uniform."""
    drawn = KINDS[kind][0](scale, 40_000, source(3))
    law = stats.laplace if kind == "laplace" else stats.norm
    assert stats.kstest(drawn / scale, law.cdf).pvalue > 1e-3
    assert stats.chisquare(np.bincount(drawn & 31, minlength=32)).pvalue > 1e-3
    sizes = np.abs(drawn)
    high = sizes[sizes > np.median(sizes)] & 31  # the low digits do not depend on the size
    assert stats.chisquare(np.bincount(high, minlength=32)).pvalue > 1e-3


@pytest.mark.parametrize("scale", [0.3, 0.999, 1.0, 2.75, 1000.3, 2.0**40])
def test_what_gaussian_noise_is_kept_for(scale: float, monkeypatch: Any) -> None:
    """γ in floats and as a fraction, against mpmath."""
    seen: list[tuple[Any, Any]] = []

    def coins(costs: Any, exact: Any, words: Any) -> Any:
        seen.append((costs, [exact(i) for i in range(costs.size)]))
        return np.ones(costs.size, dtype=bool)

    monkeypatch.setattr(integers, "exponential", coins)
    wide = math.floor(scale) + 1
    monkeypatch.setattr(integers, "_laplace", lambda scale, count, words: np.arange(-9, 11) * wide)
    y = discrete_gaussian(scale, 20, source(0))
    (costs, exact) = seen[0]
    with mp.workdps(40):
        for i, each_y in enumerate(y.tolist()):
            sigma = mpf(scale)
            truth = (abs(each_y) - sigma**2 / wide) ** 2 / (2 * sigma**2)
            assert abs(mpf(exact[i].numerator) / exact[i].denominator - truth) < mpf(10) ** -30
            assert abs(mp.exp(-mpf(float(costs[i]))) - mp.exp(-truth)) < mpf(2) ** -50


@pytest.mark.slow
@each
def test_nothing_that_time_can_tell_depends_on_the_noise(kind: str) -> None:
    """The words that a draw takes, which is what its time follows, tell nothing of its size."""
    draw, scale = KINDS[kind][0], 1.3
    taken: dict[int, list[int]] = {}
    words = source(17)
    for _ in range(2500):
        used: list[int] = []

        def counted(count: int, used: Any = used) -> Any:
            used.append(count)
            return words(count)

        size = abs(int(draw(scale, 1, counted)[0]))
        taken.setdefault(sum(used), []).append(size)
    groups = [np.bincount(sizes, minlength=8)[:8] for sizes in taken.values() if len(sizes) > 100]
    if len(groups) > 1:
        table = np.array(groups)
        assert stats.chi2_contingency(table[:, table.sum(axis=0) > 50]).pvalue > 1e-3
    assert max(map(len, taken.values())) > 2000  # one block is nearly always enough

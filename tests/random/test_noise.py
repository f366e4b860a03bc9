"""Real noise, rounded: its law, its tails, and its borders as mpmath and fractions say."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from mpmath import mp, mpf
from scipy import stats

import hockeystick as hs
from hockeystick.random import reals
from hockeystick.random.digits import Digits
from hockeystick.random.envelope import Envelope, exponential_envelope, normal_envelope
from hockeystick.random.generators import source
from hockeystick.random.noise import laplace, normal
from hockeystick.random.reals import BLOCK, LARGEST, rounded
from tests.support.fixed_words import Fixed

KINDS = {
    "normal": (normal, stats.norm, normal_envelope()),
    "laplace": (laplace, stats.laplace, exponential_envelope()),
}
each = pytest.mark.parametrize("kind", KINDS)
FINE = 2.0**30 * 1.37


def word(envelope: Envelope, cell: int, place: int, sign: int = 1) -> int:
    """A word that means this place, in units of 2^−49 of the cell."""
    index = int(np.searchsorted(envelope.table, cell))
    return index << 50 | sign << 49 | place


@each
@pytest.mark.parametrize("scale", [0.05, 0.3, 1.5, 7.0, 40.25])
def test_the_law_on_small_grids(kind: str, scale: float) -> None:
    """Chi-square against P[k] = F((k + 1/2)/s) − F((k − 1/2)/s)."""
    draw, law, _ = KINDS[kind]
    count, reach = 60_000, math.ceil(40 * scale) + 2
    drawn = draw(scale, count, source(12))
    assert np.abs(drawn).max() < reach
    borders = (np.arange(-reach, reach + 2) - 0.5) / scale
    expected = count * np.diff(law.cdf(borders))
    observed = np.bincount(drawn + reach, minlength=2 * reach + 1)
    many = expected >= 10
    expected = np.append(expected[many], expected[~many].sum())
    observed = np.append(observed[many], observed[~many].sum())
    if expected[-1] < 5:
        expected, observed = expected[:-1], observed[:-1]
    expected *= observed.sum() / expected.sum()
    assert expected.size == 1 or stats.chisquare(observed, expected).pvalue > 1e-3


@each
def test_the_law_on_the_grid_of_releases(kind: str) -> None:
    draw, law, _ = KINDS[kind]
    drawn = draw(FINE, 100_000, source(11)) / FINE
    assert stats.kstest(drawn, law.cdf).pvalue > 1e-3
    beyond = int((np.abs(drawn) > law.isf(5e-4)).sum())
    assert stats.binomtest(beyond, 100_000, 1e-3).pvalue > 1e-3
    assert abs(np.corrcoef(drawn[1:], drawn[:-1])[0, 1]) < 0.015
    low = np.bincount(draw(FINE, 100_000, source(13)) & 63, minlength=64)
    assert stats.chisquare(low).pvalue > 1e-3  # the lowest digits are as good as uniform


@each
@pytest.mark.parametrize("scale", [1.5, 1000.3, FINE, 2.0**36 * 1.9])
def test_borders_by_fractions(kind: str, scale: float) -> None:
    """Places just below and above a border; where even 49 bits do not tell, the next word does."""
    envelope = KINDS[kind][2]
    rng = np.random.default_rng(4)
    undecided = 0
    for _ in range(60):
        steps = math.floor(rng.uniform(0, 5) * scale)
        border = (steps + Fraction(1, 2)) / Fraction(scale) * 2**53  # in units of a place
        cell, place = divmod(math.floor(border) + int(rng.integers(-2, 3)), 2**49)
        more = int(rng.integers(2**64, dtype=np.uint64))
        words = Fixed(word(envelope, cell, place), 0, more)
        sizes, signs = rounded(envelope, scale, 0.5, 1, words)
        undecided += not words.words
        x = (Fraction(cell * 2**49 + place) + Fraction(more, 2**64)) / 2**53
        assert sizes.tolist() == [math.floor(Fraction(scale) * x + Fraction(1, 2))]
        assert signs.tolist() == [1]
    assert undecided > 3 or scale < 2


@each
def test_what_is_kept_by_mpmath(kind: str) -> None:
    """Heights next to the density, cell by cell, which floats cannot tell apart from it."""
    envelope = KINDS[kind][2]
    rng = np.random.default_rng(5)
    for _ in range(60):
        cell, place = int(rng.integers(envelope.beyond // 3)), int(rng.integers(2**49))
        step = envelope.height(cell)
        with mp.workdps(50):
            x = mpf(cell * 2**49 + place) / mpf(2) ** 53
            cost = x if kind == "laplace" else x**2 / 2
            border = mp.exp(-cost) / step.numerator * step.denominator * mpf(2) ** 64
            slack = int(2**64 * 2.0**-50 + 4)
        for off, wanted in ((-slack, 1), (slack, 0)):
            words = Fixed(word(envelope, cell, place), int(border) + off, *[2**63] * 4)
            sizes, _ = rounded(envelope, 1.0, 0.5, 1, words)
            assert sizes.size == wanted


@each
def test_the_enclosure_holds_with_room(kind: str, monkeypatch: Any) -> None:
    """With everything decided by all its digits, nothing comes out otherwise."""
    draw = KINDS[kind][0]
    fast = draw(FINE, 500, source(8))
    monkeypatch.setattr(reals, "BORDER", 1.0)  # all are at a border
    assert (draw(FINE, 500, source(8)) == fast).all()


@each
def test_the_tail_has_no_end(kind: str) -> None:
    """Candidates beyond the last cell, with uniform heights below what can be kept."""
    envelope = KINDS[kind][2]
    start = envelope.beyond // 16
    rng = source(2)

    def words(count: int) -> Any:
        return rng(count) if count == 1 else next(blocks)

    found: list[int] = []
    while len(found) < 50:
        drawn = rng(40) | np.uint64((2**14 - 1) << 50)
        heights = rng(40) >> np.uint64(51 if kind == "laplace" else 61)
        blocks = iter([np.append(drawn, heights)])
        found += rounded(envelope, 1000.0, 0.0, 40, words).sizes.tolist()
    x = np.array(found) / 1000
    assert x.min() >= start
    assert x.max() > start + 3 / start
    law = stats.expon(start) if kind == "laplace" else stats.truncnorm(start, math.inf)
    assert stats.kstest(x + 0.0005, law.cdf).pvalue > 1e-3


def test_a_piece_far_away() -> None:
    envelope = exponential_envelope()
    last = word(envelope, envelope.beyond, 5)
    position, height = reals._place(envelope, last, Fixed(0, 0, 1))
    assert position.ends[0] == 44 + 191 + Fraction(5, 2**49)
    assert height == envelope.height(envelope.beyond, 191)


def test_noise_beyond_all_floats_is_an_error() -> None:
    digits = Digits(2**70, 10, Fixed())
    with pytest.raises(hs.NumericalError, match="more than 2"):
        reals._size(digits, 1.0, 0.5)


@each
def test_scales_and_counts(kind: str) -> None:
    draw: Callable[..., Any] = KINDS[kind][0]
    assert draw(1.0, 0, Fixed()).shape == (0,)
    assert draw(1e-300, 50, source(0)).tolist() == [0] * 50
    assert draw(LARGEST, 2 * BLOCK + 5, source(0)).shape == (2 * BLOCK + 5,)
    for scale in (0.0, -1.0, 2 * LARGEST, math.inf, math.nan):
        with pytest.raises(hs.ParameterError, match=r"scale of rounded noise must be in \(0, 2"):
            draw(scale, 1, source(0))

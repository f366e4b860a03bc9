"""Envelopes lie above their densities, and their cells are as likely as their steps are high."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pytest
from mpmath import mp, mpf

from hockeystick.random.coins import CLOSE
from hockeystick.random.envelope import Envelope, exponential_envelope, normal_envelope

both = pytest.mark.parametrize("envelope", [exponential_envelope(), normal_envelope()])


def density(envelope: Envelope, x: Fraction) -> mpf:
    place = mpf(x.numerator) / x.denominator
    return mp.exp(-place if envelope is exponential_envelope() else -(place**2) / 2)


@both
def test_every_step_is_above_the_density(envelope: Envelope) -> None:
    """Both densities decrease, so that the start of a cell is where it counts."""
    with mp.workdps(40):
        for cell in range(envelope.beyond):
            height = envelope.height(cell)
            assert mpf(height.numerator) / height.denominator > density(
                envelope, Fraction(cell, 16)
            )
        for piece in (0, 1, 2, 10, 100, 1000):
            height = envelope.height(envelope.beyond, piece)
            start = Fraction(envelope.beyond, 16) + piece
            assert mpf(height.numerator) / height.denominator > 2**30 * density(envelope, start)


@both
def test_the_probability_of_a_cell_is_its_height_times_its_width(envelope: Envelope) -> None:
    entries = Counter(envelope.table.tolist())
    assert envelope.table.size == 2**14
    assert envelope.beyond % 16 == 0
    unit = Fraction(2**14) * envelope.height(0) / (16 * entries[0])
    for cell in range(envelope.beyond):
        assert Fraction(entries[cell], 2**14) * unit == envelope.height(cell) / 16
    for piece in range(5):
        chance = Fraction(entries[envelope.beyond], 2**14) / 2 ** (piece + 1)
        assert chance * unit == envelope.height(envelope.beyond, piece)


@both
def test_the_share_of_the_kept(envelope: Envelope) -> None:
    """The area under the density over that under the steps."""
    area = sum(envelope.height(cell) / 16 for cell in range(envelope.beyond))
    area += envelope.height(envelope.beyond, 0) * 2
    whole = 1.0 if envelope is exponential_envelope() else float(mp.sqrt(mp.pi / 2))
    assert envelope.kept == pytest.approx(whole / float(area), rel=1e-12)
    assert envelope.kept > 0.92


@both
def test_floats_decide_nothing_wrong_beyond(envelope: Envelope) -> None:
    """They keep nothing there, and reject only uniform numbers that are above every piece."""
    height = envelope.heights[envelope.beyond]
    with mp.workdps(40):
        start = Fraction(envelope.beyond, 16)
        assert density(envelope, start) < CLOSE
        for piece in (0, 1, 2, 10, 100, 1000):
            step = envelope.height(envelope.beyond, piece)
            least = mpf(CLOSE) / 2 / height * step.numerator / step.denominator
            assert density(envelope, start + piece) < least

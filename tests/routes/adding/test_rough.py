"""Adding up outcomes, where a first round is rough."""

from __future__ import annotations

import pytest

import hockeystick as hs


@pytest.mark.slow
def test_a_rough_round_that_tells_nothing_is_not_the_last() -> None:
    """A million steps on samples of one: [0, 7.3] at first, and [2.8e-5, 5.2e-4] on a grid."""
    answer = (hs.Gaussian(1).on(hs.WithoutReplacement(1, 10**8)) * 10**6).epsilon(1e-6)
    assert 1.4e-4 < answer.lower <= 2.0497e-4
    assert 2.0522e-4 <= answer.upper < 2.09e-4

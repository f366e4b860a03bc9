"""Sums of waves at evenly spaced frequencies, against one by one."""

import numpy as np
import pytest

from hockeystick.numerics.waves import wave_sums


@pytest.mark.parametrize("count", [1, 2, 63, 64, 65, 1000])
@pytest.mark.parametrize("terms", [1, 1024, 2500])
def test_as_exact_as_one_by_one(count: int, terms: int) -> None:
    rng = np.random.default_rng(count)
    x, weights = rng.normal(size=terms), rng.random(terms)
    frequencies = 0.37 * np.arange(count)
    truth = [weights @ np.exp(1j * t * x) for t in frequencies]
    assert np.abs(wave_sums(frequencies, x, weights) - truth).max() < 1e-13 * weights.sum()


def test_frequencies_that_are_not_even() -> None:
    frequencies = np.append(np.arange(99.0), 3.5)
    found = wave_sums(frequencies, np.array([2.0]), np.array([1.0]))
    assert np.abs(found - np.exp(2j * frequencies)).max() < 1e-13

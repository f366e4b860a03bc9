"""The coins fall as they should, to the last bit."""

from __future__ import annotations

import math
import sys
from fractions import Fraction

import numpy as np
import pytest

from hockeystick.bernoulli import release
from hockeystick.bernoulli.release import _coins, _largest
from hockeystick.errors import ParameterError


def test_shape_and_seed() -> None:
    coins = release([0.2, 0.5, 0.9], c=0.1, samples=4, rng=3)
    assert coins.shape == (4, 3)
    assert coins.dtype == bool
    assert (coins == release([0.2, 0.5, 0.9], c=0.1, samples=4, rng=3)).all()


def test_secure_by_default() -> None:
    pytest.importorskip("randomgen")
    draws = [release(np.full(200, 0.5), c=0.1) for _ in range(2)]
    assert (draws[0] != draws[1]).any()


def test_frequencies_of_clipped_probabilities() -> None:
    """Each frequency within 5 standard deviations; -3 is clipped to 0.2 and 7 to 0.8."""
    coins = release([-3.0, 0.35, 7.0, math.inf], c=0.2, samples=40_000, rng=1)
    for frequency, p in zip(coins.mean(axis=0), (0.2, 0.35, 0.8, 0.8), strict=True):
        assert abs(frequency - p) < 5 * math.sqrt(p * (1 - p) / 40_000)


class _Words:
    """A source of given words."""

    def __init__(self, *words: int) -> None:
        self.words = list(words)

    def __call__(self, size: int) -> np.ndarray:
        return np.array([self.words.pop(0) for _ in range(size)], dtype=np.uint64)


@pytest.mark.parametrize("p", [0.1, 2.0**-70, 3 * 2.0**-80, 1 - 2.0**-53, 5e-324])
def test_the_first_word_that_differs_decides(p: float) -> None:
    """Coins fall True exactly for the binary fractions 0.w₁w₂… below p."""
    value = Fraction(p)
    digits = []
    for _ in range(17):
        value *= 2**64
        digits.append(int(value))
        value -= digits[-1]
    assert value == 0
    last = max(i for i, word in enumerate(digits) if word)
    same, below = digits[: last + 1], [*digits[:last], digits[last] - 1]
    assert not _coins(np.array([p]), _Words(*same))[0]
    assert _coins(np.array([p]), _Words(*below))[0]


def test_certain_coins() -> None:
    assert release([0.0, 1.0], c=0.0, samples=2, rng=0).tolist() == [[False, True]] * 2


@pytest.mark.parametrize("c", [0.1, 0.3, 1e-17, 0.4999999, 0.0, 0.5])
def test_the_interval_is_never_wider_than_said(c: float) -> None:
    top = Fraction(_largest(c))
    assert top <= 1 - Fraction(c) < top + Fraction(2) ** -52


@pytest.mark.parametrize(
    "parameter",
    [
        [math.nan],
        [],
        [[0.31337, 0.2]],
        [0.31337, math.nan],
        "31337 kg",
        ["31337 kg"],
        [{"a": 31337}],
        [[0.31337], [0.1, 0.2]],
    ],
)
def test_refusals_show_nothing(parameter: object) -> None:
    with pytest.raises(ParameterError, match="parameter must be a vector") as caught:
        release(parameter, c=0.1, rng=0)
    assert "31337" not in str(caught.value)


def test_without_the_extra_the_operating_system_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "randomgen", None)
    coins = release(np.full(4000, 0.25), c=0.1)
    assert 800 < coins.sum() < 1200

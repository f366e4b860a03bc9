"""Words are secure unless a seed is named, and integers below a bound are uniform, exactly."""

from __future__ import annotations

import os
import sys
from typing import Any

import numpy as np
import pytest
from scipy import stats

import hockeystick as hs
from hockeystick.random.generators import below, of_system, source
from tests.support.fixed_words import Fixed

MECHANISMS = [
    hs.Gaussian(2.0),
    hs.Laplace(2.0),
    hs.DiscreteGaussian(2.0),
    hs.DiscreteLaplace(2.0),
    hs.RandomizedResponse(1.0, categories=50),
]
each = pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda m: type(m).__name__)


def test_without_the_extra_the_operating_system_is_asked(monkeypatch: Any) -> None:
    monkeypatch.setitem(sys.modules, "randomgen", None)
    assert source() is of_system
    asked = []

    def urandom(count: int) -> bytes:
        asked.append(count)
        return bytes(range(count))

    monkeypatch.setattr(os, "urandom", urandom)
    assert source()(2).tobytes() == bytes(range(16))
    assert asked == [16]


@each
def test_every_mechanism_runs_without_the_extra(mechanism: Any, monkeypatch: Any) -> None:
    monkeypatch.setitem(sys.modules, "randomgen", None)
    assert mechanism.release(np.full(10, 3)).shape == (10,)


@each
def test_nothing_repeats_unless_a_seed_is_named(mechanism: Any) -> None:
    answer = np.full(20, 3)
    assert (mechanism.release(answer) != mechanism.release(answer)).any()
    one, again = mechanism.release(answer, rng=5), mechanism.release(answer, rng=5)
    assert (one == again).all()
    assert (one != mechanism.release(answer, rng=6)).any()
    generator = np.random.default_rng(5)
    assert (mechanism.release(answer, rng=generator) == one).all()
    assert (mechanism.release(answer, rng=generator) != one).any()


@each
def test_a_seed_must_be_named(mechanism: Any) -> None:
    with pytest.raises(TypeError):
        mechanism.release(3, 5)
    with pytest.raises(hs.ParameterError, match="rng must be None"):
        mechanism.release(3, rng="seed")


@pytest.mark.parametrize("bound", [1, 2, 3, 7, 2**33, 3 * 2**61 - 1, 2**63 - 1, 2**63])
def test_every_remainder_is_left_with_as_many_words(bound: int) -> None:
    """The first word of the round that is not full is refused, the one before it is not."""
    rounds = 2**64 // bound
    last = rounds * bound - 1
    assert below(bound, 1, Fixed(last)).tolist() == [bound - 1]
    assert below(bound, 1, Fixed(0)).tolist() == [0]
    if last < 2**64 - 1:
        assert below(bound, 3, Fixed(5, last + 1, 0, 2**64 - 1, 1)).tolist() == [
            5 % bound,
            1 % bound,
            0,
        ]


def test_small_integers_are_uniform() -> None:
    counts = np.bincount(below(6, 60_000, source(1)).astype(int), minlength=6)
    assert stats.chisquare(counts).pvalue > 1e-3


def test_words_of_the_system_are_uniform() -> None:
    """Not seeded: the threshold is passed by chance once in 10^9 runs."""
    bits = np.unpackbits(of_system(4000).view(np.uint8))
    assert abs(bits.mean() - 0.5) < 6.2 * 0.5 / bits.size**0.5

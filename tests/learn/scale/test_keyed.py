"""Keyed draws: the same however they are cut, and by exactly their law."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy import stats

from hockeystick.learn.scale.keyed import BLOCK, StepKey
from hockeystick.random.generators import generator

KEYS = [StepKey(bytes(range(32)), False), StepKey(bytes(range(32)), True)]


@pytest.mark.parametrize("key", KEYS, ids=["seeded", "secure"])
@pytest.mark.parametrize("rate", [0.0, 1e-4, 0.3, 1.0])
def test_the_cut_changes_nothing(key: StepKey, rate: float) -> None:
    stop = 2 * BLOCK + 1000
    whole = key.poisson(0, stop, rate)
    cuts = [0, 1, 999, BLOCK - 1, BLOCK, BLOCK + 5, 2 * BLOCK + 999, stop]
    parts = [key.poisson(a, b, rate) for a, b in pairwise(cuts)]
    assert np.concatenate(parts).tolist() == whole.tolist()
    assert (np.diff(whole) > 0).all()
    low, high = stats.binom.interval(1 - 1e-9, stop, rate)
    assert low <= len(whole) <= high


def test_a_longer_data_set_has_the_same_coins_for_its_first_records() -> None:
    """A record that is added at the end changes nobody else's coins."""
    key = KEYS[0]
    longer = key.poisson(0, BLOCK + 1, 0.01)
    assert longer[longer < BLOCK].tolist() == key.poisson(0, BLOCK, 0.01).tolist()


@pytest.mark.slow
def test_keys_and_blocks_are_independent() -> None:
    rng = np.random.default_rng(0)
    keys = [StepKey.drawn(rng) for _ in range(400)]
    drawn = [set(key.poisson(BLOCK - 50, BLOCK + 50, 0.2).tolist()) for key in keys]
    counts = np.array([[i in each for i in range(BLOCK - 50, BLOCK + 50)] for each in drawn])
    assert abs(counts.mean() - 0.2) < 5 * np.sqrt(0.16 / counts.size)
    together = np.corrcoef(counts.T) - np.eye(100)
    assert np.abs(together).max() < 6 / np.sqrt(len(keys))
    expected = stats.binom.pmf(np.arange(9, 33), 100, 0.2)
    seen = np.bincount(counts.sum(axis=1), minlength=50)[9:33]
    assert ((seen - 400 * expected) ** 2 / (400 * expected + 1)).sum() < stats.chi2.isf(1e-6, 24)


def test_a_key_is_as_secure_as_the_generator_it_is_drawn_from() -> None:
    assert StepKey.drawn(generator(None)).secure
    assert not StepKey.drawn(generator(3)).secure
    assert not StepKey.drawn(np.random.default_rng()).secure
    kinds: list[Any] = [type(key.generator(0).bit_generator).__name__ for key in KEYS]
    assert kinds == ["PCG64", "ChaCha"]

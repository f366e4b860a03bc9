"""Releases in turn: the same law as one by one, and no noise comes twice."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

import hockeystick as hs


@pytest.mark.parametrize(("kind", "law"), [(hs.Gaussian, stats.norm), (hs.Laplace, stats.laplace)])
def test_the_law(kind: type[hs.Gaussian], law: stats.rv_continuous) -> None:
    release = kind(0.5, sensitivity=40.0).in_turn(rng=4)
    release.ahead(200)
    noise = np.concatenate([release(np.full(100, 7.0)) - 7 for _ in range(200)]) / 20
    assert stats.kstest(noise, law.cdf).pvalue > 1e-3
    assert len(np.unique(noise)) > 19_990


def test_as_many_as_were_announced_are_drawn_at_once() -> None:
    drawn: list[int] = []
    mechanism = hs.Gaussian(1.0)
    release = mechanism.in_turn(rng=0)
    noise = release._noise

    def counted(scale: float, count: int) -> Any:
        drawn.append(count)
        return noise(scale, count)

    release._noise = counted
    release.ahead(5)
    for _ in range(7):
        release(np.zeros(10))
    assert drawn == [50, 10, 10]
    release.ahead(3)
    release(np.zeros(10))
    release(np.zeros(4))  # another shape has other noise
    release(1.0)
    assert drawn[3:] == [30, 8, 1]
    release.ahead(10**9)
    release(np.zeros(5000))
    assert release(np.zeros(0)).shape == (0,)
    assert drawn[6:] == [5000, 0]


def test_without_an_announcement_it_is_a_release() -> None:
    alone, turns = np.random.default_rng(1), hs.Laplace(2.0).in_turn(rng=np.random.default_rng(1))
    for value in (5, 2.5, np.arange(3.0)):
        assert np.array_equal(hs.Laplace(2.0).release(value, rng=alone), turns(value))

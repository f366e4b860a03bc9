"""No answer takes hundreds of megabytes: large sums are done a block at a time."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hockeystick as hs
from hockeystick.loss.atoms import AtomicLoss

MEGABYTE = 1 << 20


def peak_of(work: Callable[[], Any]) -> tuple[Any, float]:
    """The result, and the most memory held meanwhile."""
    tracemalloc.start()
    try:
        value = work()
        return value, tracemalloc.get_traced_memory()[1] / MEGABYTE
    finally:
        tracemalloc.stop()


@pytest.mark.slow
def test_a_profile_far_off_the_real_line() -> None:
    """As `(ProfileDP(Gaussian(0.5)) * 4).epsilon(1e-5)` asks for; it took 3.5 GB."""
    loss = hs.ProfileDP(hs.Gaussian(1.0)).evidence(hs.ADD_REMOVE).loss
    s = 1 + 1j * np.linspace(0, 1500, 301)
    found, peak = peak_of(lambda: loss.cgf(s))
    assert peak < 60
    near = s.imag < 6
    truth = np.exp(s * (s + 1) / 2)  # e^K of the Gaussian
    assert np.exp(found[near]) == pytest.approx(truth[near], rel=1e-8)


@pytest.mark.slow
def test_more_terms_than_can_be_summed_are_refused() -> None:
    loss = hs.ProfileDP(hs.Gaussian(1.0)).evidence(hs.ADD_REMOVE).loss
    with pytest.raises(hs.NumericalError, match="K of a profile would take"):
        loss.cgf(1 + 1j * np.linspace(0, 1500, 300_000))


def test_many_atoms_at_many_places() -> None:
    losses = np.linspace(-5, 5, 4001)
    loss = AtomicLoss(losses, np.full(4001, -np.log(np.exp(losses).sum())))
    places = np.linspace(-6, 6, 5000)
    found, peak = peak_of(lambda: loss.profile(places))
    assert peak < 40
    assert found.shape == places.shape
    for i in (0, 777, 4999):
        p = np.exp(losses) / np.exp(losses).sum()
        truth = np.maximum(1 - np.exp(places[i] - losses), 0) @ p
        assert found[i] == pytest.approx(truth, rel=1e-12, abs=1e-300)


@pytest.mark.slow
def test_many_orders_of_a_pair_on_a_fixed_size_sample() -> None:
    run = hs.GaussianPair(0.5, 0.6, 0.0, 1.0).on(hs.WithoutReplacement(3, 10))
    orders = np.linspace(1.1, 300, 80)
    found, peak = peak_of(lambda: run.rdp(orders, relation=hs.ZERO_OUT))
    assert peak < 100
    one = run.rdp(float(orders[50]), relation=hs.ZERO_OUT)
    assert found.upper[50] == pytest.approx(one.upper, rel=1e-9)

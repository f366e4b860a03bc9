"""Curves without end that are known by points: losses beyond the last are not forgotten."""

from __future__ import annotations

import math

import mpmath as mp
import numpy as np
import pytest

import hockeystick as hs

FAR = hs.DiscreteGaussian(2.0, replace_sensitivity=3).on(hs.Poisson(0.1))
STEP = hs.DiscreteGaussian(2.0).on(hs.Poisson(0.1))
ZEROED = hs.DiscreteGaussian(2.0).on(hs.WithoutReplacement(1, 10))


def removed(order: int) -> float:
    """The Rényi divergence of 0.9·N + 0.1·N(1) against N, all on the integers: one of the pairs
    that replacing a record has, up to what is in the other's place."""
    with mp.workdps(400):
        weights = {k: mp.exp(-(mp.mpf(k) ** 2) / 8) for k in range(-40, 3 * order + 40)}
        total = mp.fsum(weights.values())
        q = {k: weight / total for k, weight in weights.items()}
        moments = (
            q[k] * (mp.mpf("0.9") + mp.mpf("0.1") * mp.exp((2 * k - 1) / mp.mpf(8))) ** order
            for k in weights
        )
        return float(mp.log(mp.fsum(moments)) / (order - 1))


@pytest.mark.parametrize("order", [2, 64, 200])
def test_large_orders_are_no_smaller_than_what_is_attained(order: int) -> None:
    """Order 512 once had 34.3, and 61.7 is attained: points end where floats do, losses do not."""
    answer = float(STEP.rdp(order, relation=hs.REPLACE_ONE))
    assert removed(order) <= answer <= order / 2  # that of one replaced without a sample


def test_the_largest_orders() -> None:
    orders = np.array([512.0, 1000.0, 1e4])
    answers = STEP.rdp(orders, relation=hs.REPLACE_ONE)
    attained = STEP.rdp(orders, relation=hs.ADD_REMOVE)  # Q mixed, or without the record at all
    assert (np.asarray(answers) >= np.asarray(attained)).all()
    assert (np.asarray(answers) <= orders / 2).all()
    assert STEP.rdp(math.inf, relation=hs.REPLACE_ONE) == math.inf
    far = FAR.rdp(orders, relation=hs.REPLACE_ONE)
    assert (np.asarray(far) >= np.asarray(attained)).all()
    assert (np.asarray(far) <= 9 * orders / 8).all()


def test_low_orders_and_deltas_are_those_of_the_points() -> None:
    loss = FAR.evidence(hs.REPLACE_ONE).loss
    assert loss.endless
    losses, log_q = loss.atoms
    moment = math.fsum(np.exp(log_q + 2 * losses))
    assert float(FAR.rdp(2, relation=hs.REPLACE_ONE)) == pytest.approx(math.log(moment), rel=1e-9)
    assert 34 < FAR.epsilon(1e-300, relation=hs.REPLACE_ONE) < 160


@pytest.mark.parametrize("relation", [hs.REPLACE_ONE, hs.ZERO_OUT])
def test_without_a_delta_nothing_is_enough(relation: hs.Relation) -> None:
    """It once was an error: a list of points had a largest loss, what is attained has none."""
    for step in (STEP, ZEROED) if relation is hs.ZERO_OUT else (STEP,):
        answer = step.epsilon(0.0, relation=relation)
        assert answer.lower == answer.upper == math.inf


def test_both_directions_of_one_zeroed_out() -> None:
    """The pair is not symmetric, and its reverse is endless too."""
    orders = np.array([2.0, 300.0])
    answers = np.asarray(ZEROED.rdp(orders, relation=hs.ZERO_OUT))
    attained = np.asarray(STEP.rdp(orders, relation=hs.ADD_REMOVE))
    assert (answers >= attained * (1 - 1e-12)).all()
    assert (answers <= orders / 2).all()

"""The least q that bounds on Rényi divergences leave an event, against roots by mpmath."""

from __future__ import annotations

import math

import mpmath as mp
import numpy as np
import pytest

from hockeystick.routes.event_set import event_set

ORDERS = [1.001, 1.5, 2.0, 9.0, 300.0, 1e5]
LIMITS = [1e-6, 0.01, 0.5, 3.0, 60.0]
PROBABILITIES = np.array([1e-200, 1e-9, 0.03, 0.5, 0.97, 1 - 1e-12])


def divergence(p: mp.mpf, q: mp.mpf, order: mp.mpf) -> mp.mpf:
    both = p**order * q ** (1 - order) + (1 - p) ** order * (1 - q) ** (1 - order)
    return mp.log(both) / (order - 1)


def log_root(p: float, order: float, limit: float, reverse: bool) -> float:
    """log of the q < p at the limit, by halving log q; −inf where 0 is within it."""
    exact, order = mp.mpf(p), mp.mpf(order)
    if reverse and -mp.log1p(-exact) <= limit:
        return -math.inf
    low, high = mp.log(exact) - 1, mp.log(exact)

    def within(x: mp.mpf) -> bool:
        q = mp.exp(x)
        found = divergence(q, exact, order) if reverse else divergence(exact, q, order)
        return bool(found <= limit)

    while within(low):
        low -= 2 * (high - low)
    for _ in range(90):
        middle = (low + high) / 2
        low, high = (low, middle) if within(middle) else (middle, high)
    return float(low)


@pytest.mark.slow
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("limit", LIMITS)
def test_the_least_q_is_below_the_root_and_close(limit: float, reverse: bool) -> None:
    unknown, known = np.full(1, math.inf), np.full(1, limit)
    for order in ORDERS:
        sides = (unknown, known) if reverse else (known, unknown)
        found = event_set(np.array([order]), *sides)(PROBABILITIES)
        with mp.workdps(60):
            truth = [log_root(p, order, limit, reverse) for p in PROBABILITIES.tolist()]
        assert (found <= truth).all()
        # A bound near 0 leaves q next to p, where rounding of 1e-15 moves the root by its square
        # root; the stated margin near order 1 is 2e-15/(α − 1).
        margin = 1e-12 + 4e-15 / (order - 1) / limit
        np.testing.assert_allclose(found, truth, rtol=margin, atol=margin)


def test_the_smallest_of_all_bounds_counts() -> None:
    orders, p = np.array([1.5, 4.0, 30.0]), np.geomspace(1e-8, 0.999, 20)
    forward, backward = np.array([0.2, 0.5, 2.0]), np.array([0.3, math.inf, 1.0])
    together = event_set(orders, forward, backward)(p)
    nothing = np.full(1, math.inf)
    alone = [event_set(orders[i : i + 1], forward[i : i + 1], nothing)(p) for i in range(3)]
    alone += [event_set(orders[i : i + 1], nothing, backward[i : i + 1])(p) for i in range(3)]
    np.testing.assert_allclose(together, np.max(alone, axis=0), rtol=1e-13)
    assert (event_set(orders, np.full(3, math.inf), np.full(3, math.inf))(p) == -math.inf).all()

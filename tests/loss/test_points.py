"""Pairs through points of a profile, against pairs whose masses are known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hockeystick.loss.atoms import AtomicLoss
from hockeystick.loss.points import lower_hull, pair_of, side_of, side_through, table_pair

losses = st.lists(st.floats(0.05, 5.0), min_size=1, max_size=6, unique_by=lambda x: round(x, 1))


def random_pair(up: list[float], down: list[float], shares: list[float]) -> AtomicLoss:
    """Q-masses in the given shares, so small that P too has something left for the loss 0."""
    x = np.array([*(-v for v in down), *up])
    q = np.array((shares * 12)[: x.size]) * np.exp(-np.maximum(x, 0)) / 30
    rest_q, rest_p = 1 - q.sum(), 1 - (q * np.exp(x)).sum()
    infinite, void = max(0.0, rest_p - rest_q), max(0.0, rest_q - rest_p)
    rest = min(rest_p, rest_q)
    return AtomicLoss(np.append(x, 0.0), np.log(np.append(q, rest)), infinite=infinite, void=void)


@given(losses, losses, st.lists(st.floats(0.1, 1.0), min_size=3, max_size=3))
def test_a_discrete_pair_from_its_corners(
    up: list[float], down: list[float], shares: list[float]
) -> None:
    pair = random_pair(up, down, shares)
    forward = np.array([0.0, *sorted(up)])
    backward = np.array([0.0, *sorted(down)])
    found = pair_of(
        side_through(forward, pair.profile(forward)),
        side_through(backward, pair.reverse().profile(backward)),
    )
    order = np.argsort(pair.atoms.losses)
    np.testing.assert_allclose(found.atoms.losses, pair.atoms.losses[order], atol=1e-14)
    np.testing.assert_allclose(found.atoms.q, pair.atoms.q[order], rtol=1e-9)
    assert found.infinite == pytest.approx(pair.infinite, abs=1e-15)
    assert found.void == pytest.approx(pair.void, abs=1e-15)


@given(losses, st.lists(st.floats(0.1, 1.0), min_size=3, max_size=3))
def test_floats_agree_with_many_digits(up: list[float], shares: list[float]) -> None:
    pair = random_pair(up, up, shares)
    u = np.array([0.0, *sorted(up)])
    h = np.maximum(pair.profile(u), pair.reverse().profile(u))
    exact = table_pair(list(zip(u.tolist(), h.tolist(), strict=True)))
    found = pair_of(side_through(u, h))
    x = np.linspace(-6, 6, 49)
    np.testing.assert_allclose(found.profile(x), exact.profile(x), rtol=0, atol=1e-14)
    assert found.symmetric
    assert exact.symmetric


def test_a_list_makes_the_pair_it_came_from() -> None:
    pair = random_pair([0.3, 1.1], [0.2], [0.5, 0.7, 0.9])
    positive, negative = pair.atoms.losses > 0, pair.atoms.losses < 0
    up = type(pair.atoms)(pair.atoms.losses[positive], pair.atoms.log_q[positive])
    back = pair.reverse().atoms
    down = type(back)(back.losses[back.losses > 0], back.log_q[back.losses > 0])
    assert negative.sum() == down.losses.size == 1
    found = pair_of(side_of(up, pair.infinite), side_of(down, pair.void))
    x = np.linspace(-3, 3, 31)
    np.testing.assert_allclose(found.profile(x), pair.profile(x), rtol=0, atol=1e-15)


def test_points_above_the_envelope_do_not_count() -> None:
    assert lower_hull([1, 2, 3, 4, 5], [5, 4.5, 1, 0.5, 0.7]) == [0, 2, 3]

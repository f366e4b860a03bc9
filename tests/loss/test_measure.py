"""Masses between losses, from tails that carry noise."""

from __future__ import annotations

import numpy as np

from hockeystick.loss.measure import Tails


def test_noise_of_tails_does_not_add_up() -> None:
    """A uniform law cut into so many cells that the noise of a tail is larger than any of them."""
    rng = np.random.default_rng(0)
    x = np.linspace(0.0, 1.0, 10_001)
    p_below, q_below = (x + 1e-3 * rng.uniform(-1, 1, x.size) for _ in range(2))
    p, p_tail, q, _ = Tails(1 - p_below, 1 - q_below, p_below, q_below).between()
    assert (p >= 0).all()
    assert (q >= 0).all()
    assert abs(p.sum() - 1) < 5e-3  # keeping what is positive alone makes it 3
    assert abs(q.sum() - 1) < 5e-3
    assert p_tail.max() <= 0.501
    exact, *_ = Tails(1 - x, 1 - x, x, x).between()
    np.testing.assert_allclose(exact, 1e-4, rtol=1e-11)

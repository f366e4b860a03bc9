"""Atoms on a lattice: the profile from above, merged ones from below, and masses of 1."""

from __future__ import annotations

import numpy as np
import pytest

from hockeystick.loss.merged import merged_above, merged_below


def pair(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """A symmetric pair of many atoms: each loss and its opposite."""
    rng = np.random.default_rng(seed)
    losses = rng.normal(0, 0.3, 20_000)
    weight = rng.random(losses.size)
    losses = np.concatenate([losses, -losses])
    q = np.concatenate([weight / (1 + np.exp(losses[: weight.size])), np.zeros(weight.size)])
    q[weight.size :] = weight - q[: weight.size]
    return losses, q / q.sum()


@pytest.mark.parametrize("seed", range(3))
def test_around_the_profile(seed: int) -> None:
    losses, q = pair(seed)
    above, below = merged_above(losses, q, 0.0, 1.0), merged_below(losses, q)
    for epsilon in (0.0, 0.1, 0.5, 1.0):
        truth = float((q * np.maximum(np.exp(losses) - np.exp(epsilon), 0)).sum())
        place = np.array([epsilon])
        upper, lower = float(above.profile(place)[0]), float(below.profile(place)[0])
        assert lower <= truth * (1 + 1e-12) <= upper * (1 + 2e-12)
        assert upper - lower < 1e-4 * truth + 1e-9


def test_what_is_not_listed_has_the_largest_loss() -> None:
    losses, q = pair(0)
    rest = 1e-6
    loss = merged_above(losses, q * (1 - rest), rest, 5.0)
    assert float(loss.profile(np.array([3.0]))[0]) == pytest.approx(rest * 0.86, rel=0.01)
    assert loss.infinite == 0
    loss.check_mass()
    merged_below(losses, q * (1 - rest), alike=rest).check_mass()

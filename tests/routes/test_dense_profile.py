"""δ of very many atoms at many ε, against the sum over all pairs of outcomes."""

from __future__ import annotations

import numpy as np

from hockeystick.loss.atoms import AtomicLoss
from hockeystick.loss.sum import ComposedLoss
from hockeystick.numerics.types import Array
from hockeystick.routes.dense import MOST_ATOMS
from hockeystick.routes.dense_profile import DenseProfile


def many_atoms(size: int) -> tuple[Array, Array]:
    """Losses and log Q-masses of two laws with nothing in common but their number of outcomes."""
    rng = np.random.default_rng(5)
    p, q = rng.exponential(size=(2, size)) * np.linspace(1.0, [2.0, 3.0], size).T
    p, q = p / p.sum(), q / q.sum()
    return np.log(p / q), np.log(q)


def two_steps(losses: Array, log_q: Array, epsilon: float) -> float:
    """Σ over x of p(x)·(P[L > ε − x] − e^{ε−x}·Q[L > ε − x])."""
    order = np.argsort(losses)
    x, q = losses[order], np.exp(log_q[order])
    p = q * np.exp(x)
    p_above, q_above = (np.append(np.cumsum(each[::-1])[::-1], 0.0) for each in (p, q))
    place = np.searchsorted(x, epsilon - x, "right")
    return float(p @ (p_above[place] - np.exp(epsilon - x) * q_above[place]))


def test_every_epsilon_is_answered_from_one_list() -> None:
    losses, log_q = many_atoms(MOST_ATOMS + 200)
    shared = DenseProfile([ComposedLoss([(AtomicLoss(losses, log_q), 2)])], [])
    assert shared.is_useful
    epsilons = [0.0, 0.01, 1.0, 4.0]
    answers = shared.deltas(epsilons)
    for epsilon in epsilons:
        truth = two_steps(losses, log_q, epsilon)
        bound = answers[epsilon]
        assert bound.lower <= truth * (1 + 1e-12)
        assert truth * (1 - 1e-12) <= bound.upper
        assert bound.upper - bound.lower <= 1e-3 * truth


def test_few_atoms_or_one_step_are_left_to_others() -> None:
    many, few = (AtomicLoss(*many_atoms(size)) for size in (MOST_ATOMS + 200, 100))
    for loss, count in ((few, 2), (many, 1)):
        assert not DenseProfile([ComposedLoss([(loss, count)])], []).is_useful

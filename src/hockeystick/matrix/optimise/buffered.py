"""The buffered Toeplitz matrix of least loss."""

from __future__ import annotations

from typing import Any

import numpy as np

from hockeystick.checks import whole
from hockeystick.matrix.buffered import Buffered
from hockeystick.matrix.optimise.descent import descended
from hockeystick.matrix.optimise.loss import ToeplitzLoss, loss_for
from hockeystick.matrix.strategy import Measure
from hockeystick.numerics.types import Array

MOST_BUFFERS = 16
"""Beyond a handful, buffers gain nothing that floats can tell apart."""


def optimal_buffered(
    steps: int, buffers: int, participation: Any = None, measure: Measure = "max"
) -> Buffered:
    """Of matrices with so many buffers, that of least sensitivity × error.

    L-BFGS on the logits of decay and on the logarithms of the scales over 1 − Σ scale, so that the
    coefficients fall (McMahan, Xu and Zhang 2024). The loss is not convex: a local minimum.

    Parameters
    ----------
    steps: an integer >= 1. buffers: an integer in [1, 16].
    participation: Once() if not given; Cyclic(...), MinSeparated(...) or EveryStep().
    measure: "max" or "mean" error of prefix sums.

    >>> strategy = optimal_buffered(steps=1000, buffers=2)
    >>> round(float(np.linalg.norm(strategy.toeplitz)) * strategy.error("max"), 3)
    3.321
    """
    loss = loss_for(steps, participation, measure)
    count = min(whole("buffers", buffers, 1), MOST_BUFFERS)
    found = descended(lambda given: _value(loss, given), _start(loss.steps, count))
    decay, scale = _parameters(found)
    return Buffered(loss.steps, decay=tuple(decay.tolist()), scale=tuple(scale.tolist()))


def _start(steps: int, count: int) -> Array:
    """Decays that reach from a few steps to all, and scales that fall as the square root does."""
    lasting = np.geomspace(max(steps / 3, 4.0), 2.0, count)
    scale = 0.5 * lasting**-0.5
    scale *= min(1.0, 0.6 / scale.sum())
    return np.concatenate([np.log(lasting - 1), np.log(scale / (1 - scale.sum()))])


def _parameters(given: Array) -> tuple[Array, Array]:
    logits, logs = np.split(given, 2)
    weights = np.exp(logs - max(logs.max(), 0.0))
    return 1 / (1 + np.exp(-logits)), weights / (weights.sum() + np.exp(-max(logs.max(), 0.0)))


def _value(loss: ToeplitzLoss, given: Array) -> tuple[float, Array]:
    decay, scale = _parameters(given)
    powers = np.arange(loss.steps - 1)
    terms = decay[:, None] ** powers
    value, by_c = loss(np.concatenate([[1.0], scale @ terms]))
    by_scale = terms @ by_c[1:]
    falling = np.zeros_like(terms)
    falling[:, 1:] = powers[1:] * terms[:, :-1]
    by_decay = scale * (falling @ by_c[1:])
    by_logs = scale * (by_scale - scale @ by_scale)
    return value, np.concatenate([by_decay * decay * (1 - decay), by_logs])

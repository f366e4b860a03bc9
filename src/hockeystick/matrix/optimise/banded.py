"""The banded Toeplitz matrix of least loss."""

from __future__ import annotations

from typing import Any

import numpy as np

from hockeystick.checks import whole
from hockeystick.matrix.optimise.descent import descended
from hockeystick.matrix.optimise.loss import ToeplitzLoss, loss_for
from hockeystick.matrix.square_root import root_coefficients
from hockeystick.matrix.strategy import Measure
from hockeystick.matrix.toeplitz import Toeplitz
from hockeystick.numerics.types import Array

ENDS = 1e-9
"""Ratios of neighbouring coefficients stay this far from 0 and 1, where logits have no end."""


def optimal_banded(
    steps: int, bands: int, participation: Any = None, measure: Measure = "max"
) -> Toeplitz:
    """Of coefficients c_0 = 1 >= c_1 >= … > 0, those of least sensitivity × error.

    L-BFGS on the logits of c_i/c_{i−1}, from the square root's (McKenna 2024). The loss is not
    convex in them: a local minimum, never worse than the closed form `banded`.

    Parameters
    ----------
    steps, bands: integers >= 1.
    participation: Once() if not given; Cyclic(...), MinSeparated(...) or EveryStep().
    measure: "max" or "mean" error of prefix sums.

    >>> optimal_banded(steps=8, bands=2)
    matrix.toeplitz(8, coefficients=(1.0, 0.595...))
    """
    loss = loss_for(steps, participation, measure)
    start = root_coefficients(min(whole("bands", bands, 1), loss.steps))
    if start.size == 1:
        return Toeplitz(loss.steps, coefficients=(1.0,))
    ratios = start[1:] / start[:-1]
    found = descended(lambda logits: _value(loss, logits), np.log(ratios / (1 - ratios)))
    best = min((start, _coefficients(found)[0]), key=lambda c: loss(c)[0])
    return Toeplitz(loss.steps, coefficients=tuple(best.tolist()))


def _coefficients(logits: Array) -> tuple[Array, Array]:
    """c, and the derivatives of log(c_i/c_{i−1}) by its logit."""
    ratios = ENDS + (1 - 2 * ENDS) / (1 + np.exp(-logits))
    return np.concatenate([[1.0], np.cumprod(ratios)]), 1 - ratios


def _value(loss: ToeplitzLoss, logits: Array) -> tuple[float, Array]:
    c, slopes = _coefficients(logits)
    value, by_c = loss(c)
    # log c_i is the sum of the logarithms of all ratios before it.
    return value, np.cumsum((by_c * c)[:0:-1])[::-1] * slopes

"""Minimising a smooth function of few numbers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.numerics.types import Array

MOST_ROUNDS = 2000
"""Far more than any of the strategies takes."""
FARTHEST = 30.0
"""Logits and logarithms of ratios beyond it are 0 or 1 to a float."""


def descended(function: Callable[[Array], tuple[float, Array]], start: Array) -> Array:
    """Where L-BFGS ends up from `start`; the function returns its derivatives, too."""
    from scipy.optimize import minimize

    found = minimize(
        function, start, jac=True, method="L-BFGS-B",
        bounds=[(-FARTHEST, FARTHEST)] * start.size,
        options={"maxiter": MOST_ROUNDS, "maxfun": 2 * MOST_ROUNDS, "ftol": 1e-15, "gtol": 1e-10},
    )  # fmt: skip
    if not np.isfinite(found.fun):
        raise NumericalError("the loss of the strategy is not finite")
    return np.asarray(found.x)

"""How far contributions that are vectors move the release: a small semidefinite programme.

With X = CᵀC on the steps in which a record takes part, and rows h_i of length at most 1,

    max tr(HᵀXH) = max{⟨X, Y⟩: Y positive semidefinite, Y_ii <= 1}

in enough dimensions (k(k+1)/2 of them suffice for k steps, Barvinok 1995 even about √(2k)). It lies
between the best signs ±1, which are contributions in one dimension, and Σ|X_ij|; for three columns
120° apart these are 4.5, 4 and 6. Any y with Diag(y) − X positive semidefinite proves the upper end
Σ y_i, and any H the lower one: both are found by turning one row at a time into its best direction
(the mixing method of Wang, Chang and Kolter 2017).
"""

from __future__ import annotations

import math

import numpy as np

from hockeystick.numerics.series import EPS
from hockeystick.numerics.types import Array

SWEEPS = 3000
"""Turns of every row; nearly always a few dozen are enough."""
CLOSED = 1e-12
"""Relative gap between the ends at which the search stops."""
LOOK = 20
"""Sweeps between two looks at the gap."""
MOST_STEPS = 300
"""Participations of one record beyond which the programme takes too long, and Σ|X_ij| is used."""


def largest_move(gram: Array) -> tuple[float, float]:
    """Both ends of max tr(HᵀXH) over rows of length at most 1, proven up to the rounding of X.

    >>> low, high = largest_move(np.array([[1, -0.5, -0.5], [-0.5, 1, -0.5], [-0.5, -0.5, 1]]))
    >>> round(low, 9), round(high, 9)
    (4.5, 4.5)
    """
    total = float(np.abs(gram).sum())
    if is_balanced(gram):
        return total, total
    if len(gram) > MOST_STEPS:
        return _by_signs(gram), total
    rows = _start(gram)
    low, high = 0.0, total
    for sweep in range(1, SWEEPS + 1):
        _turn(gram, rows)
        if sweep % LOOK == 0:
            low, high = max(low, _primal(gram, rows)), min(high, _dual(gram, rows))
            if high - low <= CLOSED * high:
                break
    return low, high


def is_balanced(gram: Array) -> bool:
    """Whether some signs s make all s_i·s_j·X_ij non-negative: then contributions along one line
    are the worst, and Σ|X_ij| is attained."""
    if (gram >= 0).all():
        return True
    signs = np.zeros(len(gram))
    for start in range(len(gram)):
        if signs[start]:
            continue
        signs[start], stack = 1.0, [start]
        while stack:
            i = stack.pop()
            wanted = signs[i] * np.sign(gram[i])
            if (signs * wanted < 0).any():
                return False
            fresh = np.flatnonzero((wanted != 0) & (signs == 0))
            signs[fresh] = wanted[fresh]
            stack.extend(fresh.tolist())
    return True


def _start(gram: Array) -> Array:
    size = len(gram)
    dimension = min(size, math.isqrt(2 * size) + 2)
    rows = np.random.default_rng(0).normal(size=(size, dimension))
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True))


def _turn(gram: Array, rows: Array) -> None:
    """Each row in turn into the direction that is best for it."""
    for i in range(len(gram)):
        pull = gram[i] @ rows - gram[i, i] * rows[i]
        length = math.sqrt(float(pull @ pull))
        if length > 0:
            rows[i] = pull / length


def _primal(gram: Array, rows: Array) -> float:
    """What these rows attain, after they are made no longer than 1."""
    shrink = 1 - 4 * (rows.shape[1] + 4) * EPS
    value = float((rows * (gram @ rows)).sum()) * float(shrink)
    return max(0.0, value - len(gram) * _error(gram))


def _dual(gram: Array, rows: Array) -> float:
    """Σ y with y lifted until Diag(y) − X has no negative eigenvalue, rounding included."""
    y = np.einsum("ij,ij->i", gram @ rows, rows)
    least = float(np.linalg.eigvalsh(np.diag(y) - gram)[0])
    lift = max(0.0, _error(gram) - least)
    return math.nextafter(float(y.sum()) * (1 + len(y) * EPS) + len(y) * lift, math.inf)


def _error(gram: Array) -> float:
    """What products with X and its eigenvalues may be off by."""
    return 4 * len(gram) * EPS * float(np.abs(gram).sum(axis=1).max())


def _by_signs(gram: Array) -> float:
    """What some signs attain: each turned while that helps."""
    signs = np.ones(len(gram))
    pull = gram @ signs
    for _ in range(10 * len(gram)):
        gain = np.diag(gram) - signs * pull
        worst = int(np.argmax(gain))
        if gain[worst] <= 0:
            break
        signs[worst] *= -1
        pull += 2 * signs[worst] * gram[worst]
    return max(0.0, float(signs @ pull) - len(gram) * _error(gram))

"""The paper's programs, solved globally, against the two ends of `amplify`."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from scipy.optimize import minimize

from hockeystick.bernoulli import amplify, search, worst_pair
from hockeystick.bernoulli.search import _kernel
from hockeystick.errors import ParameterError
from hockeystick.numerics.types import Array
from tests.oracles import bernoulli as oracle


@pytest.mark.slow
@pytest.mark.parametrize(
    ("epsilon", "order", "c", "d", "k"),
    [
        (1.0, 2, 0.1, 1, 1),
        (1.0, 2, 0.1, 1, 3),
        (0.5, 20, 0.2, 2, 1),
        pytest.param(3.0, 5, 0.05, 2, 2, marks=pytest.mark.slow),
    ],
)
def test_finds_the_lower_end_and_nothing_above_the_upper(
    epsilon: float, order: float, c: float, d: int, k: int
) -> None:
    found = search(epsilon, order, c, d, k, starts=2)
    answer = amplify(epsilon, order, c, d, k)
    assert found.divergence == pytest.approx(answer.lower, abs=1e-9)
    assert found.divergence <= answer.upper
    taken = (found.first > 0) & (found.second > 0)
    points = [tuple(point) for point in found.points[taken]]
    pair = [weights[taken].tolist() for weights in (found.first, found.second)]
    assert oracle.renyi(pair[0], pair[1], order) <= epsilon * (1 + 1e-12)
    assert oracle.renyi(pair[1], pair[0], order) <= epsilon * (1 + 1e-12)
    one, other = (oracle.coin_law(points, weights, k) for weights in pair)
    assert found.divergence == pytest.approx(float(oracle.renyi(one, other, order)), rel=1e-10)


def _local(x: Array, y: Array, kernel: Array) -> tuple[float, bool, bool]:
    """Algorithm 1 as it stands, order 2 and ε = 1, given to SLSQP.

    The value, whether the solver says it succeeded, and whether its pair is feasible.
    """
    n = len(x)

    def chi(p: Array, q: Array) -> float:
        return float((p * p / q).sum())

    limits = [
        {"type": "eq", "fun": lambda z: z[:n].sum() - 1},
        {"type": "eq", "fun": lambda z: z[n:].sum() - 1},
        {"type": "ineq", "fun": lambda z: math.e - chi(z[:n], z[n:])},
        {"type": "ineq", "fun": lambda z: math.e - chi(z[n:], z[:n])},
    ]
    found = minimize(  # type: ignore[call-overload]
        lambda z: -chi(z[:n] @ kernel, z[n:] @ kernel),
        np.concatenate([x, y]),
        method="SLSQP",
        constraints=limits,
        bounds=[(1e-9, 1.0)] * (2 * n),
        options={"maxiter": 300},
    )
    x, y = found.x[:n], found.x[n:]
    feasible = max(chi(x, y), chi(y, x)) <= math.e + 1e-5
    return math.log(-found.fun), bool(found.success), feasible


@pytest.mark.slow
def test_a_local_solver_fails_where_the_search_does_not() -> None:
    """d = 3: it stays at the best pair of d = 2, content."""
    corners = np.array(list(product((0.1, 0.9), repeat=3)))
    kernel = _kernel(corners, 1)
    p = worst_pair(1.0, 2, 0.1).probability
    x, y = np.full(8, 1e-9), np.full(8, 1e-9)
    x[[0, 3]], y[[0, 3]] = (1 - p, p), (p, 1 - p)
    value, success, feasible = _local(x, y, kernel)
    assert success
    assert feasible
    assert value == pytest.approx(amplify(1.0, 2, 0.1, 2).lower, abs=1e-6)
    best = amplify(1.0, 2, 0.1, 3)
    assert search(1.0, 2, 0.1, 3, starts=0).divergence == pytest.approx(best.lower, abs=1e-9)


@pytest.mark.slow
def test_inner_points_do_not_help() -> None:
    """For k >= 2 coins of an inner point are no mixture of coins of corners, and yet."""
    found = search(1.0, 2, 0.1, 1, 2, points=[[0.1], [0.4], [0.9]], starts=2)
    assert found.divergence == pytest.approx(amplify(1.0, 2, 0.1, 1, 2).lower, abs=1e-9)


def test_lemma_3_of_the_paper_fails_for_two_samples() -> None:
    """Two coins of 0.5 agree half of the time, those of corners of [0.1, 0.9] more often."""
    inner = oracle.coin_law([(0.5,)], [1], 2)
    corners = [oracle.coin_law([(theta,)], [1], 2) for theta in (0.1, 0.9)]
    assert float(inner[0] + inner[3]) == 0.5
    assert min(float(law[0] + law[3]) for law in corners) == pytest.approx(0.82)


def test_refusals() -> None:
    with pytest.raises(ParameterError, match="small problems"):
        search(1.0, 2, 0.1, 8)
    with pytest.raises(ParameterError, match="points must be vectors"):
        search(1.0, 2, 0.1, 1, points=[[0.95]])
    with pytest.raises(ParameterError, match="order > 1 and 0 < c"):
        search(1.0, 2, 0.5)

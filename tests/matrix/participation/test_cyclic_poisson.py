"""Sampled columns: exact where they share no row, and two ends elsewhere, against simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest

import hockeystick as hs
from hockeystick.matrix.participation.cyclic_poisson import few

TWO = (1.0, 0.5)


def test_few_bands_are_a_sum_of_sampled_gaussians() -> None:
    """n = 5, b = 2: group 0 is the worst, and its last column is shorter. The numbers are from
    another program, and from a simulation of the whole matrix (0.070019 ± 0.0012, 0.001611)."""
    run = hs.Correlated(hs.matrix.toeplitz(5, TWO), 1.2, hs.CyclicPoisson(0.3, 2))
    long, short = (hs.Gaussian(1.2 / norm).on(hs.Poisson(0.3)) for norm in (1.25**0.5, 1.0))
    for epsilon, value in ((0.5, 0.0700795656), (2.0, 0.0016071506)):
        answer, by_hand = run.delta(epsilon), (long * 2 + short).delta(epsilon)
        assert answer == pytest.approx(value, abs=1e-10)
        assert answer == pytest.approx(by_hand, rel=1e-9)
        assert answer.lower == pytest.approx(answer.upper, rel=1e-8)
    three = (run * 3).delta(2.0)
    assert three == pytest.approx((long * 6 + short * 3).delta(2.0), rel=1e-9)


def test_a_long_run() -> None:
    norm = 1.25**0.5
    run = hs.Correlated(
        hs.matrix.toeplitz(2000, (1 / norm, 0.5 / norm)), 2.0, hs.CyclicPoisson(0.08, 8)
    )
    assert run.epsilon(1e-6) == pytest.approx(3.3469331733, abs=1e-9)


def test_groups_none_of_which_is_the_worst() -> None:
    """The largest norms of any group are above, a group is below."""
    matrix = np.diag([3.0, 1.0, 1.0, 2.0, 1.0, 2.0])
    run = hs.Correlated(hs.matrix.dense(matrix), 3.0, hs.CyclicPoisson(0.2, 2))
    groups = [
        hs.Composition({}) + sum(hs.Gaussian(3.0 / norm).on(hs.Poisson(0.2)) for norm in norms)
        for norms in ((3.0, 1.0, 1.0), (1.0, 2.0, 2.0))
    ]
    answer, truth = run.delta(0.5), max(group.delta(0.5) for group in groups)
    assert answer.lower * (1 - 1e-9) <= truth <= answer.upper
    assert answer.lower == pytest.approx(truth, rel=1e-6)


def simulated(matrix: np.ndarray, rate: float, noise: float, epsilon: float) -> tuple[float, float]:
    """δ(ε) of all contributions 1, in the direction of removing, and its deviation."""
    rng, steps = np.random.default_rng(0), matrix.shape[1]
    sets = np.array(np.meshgrid(*[[0, 1]] * steps)).reshape(steps, -1).T
    means = sets @ matrix.T / noise
    weights = np.prod(np.where(sets == 1, rate, 1 - rate), axis=1)
    drawn = means[rng.choice(len(sets), size=40_000, p=weights)]
    y = drawn + rng.normal(size=drawn.shape)
    terms = y @ means.T - 0.5 * (means**2).sum(axis=1) + np.log(weights)
    loss = np.logaddexp.reduce(terms, axis=1)
    values = np.maximum(0.0, -np.expm1(epsilon - loss))
    return float(values.mean()), float(values.std() / math.sqrt(len(values)))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("epsilon", "upper", "lower"), [(0.25, 0.092522, 0.051523), (1.0, 0.0089987, 0.0011010)]
)
def test_plain_poisson_is_between_its_ends(epsilon: float, upper: float, lower: float) -> None:
    strategy = hs.matrix.toeplitz(8, TWO)
    answer = hs.Correlated(strategy, 2.0, hs.Poisson(0.2)).delta(epsilon)
    assert answer.upper == pytest.approx(upper, rel=1e-4)
    assert answer.lower == pytest.approx(lower, rel=1e-4)
    truth, deviation = simulated(strategy.dense(), 0.2, 2.0, epsilon)
    assert answer.lower < truth - 6 * deviation
    assert truth + 6 * deviation < answer.upper


def test_all_coins_and_no_coin() -> None:
    strategy = hs.matrix.toeplitz(8, TWO)
    sure = hs.Correlated(strategy, 2.0, hs.Poisson(1.0))
    assert sure.delta(1.0) == hs.Correlated(strategy, 2.0, hs.EveryStep()).delta(1.0)
    assert hs.Correlated(strategy, 2.0, hs.Poisson(0.0)).delta(0.0) == 0.0


def test_never_more_than_to_know_all_coins() -> None:
    """Splitting alone would give ε = 100 and more here."""
    strategy, everyone = hs.matrix.square_root(60), hs.EveryStep()
    run = hs.Correlated(strategy, 4.0, hs.Poisson(0.9))
    assert run.epsilon(1e-6) <= hs.Correlated(strategy, 4.0, everyone).epsilon(1e-6)


def test_a_matrix_of_either_sign() -> None:
    """C = [[1, 0], [−1, 1]] with |C| above; contributions to one step below."""
    strategy = hs.matrix.dense([[1, 0], [-1, 1]])
    answer = hs.Correlated(strategy, 2.0, hs.Poisson(0.3)).delta(0.5)
    above = hs.Correlated(hs.matrix.dense([[1, 0], [1, 1]]), 2.0, hs.Poisson(0.3)).delta(0.5)
    assert answer.upper == pytest.approx(above.upper, rel=1e-12)
    worst, deviation = simulated(np.array([[1.0, 0.0], [1.0, 1.0]]), 0.3, 2.0, 0.5)
    assert answer.lower <= worst + 6 * deviation <= answer.upper * 1.5


def test_replaced_records_are_opposite() -> None:
    run = hs.Correlated(hs.matrix.identity(4), 2.0, hs.CyclicPoisson(0.3, 1))
    step = hs.Gaussian(2.0).on(hs.Poisson(0.3)) * 4
    for relation in (hs.ADD_REMOVE, hs.ZERO_OUT, hs.REPLACE_ONE):
        one, other = (each.delta(0.5, relation=relation) for each in (run, step))
        assert one == pytest.approx(other, rel=1e-8)


@pytest.mark.slow
def test_replaced_records_that_are_nearer_than_opposite() -> None:
    near = hs.Correlated(hs.matrix.identity(4), 2.0, hs.CyclicPoisson(0.3, 1), 1.0)
    answer = near.delta(0.5, relation=hs.REPLACE_ONE)
    assert answer.lower < answer.upper


def test_few_norms_are_no_smaller_or_no_larger() -> None:
    norms = np.random.default_rng(0).random(300)
    above, below = few(norms, upper=True), few(norms, upper=False)
    assert (below <= norms).all()
    assert (norms <= above).all()
    assert np.unique(above).size == np.unique(below).size == 16
    assert (above - below).max() < 0.3
    assert (few(norms[:16], upper=True) == norms[:16]).all()

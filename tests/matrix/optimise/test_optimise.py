"""Strategies of least error, against published optima, other optimisers and their own duals."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import minimize

import hockeystick as hs
from hockeystick.errors import NumericalError, ParameterError
from hockeystick.matrix.optimise.dense import dense_optimum
from hockeystick.matrix.optimise.loss import ToeplitzLoss, inverse_series
from hockeystick.matrix.participation.cyclic import Cyclic
from hockeystick.matrix.participation.min_separated import MinSeparated
from hockeystick.matrix.strategy import Measure
from hockeystick.numerics.types import Array


def written_loss(c: Array, steps: int, every: int, times: int, measure: Measure) -> float:
    """Sensitivity × error with matrices written out: an independent evaluation."""
    strategy = hs.matrix.toeplitz(steps, tuple(c))
    matrix = strategy.dense()
    moved = matrix[:, : times * every : every].sum(axis=1)
    prefix = np.tril(np.ones((steps, steps))) @ np.linalg.inv(matrix)
    norms = np.linalg.norm(prefix, axis=1)
    error = norms.max() if measure == "max" else np.linalg.norm(norms) / math.sqrt(steps)
    return float(np.linalg.norm(moved) * error)


@pytest.mark.parametrize("measure", ["max", "mean"])
@pytest.mark.parametrize(("every", "times"), [(20, 1), (6, 3), (1, 20)])
def test_loss_and_slopes(measure: Measure, every: int, times: int) -> None:
    rng = np.random.default_rng(0)
    c = np.cumprod(np.concatenate([[1.0], rng.uniform(0.3, 0.9, 6)]))
    loss = ToeplitzLoss(20, every, times, measure)
    value, slopes = loss(c)
    shown = [written_loss(c, 20, every, times, measure)]
    assert value / 2 == pytest.approx(math.log(shown[0]), abs=1e-12)
    for i in range(1, 7):
        step = np.zeros(7)
        step[i] = 1e-5
        ends = [written_loss(c + sign * step, 20, every, times, measure) for sign in (1, -1)]
        assert slopes[i] == pytest.approx(2 * math.log(ends[0] / ends[1]) / 2e-5, rel=1e-6)


def test_inverse_series() -> None:
    c = np.random.default_rng(1).uniform(-0.3, 0.3, 37)
    c[0] = 2.0
    matrix = hs.matrix.toeplitz(37, tuple(c)).dense()
    assert inverse_series(c) == pytest.approx(np.linalg.inv(matrix)[:, 0], abs=1e-13)


@pytest.mark.parametrize("measure", ["max", "mean"])
@pytest.mark.parametrize(("every", "times"), [(16, 1), (4, 4)])
def test_banded_is_where_another_optimiser_ends(measure: Measure, every: int, times: int) -> None:
    found = hs.matrix.optimal_banded(16, 4, Cyclic(every, times), measure)
    c = np.array(found.toeplitz)
    assert (np.diff(c) < 0).all()
    assert (c > 0).all()

    def free(given: Array) -> float:
        return written_loss(np.array([1.0, *given]), 16, every, times, measure)

    other = minimize(free, [0.6, 0.4, 0.3], method="Nelder-Mead", options={"xatol": 1e-9})
    own = written_loss(c, 16, every, times, measure)
    assert own == pytest.approx(float(other.fun), rel=1e-7)


def test_banded_is_never_worse_than_the_closed_form() -> None:
    for measure in ("max", "mean"):
        start = np.array(hs.matrix.banded(steps=32, bands=8).toeplitz)
        found = np.array(hs.matrix.optimal_banded(32, 8, MinSeparated(8, 4), measure).toeplitz)
        before, after = (written_loss(c, 32, 8, 4, measure) for c in (start, found))
        assert after < before
    assert hs.matrix.optimal_banded(5, 1) == hs.matrix.toeplitz(5, (1.0,))


@pytest.mark.slow
def test_buffered_of_100_000_steps_is_the_published_optimum() -> None:
    found = hs.matrix.optimal_buffered(100_000, 2)
    assert found.decay == pytest.approx((0.9999528892, 0.9857068667), abs=1e-7)
    assert found.scale == pytest.approx((0.0122853238, 0.1878393665), rel=1e-5)
    loss = float(np.linalg.norm(found.toeplitz)) * found.error("max")
    assert loss == pytest.approx(5.29674715, abs=1e-7)


@pytest.mark.parametrize(("buffers", "loss"), [(1, 4.304538), (2, 3.575672), (3, 3.495649)])
def test_more_buffers_come_near_to_the_square_root(buffers: int, loss: float) -> None:
    """Of all Toeplitz matrices the square root has the least maximal loss: 3.485678."""
    found = hs.matrix.optimal_buffered(2000, buffers)
    own = float(np.linalg.norm(found.toeplitz)) * found.error("max")
    root = hs.matrix.square_root(2000)
    assert own == pytest.approx(loss, abs=1e-5)
    assert own > float(np.linalg.norm(root.toeplitz)) * root.error("max")


def test_buffered_for_two_participations_is_better_than_one_that_was_published() -> None:
    found = hs.matrix.optimal_buffered(1000, 2, MinSeparated(5, 2), "max")
    published = 6.96257606  # of another objective
    assert written_loss(np.array(found.toeplitz), 1000, 5, 2, "max") < published
    assert max(found.toeplitz) <= 1.0


DENSE = {  # mean loss of the best matrix
    2: 1.3090169944,
    3: 1.5359538828,
    4: 1.7185360241,
    8: 2.2332721666,
    16: 2.8540848007,
    64: 4.4093972039,
}


@pytest.mark.parametrize("steps", DENSE)
def test_dense_optimum_has_a_certificate(steps: int) -> None:
    found = dense_optimum(steps)
    assert found.lower <= DENSE[steps] + 6e-11
    assert found.loss >= DENSE[steps] - 6e-11
    assert found.loss - found.lower <= 1e-9 * found.loss
    matrix = found.strategy.dense()
    assert not np.triu(matrix, 1).any()
    assert np.linalg.norm(matrix, axis=0).max() <= 1 + 1e-15
    assert found.strategy.error("mean") ** 2 == pytest.approx(found.loss, rel=1e-10)


def test_no_perturbation_of_the_dense_optimum_is_below_its_dual() -> None:
    found, rng = dense_optimum(5), np.random.default_rng(3)
    for _ in range(50):
        near = found.strategy.dense() + 0.05 * np.tril(rng.normal(size=(5, 5)))
        loss = hs.matrix.dense(near).error("mean") * np.linalg.norm(near, axis=0).max()
        assert loss**2 >= found.lower


def test_bad_input() -> None:
    with pytest.raises(ParameterError, match="measure must be 'max' or 'mean'"):
        hs.matrix.optimal_banded(4, 2, measure="least")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="participation must be Once"):
        hs.matrix.optimal_banded(4, 2, hs.Poisson(0.1))
    with pytest.raises(ParameterError, match="bands must be an integer >= 1"):
        hs.matrix.optimal_banded(4, 0)
    with pytest.raises(NumericalError, match="at most 4096"):
        hs.matrix.optimal_dense(5000)

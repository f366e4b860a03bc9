"""δ at many ε from shared lines: as good as one by one, and right at the ends of a line's reach."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

import hockeystick as hs
from hockeystick.loss.sum import ComposedLoss
from hockeystick.routes.contour.shared import FARTHEST, SharedLines

from ..oracles.truth import truth

GAUSSIANS = "Gaussian(1.0).on(Poisson(0.01)) * 1000"
RUNS = [
    hs.parse(GAUSSIANS),
    hs.Laplace(1.0).on(hs.Poisson(0.01)) * 1000,
    (hs.Gaussian(1.0) + hs.ApproximateDP(0.1, 1e-3)).on(hs.Poisson(0.1)) * 300,
    hs.ApproximateDP(0.1, 1e-3) * 5 + hs.Gaussian(2.0),
    hs.Gaussian(1.0).on(hs.Poisson(0.01)) * 1000 + hs.PureDP(0.3),
]


def lines_of(run: hs.Mechanism) -> SharedLines:
    losses = [(part.evidence(hs.ADD_REMOVE).loss, n) for part, n in run.parts.items()]
    return SharedLines(ComposedLoss(losses))


@pytest.mark.slow
@pytest.mark.parametrize("run", RUNS, ids=repr)
def test_as_one_by_one(run: hs.Mechanism) -> None:
    epsilons = np.linspace(0.0, 4.0, 40)
    together = run.profile(epsilons)
    for i in (0, 7, 20, 39):
        alone = run.delta(epsilons[i])
        assert together.lower[i] <= alone.upper
        assert alone.lower <= together.upper[i]
        wide = 1e-13 + 8 * (alone.upper - alone.lower)
        assert together.upper[i] - together.lower[i] <= wide


@pytest.mark.slow
def test_ends_of_a_reach_hold_the_truth() -> None:
    lines = lines_of(hs.parse(GAUSSIANS))
    epsilons = np.linspace(0.2, 2.0, 200)
    lower, upper = lines.deltas(epsilons)
    assert 1 < len(lines.lines) < 12
    planned = np.array([line.epsilon for line, _ in lines.lines])
    far = np.argsort(-np.abs(epsilons[:, None] - planned).min(axis=1))[:2]
    for i in (*far.tolist(), 0, 199):
        truth_at = truth(GAUSSIANS, "delta", float(epsilons[i]), "add_remove")
        assert truth_at is not None
        assert lower[i] <= truth_at[1]
        assert upper[i] >= truth_at[0]
        assert upper[i] - lower[i] <= 1e-10 * upper[i]


def test_a_line_never_answers_far_from_where_it_was_planned() -> None:
    lines = lines_of(hs.parse(GAUSSIANS))
    lines.deltas(np.array([0.0]))
    ((line, width),) = lines.lines
    far = np.array([line.epsilon + 1.01 * FARTHEST / line.centre])
    lower, upper = lines.deltas(far)
    assert len(lines.lines) == 2
    assert 0 < upper[0] - lower[0] <= width * upper[0] * 100


def test_what_is_asked_twice_is_answered_once() -> None:
    run = hs.parse(GAUSSIANS)
    profile = run.profile(np.array([[1.0, 2.0], [2.0, 1.0]]))
    assert profile.shape == (2, 2)
    assert profile.upper[0, 0] == profile.upper[1, 1]
    assert profile.upper[0, 1] == profile.upper[1, 0] < profile.upper[0, 0]


def test_no_points_and_bad_ones() -> None:
    run = hs.parse(GAUSSIANS)
    assert run.profile([]).shape == (0,)
    for bad in (-1.0, float("nan")):
        with pytest.raises(hs.ParameterError, match="epsilon"):
            run.profile([1.0, bad])


def test_beyond_the_largest_loss_and_at_infinity() -> None:
    run = hs.PureDP(0.1) * 3 + hs.ApproximateDP(0.1, 1e-3) * 300
    assert run.profile([float("inf"), 1e3]).upper == pytest.approx([1 - 0.999**300] * 2, rel=1e-12)


def test_the_contour_by_name() -> None:
    run = hs.parse(GAUSSIANS)
    profile = run.profile([0.5, 1.5], method="contour")
    assert profile.method == "contour"
    assert profile.lower[0] <= run.delta(0.5).upper <= profile.upper[0] * (1 + 1e-11)


def test_tradeoff_of_normal_laws_from_lines() -> None:
    """Φ(Φ⁻¹(1 − α) − μ), here μ = 2/3."""
    alphas = [0.0, 1e-4, 0.01, 0.3, 0.7, 1.0]
    curve = (hs.Gaussian(3.0) * 4).tradeoff(alphas, method="contour")
    for alpha, low, high in zip(alphas, curve.lower, curve.upper, strict=True):
        truth_at = float(norm.cdf(norm.isf(alpha) - 2 / 3)) if 0 < alpha < 1 else 1 - alpha
        assert low <= truth_at * (1 + 1e-14)
        assert high >= truth_at * (1 - 1e-14)
        assert high - low < 1e-11

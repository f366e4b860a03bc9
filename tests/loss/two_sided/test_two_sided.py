"""A pair is known by its profile for ε >= 0 in both directions: so it comes back from the two."""

from __future__ import annotations

import math

import numpy as np
import pytest

import hockeystick as hs
from hockeystick.loss.atoms import EVERYTHING, AtomicLoss
from hockeystick.loss.base import Loss
from hockeystick.loss.gaussian import GaussianLoss
from hockeystick.loss.labelled import LabelledLoss
from hockeystick.loss.mixed import Mixed, mixed
from hockeystick.loss.segment import SegmentLoss
from hockeystick.loss.two_sided.amplified import AmplifiedCurve, DiscreteCurve
from hockeystick.loss.two_sided.function import FunctionCurve
from hockeystick.loss.two_sided.loss import TwoSidedLoss
from hockeystick.loss.two_sided.on_sample import joint
from hockeystick.loss.two_sided.term import Term
from hockeystick.mechanisms.discrete_gaussian import DiscreteGaussianLoss

GAUSSIAN = GaussianLoss(0.8)
LAPLACE = SegmentLoss(0.8, height=0.25, edge=0.5)
DISCRETE = DiscreteGaussianLoss(1.5, 1)
LEAN = AtomicLoss([math.log(0.5 / 0.8)], [math.log(0.8)], infinite=0.5, void=0.2)
UNEVEN = LabelledLoss((0.9, LAPLACE), (0.06, LEAN), (0.04, EVERYTHING))
"""With an atom, and different masses at +inf and −inf."""


def curve(loss: Loss, kind: type[AmplifiedCurve] = AmplifiedCurve) -> AmplifiedCurve:
    """The profile itself, as if every record were drawn."""
    return kind((Term(1.0, 0.0, loss),), 1.0)


def delta(epsilon: float) -> float:
    return float(GAUSSIAN.profile(np.array([epsilon]))[0])


def uneven(lean: Loss) -> AmplifiedCurve:
    return AmplifiedCurve((Term(0.9, 0.0, LAPLACE), Term(0.06, 0.0, lean)), 1.0, 0.04)


PAIRS: list[tuple[str, Loss, Loss]] = [
    ("gaussian", TwoSidedLoss(curve(GAUSSIAN)), GAUSSIAN),
    ("function", TwoSidedLoss(FunctionCurve(delta)), GAUSSIAN),
    ("laplace", TwoSidedLoss(curve(LAPLACE)), LAPLACE),
    ("discrete", TwoSidedLoss(curve(DISCRETE, DiscreteCurve)), DISCRETE),
    ("uneven", TwoSidedLoss(uneven(LEAN), uneven(LEAN.reverse())), UNEVEN),
    ("turned", TwoSidedLoss(uneven(LEAN), uneven(LEAN.reverse())).reverse(), UNEVEN.reverse()),
]
each = pytest.mark.parametrize(("made", "truth"), [p[1:] for p in PAIRS], ids=[p[0] for p in PAIRS])
S = np.array([1e-3, 0.7, 6.0, -0.5, 0.4 + 3j, 2 - 9j, -0.3 + 0.5j])


def assert_same_cumulants(made: Loss, truth: Loss, s: np.ndarray = S) -> None:
    """To 1e-11 of E_P[e^{Re s·L}], and on the real line of K itself."""
    size = truth.cgf(s.real).real
    ours, theirs = np.exp(made.cgf(s) - size), np.exp(truth.cgf(s) - size)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-11)
    real = s[s.imag == 0]
    np.testing.assert_allclose(made.cgf(real).real, truth.cgf(real).real, rtol=1e-10, atol=1e-15)


@each
def test_cumulants(made: Loss, truth: Loss) -> None:
    assert_same_cumulants(made, truth)
    for ours, theirs in ((made.mean(), truth.mean()), (made.reverse_mean(), truth.reverse_mean())):
        assert ours == pytest.approx(theirs, rel=1e-10)
    masses = pytest.approx((truth.infinite, truth.void), rel=1e-15)
    assert (made.infinite, made.void) == masses
    assert (made.top, made.bottom) == (truth.top, truth.bottom)


@each
@pytest.mark.parametrize("rate", [0.03, 0.6])
def test_cumulants_of_a_mixture(made: Loss, truth: Loss, rate: float) -> None:
    ours, theirs = mixed(made, rate), Mixed(truth, rate)
    assert_same_cumulants(ours, theirs)
    assert_same_cumulants(ours.reverse(), theirs.reverse())
    for one, other in ((ours, theirs), (ours.reverse(), theirs.reverse())):
        assert one.mean() == pytest.approx(other.mean(), rel=1e-9)


@each
def test_profile_and_masses(made: Loss, truth: Loss) -> None:
    x = np.array([-2.0, -0.4, 0.0, 0.3, 1.7])
    np.testing.assert_allclose(made.profile(x), truth.profile(x), rtol=1e-12)
    np.testing.assert_allclose(made.reverse_profile(x), truth.reverse_profile(x), rtol=1e-12)
    inside = x[x < truth.top]
    logs = np.log(truth.profile(inside))
    np.testing.assert_allclose(made.log_profile(inside), logs, rtol=1e-12)
    np.testing.assert_allclose(made.tails(x), truth.tails(x), rtol=0, atol=2e-10)
    atoms = [loss.atoms for loss in (made, truth)]
    for low, high in ((-9.0, -0.1), (-0.1, 0.1), (0.1, 9.0)):
        p = [float(a.p[(a.losses > low) & (a.losses < high)].sum()) for a in atoms]
        assert p[0] == pytest.approx(p[1], abs=1e-12)


@each
def test_nodes_hold_the_mass(made: Loss, truth: Loss) -> None:
    nodes = made.nodes(-1.0, 1.0, 4.0)
    split = nodes.density.size
    assert (np.diff(nodes.losses[:split]) > 0).all()
    assert np.exp(nodes.log_q).sum() + truth.void == pytest.approx(1, abs=1e-2)
    assert np.exp(nodes.log_q + nodes.losses).sum() + truth.infinite == pytest.approx(1, abs=1e-2)


@each
def test_truncated(made: Loss, truth: Loss) -> None:
    """The profile grows, by no more than the mass cut off, in both directions."""
    cut = made.truncated(1e-6)
    if math.isfinite(made.top):
        assert cut is made
        return
    x = np.array([-1.0, 0.0, 0.5, 2.0])
    for ours, theirs in ((cut, truth), (cut.reverse(), truth.reverse())):
        growth = ours.profile(x) - theirs.profile(x)
        assert (growth >= -1e-13).all()
        assert (growth <= 4e-6 * np.exp(np.maximum(x, 0))).all()
    assert_same_cumulants(cut.reverse().reverse(), cut)


@pytest.mark.parametrize("truth", [GAUSSIAN, LAPLACE, GaussianLoss(0.01), GaussianLoss(9.0)])
def test_large_powers(truth: Loss) -> None:
    """Those of a Gaussian are decided by losses far rarer than any float."""
    s = np.array([-300.0, 40.0, 300.0, 5e3, 2e5])
    made = TwoSidedLoss(curve(truth))
    np.testing.assert_allclose(made.cgf(s).real, truth.cgf(s).real, rtol=1e-12)
    np.testing.assert_allclose(
        mixed(made, 0.3).cgf(s[1:4]).real, Mixed(truth, 0.3).cgf(s[1:4]).real, rtol=1e-12
    )


def test_each_line_of_the_plane_by_itself() -> None:
    """K at points of many lines is what it is at each of them."""
    made = TwoSidedLoss(AmplifiedCurve((Term(0.01, 0.0, GAUSSIAN),), 0.01))
    together = made.cgf(S)
    alone = np.concatenate([made.cgf(s) for s in S])
    np.testing.assert_allclose(together, alone, rtol=1e-13)


@pytest.mark.parametrize("noise", [0.8, 1.0])
def test_the_steepest_chord_is_a_tangent(noise: float) -> None:
    """Advanced joint convexity at the mean of two far profiles bends the wrong way at first."""
    near, far = GaussianLoss(1 / noise), GaussianLoss(2 / noise)
    made = joint([0.01], [near], [far], 0.01)
    bent = AmplifiedCurve(made.terms, 0.01)
    assert made.touch > 0
    u = np.append(made.touch, np.linspace(0.0, 3 * made.touch, 301))
    below = bent.delta(u) - made.delta(u)
    assert below[0] == 0
    assert (below >= -1e-17).all()
    assert below.max() > 1e-6
    around = made.touch * np.array([1 - 1e-4, 1 + 1e-4])
    slope = -np.diff(bent.delta(around)) / np.diff(np.exp(around))
    assert made.slope == pytest.approx(float(slope[0]), rel=1e-6)
    assert made.atoms.losses.size == 0
    a = np.exp(u)
    falls = -np.diff(made.delta(u[1:])) / np.diff(a[1:])
    assert (np.diff(falls) <= 1e-12).all()


def test_sampled_atoms_are_listed() -> None:
    """Randomized response on a fixed-size sample: ± log(1 + γ(e^ε − 1)), and the rest at 0."""
    gamma = 0.1
    step = hs.RandomizedResponse(1.0).on(hs.WithoutReplacement(10, 100))
    loss = step.evidence(hs.REPLACE_ONE).loss
    assert isinstance(loss, AtomicLoss)
    top = math.log1p(gamma * math.expm1(1.0))
    p = 1 / (1 + math.exp(-1.0))
    q = gamma * (p - (1 - p)) / math.expm1(top)
    np.testing.assert_allclose(loss.atoms.losses, [-top, 0, top], rtol=1e-14)
    np.testing.assert_allclose(loss.atoms.q[[0, 2]], [q * math.exp(top), q], rtol=1e-13)
    assert loss.spacing == pytest.approx(top, rel=1e-15)
    assert loss.atoms.q.sum() == pytest.approx(1, rel=1e-15)


def kinked(epsilon: float) -> float:
    """Two lines in e^ε, that is three atoms on either side of 0."""
    beyond = math.expm1(min(epsilon, 50))
    return max(0.2 - 0.1 * beyond, 0.05 - 0.01 * beyond, 0.0)


@pytest.mark.slow
def test_kinks_of_a_function_stay_kinks_on_a_sample() -> None:
    """Where they are is known only roughly, so that no decay may be counted on."""
    corners = {0.0: 0.2, math.log(8 / 3): 1 / 30, math.log(6): 0.0}
    sampler = hs.WithoutReplacement(30, 600)
    step, exact = (hs.ProfileDP(known).on(sampler) for known in (kinked, corners))
    loss = step.evidence(hs.REPLACE_ONE).loss
    assert loss.rough
    assert (loss.spread(1.0, np.array([1.0, 9.0, 90.0]), 1.0) == 1).all()
    found, truth = ((m * 2).delta(0.3, relation=hs.REPLACE_ONE) for m in (step, exact))
    assert found.lower <= truth.upper
    assert truth.lower <= found.upper
    assert found.upper == pytest.approx(truth.upper, rel=1e-3)

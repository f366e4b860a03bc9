"""K(s) of each loss against multiple precision, and each loss against itself."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from mpmath import mp, mpc, mpf

import hockeystick as hs
from hockeystick.loss.atoms import EVERYTHING, NOTHING, AtomicLoss
from hockeystick.loss.base import Loss
from hockeystick.loss.gaussian import GaussianLoss
from hockeystick.loss.mixed import mixed
from hockeystick.loss.sum import ComposedLoss
from tests.oracles import pairs
from tests.oracles.pairs import Pair
from tests.oracles.quadrature import panels

PLAIN: dict[str, tuple[hs.Mechanism, Callable[[], Pair]]] = {
    "Gaussian(1.5)": (hs.Gaussian(1.5), lambda: pairs.gaussian(mpf(1.5))),
    "Gaussian(0.4)": (hs.Gaussian(0.4), lambda: pairs.gaussian(mpf(0.4))),
    "Laplace(0.7)": (hs.Laplace(0.7), lambda: pairs.laplace(mpf(0.7))),
    "Laplace(20)": (hs.Laplace(20.0), lambda: pairs.laplace(mpf(20))),
    "DiscreteGaussian(0.8)": (
        hs.DiscreteGaussian(0.8),
        lambda: pairs.discrete_gaussian(mpf(0.8), 1, 12),
    ),
    "DiscreteGaussian(2, sensitivity=3)": (
        hs.DiscreteGaussian(2.0, sensitivity=3),
        lambda: pairs.discrete_gaussian(mpf(2), 3, 12),
    ),
    "DiscreteLaplace(0.7, sensitivity=2)": (
        hs.DiscreteLaplace(0.7, sensitivity=2),
        lambda: pairs.discrete_laplace(mpf(0.7), 2),
    ),
    "RandomizedResponse(1, categories=5)": (
        hs.RandomizedResponse(1.0, categories=5),
        lambda: pairs.randomized_response(mpf(1), 5),
    ),
    "RandomizedResponse(0.001)": (
        hs.RandomizedResponse(0.001),
        lambda: pairs.randomized_response(mpf(0.001)),
    ),
    "ExponentialMechanism(1.5)": (
        hs.ExponentialMechanism(1.5),
        lambda: pairs.exponential_mechanism(mpf(1.5)),
    ),
    "ApproximateDP(0.5, 1e-6)": (
        hs.ApproximateDP(0.5, 1e-6),
        lambda: pairs.approximate_dp(mpf(0.5), mpf(1e-6)),
    ),
}
RATES = (None, 0.001, 0.3)
POINTS = [0.5, 3.0, 10.0, 0.25 + 2j, 2 + 1j, 5 - 7j]


def long_integral(name: str, back: bool) -> bool:
    """Those of Gaussians; of the other direction, which the laws derive from the first, too."""
    return back or name.startswith("Gaussian")


def cases(slow: Callable[[str, bool], bool]) -> list[Any]:
    return [
        pytest.param(
            name,
            rate,
            back,
            id=f"{name}{'' if rate is None else f' at {rate}'}{back * ' back'}",
            marks=[pytest.mark.slow] if slow(name, back) else [],
        )
        for name in PLAIN
        for rate in RATES
        for back in (False, True)
    ]


CASES = cases(slow=lambda name, back: False)


def loss_of(name: str, rate: float | None, back: bool) -> Loss:
    loss = PLAIN[name][0].evidence(hs.ADD_REMOVE).loss
    loss = loss if rate is None else mixed(loss, rate)
    return loss.reverse() if back else loss


def pair_of(name: str, rate: float | None, back: bool) -> Pair:
    pair = PLAIN[name][1]()
    pair = pair if rate is None else pairs.poisson(pair, mpf(rate))
    return pairs.reverse(pair) if back else pair


def cumulant(pair: Pair, s: complex) -> mpc:
    """log E_P[e^{sL}; L finite], from the definition."""
    z = mpc(s)
    total = mp.fsum(a.p * mp.exp(z * a.loss) for a in pair.atoms)
    d = pair.density
    if d is not None:
        reach = d.stretch * (abs(z.real) + 1)
        low, high = d.knots[0] - reach, d.knots[-1] + reach
        count = (40 if d.stretch else 8) + int(abs(z.imag) * (d.loss(high) - d.loss(low)) / 30)
        knots = [low + (high - low) * mpf(i) / count for i in range(count + 1)]
        total += panels(lambda x: d.p(x) * mp.exp(z * d.loss(x)), knots, 32)
    return mp.log(total)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "rate", "back"), cases(long_integral))
def test_cumulants(name: str, rate: float | None, back: bool) -> None:
    """Relative to K itself, however near 0: it is multiplied by the number of steps.

    Off the real line e^K is a sum that cancels, and where little of it is left as much less of K
    can be known: the error is weighed with |e^K| over its value on the real line.
    """
    loss = loss_of(name, rate, back)
    values = [complex(loss.cgf(np.array([s]))[0]) for s in POINTS]
    with mp.workdps(34):
        pair = pair_of(name, rate, back)
        for s, value in zip(POINTS, values, strict=True):
            truth = cumulant(pair, s)
            turns = round((value.imag - float(truth.imag)) / (2 * math.pi))
            error = abs(mpc(value) - truth - turns * 2j * mp.pi)
            left = mp.exp(truth.real - cumulant(pair, s.real).real) if s.imag else mpf(1)
            assert error * left <= 1e-12 * abs(truth), f"K({s})"


@pytest.mark.parametrize(("name", "rate", "back"), CASES)
def test_all_points_at_once_or_one_by_one(name: str, rate: float | None, back: bool) -> None:
    """The quadrature is chosen for a set of points: a wider set must not cost accuracy."""
    loss = loss_of(name, rate, back)
    together = loss.cgf(np.array(POINTS))
    for s, value in zip(POINTS, together, strict=True):
        alone = complex(loss.cgf(np.array([s]))[0])
        scale = loss.cgf(np.array([s.real]))[0].real
        gap = abs(np.exp(value - scale) - np.exp(alone - scale))
        assert gap <= 1e-12 * abs(alone) + 1e-15


@pytest.mark.parametrize(("name", "rate", "back"), CASES)
def test_profile_and_tails(name: str, rate: float | None, back: bool) -> None:
    """δ(ε) = P(L > ε) − e^ε·Q(L > ε), with what is at infinity."""
    loss = loss_of(name, rate, back)
    reach = min(abs(loss.top), 5.0)
    for epsilon in np.linspace(-0.97 * reach, 1.03 * reach, 9):
        tails = loss.tails(np.array([epsilon]))
        atoms = loss.atoms
        above = atoms.losses > epsilon
        p = float(tails.p_above[0]) + atoms.p[above].sum() + loss.infinite
        q = float(tails.q_above[0]) + atoms.q[above].sum()
        delta = float(loss.profile(np.array([epsilon]))[0])
        assert delta == pytest.approx(p - math.exp(epsilon) * q, abs=1e-14, rel=1e-11)
        below = float(tails.p_below[0]) + atoms.p[~above].sum()
        assert p + below == pytest.approx(1, abs=1e-14)
        below = float(tails.q_below[0]) + atoms.q[~above].sum() + loss.void
        assert q + below == pytest.approx(1, abs=1e-14)


@pytest.mark.parametrize(("name", "rate", "back"), CASES)
def test_profile_against_the_oracle(name: str, rate: float | None, back: bool) -> None:
    from tests.oracles.profile import one_step_by_tails

    loss = loss_of(name, rate, back)
    with mp.workdps(30):
        pair = pair_of(name, rate, back)
        for part in (0.0, 0.3, 0.8):
            epsilon = float(part * min(loss.top, 3.0))
            truth = float(one_step_by_tails(pair, mpf(epsilon)))
            value = float(loss.profile(np.array([epsilon]))[0])
            assert value == pytest.approx(truth, rel=1e-12, abs=1e-300)


@pytest.mark.parametrize(("name", "rate", "back"), CASES)
def test_the_two_directions_of_a_profile(name: str, rate: float | None, back: bool) -> None:
    loss = loss_of(name, rate, back)
    epsilon = np.linspace(-2.0, 2.0, 9)
    np.testing.assert_allclose(
        loss.reverse().profile(epsilon), loss.reverse_profile(epsilon), rtol=1e-11, atol=1e-15
    )


@pytest.mark.parametrize("shift", [0.2, 1.0, 3.0])
@pytest.mark.parametrize("mass", [1e-3, 1e-12])
def test_truncation_moves_no_more_mass_than_asked(shift: float, mass: float) -> None:
    loss, cut = GaussianLoss(shift), GaussianLoss(shift).truncated(mass)
    assert math.isfinite(cut.top)
    assert cut.infinite == pytest.approx(mass, rel=1e-6)
    assert cut.cgf(np.array([0.0]))[0].real == pytest.approx(-mass, rel=1e-3, abs=1e-15)
    # What is left is below the whole, by no more than what was moved.
    for s in (0.5, 2.0):
        part, whole = (each.cgf(np.array([s]))[0].real for each in (cut, loss))
        assert part <= whole * (1 + 1e-13)
        if mass < 1e-6 and shift < 2:
            assert part == pytest.approx(whole, rel=1e-4)


class TestProfile:
    """A guarantee known as a curve has the loss of the mechanism that the curve came from."""

    @pytest.mark.slow
    @pytest.mark.parametrize("noise", [0.7, 1.0, 5.0])
    @pytest.mark.parametrize("s", [0.5, 3.0, 10.0, 0.25 + 2j, 2 + 1j])
    def test_cumulants_of_a_gaussian_profile(self, noise: float, s: complex) -> None:
        """s(s+1)/2σ²: Theorem 6 of Balle, Barthe and Gaboardi (2018) must give it back."""
        loss = hs.ProfileDP(hs.Gaussian(noise)).evidence(hs.ADD_REMOVE).loss
        value = complex(loss.cgf(np.array([s]))[0])
        truth = s * (s + 1) / (2 * noise**2)
        assert abs(np.exp(value - truth) - 1) <= 1e-10 * max(1, abs(truth))

    @pytest.mark.slow
    @pytest.mark.parametrize(
        "mechanism", [hs.Laplace(1.0), hs.Gaussian(2.0), hs.PureDP(0.5)], ids=repr
    )
    def test_profile_is_given_back(self, mechanism: hs.Mechanism) -> None:
        loss = hs.ProfileDP(mechanism).evidence(hs.ADD_REMOVE).loss
        epsilon = np.linspace(0.0, 3.0, 13)
        np.testing.assert_allclose(
            loss.profile(epsilon), mechanism.profile(epsilon), rtol=1e-9, atol=1e-12
        )

    @pytest.mark.parametrize(
        "mechanism",
        [pytest.param(hs.Gaussian(2.0), marks=pytest.mark.slow), hs.Laplace(1.0)],
        ids=repr,
    )
    def test_composes_like_the_mechanism(self, mechanism: hs.Mechanism) -> None:
        truth = (mechanism * 30).epsilon(1e-6)
        answer = (hs.ProfileDP(mechanism) * 30).epsilon(1e-6)
        assert answer.upper >= truth.lower * (1 - 1e-12)
        assert answer.lower <= truth.upper * (1 + 1e-12)
        assert answer == pytest.approx(truth, rel=2e-4)

    def test_a_table_is_the_least_convex_curve_through_its_points(self) -> None:
        points = {0.0: 0.2, 0.5: 0.05, 1.0: 0.01}
        loss = hs.ProfileDP(points).evidence(hs.ADD_REMOVE).loss
        for epsilon, delta in points.items():
            assert loss.profile(np.array([epsilon]))[0] == pytest.approx(delta, rel=1e-12)
        middle = loss.profile(np.array([0.25]))[0]
        weight = math.expm1(0.25) / math.expm1(0.5)
        assert middle == pytest.approx((1 - weight) * 0.2 + weight * 0.05, rel=1e-12)
        assert loss.infinite == pytest.approx(0.01, rel=1e-12)

    @pytest.mark.parametrize(
        "curve",
        [lambda e: 0.1 + 0.01 * e, lambda e: math.cos(e) ** 2, lambda e: -0.1, lambda e: 1.5],
    )
    def test_what_is_no_profile_is_refused(self, curve: Callable[[float], float]) -> None:
        with pytest.raises(hs.ParameterError, match="profile"):
            hs.ProfileDP(curve).epsilon(1e-5)


class TestAtoms:
    def test_nothing_and_everything(self) -> None:
        s = np.array([-3.0, 0.0, 0.5, 2 + 1j])
        np.testing.assert_array_equal(NOTHING.cgf(s), 0)
        assert NOTHING.profile(np.array([0.0, 1.0])).tolist() == [0, 0]
        assert EVERYTHING.profile(np.array([0.0, 100.0])).tolist() == [1, 1]
        assert EVERYTHING.infinite == EVERYTHING.void == 1

    def test_atoms_without_mass_are_dropped(self) -> None:
        loss = AtomicLoss([0.0, 5.0], [0.0, -math.inf])
        assert loss.top == 0
        assert loss.atoms.losses.tolist() == [0.0]


class TestComposed:
    def test_is_the_sum_of_its_parts(self) -> None:
        one, other = loss_of("Gaussian(1.5)", 0.3, False), loss_of("Laplace(0.7)", None, False)
        s = np.array(POINTS)
        total = ComposedLoss([(one, 3), (other, 2)])
        np.testing.assert_allclose(total.cgf(s), 3 * one.cgf(s) + 2 * other.cgf(s), rtol=1e-13)
        assert total.steps == 5
        assert total.bottom == pytest.approx(3 * one.bottom + 2 * other.bottom)

    @pytest.mark.slow
    @pytest.mark.parametrize("steps", [1_000, 600_000])
    def test_many_steps_keep_the_digits(self, steps: int) -> None:
        """K(s) of one step is 1e-7 here: as the log of a number near 1 it would keep 9 digits."""
        loss = loss_of("Gaussian(1.5)", 0.001, False)
        with mp.workdps(34):
            truth = steps * cumulant(pair_of("Gaussian(1.5)", 0.001, False), 2 + 3j)
        value = complex(ComposedLoss([(loss, steps)]).cgf(np.array([2 + 3j]))[0])
        assert abs(value - complex(truth)) <= 1e-12 * abs(truth)

    def test_infinite_mass_composes(self) -> None:
        loss = loss_of("ApproximateDP(0.5, 1e-6)", None, False)
        assert ComposedLoss([(loss, 1000)]).infinite == pytest.approx(
            1 - (1 - 1e-6) ** 1000, rel=1e-9
        )
        assert ComposedLoss([(EVERYTHING, 2), (loss, 1)]).infinite == 1

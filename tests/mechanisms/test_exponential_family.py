"""Rényi divergences from the log-partition function, and Proposition 33 with its constants."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from mpmath import mp, mpf

import hockeystick as hs
from hockeystick.mechanisms.exponential_family import ExponentialFamily

ORDERS = [1.0, 1.0001, 1.01, 1.3, 2.0, 2.5, 7.0, 40.0]


def poisson(eta: Any) -> float:
    return math.exp(eta[0])


def bernoulli(eta: Any) -> float:
    return math.log1p(math.exp(-abs(eta[0]))) + max(float(eta[0]), 0.0)


def gamma(eta: Any) -> float:
    """Shape and minus rate."""
    return math.lgamma(eta[0]) - float(eta[0]) * math.log(-eta[1])


def in_gamma(eta: Any) -> bool:
    return bool(eta[0] > 0 and eta[1] < 0)


def counted(means: tuple[float, float], order: float) -> float:
    """D_α of two Poisson laws by adding up their probabilities."""
    with mp.workdps(60):
        a, (x, y) = mpf(order), (mpf(m) for m in means)
        p = [mp.exp(-x) * x**k / mp.factorial(k) for k in range(400)]
        q = [mp.exp(-y) * y**k / mp.factorial(k) for k in range(400)]
        if order == 1:
            return float(mp.fsum(s * mp.log(s / t) for s, t in zip(p, q, strict=True)))
        return float(
            mp.log(mp.fsum(s**a * t ** (1 - a) for s, t in zip(p, q, strict=True))) / (a - 1)
        )


@pytest.mark.slow
@pytest.mark.parametrize("order", [1.0, 1.001, 1.5, 2.5, 4.0])
@pytest.mark.parametrize("means", [(3.0, 2.0), (2.0, 3.0), (1.0, 1.25)])
def test_poisson_counts_by_their_probabilities(means: tuple[float, float], order: float) -> None:
    eta = [math.log(mean) for mean in means]
    exact = ExponentialFamily(poisson, *eta, covariance=lambda eta: np.array([[math.exp(eta[0])]]))
    forward, backward = exact.evidence(hs.ADD_REMOVE).renyi(np.array([order]))
    assert forward[0] == pytest.approx(counted(means, order), rel=1e-12)
    assert backward[0] == pytest.approx(counted(means[::-1], order), rel=1e-12)
    assert exact.rdp(order) == max(forward[0], backward[0])
    plain = ExponentialFamily(poisson, *eta).evidence(hs.ADD_REMOVE).renyi(np.array([order]))[0][0]
    assert forward[0] * (1 - 1e-12) <= plain
    assert plain <= forward[0] * (1 + (1e-9 if order > 1.01 else 1e-3))


def test_the_divergence_as_printed_is_another_number() -> None:
    """log(A(αη₁+(1−α)η₂)/A(η₁)^α·A(η₂)^{1−α}) would be 0 for any two Poisson laws, as A is e^η."""
    order, one, other = 2.5, math.log(3), math.log(2)
    middle = poisson([order * one + (1 - order) * other])
    printed = math.log(middle / (3**order * 2 ** (1 - order))) / (order - 1)
    assert printed == pytest.approx(0.0, abs=1e-12)
    found = ExponentialFamily(poisson, one, other).rdp(order)
    assert found == pytest.approx((3**2.5 / 2**1.5 - 4.5) / 1.5, rel=1e-11)
    assert found == pytest.approx(counted((3.0, 2.0), order), rel=1e-11)


def test_infinite_outside_the_natural_parameter_space() -> None:
    """αη₁ + (1−α)η₂ leaves it, not αη₁ + (1−α)η₁, which never does."""
    family = ExponentialFamily(gamma, [1.0, -1.0], [3.0, -1.0], inside=in_gamma)
    forward, backward = family.evidence(hs.ADD_REMOVE).renyi(
        np.array([1.2, 1.499, 1.5, 1.501, 9.0])
    )
    assert np.isfinite(forward[:2]).all()
    assert np.isinf(forward[2:]).all()
    assert np.isfinite(backward).all()
    assert family.rdp(1.6) == math.inf
    # Γ(1.2·1 − 0.2·3)/Γ(1)^1.2·Γ(3)^−0.2 = Γ(0.6)·2^0.2
    with mp.workdps(40):
        exact = float((mp.loggamma(mpf("0.6")) + mpf("0.2") * mp.log(2)) / mpf("0.2"))
    assert forward[0] == pytest.approx(exact, rel=1e-11)


def test_a_space_that_only_the_log_partition_knows() -> None:
    def log_partition(eta: Any) -> float:
        return gamma(eta) if in_gamma(eta) else math.inf

    one = ExponentialFamily(log_partition, [1.0, -1.0], [3.0, -2.0])
    other = ExponentialFamily(gamma, [1.0, -1.0], [3.0, -2.0], inside=in_gamma)
    np.testing.assert_array_equal(one.rdp(ORDERS), other.rdp(ORDERS))


def test_nearly_equal_parameters_keep_twelve_digits() -> None:
    """A is of size 1e3 here and the divergence of size 1e-13: the difference alone says nothing."""
    from scipy.special import polygamma

    def covariance(eta: Any) -> Any:
        shape, rate = eta[0], -eta[1]
        return [[float(polygamma(1, shape)), 1 / rate], [1 / rate, shape / rate**2]]

    first, second = [200.0, -1.0], [200.0 + 2.0**-20, -1.0 - 2.0**-23]
    careful = ExponentialFamily(gamma, first, second, inside=in_gamma, covariance=covariance)
    plain = ExponentialFamily(gamma, first, second, inside=in_gamma)
    for order in ORDERS:
        found = careful.evidence(hs.ADD_REMOVE).renyi(np.array([order]))[0][0]
        assert found == pytest.approx(exactly(first, second, order), rel=1e-12)
        assert found <= plain.evidence(hs.ADD_REMOVE).renyi(np.array([order]))[0][0] <= 1e-10


def exactly(first: list[float], second: list[float], order: float) -> float:
    with mp.workdps(80):
        (k, r), (j, t) = ([mpf(x) for x in pair] for pair in (first, second))

        def a(shape: Any, rate: Any) -> Any:
            return mp.loggamma(shape) - shape * mp.log(-rate)

        if order == 1:
            slope = (k - j) * (mp.digamma(k) - mp.log(-r)) + (r - t) * (k / -r)
            return float(slope + a(j, t) - a(k, r))
        x = mpf(order)
        middle = a(x * k + (1 - x) * j, x * r + (1 - x) * t)
        return float((middle - x * a(k, r) - (1 - x) * a(j, t)) / (x - 1))


@pytest.mark.parametrize("order", ORDERS)
def test_never_below_the_truth(order: float) -> None:
    first, second = [3.0, -2.0], [3.5, -2.5]
    for one, other in ((first, second), (second, first)):
        found = ExponentialFamily(gamma, one, other, inside=in_gamma)
        value = found.evidence(hs.ADD_REMOVE).renyi(np.array([order]))[0][0]
        if math.isfinite(value):
            truth = exactly(one, other, order)
            assert truth <= value <= truth * (1 + (1e-9 if order >= 1.01 else 3e-3))


def test_the_worst_of_several_pairs() -> None:
    pairs = [(math.log(3), math.log(2)), (math.log(1), math.log(2)), (0.3, 0.4)]
    both = ExponentialFamily(poisson, [[a] for a, _ in pairs], [[b] for _, b in pairs])
    each = [ExponentialFamily(poisson, a, b) for a, b in pairs]
    forward = both.evidence(hs.ADD_REMOVE).renyi(np.array(ORDERS))[0]
    alone = [one.evidence(hs.ADD_REMOVE).renyi(np.array(ORDERS))[0] for one in each]
    np.testing.assert_array_equal(forward, np.max(alone, axis=0))
    assert set(np.argmax(alone, axis=0)) == {0, 1}  # not the same one at every order


def test_replacing_takes_the_larger_of_both_orders() -> None:
    family = ExponentialFamily(poisson, math.log(3), math.log(2))
    one, other = family.evidence(hs.ADD_REMOVE).renyi(np.array([3.0]))
    assert one[0] != other[0]
    for value in family.evidence(hs.REPLACE_ONE).renyi(np.array([3.0])):
        assert value[0] == max(one[0], other[0])


def test_the_same_parameter_twice_costs_nothing() -> None:
    assert ExponentialFamily(poisson, 0.5, 0.5).epsilon(delta=1e-9) == 0.0


@pytest.mark.slow
def test_sampled_and_composed_like_any_curve() -> None:
    family = ExponentialFamily(lambda eta: float(eta[0] ** 2 / 2), 0.25, 0.0)  # Gaussian noise, σ=4
    run = family.on(hs.Poisson(0.01)) * 1000
    exact = (hs.Gaussian(4.0).on(hs.Poisson(0.01)) * 1000).epsilon(delta=1e-5)
    assert exact < run.epsilon(delta=1e-5) < 1.6 * exact
    fixed = (family.on(hs.WithoutReplacement(10, 1000)) * 1000).epsilon(delta=1e-5)
    alone = hs.Gaussian(4.0, replace_sensitivity=1).on(hs.WithoutReplacement(10, 1000)) * 1000
    assert alone.epsilon(delta=1e-5) < fixed < 3 * alone.epsilon(delta=1e-5)
    both = family * 3 + hs.Gaussian(2.0)
    sigma = 1 / math.sqrt(3 / 16 + 1 / 4)
    assert both.rdp(5.0) == pytest.approx(5 / (2 * sigma**2), rel=1e-9)


def test_functions_have_no_text_form() -> None:
    family = ExponentialFamily(poisson, 1.0, 2.0)
    assert repr(family).startswith("ExponentialFamily(<function poisson")
    with pytest.raises(hs.ParameterError, match="function"):
        hs.parse(repr(family))
    assert family == ExponentialFamily(poisson, 1.0, 2.0)
    assert family != ExponentialFamily(poisson, 1.0, 2.5)
    assert len({family, ExponentialFamily(poisson, [1.0], [[2.0]])}) == 1


def flat(eta: Any) -> float:
    return 0.0


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ExponentialFamily(None, 1.0, 2.0), "log_partition must be a function"),  # type: ignore[arg-type]
        (lambda: ExponentialFamily(flat, 1.0, 2.0, inside=3), "inside must be a function"),  # type: ignore[arg-type]
        (lambda: ExponentialFamily(flat, math.nan, 2.0), "first must be finite"),
        (lambda: ExponentialFamily(flat, 1.0, math.inf), "second must be finite"),
        (lambda: ExponentialFamily(flat, "a", 2.0), "first must be numbers"),
        (lambda: ExponentialFamily(flat, [], []), "first must be finite"),
        (lambda: ExponentialFamily(flat, [[1.0], [1.0, 2.0]], 1.0), "first must be numbers"),
        (lambda: ExponentialFamily(flat, [1.0, 2.0], [1.0]), "same shape"),
        (lambda: ExponentialFamily(flat, [[1.0], [2.0]], [1.0]), "same shape"),
        (lambda: ExponentialFamily(gamma, [-1.0, -1.0], [1.0, -1.0], inside=in_gamma),
         r"first must be in the natural parameter space, got \[-1.0, -1.0\]"),
        (lambda: ExponentialFamily(lambda eta: math.nan, 1.0, 2.0), "log_partition must have"),
        (lambda: ExponentialFamily(flat, 1.0, 2.0, relative_error=-1.0), "relative_error"),
        (lambda: ExponentialFamily(poisson, 1.0, 2.0, covariance=lambda _: [[math.nan]]).rdp(2),
         "covariance must give a finite 1 × 1 matrix"),
        (lambda: ExponentialFamily.bounded(-1.0), "difference must be"),
        (lambda: ExponentialFamily.bounded(1.0, smoothness=-1.0), "smoothness must be"),
        (lambda: ExponentialFamily.bounded(1.0, lipschitz=math.nan), "lipschitz must be"),
        (lambda: ExponentialFamily.bounded(1.0, radius=-2.0), "radius must be"),
        (lambda: ExponentialFamily.bounded(1.0, smoothness=lambda _: -1.0).rdp(2.0),
         "smoothness must have values"),
    ],
)  # fmt: skip
def test_bad_input(make: Callable[[], object], message: str) -> None:
    with pytest.raises(hs.ParameterError, match=message):
        make()


# Proposition 33 ---------------------------------------------------------------------------------


def test_gaussian_noise_attains_the_bound() -> None:
    """A = η²/2 has L = 1: αΔ²/2 is the curve itself, so α·L·Δ² (Remark 34) is twice too large."""
    bound = ExponentialFamily.bounded(0.5, smoothness=1.0)
    exact = hs.Gaussian(2.0)
    np.testing.assert_allclose(bound.rdp(ORDERS), exact.rdp(ORDERS), rtol=1e-12)


def test_assumption_c_as_printed_would_be_too_small() -> None:
    """A(η) <= A + ⟨∇A, ·⟩ + L‖·‖² holds for η²/2 with L = ½, for which αLΔ²/2 is half the truth."""
    printed = 2.0 * 0.5 * 1.0**2 / 2
    assert printed < 0.6 * hs.Gaussian(1.0).rdp(2.0)


@pytest.mark.slow
@pytest.mark.parametrize("difference", [0.1, 1.0, 3.0])
def test_bernoulli_is_within_its_bounds(difference: float) -> None:
    """A = log(1 + e^η) has slopes in (0, 1) and curvature at most ¼ everywhere."""
    bound = ExponentialFamily.bounded(difference, smoothness=0.25, lipschitz=1.0)
    starts = np.linspace(-6, 6, 61)
    worst = ExponentialFamily(bernoulli, (starts + difference)[:, None], starts[:, None])
    exact, limit = worst.rdp(ORDERS), bound.rdp(ORDERS)
    assert (exact <= limit * (1 + 1e-9)).all()
    small = np.array(ORDERS) * difference < 1
    assert (limit[small] <= 1.2 * exact[small]).all()
    assert bound.rdp(math.inf) == 2 * difference
    assert 2 * difference <= bound.epsilon(delta=0) <= 2 * difference * (1 + 1e-14)


def test_nothing_is_claimed_beyond_the_radius() -> None:
    bound = ExponentialFamily.bounded(0.5, smoothness=1.0, lipschitz=3.0, radius=2.0)
    assert bound.rdp(5.0) == 5 * 0.25 / 2
    assert bound.rdp(5.0001) == math.inf
    assert bound.rdp(math.inf) == math.inf
    assert ExponentialFamily.bounded(0.5, smoothness=1.0, radius=0.4).rdp(1.5) == math.inf
    assert ExponentialFamily.bounded(0.0, radius=0.0).epsilon(delta=0) == 0.0


def test_bounds_that_grow_with_the_distance() -> None:
    """A = e^η near η = log 3: slope and curvature grow like e^distance."""
    delta = math.log(3) - math.log(2.5)
    bound = ExponentialFamily.bounded(
        delta,
        smoothness=lambda radius: 3 * math.exp(radius),
        lipschitz=lambda radius: 3 * math.expm1(radius) / radius if radius else 3.0,
    )
    pairs = ExponentialFamily(poisson, [[math.log(3)], [math.log(2.5)]],
                              [[math.log(2.5)], [math.log(3)]])  # fmt: skip
    for order in ORDERS:
        assert pairs.rdp(order) <= bound.rdp(order)
    # Remark 34 in numbers: ((α−1)·L((α−1)Δ) + L(Δ))·Δ²/2 with L(r) = 3e^r, at order 2.5.
    value = (1.5 * 3 * math.exp(1.5 * delta) + 3 * math.exp(delta)) * delta**2 / 2
    assert bound.rdp(2.5) == pytest.approx(value, rel=1e-14)
    steep = ExponentialFamily.bounded(delta, lipschitz=lambda radius: 1.0 + radius)
    assert steep.rdp(2.5) == pytest.approx((2 + 2.5 * delta) * delta, rel=1e-14)


@pytest.mark.parametrize(
    "bound",
    [
        ExponentialFamily.bounded(0.5),
        ExponentialFamily.bounded(0.5, smoothness=2.0),
        ExponentialFamily.bounded(0.25, smoothness=1e-3, lipschitz=0.5, radius=3.0),
    ],
    ids=repr,
)
def test_bounds_have_a_text_form(bound: hs.Mechanism) -> None:
    assert hs.parse(repr(bound)) == bound
    run = bound.on(hs.Poisson(0.1)) * 3
    assert hs.parse(repr(run)) == run

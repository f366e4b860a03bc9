"""Large orders: never below the sum itself, near it, by few values of the curve."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest
from mpmath import mp, mpf

from hockeystick.classical import (
    large_orders,
    rdp_poisson,
    rdp_without_replacement,
    rdp_without_replacement_from_curve,
    rdp_without_replacement_self_consistent,
)
from hockeystick.classical.large_orders import NODES_PER_DOUBLING, SINGLE
from hockeystick.numerics.binomial import EXACT_UP_TO
from tests.support.bases import Base, far_truthful, gaussian, laplace

MILLION = 1_000_000


@pytest.fixture(autouse=True)
def precision() -> Iterator[None]:
    with mp.workdps(30):
        yield


BASES = [gaussian("5"), gaussian("1000"), laplace("2"), laplace("0.5"), far_truthful("0.9")]


def sums(base: Base, rate: float, order: int) -> tuple[mpf, mpf]:
    """Theorem 9's sum and that of a Poisson sample, term by term."""
    g, top = mpf(rate), mp.expm1(base.pure) if math.isfinite(base.pure) else mp.inf
    fixed, poisson = mpf(0), mpf(0)
    weight = g * order  # C(n, j)·γ^j, from one j to the next
    rest = (1 - g) ** (order - 1)
    for j in range(2, order + 1):
        weight *= g * (order - j + 1) / mpf(j)
        rest /= 1 - g
        k = (j - 1) * mpf(base.curve(float(j)))
        cap = min(mpf(2), top**j)
        if j == 2:
            cap = min(cap, -4 * mp.expm1(-k))
        fixed += weight * mp.exp(k) * cap
        poisson += weight * rest * mp.expm1(k)
    return mp.log1p(fixed) / (order - 1), mp.log1p(poisson) / (order - 1)


@pytest.mark.slow
@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("rate", [1e-3, 0.3])
def test_above_the_sum_and_near(base: Base, rate: float) -> None:
    """For a quadratic K the chords are at most (2^{1/64} − 2^{−1/64})²/4 = 0.012 % high."""
    for order in (EXACT_UP_TO + 1, 1500):
        fixed, poisson = sums(base, rate, order)
        value = rdp_without_replacement(base.curve, rate, order, base.pure)
        assert fixed <= value <= fixed * (1 + mpf("1.2e-4"))
        value = rdp_poisson(base.curve, rate, order, factor=1)
        assert poisson <= value <= poisson * (1 + mpf("1.2e-4"))
        better = rdp_without_replacement_from_curve(base.curve, rate, order, pair_dominates=True)
        assert poisson <= better <= base.curve(float(order)) * (1 + 1e-14)


@pytest.mark.parametrize("rate", [1e-9, 1e-3, 0.5])
@pytest.mark.parametrize("epsilon", [1e-3, 0.5, 6.0])
def test_a_million_in_closed_form(rate: float, epsilon: float) -> None:
    """A constant curve has a linear K, so that the binomial theorem sums everything."""
    g, e, n = mpf(rate), mp.exp(mpf(epsilon)), MILLION
    second = n * (n - 1) / mpf(2) * g**2 * e
    terms = 2 / e * ((1 + g * e) ** n - 1 - n * g * e) - 2 * second
    terms += second * min(mpf(2), 4 * (1 - 1 / e))
    fixed = float(mp.log1p(terms) / (n - 1))
    value = rdp_without_replacement(lambda order: epsilon, rate, n)
    assert fixed * (1 - 1e-15) <= value <= fixed * (1 + 1e-10)

    excess = (1 + g * (e - 1)) ** n / e + (1 - g) ** n * (1 - 1 / e) - 1  # 1, not 1/e, at j = 0
    poisson = float(mp.log1p(excess) / (n - 1))
    value = rdp_poisson(lambda order: epsilon, rate, n, factor=1)
    assert poisson * (1 - 1e-15) <= value <= poisson * (1 + 1e-10)


@pytest.mark.parametrize("base", BASES)
def test_a_million_between_its_largest_term_and_all_of_that_size(base: Base) -> None:
    """max(x) <= log-sum-exp(x) <= max(x) + log n, the paper's own bound; 200 terms show the max."""
    n, rate = MILLION, 1e-3
    value = (n - 1) * rdp_poisson(base.curve, rate, n, factor=1)
    j = np.unique(np.rint(np.geomspace(2, n, 200)))
    terms = [
        mp.loggamma(n + 1)
        - mp.loggamma(int(i) + 1)
        - mp.loggamma(n - int(i) + 1)
        + int(i) * mp.log(mpf(rate))
        + (n - int(i)) * mp.log1p(-mpf(rate))
        + mp.log(mp.expm1((int(i) - 1) * mpf(base.curve(float(i)))))
        for i in j
    ]
    largest = max(terms)
    log_value = math.log(math.expm1(value)) if value < 700 else value
    assert largest <= log_value <= largest + math.log(n)


def test_few_values_of_the_curve() -> None:
    for order in (10_000, MILLION):
        asked: list[float] = []

        def curve(j: float, asked: list[float] = asked) -> float:
            asked.append(j)
            return j / 50

        rdp_without_replacement(curve, 1e-3, order)
        most = SINGLE + NODES_PER_DOUBLING * math.log2(order / SINGLE) + 2
        assert len(set(asked)) == len(asked) <= most


@pytest.mark.parametrize("base", BASES)
def test_increasing_across_the_seam(base: Base) -> None:
    orders = np.arange(EXACT_UP_TO - 5, EXACT_UP_TO + 5, 0.5)
    for values in (
        rdp_without_replacement(base.curve, 1e-4, orders, base.pure),
        rdp_without_replacement_from_curve(base.curve, 1e-4, orders),
        rdp_poisson(base.curve, 1e-4, orders, factor=1),
    ):
        assert (np.diff(values) > 0).all()


@pytest.mark.slow
@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("rate", [1e-6, 1e-3, 0.5])
def test_increasing_to_a_million(base: Base, rate: float) -> None:
    """As the divergence of one pair does; the constants in the other bounds count ever less."""
    orders = np.rint(2.0 ** np.linspace(9, 19.9, 60))
    values = rdp_poisson(base.curve, rate, orders, factor=1)
    assert (np.diff(values) > 0).all()


@pytest.mark.parametrize("base", BASES)
def test_a_bound_without_looking_into_any_block(
    base: Base, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each block's largest term times their number: still above, by no more than all of them."""
    for rate in (1e-4, 0.1):
        near = rdp_poisson(base.curve, rate, 5000, factor=1)
        with monkeypatch.context() as patch:
            patch.setattr(large_orders, "MOST_TERMS", 0)
            crude = rdp_poisson(base.curve, rate, 5000, factor=1)
        assert near <= crude
        # From 1 + Σ to 1 + n·Σ at most.
        assert math.expm1(min(600, 4999 * crude)) <= 5000 * math.expm1(min(600, 4999 * near))


def test_the_ends() -> None:
    def flat(order: float) -> float:
        return 0.25

    for function in (rdp_poisson, rdp_without_replacement, rdp_without_replacement_from_curve):
        assert function(flat, 0, MILLION) == 0
        assert function(lambda order: math.inf, 0.5, MILLION) == math.inf
    assert rdp_poisson(flat, 1, MILLION, factor=1) == pytest.approx(0.25, rel=1e-14, abs=0)
    assert rdp_poisson(lambda order: 0.0, 0.5, MILLION, factor=1) == 0
    assert rdp_without_replacement_from_curve(flat, 1, MILLION) == 0.25
    assert rdp_without_replacement(flat, 0.5, MILLION, 0.0) == 0


@pytest.mark.parametrize("rate", [1e-3, 0.1])
def test_moments_above_their_sum_and_near(rate: float) -> None:
    """Theorem 19 for randomized response: E_q|p/q − 1|^j = |2p − 1|^j·((1 − p)^{1−j} + p^{1−j})."""
    p, order = mpf("0.6"), 1500

    def moment(j: int) -> mpf:
        return (2 * p - 1) ** j * ((1 - p) ** (1 - j) + p ** (1 - j))

    def curve(a: float) -> float:
        a = mpf(a)
        return float(mp.log(p**a * (1 - p) ** (1 - a) + (1 - p) ** a * p ** (1 - a)) / (a - 1))

    total, weight, asked = mpf(0), mpf(rate) * order, set()
    for j in range(2, order + 1):
        weight *= mpf(rate) * (order - j + 1) / mpf(j)
        total += 4 * weight * moment(j)

    def log_moment(j: int) -> float:
        asked.add(j)
        return float(mp.log(moment(j)))

    pure = float(mp.log(p / (1 - p)))
    value = rdp_without_replacement_self_consistent(
        curve, rate, order, pure, log_moment, as_printed=True
    )
    truth = mp.log1p(total) / (order - 1)
    assert truth <= value <= truth * (1 + mpf("1.2e-4"))
    assert len(asked) < 400
    both = rdp_without_replacement_self_consistent(curve, rate, order, pure, log_moment)
    assert both <= min(value, rdp_without_replacement(curve, rate, order, pure))

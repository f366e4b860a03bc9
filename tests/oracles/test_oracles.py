"""The oracles agree with closed forms and with each other, by independent ways."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from mpmath import mp, mpc, mpf

from tests.oracles import pairs, profile, renyi
from tests.oracles.contour import Steps, gaussian_rule, pair_rule
from tests.oracles.pairs import Pair
from tests.reference import DATA

TABLES = sorted(DATA.glob("*.json"))
REFERENCES = {"poisson_gaussian_epsilon", "poisson_gaussian_rdp", "optimal_composition"}


@pytest.fixture(autouse=True)
def precision() -> Iterator[None]:
    with mp.workdps(30):
        yield


def close(a: mpf, b: mpf, digits: int = 20) -> bool:
    return bool(abs(a - b) <= mpf(10) ** -digits * max(abs(a), abs(b)))


def bases() -> dict[str, Pair]:
    return {
        "gaussian": pairs.gaussian(mpf("0.8")),
        "replaced": pairs.gaussian_replaced(mpf("0.9"), mpf("0.3")),
        "laplace": pairs.laplace(mpf("0.7")),
        "discrete gaussian": pairs.discrete_gaussian(mpf("0.6"), 2),
        "discrete laplace": pairs.discrete_laplace(mpf("0.7"), 3),
        "response": pairs.randomized_response(mpf(1), 4),
        "declared": pairs.approximate_dp(mpf("0.5"), mpf("0.01")),
        "exponential": pairs.exponential_mechanism(mpf("1.5")),
    }


def directions(pair: Pair) -> list[Pair]:
    sampled = pairs.poisson(pair, mpf("0.2"))
    return [pair, pairs.reverse(pair), sampled, pairs.reverse(sampled)]


@pytest.mark.slow
@pytest.mark.parametrize("name", list(bases()))
def test_one_step_two_ways_and_reversal(name: str) -> None:
    """Integration against distribution functions; h_rev(a) = 1 - a + a h(1/a); h(0) = 1."""
    with mp.workdps(20):
        for pair in directions(bases()[name]):
            for epsilon in (mpf("-0.15"), mpf("0.04"), mpf("0.6")):
                value = profile.one_step_by_tails(pair, epsilon)
                assert abs(profile.one_step(pair, epsilon) - value) < 1e-15
                other = profile.one_step_by_tails(pairs.reverse(pair), -epsilon)
                a = mp.exp(epsilon)
                assert abs(value - (1 - a + a * other)) < 1e-15
            assert abs(profile.one_step_by_tails(pair, mpf(-90)) - 1) < 1e-15


def test_gaussian_closed_form() -> None:
    """Balle and Wang (2018), Theorem 8."""
    for noise, shift, epsilon in ((1, 1, 12), (1, 2, 3), (5, 1, 0.1)):
        mu = mpf(shift) / noise
        exact = mp.ncdf(mu / 2 - epsilon / mu)
        exact -= mp.exp(epsilon) * mp.ncdf(-mu / 2 - epsilon / mu)
        pair = pairs.gaussian(mpf(noise), shift)
        assert abs(profile.one_step_by_tails(pair, mpf(epsilon)) / exact - 1) < 1e-15


def test_laplace_from_its_densities() -> None:
    """The pair's atoms come from the flat parts of the real line."""
    b, epsilon = mpf("0.7"), mpf("0.4")

    def gain(x: mpf) -> mpf:
        p, q = (mp.exp(-abs(x - c) / b) / (2 * b) for c in (1, 0))
        return max(p - mp.exp(epsilon) * q, mpf(0))

    start = (1 + epsilon * b) / 2
    exact = mp.quad(gain, [start, 1, 4, 16, 64])
    assert close(profile.one_step_by_tails(pairs.laplace(b), epsilon), exact)
    assert close(exact, 1 - mp.exp((epsilon - 1 / b) / 2))


def test_exponential_mechanism_is_the_worst_bounded_range_answer() -> None:
    """Dong, Durfee and Rogers (2020): losses t and t - eps, the worst t for each x."""
    size, x = mpf("1.5"), mpf("0.3")

    def two_losses(t: mpf) -> mpf:
        q = (1 - mp.exp(t - size)) / (mp.exp(t) - mp.exp(t - size))
        return q * (mp.exp(t) - mp.exp(x))

    with mp.workdps(25):
        t = mp.findroot(lambda t: mp.diff(two_losses, t), mpf("0.9"))
    exact = (1 - mp.exp((x - size) / 2)) ** 2 / (1 - mp.exp(-size))
    pair = pairs.exponential_mechanism(size)
    assert close(two_losses(t), exact)
    assert close(profile.one_step(pair, x), exact)


def test_sampled_approximate_dp() -> None:
    """Balle, Barthe and Gaboardi (2018), Theorem 8: (log(1 + q(e^eps - 1)), q delta)."""
    pair = pairs.poisson(pairs.approximate_dp(mpf(1), mpf("0.01")), mpf("0.1"))
    epsilon = mp.log1p(mpf("0.1") * mp.expm1(1))
    assert close(profile.one_step(pair, epsilon), mpf("0.001"))


@pytest.mark.slow
@pytest.mark.parametrize("steps", [2, 3])
def test_residues_against_nested_integrals(steps: int) -> None:
    with mp.workdps(20):
        for epsilon in (mpf("0.1"), mpf("1.3")):
            laplace = profile.nested(pairs.laplace(mpf(1)), steps, epsilon, 16)
            assert abs(laplace / profile.laplace(mpf(1), steps, epsilon) - 1) < 1e-13
            pair = pairs.exponential_mechanism(mpf(1))
            size = profile.nested(pair, steps, epsilon, 16)
            assert abs(size / profile.exponential_mechanism(mpf(1), steps, epsilon) - 1) < 1e-13


@pytest.mark.slow
def test_residues_against_line() -> None:
    """Sixty Laplace steps: the atoms weigh 0.57^60 on the line."""
    with mp.workdps(200):
        exact = profile.laplace(mpf("0.5"), 60, mpf(55))
        size = profile.exponential_mechanism(mpf(1), 20, mpf(7))
    steps = Steps([(pair_rule(pairs.laplace(mpf("0.5")), 6, 24), 60)], digits=10)
    assert close(steps.delta(mpf(55)), exact, 9)
    steps = Steps([(pair_rule(pairs.exponential_mechanism(mpf(1)), 4, 24), 20)], digits=10)
    assert close(steps.delta(mpf(7)), size, 9)


def test_multinomial_against_enumeration() -> None:
    pair = pairs.poisson(pairs.approximate_dp(mpf(1), mpf("0.01")), mpf("0.2"))
    for here in (pair, pairs.reverse(pair)):
        epsilon, total = mpf("0.1"), 1 - (1 - here.p_only) ** 4
        for chosen in itertools.product(here.atoms, repeat=4):
            p, q = (mp.fprod(getattr(a, side) for a in chosen) for side in "pq")
            total += max(p - mp.exp(epsilon) * q, mpf(0))
        assert close(profile.finite(here, 4).delta(epsilon), total)
        assert abs(profile.nested(here, 4, epsilon) - total) < 1e-20


def test_lattice_against_multinomial() -> None:
    """Convolved masses of integer noise against the list of losses."""
    pair = pairs.discrete_gaussian(mpf("0.5"), 1)
    terms = profile.discrete_gaussian(mpf("0.5"), 1, 2)
    assert close(terms.delta(mpf(3)), profile.finite(pair, 2).delta(mpf(3)))


def test_line_against_closed_form_at_rate_one() -> None:
    steps = Steps([(gaussian_rule(mpf(20), mpf(1), "remove"), 400)], digits=20)
    exact = profile.one_step_by_tails(pairs.gaussian(mpf(1)), mpf(12))
    assert close(steps.delta(mpf(12)), exact, 18)


@pytest.mark.slow
@pytest.mark.parametrize("side", ["remove", "add"])
def test_line_against_integral_of_profile(side: str) -> None:
    """A sampled step and a plain one: the line against E_P[delta_sampled(eps - L_plain)]."""
    epsilon = mpf("0.4")
    with mp.workdps(16):
        sampled = pairs.poisson(pairs.gaussian(mpf("0.9")), mpf("0.2"))
        sampled = sampled if side == "remove" else pairs.reverse(sampled)
        plain = pairs.gaussian(mpf(2)).density
        assert plain is not None
        # beyond this x the sampled profile is 1 - e^y exactly: a smooth but not analytic join
        edge = plain.inverse(epsilon - mp.log(mpf("0.8")))
        exact = mp.quad(
            lambda x: plain.p(x) * profile.one_step_by_tails(sampled, epsilon - plain.loss(x)),
            [-19, -9, 1, edge, 21],
        )
        first = gaussian_rule(mpf("0.9"), mpf("0.2"), side)
        steps = Steps([(first, 1), (gaussian_rule(mpf(2), mpf(1), side), 1)], digits=11)
        assert close(steps.delta(epsilon), exact, 10)


def test_separated_components_against_tails() -> None:
    """At noise 0.05 the two components are 20 standard deviations apart."""
    pair = pairs.poisson(pairs.gaussian(mpf("0.05")), mpf("0.01"))
    for here, side, epsilon in ((pair, "remove", 250), (pairs.reverse(pair), "add", "0.004")):
        value = profile.separated_gaussian(mpf("0.05"), mpf("0.01"), 1, mpf(epsilon), side)
        assert close(profile.one_step_by_tails(here, mpf(epsilon)), value, 17)


@pytest.mark.slow
@pytest.mark.parametrize("side", ["remove", pytest.param("add", marks=pytest.mark.slow)])
def test_line_nodes_against_integrals(side: str) -> None:
    """The lifted trapezoid rule against mp.quad, at real and complex s."""
    noise, rate = mpf("0.9"), mpf("0.05")
    pair = pairs.poisson(pairs.gaussian(noise), rate)
    pair = pair if side == "remove" else pairs.reverse(pair)
    nodes = gaussian_rule(noise, rate, side)(mpf(4), True)
    moment = mp.exp(3 * renyi.divergence(pair, mpf(4)))
    assert close(nodes.moment(mpf(3)).real, moment)
    d, s = pair.density, mpc(3, 17)
    assert d is not None
    with mp.workdps(20):
        knots = [mpf(x) for x in range(-14, 15, 2)]
        turning = mp.quad(lambda x: d.p(x) * mp.exp(s * d.loss(x)), knots)
        assert abs(nodes.moment(s) / turning - 1) < 1e-12


@pytest.mark.slow
@pytest.mark.parametrize("side", ["remove", pytest.param("add", marks=pytest.mark.slow)])
def test_line_inside_a_rounded_loss_distribution(side: str) -> None:
    """One thousand sampled Gaussian steps between losses rounded up and down, by FFT in doubles."""
    rate, count, epsilon = 0.01, 1000, 1.0
    grid, size = 5e-5, 1 << 18
    edges = np.linspace(-9.0, 10.0, 100_001)
    density = [np.exp(-((edges - c) ** 2) / 2) / np.sqrt(2 * np.pi) for c in (0, 1)]
    p, q = (1 - rate) * density[0] + rate * density[1], density[0]
    mass = (p if side == "remove" else q) * (edges[1] - edges[0])
    loss = np.log1p(rate * np.expm1(edges - 0.5)) * (1 if side == "remove" else -1)
    bounds = []
    for rounding in (np.floor, np.ceil):
        index = rounding(loss / grid).astype(int)
        law = np.bincount(index % size, weights=mass, minlength=size)
        total = np.fft.irfft(np.fft.rfft(law) ** count, size)
        position = np.arange(size)
        values = grid * np.where(position < size // 2, position, position - size)
        gain = -np.expm1(np.minimum(epsilon - values, 0))
        bounds.append(float(total @ gain))
    with mp.workdps(16):
        exact = Steps([(gaussian_rule(mpf(1), mpf(rate), side), count)], 8).delta(mpf(1))
    assert bounds[0] < exact < bounds[1]
    assert np.sqrt(bounds[0] * bounds[1]) == pytest.approx(float(exact), rel=0.01)


def test_renyi_closed_forms() -> None:
    a = mpf("2.5")
    assert close(renyi.divergence(pairs.gaussian(mpf(2)), a), a / 8)
    b = mpf("0.7")  # Mironov (2017), Table II
    bracket = a * mp.exp((a - 1) / b) / (2 * a - 1) + (a - 1) * mp.exp(-a / b) / (2 * a - 1)
    assert close(renyi.divergence(pairs.laplace(b), a), mp.log(bracket) / (a - 1))
    kl = mpf(1) / b + mp.exp(-1 / b) - 1
    assert close(renyi.divergence(pairs.laplace(b), mpf(1)), kl)
    assert mp.isinf(renyi.divergence(pairs.approximate_dp(mpf(1), mpf("0.1")), a))
    assert close(renyi.divergence(pairs.laplace(b), mp.inf), 1 / b)


def test_renyi_sampled_gaussian_integer_order() -> None:
    """Mironov, Talwar and Zhang (2019), Section 3.3: a finite binomial sum."""
    q, noise, order = mpf("0.05"), mpf("1.3"), 6
    total = mp.fsum(
        mp.binomial(order, i)
        * (1 - q) ** (order - i)
        * q**i
        * mp.exp(mpf(i * i - i) / (2 * noise**2))
        for i in range(order + 1)
    )
    pair = pairs.poisson(pairs.gaussian(noise), q)
    assert close(renyi.divergence(pair, mpf(order)), mp.log(total) / (order - 1))


@pytest.mark.slow
def test_reference_renyi_table() -> None:
    for case in json.loads((DATA / "poisson_gaussian_rdp.json").read_text())[:3]:
        noise, rate, order = (mpf(case[k]) for k in ("noise_multiplier", "rate", "order"))
        with mp.workdps(22):
            pair = pairs.poisson(pairs.gaussian(noise), rate)
            assert close(renyi.divergence(pair, order), mpf(case["remove"]), 15)
            assert close(renyi.divergence(pairs.reverse(pair), order), mpf(case["add"]), 15)


def test_reference_optimal_composition() -> None:
    """Kairouz, Oh and Viswanath (2015), Theorem 3.3, is the binomial sum."""
    for case in json.loads((DATA / "optimal_composition.json").read_text()):
        pair = pairs.approximate_dp(mpf(case["epsilon"]), mpf(case["delta"]))
        value = profile.finite(pair, case["count"]).delta(mpf(case["composed_epsilon"]))
        assert close(value, mpf(case["composed_delta"]), 15)


@pytest.mark.slow
def test_reference_epsilon() -> None:
    case = json.loads((DATA / "poisson_gaussian_epsilon.json").read_text())[-1]
    with mp.workdps(25):
        for side in ("remove", "add"):
            rule = gaussian_rule(mpf(case["noise_multiplier"]), mpf(case["rate"]), side)
            steps = Steps([(rule, case["steps"])], digits=14)
            assert close(steps.delta(mpf(case[side])), mpf(case["delta"]), 10)


OWN_TABLES = [path for path in TABLES if path.stem not in REFERENCES]
"""The references have formats of their own, which the tests above read."""


@pytest.mark.parametrize("path", OWN_TABLES, ids=lambda p: p.stem)
def test_tables_are_well_formed(path: Path) -> None:
    """Every row has its keys; "both" is the larger direction; no row appears twice."""
    values: dict[tuple[str, ...], dict[str, mpf]] = {}
    for row in json.loads(path.read_text()):
        key = {"delta": "epsilon", "epsilon": "delta", "rdp": "order"}[row["query"]]
        assert set(row) - {"relation"} == {"mechanism", "direction", "query", key, "value"}
        question = (row["mechanism"], row["query"], row[key], row.get("relation", ""))
        sides = values.setdefault(question, {})
        assert row["direction"] not in sides
        sides[row["direction"]] = mpf(row["value"])
        assert mpf(row["value"]) >= 0
    for sides in values.values():
        assert sides["both"] == max(sides.values())

"""The oracles of the fuzzer agree with closed forms, with each other and with known values."""

from __future__ import annotations

import pytest
from mpmath import mp, mpf

from tests.oracles import pairs, profile, tables
from tests.oracles.contour import Steps, pair_rule
from tests.oracles.expressions import Unknown, natural_relation, read
from tests.oracles.little_noise import by_separation
from tests.oracles.many_steps import by_contour
from tests.oracles.truth import truth
from tests.oracles.two_steps import by_integral


def sharp(expression: str, query: str, at: float, relation: str | None = None) -> mpf:
    """The truth, where it is known to 20 digits."""
    interval = truth(expression, query, at, relation)
    assert interval is not None
    low, high = interval
    with mp.workdps(60):
        assert low == high or high - low <= mpf(10) ** -20 * high
        return (low + high) / 2


def close(value: mpf, expected: mpf, digits: int = 20) -> bool:
    return bool(abs(value - expected) <= mpf(10) ** -digits * abs(expected))


@pytest.mark.parametrize(
    ("expression", "query", "at", "value"),
    [
        ("PureDP(1.1)*3 + PureDP(.7).on(Poisson(.1))*2", "epsilon", 1e-30, "3.49311929006225"),
        ("RandomizedResponse(30.).on(Poisson(.1))*5", "epsilon", 1e-5, "112.176006285435"),
        ("RandomizedResponse(25.).on(Poisson(.01))*3", "epsilon", 1e-6, "41.868069237141"),
        ("Gaussian(0.02) + Gaussian(1.0) * 7", "epsilon", 1e-5, "1466.0832959577"),
        ("Laplace(1.0) * 3", "epsilon", 0.0, "3"),
        ("ApproximateDP(1.0, 1e-5)", "epsilon", 1e-5, "1"),
        ("DiscreteLaplace(2.0)", "epsilon", 0.0, "0.5"),
        ("Gaussian(2.0, 1.0) * 4", "rdp", 3.0, "1.5"),
        ("Gaussian(0.02).on(Poisson(0.5)) * 2", "epsilon", 1e-5, "2776.5518635621"),
    ],
)
def test_known_values(expression: str, query: str, at: float, value: str) -> None:
    assert close(sharp(expression, query, at), mpf(value), 13)


def test_randomized_response_has_its_closed_form() -> None:
    """(e^e0 - e^eps) / (e^e0 + 1), on a sample r times that at 1 + (a - 1)/r."""
    with mp.workdps(40):
        a, b = mp.exp(mpf("0.75")), mp.exp(mpf("0.25"))
        assert close(sharp("PureDP(0.75)", "delta", 0.25), (a - b) / (a + 1))
        inner = 1 + (b - 1) / mpf("0.5")
        expected = (a - inner) / (a + 1) / 2
        assert close(sharp("PureDP(0.75).on(Poisson(0.5))", "delta", 0.25), expected)


def test_a_tie_is_zero_and_the_next_double_is_not() -> None:
    tie = truth("RandomizedResponse(1.0) * 5", "delta", 5.0)
    assert tie is not None
    assert tie[0] == 0
    assert tie[1] < mpf(10) ** -400
    with mp.workdps(40):
        top = 1 / (1 + mp.exp(-mpf(1))) ** 5
        below = -top * mp.expm1(mpf(4.999999999999999) - 5)
        assert close(sharp("RandomizedResponse(1.0) * 5", "delta", 4.999999999999999), below)


def test_mass_at_infinity_is_exact() -> None:
    """delta equal to it asks for the largest finite loss; a little less, for more than any."""
    two = "ApproximateDP(1.0, 0.5) + ApproximateDP(2.0, 0.25)"
    assert close(sharp(two, "epsilon", 0.625), mpf(3))
    assert truth(two, "epsilon", 0.6249999999999999) == (mp.inf, mp.inf)
    assert close(sharp(two, "delta", 3.0), mpf("0.625"))


@pytest.mark.slow
def test_epsilon_inverts_delta() -> None:
    for expression in (
        "DiscreteGaussian(0.4).on(Poisson(0.3)) * 2",
        "Gaussian(1.5).on(Poisson(0.2)) + RandomizedResponse(0.7, 3) * 2",
        "Laplace(2.0) * 5",
    ):
        epsilon = float(sharp(expression, "epsilon", 1e-3))
        assert close(sharp(expression, "delta", epsilon), mpf(1e-3), 12)


def test_a_table_of_two_points_is_the_pair_it_came_from() -> None:
    """The profile of ApproximateDP is the hull of its value at 0 and at its epsilon."""
    with mp.workdps(40):
        pair = pairs.approximate_dp(mpf(1), mpf("0.125"))
        at_zero = profile.one_step(pair, mpf(0))
        table = tables.through([(mpf(0), at_zero), (mpf(1), mpf("0.125"))])
        for epsilon in (mpf("-0.5"), mpf("0.3"), mpf(2)):
            one, other = (profile.one_step(each, epsilon) for each in (pair, table))
            assert close(one, other, 35)
        assert close(mp.fsum(a.q for a in table.atoms), 1 - table.q_only, 35)


def test_a_sampled_profile_is_the_scaled_one() -> None:
    """r h(1 + (a - 1)/r) above a = 1 and, being symmetric, its mirror image below."""
    with mp.workdps(40):
        pair, rate = pairs.discrete_laplace(mpf("0.7"), 3), mpf("0.3")
        made = tables.sampled(pair, rate)
        for ratio in (mpf("1.05"), mpf("1.4"), mpf("1.9")):
            inner = profile.one_step(pair, mp.log(1 + (ratio - 1) / rate))
            above = profile.one_step(made, mp.log(ratio))
            below = profile.one_step(made, -mp.log(ratio))
            assert close(above, rate * inner, 33)
            assert close(below, 1 - 1 / ratio + above / ratio, 33)


def test_a_shared_sample_is_one_release() -> None:
    """Two releases on one sample, against their four outcomes written out."""
    with mp.workdps(40):
        one, other = (pairs.randomized_response(mpf(e)).atoms for e in ("0.5", "1"))
        outcomes = [(a.p * b.p, a.q * b.q) for a in one for b in other]
        growth = mp.exp(mpf("0.25"))
        forward = mp.fsum(max(p / 2 + q / 2 - growth * q, 0) for p, q in outcomes)
        backward = mp.fsum(max(q - growth * (p / 2 + q / 2), 0) for p, q in outcomes)
        found = sharp("(PureDP(0.5) + PureDP(1.0)).on(Poisson(0.5))", "delta", 0.25)
        assert close(found, max(forward, backward))


def test_outcomes_beside_a_density() -> None:
    """A Gaussian with randomized response, against the integral over the noise."""
    with mp.workdps(25):
        epsilon, gaussian = mpf("0.5"), pairs.gaussian(mpf("1.5")).density
        assert gaussian is not None
        response = pairs.randomized_response(mpf(1))

        def excess(x: mpf) -> mpf:
            inner = profile.one_step(response, epsilon - gaussian.loss(x))
            return gaussian.p(x) * inner

        kinks = [gaussian.inverse(epsilon + loss) for loss in (-1, 1)]
        knots = sorted([gaussian.knots[0], *kinks, gaussian.knots[-1]])
        found = sharp("Gaussian(1.5) + PureDP(1.0)", "delta", 0.5)
        assert close(found, mp.quad(excess, knots), 18)


@pytest.mark.slow
def test_many_steps_two_ways() -> None:
    """The line integral against residues."""
    assert by_contour("Laplace(4.0) * 120", "delta", 3.0, None) is None  # atoms in step again
    with mp.workdps(300):  # residues cancel
        expected = profile.laplace(mpf(1), 250, mpf(100))
    found = by_contour("Laplace(1.0) * 250", "delta", 100.0, None)
    assert found is not None
    assert found[0] < expected < found[1]
    assert found[1] - found[0] < 1e-14 * expected


@pytest.mark.slow
def test_many_steps_of_a_large_loss() -> None:
    """The aliases of the line integral at positive losses are not 1 - e^x."""
    with mp.workdps(300):
        expected = profile.laplace(mpf(1), 250, mpf(170))
    with mp.workdps(20):
        steps = Steps([(pair_rule(pairs.laplace(mpf(1))), 250)], digits=10)
        assert close(steps.delta(mpf(170)), expected, 7)


def test_two_steps_by_an_integral() -> None:
    """Against residues, and a Gaussian of hardly any weight against none."""
    with mp.workdps(40):
        expected = profile.laplace(mpf(2), 2, mpf("0.25"))
        found = by_integral("Laplace(2.0) * 2", "delta", 0.25, None)
        assert found is not None
        assert found[0] < expected < found[1]
        assert found[1] - found[0] < 1e-12 * expected
    found = by_integral("Laplace(2.0) + Laplace(1.0).on(Poisson(1e-12))", "delta", 0.25, None)
    assert found is not None
    assert close(found[0], sharp("Laplace(2.0)", "delta", 0.25), 10)


def test_little_noise_against_the_integral() -> None:
    """Where the noise is little but not too little for the one or the other."""
    little = by_separation("Gaussian(0.04).on(Poisson(0.25))", "delta", 300.0, None)
    assert little is not None
    assert little[0] < sharp("Gaussian(0.04).on(Poisson(0.25))", "delta", 300.0) < little[1]


def test_no_cut_is_taken_for_the_largest_loss() -> None:
    assert truth("DiscreteGaussian(0.1)", "epsilon", 0.0) is None


def test_divergences_have_their_closed_forms() -> None:
    """Mironov (2017), Table II: randomized response and Laplace."""
    with mp.workdps(40):
        a, p = mpf(3), 1 / (1 + mp.exp(-1))
        response = mp.log(p**a * (1 - p) ** (1 - a) + (1 - p) ** a * p ** (1 - a)) / (a - 1)
        assert close(sharp("PureDP(1.0) * 7", "rdp", 3.0), 7 * response)
        b = mpf(2)
        up, down = a / (2 * a - 1) * mp.exp((a - 1) / b), (a - 1) / (2 * a - 1) * mp.exp(-a / b)
        assert close(sharp("Laplace(2.0)", "rdp", 3.0), mp.log(up + down) / (a - 1))
    assert truth("ApproximateDP(1.0, 1e-9)", "rdp", 2.0) == (mp.inf, mp.inf)
    assert close(sharp("PureDP(0.5) * 3", "rdp", mp.inf), mpf("1.5"))


def test_the_trade_off_of_randomized_response() -> None:
    """Kairouz, Oh and Viswanath (2015): max(1 - e^eps a, e^-eps (1 - a), 0), delta off the top."""
    with mp.workdps(40):
        alpha, growth = mpf("0.125"), mp.exp(1)
        assert close(sharp("PureDP(1.0)", "tradeoff", 0.125), 1 - growth * alpha)
        late = (1 - mpf("0.875")) / growth
        assert close(sharp("PureDP(1.0)", "tradeoff", 0.875), late)
        both = 1 - mpf("0.25") - growth * alpha
        assert close(sharp("ApproximateDP(1.0, 0.25)", "tradeoff", 0.125), both)
    # No test does worse than the one that rejects half of the most likely outcome.
    pair = pairs.poisson(pairs.randomized_response(mpf(2)), mpf("0.5"))
    top = max(pair.atoms, key=lambda atom: atom.loss)
    found = sharp("PureDP(2.0).on(Poisson(0.5))", "tradeoff", float(top.q) / 2)
    assert found <= 1 - top.p / 2 + mpf(10) ** -12


def test_a_gap_in_theory_is_an_interval() -> None:
    """One replaced in a sample of fixed size: sharp for one step, a gap for two."""
    step = "RandomizedResponse(1.0).on(WithoutReplacement(1, 10))"
    sharp(step, "delta", 0.1)
    gap = truth(f"{step} * 2", "delta", 0.1)
    assert gap is not None
    assert 0 < gap[0] < gap[1]


def test_replacing_moves_twice_as_far() -> None:
    for one, other in (
        ("Gaussian(2.0)", "Gaussian(1.0)"),
        ("Laplace(2.0)", "Laplace(1.0)"),
        ("DiscreteLaplace(2.0)", "DiscreteLaplace(1.0, 2)"),
        ("Gaussian(3.0).group(3)", "Gaussian(0.5)"),
    ):
        assert sharp(one, "delta", 0.25, "REPLACE_ONE") == sharp(other, "delta", 0.25)


@pytest.mark.parametrize("expression", ["BetaPosterior(1.0, 2.0)", "Gaussian(inf)", "Laplace(0.0)"])
def test_what_no_oracle_covers_has_no_truth(expression: str) -> None:
    with pytest.raises(Unknown):
        read(expression)
    assert truth(expression, "delta", 1.0) is None


def test_natural_relations() -> None:
    assert natural_relation("Gaussian(1.0).on(Poisson(0.1))") == "ADD_REMOVE"
    assert natural_relation("Gaussian(1.0).on(WithoutReplacement(1, 2))") == "REPLACE_ONE"

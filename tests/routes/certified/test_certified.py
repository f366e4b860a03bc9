"""Certified answers: against 40 digits, against the other routes, against what is known."""

from __future__ import annotations

import json
import math
from itertools import pairwise
from typing import Any

import mpmath as mp
import numpy as np
import pytest

import hockeystick as hs
from hockeystick import questions
from hockeystick.bound import Interval
from hockeystick.errors import CannotCertify, NumericalError, ParameterError
from hockeystick.mechanism import Mechanism
from hockeystick.routes.certified.reading import read
from hockeystick.routes.certified.verify import verify
from hockeystick.routes.question import EpsilonAt

KNOWN = hs.Gaussian(2.8462745028237224).on(hs.Poisson(0.00011985577360023774)) * 597896
FIXED = hs.WithoutReplacement(10, 1000)

CASES: list[tuple[Mechanism, float, float]] = [
    (hs.Gaussian(1.0).on(hs.Poisson(0.001)) * 600_000, 1e-8, 5.912238944),
    (hs.Gaussian(5.0).on(hs.Poisson(0.001)) * 600_000, 1e-8, 0.789128620),
    (hs.Gaussian(0.5).on(hs.Poisson(0.01)) * 1000, 1e-5, 13.360823985),
    (hs.Gaussian(1.0).on(hs.Poisson(0.01)) * 1000, 1e-30, 9.341895633),
    (hs.Gaussian(1.0), 1e-5, 4.377178096),
    (hs.Laplace(2.0).on(hs.Poisson(0.001)) * 600_000, 1e-8, 1.932292415),
    (hs.Laplace(1.0) * 100, 1e-5, 68.252951056),
    (hs.RandomizedResponse(0.1) * 1000, 1e-6, 19.344671448),
]
"""Answers to nine decimals, from other programs."""


@pytest.mark.slow
@pytest.mark.parametrize(("mechanism", "delta", "truth"), CASES)
def test_known_answers(mechanism: Mechanism, delta: float, truth: float) -> None:
    bound = mechanism.epsilon(delta, certify=True)
    assert bound.certified
    assert bound.lower - 5.1e-10 <= truth <= bound.upper + 5.1e-10
    assert 0 <= bound.upper - bound.lower <= 1e-9 * truth
    back = mechanism.delta(bound.upper, certify=True)
    assert back.certified
    assert back.lower <= delta
    assert back.upper >= delta * (1 - 1e-9)


@pytest.mark.slow
def test_few_steps_take_seconds_and_are_narrow() -> None:
    for run in (
        hs.Gaussian(1.0).on(hs.Poisson(0.01)) * 3,
        hs.Laplace(1.0).on(hs.Poisson(0.05)) * 30,
    ):
        bound, plain = run.epsilon(1e-5, certify=True), run.epsilon(1e-5)
        assert bound.lower <= plain.upper
        assert bound.upper >= plain.lower
        assert bound.upper - bound.lower < 1e-9


def test_forty_digits_where_the_estimate_was_too_small() -> None:
    bound = KNOWN.epsilon(1.0225868119320126e-05, certify=True)
    assert bound.lower <= 0.10348741819826377 <= bound.upper
    assert bound.upper - bound.lower < 1e-14


def sampled_delta(sigma: float, q: float, epsilon: float, steps: int) -> Any:
    """δ(ε) of one or two steps, record removed: by quadrature with 30 digits."""
    mu, a = 1 / mp.mpf(sigma), mp.mpf(q)

    def loss(z: Any) -> Any:
        return mp.log(1 - a + a * mp.exp(mu * z - mu * mu / 2))

    def place(level: Any) -> Any:
        return (mp.log((mp.exp(level) - 1 + a) / a) + mu * mu / 2) / mu

    def one(level: Any) -> Any:
        if mp.exp(level) <= 1 - a:
            return 1 - mp.exp(level)
        z = place(level)
        p = (1 - a) * mp.ncdf(-z) + a * mp.ncdf(mu - z)
        return p - mp.exp(level) * mp.ncdf(-z)

    if steps == 1:
        return one(mp.mpf(epsilon))

    def inner(z: Any) -> Any:
        return mp.npdf(z) * mp.exp(loss(z)) * one(epsilon - loss(z))

    split = place(epsilon - mp.log(1 - a))
    return mp.quad(inner, [-14, -4, 0, 2, split - 1, split, split + 1, split + 4, 16])


@pytest.mark.slow
@pytest.mark.parametrize("steps", [1, 2])
def test_one_and_two_steps_by_quadrature(steps: int) -> None:
    with mp.workdps(30):
        truth = sampled_delta(1.0, 0.2, 1.5, steps)
        removed = (hs.Gaussian(1.0).on(hs.Poisson(0.2)) * steps).delta(1.5, certify=True)
        assert removed.lower <= truth * (1 + mp.mpf(10) ** -13)
        assert removed.upper >= truth * (1 - mp.mpf(10) ** -13)
        assert abs(removed.upper - truth) < 1e-9 * truth


@pytest.mark.slow
@pytest.mark.parametrize("steps", [2, 3, 7])
def test_few_steps_of_laplace_noise_by_residues(steps: int) -> None:
    """M^n expanded: e^{sx} with x > ε closes to the left, at the poles 0, −1 and −1/2."""
    bound = (hs.Laplace(1.0) * steps).delta(0.8, certify=True)
    with mp.workdps(60):
        truth = mp.mpf(0)
        for j in range(steps + 1):
            x = 2 * j - steps
            if x <= 0.8:
                continue

            def term(s: Any, j: int = j) -> Any:
                part = 1 / (4 * (s + mp.mpf(1) / 2))
                up = mp.exp(s) * (mp.mpf(1) / 2 + part)
                down = mp.exp(-s - 1) * (mp.mpf(1) / 2 - part)
                grown = mp.binomial(steps, j) * up**j * down ** (steps - j)
                return grown * mp.exp(-s * mp.mpf("0.8")) / (s * (s + 1))

            for pole in (0, -1, -0.5):  # by the trapezoid rule on small circles

                def on(k: int, pole: float = pole, term: Any = term) -> Any:
                    turn = mp.expjpi(mp.mpf(2 * k) / 128)
                    return term(pole + turn / 5) * turn / 5

                truth += sum((on(k) for k in range(128)), mp.mpf(0)).real / 128
        truth = mp.mpf(truth)
    assert bound.lower <= truth * (1 + 1e-12)
    assert bound.upper >= truth * (1 - 1e-12)
    assert bound.upper - bound.lower < 1e-8 * bound.upper


def test_randomized_response_by_enumeration() -> None:
    n, e0, e = 12, 0.75, 1.6
    with mp.workdps(40):
        p = mp.exp(e0) / (1 + mp.exp(e0))
        masses = [mp.binomial(n, j) * p**j * (1 - p) ** (n - j) for j in range(n + 1)]
        excess = [1 - mp.exp(mp.mpf(e) - (2 * j - n) * mp.mpf(e0)) for j in range(n + 1)]
        truth = sum(m * max(x, 0) for m, x in zip(masses, excess, strict=True))
        bound = (hs.RandomizedResponse(e0) * n).delta(e, certify=True)
        assert bound.lower <= truth <= bound.upper
        assert bound.upper - bound.lower < 1e-15


@pytest.mark.parametrize(
    ("run", "delta"),
    [
        (hs.Laplace(3.5748244842809114) * 200, 7.999863495443638e-09),
        (hs.Gaussian(4.0).on(hs.WithoutReplacement(152, 10_000)) * 800_000, 5e-10),
    ],
)
def test_what_was_once_refused(run: Mechanism, delta: float) -> None:
    """A ball around 0 has no power in the library; the nodes of some losses are but a sketch."""
    bound = run.epsilon(delta, certify=True)
    plain = questions.answer(run, EpsilonAt(delta), None, "auto", games=False)  # a pair is proven
    assert bound.method in ("contour", "splines")
    assert bound.lower == pytest.approx(plain.lower, rel=1e-11)
    assert bound.upper == pytest.approx(plain.upper, rel=1e-11)


@pytest.mark.slow
def test_one_step_far_out_is_not_taken_for_decided() -> None:
    """A ball that holds δ is neither above nor below it: an end moves on a proof only."""
    bound = hs.Gaussian(10.0).on(hs.Poisson(0.9)).epsilon(1e-45, certify=True)
    plain = hs.Gaussian(10.0).on(hs.Poisson(0.9)).epsilon(1e-45)
    assert bound.lower <= plain.upper
    assert bound.upper >= plain.lower * (1 - 1e-12)
    assert bound.upper - bound.lower < 1e-12


@pytest.mark.parametrize("relation", list(hs.Relation))
def test_every_relation(relation: hs.Relation) -> None:
    run = hs.Gaussian(1.0).on(hs.Poisson(0.01)) * 1000
    bound, plain = (
        run.epsilon(1e-6, relation=relation, certify=True),
        run.epsilon(1e-6, relation=relation),
    )
    assert bound.lower <= plain.upper
    assert bound.upper >= plain.lower
    assert bound.upper - bound.lower < 1e-12


@pytest.mark.slow
def test_fixed_size() -> None:
    for run in (hs.Gaussian(1).on(FIXED) * 1000, hs.Laplace(1).on(FIXED) * 500):
        bound = run.epsilon(1e-6, certify=True)
        plain = questions.answer(run, EpsilonAt(1e-6), None, "auto", games=False)
        assert abs(bound.upper - plain.upper) <= 1e-6 * plain.upper
        assert bound.certified


def test_the_ends_of_the_range() -> None:
    assert (hs.Laplace(4.0) * 8).epsilon(0.0, certify=True).lower == pytest.approx(2.0, abs=1e-14)
    assert hs.Gaussian(1.0).epsilon(0.0, certify=True) == math.inf
    assert hs.Gaussian(1.0).epsilon(1.0, certify=True) == 0.0
    assert (hs.ApproximateDP(0.1, 1e-3) * 3).epsilon(1e-3, certify=True) == math.inf
    assert (hs.Gaussian(100.0) * 2).epsilon(0.5, certify=True) == 0.0


@pytest.mark.slow
def test_a_grid_that_is_too_coarse_is_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """δ was between 0 and 1. The answer that is not certified takes long, and is another matter."""
    monkeypatch.setattr(questions, "worst", lambda *_: Interval(0.0, 1.0, "renyi"))
    steps = hs.Gaussian(1e4).on(hs.Poisson(1e-8)) * 100
    with pytest.raises(CannotCertify, match=r"a grid is too coarse.*method: renyi"):
        steps.delta(1e-9, certify=True)
    with pytest.raises(CannotCertify, match="too large or too small for floats;"):
        (hs.Gaussian(1e3).on(hs.Poisson(1e-8)) * 3).epsilon(1e-60, certify=True)


@pytest.mark.slow
def test_what_cannot_be_proven_says_so() -> None:
    with pytest.raises(CannotCertify, match=r"Rényi curve.*method: renyi"):
        hs.ZeroConcentratedDP(0.1).epsilon(1e-5, certify=True)
    with pytest.raises(CannotCertify, match="no law in exact numbers"):
        hs.Gaussian(1).on(hs.WithReplacement(5, 100)).epsilon(1e-5, certify=True)
    assert issubclass(CannotCertify, NumericalError)
    with pytest.raises(ParameterError, match="method must be 'auto'"):
        hs.Gaussian(1.0).epsilon(1e-5, method="contour", certify=True)


VERIFIED = [
    hs.Gaussian(1.1).on(hs.Poisson(0.01)) * 10_000,
    hs.Gaussian(2.0),
    hs.RandomizedResponse(1.0) * 10,
    hs.Laplace(3.0).on(hs.Poisson(0.1)) * 500 + hs.Gaussian(4.0),
]


@pytest.mark.parametrize("mechanism", VERIFIED)
def test_a_certificate_is_proven_again_and_a_forged_one_is_not(mechanism: Mechanism) -> None:
    bound = mechanism.epsilon(1e-5, certify=True)
    text = json.dumps(bound.certificate)
    assert verify(read(text)) == (bound.lower, bound.upper)
    for end, factor in (("upper", 1 - 1e-9), ("lower", 1 + 1e-9)):
        said = read(text)
        for each in said["proofs"][0]["directions"]:
            if end in each:
                each[end] *= factor
        with pytest.raises(CannotCertify, match="does not show"):
            verify(said)
    said = read(text)
    if len(said["proofs"][0]["directions"]) > 1:
        del said["proofs"][0]["directions"][1:]
        with pytest.raises(CannotCertify, match="both ways"):
            verify(said)


def test_parameters_are_exact_doubles() -> None:
    """0.1 is the double nearest to 0.1: the shift 1/0.1 is not rounded to 10."""
    loss = hs.Gaussian(0.1).evidence(hs.ADD_REMOVE).loss
    exact = loss.exact()
    assert exact is not None
    assert float(exact.numbers[0]) == 10.0
    assert exact.numbers[0] != 10
    reverse = loss.reverse().exact()
    assert reverse is not None


def test_random_reals_are_ordered() -> None:
    """ε falls as δ grows, for certain: proven intervals never cross the wrong way."""
    run = hs.Gaussian(0.8).on(hs.Poisson(0.02)) * 300
    bounds = [run.epsilon(float(d), certify=True) for d in np.geomspace(1e-12, 1e-2, 6)]
    assert all(a.lower > b.upper for a, b in pairwise(bounds))


@pytest.mark.slow
def test_next_to_nothing_costs_nothing() -> None:
    """The total variation of three steps is at most 3q: below δ, ε is 0; above δ(0), it is not."""
    for rate in (1e-300, 1e-12):
        run = hs.Gaussian(1.0).on(hs.Poisson(rate)) * 3
        bound = run.epsilon(1e-5, certify=True)
        assert (bound.lower, bound.upper) == (0.0, 0.0)
        assert bound.certificate is not None
        assert verify(dict(bound.certificate)) == (0.0, 0.0)
    run = hs.Laplace(1.0).on(hs.Poisson(0.001)) * 50
    at_zero = run.delta(0.0, certify=True)
    assert run.epsilon(at_zero.lower * (1 - 1e-9), certify=True).upper > 0
    assert run.epsilon(50 * 0.001, certify=True).upper == 0


@pytest.mark.slow
@pytest.mark.parametrize("rate", [1e-300, 1e-12])
def test_next_to_nothing_is_next_to_nothing(rate: float) -> None:
    run = hs.Gaussian(1.0).on(hs.Poisson(rate)) * 3
    assert 0 <= run.delta(1.0, certify=True).upper < 1e-50


def test_a_plan_that_overflows_warns_nobody() -> None:
    """Far below the mean loss e^ε is no float; warnings are errors here."""
    run = hs.Gaussian(1.1).on(hs.Poisson(0.4)) * 30_000
    bound = run.delta(3000.0, relation=hs.REPLACE_ONE, certify=True)
    assert bound.lower > 1 - 1e-12
    assert bound.upper == 1


@pytest.mark.slow
@pytest.mark.parametrize("share", [1e-6, 0.5, 0.9, 0.99])
def test_a_delta_of_about_one(share: float) -> None:
    """e^{K(c) − cε} has its minimum left of 0 there."""
    for run in (
        hs.Gaussian(0.64).on(hs.Poisson(0.4)) * 1000,
        hs.Gaussian(1.0).on(hs.Poisson(0.01)) * 10**7 + hs.Laplace(2.4) * 300,
    ):
        epsilon = share * float(run.rdp(1.0))
        bound, plain = run.delta(epsilon, certify=True), run.delta(epsilon)
        assert bound.upper - bound.lower < 1e-12
        assert bound.lower <= plain.upper
        assert plain.lower <= bound.upper
        assert verify(read(json.dumps(bound.certificate))) == (bound.lower, bound.upper)

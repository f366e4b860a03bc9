"""Exact sums and the grid: against enumeration, residues and other routes."""

from __future__ import annotations

import json
from itertools import product
from typing import Any

import mpmath as mp
import pytest

import hockeystick as hs
from hockeystick.errors import CannotCertify
from hockeystick.mechanism import Mechanism
from hockeystick.routes.certified import answers
from hockeystick.routes.certified.reading import read
from hockeystick.routes.certified.verify import verify

Pairs = list[tuple[Any, Any]]


def response(epsilon: float, categories: int, rate: float) -> Pairs:
    """Masses under P and Q of every answer, record removed."""
    e, q = mp.exp(mp.mpf(epsilon)), mp.mpf(rate)
    each = 1 / (e + categories - 1)
    pairs = [(each * e, each), (each, each * e)] + [(each, each)] * (categories - 2)
    return [((1 - q) * b + q * a, b) for a, b in pairs]


def integer_laplace(scale: float, moved: int) -> Pairs:
    fall = mp.exp(-1 / mp.mpf(scale))
    norm = (1 - fall) / (1 + fall)
    return [(norm * fall ** abs(x - moved), norm * fall ** abs(x)) for x in range(-120, 121)]


def enumerated(steps: list[Pairs], epsilon: float, turned: bool = False) -> Any:
    """Σ (P − e^ε·Q)+ over all outcomes of all steps."""
    grown, total = mp.exp(mp.mpf(epsilon)), mp.mpf(0)
    for outcome in product(*steps):
        p, q = mp.mpf(1), mp.mpf(1)
        for a, b in outcome:
            p, q = (p * b, q * a) if turned else (p * a, q * b)
        total += max(p - grown * q, mp.mpf(0))
    return total


RR, POISSON = hs.RandomizedResponse, hs.Poisson(0.25)
ENUMERATED: list[tuple[Mechanism, list[tuple[str, Any, int]], float]] = [
    (RR(0.8, categories=4) * 6, [("response", (0.8, 4, 1.0), 6)], 1.3),
    (RR(0.8, categories=4).on(POISSON) * 5, [("response", (0.8, 4, 0.25), 5)], 0.3),
    (RR(0.5) * 5 + RR(0.7) * 4, [("response", (0.5, 2, 1), 5), ("response", (0.7, 2, 1), 4)], 1.1),
    (
        RR(0.5).on(POISSON) * 5 + RR(0.9) * 3,
        [("response", (0.5, 2, 0.25), 5), ("response", (0.9, 2, 1.0), 3)],
        0.9,
    ),
    (hs.DiscreteLaplace(2.0) * 2, [("laplace", (2.0, 1), 2)], 0.4),
]


@pytest.mark.slow
@pytest.mark.parametrize(("mechanism", "told", "epsilon"), ENUMERATED)
def test_every_outcome(mechanism: Mechanism, told: Any, epsilon: float) -> None:
    makers: dict[str, Any] = {"response": response, "laplace": integer_laplace}
    with mp.workdps(50):
        steps = [makers[kind](*numbers) for kind, numbers, n in told for _ in range(n)]
        truth = max(enumerated(steps, epsilon), enumerated(steps, epsilon, turned=True))
        bound = mechanism.delta(epsilon, certify=True)
        slack = mp.mpf(10) ** -24  # of noise beyond what is listed
        assert bound.lower <= truth + slack
        assert bound.upper >= truth - slack
        assert bound.upper - bound.lower <= 1e-15 * truth


MANY: list[tuple[Mechanism, float]] = [
    (RR(1.0, categories=5) * 100, 1e-6),
    (RR(1.0, categories=5).on(hs.Poisson(0.01)) * 300, 1e-6),
    (hs.DiscreteLaplace(3) * 100, 1e-6),
    (hs.DiscreteGaussian(3) * 60, 1e-6),
    (RR(1.0).on(hs.Poisson(0.01)) * 500 + RR(0.5).on(hs.Poisson(0.02)) * 700, 1e-6),
    (hs.Laplace(1.0) * 2, 1e-5),
    (hs.Laplace(1.0) * 12, 1e-30),
    (hs.ExponentialMechanism(0.5) * 6, 1e-20),
]


@pytest.mark.slow
@pytest.mark.parametrize(("mechanism", "delta"), MANY)
def test_many_steps_to_the_last_digit(mechanism: Mechanism, delta: float) -> None:
    bound, plain = mechanism.epsilon(delta, certify=True), mechanism.epsilon(delta)
    assert bound.method == "closed form"
    assert bound.lower <= plain.upper
    assert bound.upper >= plain.lower * (1 - 1e-12)
    if "Exponential" not in repr(mechanism):  # whose lower end is another pair's
        assert bound.upper - bound.lower <= 1e-14 * bound.upper
    assert verify(read(json.dumps(bound.certificate))) == (bound.lower, bound.upper)


@pytest.mark.slow
@pytest.mark.parametrize("steps", [2, 4, 9])
@pytest.mark.parametrize("epsilon", [0.0, 0.8, 1.9])
def test_laplace_noise_by_residues(steps: int, epsilon: float) -> None:
    """Each term on a ring around the poles 0, −1 and −½, with 30 digits."""
    with mp.workdps(30):
        bound = (hs.Laplace(1.0) * steps).delta(epsilon, certify=True)
        truth = mp.mpf(0)
        e = mp.mpf(epsilon)
        for j in range(steps + 1):
            x = steps - 2 * j
            if x <= e:
                continue

            def term(s: Any, j: int = j, x: int = x) -> Any:
                parts = (0.5 + 0.25 / (s + 0.5)) ** (steps - j) * (0.5 - 0.25 / (s + 0.5)) ** j
                return mp.exp(s * (x - e)) * parts / (s * (s + 1))

            ring = [2 * mp.expjpi(2 * mp.mpf(k) / 400) for k in range(400)]
            value = sum(term(z) * z for z in ring).real / 400
            truth += mp.binomial(steps, j) * mp.exp(-j) * value
        assert bound.lower <= truth + mp.mpf(10) ** -18
        assert bound.upper >= truth - mp.mpf(10) ** -18
        assert bound.upper - bound.lower < 1e-15


def refused(*_: Any) -> Any:
    raise CannotCertify("no smoothed line")


@pytest.mark.slow
def test_the_grid_is_the_last_resort_and_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = [
        (hs.Laplace(1.0).on(hs.Poisson(0.05)) * 2, 1e-5, 1e-3),
        (hs.DiscreteGaussian(1).on(hs.Poisson(0.01)) * 6, 1e-6, 0.2),
    ]
    for ways in ("EPSILON", "DELTA"):
        monkeypatch.setattr(answers, ways, (*getattr(answers, ways)[:2], refused))
    for run, delta, width in runs:
        bound, plain = run.epsilon(delta, certify=True), run.epsilon(delta)
        assert bound.method == "grid"
        assert bound.lower <= plain.upper
        assert bound.upper >= plain.lower
        assert bound.upper - bound.lower <= width * bound.upper
        assert verify(read(json.dumps(bound.certificate))) == (bound.lower, bound.upper)
        forged = read(json.dumps(bound.certificate))
        for each in forged["proofs"][0]["directions"]:
            if each["method"] == "grid":
                each["upper"] *= 0.99
        with pytest.raises(CannotCertify, match="does not show"):
            verify(forged)
        back = run.delta(float(plain), certify=True)
        assert back.lower <= delta * (1 + 1e-9)
        assert back.upper >= delta * (1 - 1e-6)

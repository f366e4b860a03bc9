"""Smoothed lines: against sums over all outcomes, against other proofs, and forged."""

from __future__ import annotations

import copy
import json
import math
import time
from itertools import combinations_with_replacement, product
from typing import Any

import mpmath
import numpy as np
import pytest

pytest.importorskip("flint")

from fractions import Fraction

import hockeystick as hs
from hockeystick.errors import CannotCertify
from hockeystick.loss.exact import Exact
from hockeystick.loss.sum import ComposedLoss
from hockeystick.routes.certified import answers, build
from hockeystick.routes.certified.balls import of_bits
from hockeystick.routes.certified.laws import law_of
from hockeystick.routes.certified.many_moments import find_masses
from hockeystick.routes.certified.proven import precisely
from hockeystick.routes.certified.reading import read
from hockeystick.routes.certified.smoothed_answers import delta_smoothed, epsilon_smoothed
from hockeystick.routes.certified.verify import verify

NOISE = hs.DiscreteGaussian


def one_step(sigma: float, rate: float, turned: bool) -> tuple[np.ndarray, np.ndarray]:
    """Losses and P-masses of integer Gaussian noise on a Poisson sample, but for 1e-40."""
    x = np.arange(-math.ceil(14 * sigma), math.ceil(14 * sigma) + 2)
    weight = np.exp(-(x**2) / (2 * sigma**2))
    q = weight / weight.sum()
    p = (1 - rate) * q + rate * np.exp(-((x - 1) ** 2) / (2 * sigma**2)) / weight.sum()
    p, q = (q, p) if turned else (p, q)
    return np.log(p / q), p


def listed(sigma: float, rate: float, steps: int, epsilon: float) -> float:
    """δ(ε) by all outcomes of all steps, the worse of both directions."""
    found = []
    for turned in (False, True):
        loss, mass = one_step(sigma, rate, turned)
        kept = mass > 1e-25
        loss, mass = loss[kept], mass[kept]
        total, weights = np.zeros(1), np.ones(1)
        for _ in range(steps):
            total = np.add.outer(total, loss).ravel()
            weights = np.multiply.outer(weights, mass).ravel()
        found.append(math.fsum(weights * np.maximum(-np.expm1(epsilon - total), 0)))
    return max(found)


@pytest.mark.slow
@pytest.mark.parametrize(("sigma", "rate", "steps"), [(1.0, 0.1, 3), (0.6, 0.4, 4), (1.5, 0.05, 3)])
def test_all_outcomes(sigma: float, rate: float, steps: int) -> None:
    run = NOISE(sigma).on(hs.Poisson(rate)) * steps
    bound = run.epsilon(1e-5, certify=True)
    assert bound.method == "smoothed"
    assert listed(sigma, rate, steps, bound.lower) >= 1e-5 * (1 - 1e-12)
    assert listed(sigma, rate, steps, bound.upper) <= 1e-5 * (1 + 1e-12)
    assert bound.upper - bound.lower < 1e-7
    middle = float(bound) * 0.7
    delta, exact = run.delta(middle, certify=True), listed(sigma, rate, steps, middle)
    assert delta.lower * (1 - 1e-12) <= exact <= delta.upper * (1 + 1e-12)
    assert delta.upper - delta.lower < 1e-6 * exact


@pytest.mark.slow
@pytest.mark.parametrize(
    ("run", "delta"),
    [
        (hs.RandomizedResponse(1.0, categories=4).on(hs.Poisson(0.1)) * 60, 1e-6),
        (
            hs.RandomizedResponse(1.0).on(hs.Poisson(0.1)) * 200 + hs.RandomizedResponse(0.3) * 9,
            1e-9,
        ),
        (NOISE(2.0) * 40, 1e-5),
    ],
)
def test_sums_that_are_exact(run: Any, delta: float) -> None:
    """Where Theorem 10 or 17 gives all digits, in one direction after the other."""
    parts = [(part.evidence(hs.ADD_REMOVE).loss, n) for part, n in run.parts.items()]
    side = ComposedLoss(parts)
    for each in (side, side.reverse()):
        exact = answers.epsilon(each, delta)
        assert exact.certificate["method"] == "closed form"
        with precisely():
            low, high, _ = epsilon_smoothed(build.task_of(each), delta)
            least, most, _ = delta_smoothed(build.task_of(each), 0.9 * exact.upper)
        assert low <= exact.lower
        assert exact.upper <= high
        assert high - low < 1e-6
        value = answers.delta(each, 0.9 * exact.upper)
        assert least <= value.lower
        assert value.upper <= most
        assert most - least < 1e-4 * least


@pytest.mark.slow
def test_hundreds_of_steps() -> None:
    for run, known in [
        (NOISE(3.0).on(hs.Poisson(0.1)) * 200, 2.28038434),
        (NOISE(1.0).on(hs.Poisson(0.01)) * 1000, 2.12452281),
    ]:
        start = time.process_time()
        bound = run.epsilon(1e-6, certify=True)
        assert time.process_time() - start < 5
        assert bound.method == "smoothed"
        assert bound.lower - 1e-7 < known < bound.upper + 1e-7
        assert bound.upper - bound.lower < 1e-7
        plain = run.epsilon(1e-6)
        assert plain.lower <= bound.upper
        assert bound.lower <= plain.upper


def test_what_smoothing_adds_by_mpmath() -> None:
    """0 <= E[k(x + W)] − k(x) <= τ²·e^{−x/2}·n_τ(x), k(x) = (1 − e^{−x})₊."""
    with mpmath.workdps(30):
        for tau, at in product((1e-3, 0.1, 2.0), (-9.0, -2.0, -0.3, 0.0, 0.1, 1.0, 5.0)):
            t, x = mpmath.mpf(tau), mpmath.mpf(at) * tau
            d = x / t - t / 2
            mean = mpmath.ncdf(d + t) - mpmath.exp(-x) * mpmath.ncdf(d)
            added = mean - max(1 - mpmath.exp(-x), 0)
            most = t * mpmath.exp(-x / 2) * mpmath.npdf(x / t)
            assert 0 <= added <= most
            if at == 0 and tau < 1:
                assert added > 0.9 * most


@pytest.fixture(scope="module")
def said() -> dict[str, Any]:
    bound = (NOISE(2.0).on(hs.Poisson(0.2)) * 30).epsilon(1e-6, certify=True)
    found = read(json.dumps(bound.certificate))
    assert verify(found) == (bound.lower, bound.upper)
    return found


def line(said: dict[str, Any]) -> Any:
    return said["proofs"][0]["directions"][0]["line"]


NAN = float("nan")
FORGED = [
    (lambda said: line(said).update(shift=8 * line(said)["shift"]), "the lower end"),
    (lambda said: line(said).update(shift=line(said)["shift"] / 4), "the (upper|lower) end"),
    (lambda said: line(said).update(shift=0), "a smoothed line"),
    (lambda said: line(said).update(shift=-line(said)["shift"]), "a smoothed line"),
    (lambda said: line(said).update(shift=NAN), "a smoothed line"),
    (lambda said: line(said).update(shift=1e-200), "more bits"),
    (lambda said: line(said).update(shift=1e100), "a positive moment"),
    (lambda said: line(said).update(shift="0.1"), "not whole"),
    (lambda said: line(said).update(points=line(said)["points"] - 2), "a cut where the line ends"),
    (lambda said: line(said).update(points=10**9), "points"),
    (lambda said: line(said).update(cut=line(said)["cut"] / 2), "the (upper|lower) end"),
    (lambda said: line(said).update(arrays=False), "a smoothed line"),
    (lambda said: line(said).update(split=True), "a smoothed line"),
    (lambda said: line(said)["rules"].pop(), "not whole"),
    (lambda said: line(said).pop("shift"), "not whole"),
    (lambda said: said["proofs"][0]["directions"][0].update(method="contour"), "not whole"),
    (lambda said: said.update(bits=10), "."),
]


@pytest.mark.parametrize(("forge", "says"), FORGED)
def test_forged(said: dict[str, Any], forge: Any, says: str) -> None:
    forged = copy.deepcopy(said)
    forge(forged)
    with pytest.raises(CannotCertify, match=says):
        verify(forged)


def test_ends_that_are_too_near(said: dict[str, Any]) -> None:
    for end, factor in (("upper", 1 - 1e-6), ("lower", 1 + 1e-6)):
        forged = copy.deepcopy(said)
        forged["proofs"][0]["directions"][0][end] *= factor
        with pytest.raises(CannotCertify, match=f"the {end} end"):
            verify(forged)


def test_a_normal_law_in_arrays() -> None:
    law = law_of(Exact("normal", (Fraction(0.01), Fraction(0))))
    with of_bits(192), mpmath.workdps(30):
        found = law.tilted(3.0, {}).relative(0.7, 5000, 3)
        for k in (0, 1, 77, 900, 4999):
            t = mpmath.mpf(0.7) * k
            half = 3 * mpmath.mpf(0.01) ** 2 / 2
            exact = mpmath.exp(half * mpmath.mpc(-t * t, 7 * t))
            off = abs(exact - mpmath.mpc(complex(found.mid[k])))
            assert off <= found.rad[k] <= 1e-12 * abs(exact) + 1e-280
    with of_bits(20), pytest.raises(CannotCertify, match="more bits"):
        law_of(Exact("normal", (Fraction(0.01), Fraction(0)))).tilted(3.0, {}).relative(0.7, 5, 3)


def test_moments_at_once_are_those_of_balls() -> None:
    numbers = [(1.0, 0.0, 0.01), (0.0, 0.5, 0.2), (0.75, 0.75, 0.05), (1.5, 0.0, 1e-6)] * 3
    with of_bits(192):
        alone, together = [], []
        for up, down, q in numbers:
            law = law_of(Exact("normal", (Fraction(up), Fraction(down)), Fraction(q)))
            rule = law.rule_at(7.0, -60.0)
            alone.append(law.tilted(7.0, rule))
            together.append(law.tilted(7.0, rule))
        find_masses(together)  # type: ignore[arg-type]
        for one, other in zip(alone, together, strict=True):
            assert other.mass.overlaps(one.mass)
            assert 1e-20 < float(other.mass.rad()) < 1e-13 * float(one.mass)
        tiny = together[3].mass - 1  # as exact as it is small
        assert float(tiny.rad()) < 1e-8 * float(tiny)
        wrong = together[0]
        wrong.rule["mass"]["first"] -= 0.5  # type: ignore[attr-defined]
        with pytest.raises(CannotCertify, match="whole numbers"):
            _ = wrong.unlisted  # type: ignore[attr-defined]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("run", "delta", "width"),
    [
        (NOISE(0.3).on(hs.Poisson(0.1)) * 20, 1e-6, 1e-8),
        (NOISE(50.0).on(hs.Poisson(0.1)) * 100_000, 1e-6, 3e-7),
        (NOISE(3.0).on(hs.Poisson(0.999)) * 100, 1e-6, 1e-7),
        (NOISE(3.0).on(hs.Poisson(0.1)) * 200, 1e-40, 1e-7),
        (NOISE(3.0).on(hs.Poisson(0.1)) * 200, 0.4, 0.0),
        (NOISE(1.5377838242169986).on(hs.Poisson(0.00042837207737753325)) * 216, 3.5e-11, 1e-5),
    ],
)
def test_extremes(run: Any, delta: float, width: float) -> None:
    bound, plain = run.epsilon(delta, certify=True), run.epsilon(delta)
    assert bound.lower <= plain.upper
    assert plain.lower <= bound.upper
    assert bound.upper - bound.lower <= width
    assert verify(read(json.dumps(bound.certificate))) == (bound.lower, bound.upper)


def test_what_is_missing_is_told() -> None:
    with pytest.raises(CannotCertify, match="leaves out"):
        (NOISE(3.0).on(hs.Poisson(0.1)) * 200).epsilon(1e-60, certify=True)


@pytest.mark.slow
def test_several_parts_by_all_outcomes() -> None:
    """Different integer noise and responses together, listed with their multiplicities."""
    run = (
        NOISE(0.7).on(hs.Poisson(0.3)) * 2
        + hs.RandomizedResponse(0.8, categories=3).on(hs.Poisson(0.2)) * 6
    )
    bound = run.epsilon(1e-4, certify=True)

    def delta(epsilon: float) -> float:
        return max(_mixed(turned, epsilon) for turned in (False, True))

    assert bound.method == "smoothed"
    assert delta(bound.lower) >= 1e-4 * (1 - 1e-11)
    assert delta(bound.upper) <= 1e-4 * (1 + 1e-11)
    assert bound.upper - bound.lower < 1e-7


def _mixed(turned: bool, epsilon: float) -> float:
    noise, mass = one_step(0.7, 0.3, turned)
    p = np.array([math.exp(0.8), 1.0, 1.0]) / (math.exp(0.8) + 2)
    q = np.array([1.0, math.exp(0.8), 1.0]) / (math.exp(0.8) + 2)
    p = 0.8 * q + 0.2 * p
    p, q = (q, p) if turned else (p, q)
    total = []
    for chosen in combinations_with_replacement(range(3), 6):
        count = [chosen.count(i) for i in range(3)]
        ways = math.factorial(6) / math.prod(math.factorial(k) for k in count)
        weight = ways * float(np.prod(p**count))
        loss = float(np.log(p / q) @ count)
        both = np.add.outer(noise, noise) + loss
        masses = weight * np.multiply.outer(mass, mass)
        total.append(math.fsum((masses * np.maximum(-np.expm1(epsilon - both), 0)).ravel()))
    return math.fsum(total)


@pytest.mark.slow
def test_a_line_that_is_too_long_is_no_answer() -> None:
    """It was drawn, said that δ is between 0 and 1, and its certificate was refused."""
    run = hs.RandomizedResponse(5.0, categories=3) * 10**8
    with pytest.raises(CannotCertify, match="does not fall off"):
        run.delta(0.1, relation=hs.REPLACE_ONE, certify=True)


@pytest.mark.slow
def test_ends_that_say_nothing_are_no_answer() -> None:
    with pytest.raises(CannotCertify, match="falls off too slowly"):
        (hs.Gaussian(0.05).on(hs.WithoutReplacement(1, 1000)) * 10**8).delta(1.0, certify=True)

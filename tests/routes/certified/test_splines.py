"""Laplace noise by splines: against Theorem 16 and the line, at the edges, and forged."""

from __future__ import annotations

import copy
import json
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

pytest.importorskip("flint")

from flint import arb

import hockeystick as hs
from hockeystick.errors import CannotCertify
from hockeystick.loss.exact import Exact
from hockeystick.routes.certified.balls import above, ball, below, of_bits
from hockeystick.routes.certified.between import between, outwards
from hockeystick.routes.certified.laws import law_of
from hockeystick.routes.certified.reading import read
from hockeystick.routes.certified.segment_sums import segment_sum
from hockeystick.routes.certified.splines import SplineRecipe, Splines
from hockeystick.routes.certified.verify import verify
from hockeystick.routes.laplace.splines import splines_for


def laws(shift: float, n: int) -> Any:
    return [(law_of(Exact("laplace", (Fraction(shift),))), n)]


def planned(shift: float, n: int, epsilon: float) -> SplineRecipe:
    plan, _ = splines_for(shift, n, epsilon, None)
    (_, order), (_, other) = plan.left_out
    return SplineRecipe(plan.continuous, plan.powers, order, other)


@pytest.mark.parametrize("shift", [0.01, 1 / 3, 3.0])
@pytest.mark.parametrize("n", [2, 7, 24])
@pytest.mark.parametrize("share", [0.0, 0.01, 0.5, 0.97, 1 - 1e-9])
def test_against_the_sum_of_both_signs(shift: float, n: int, share: float) -> None:
    """Theorem 16 is another formula, with terms of both signs."""
    epsilon = n * shift * share
    with of_bits(192):
        ends = Splines(laws(shift, n), planned(shift, n, epsilon)).ends(epsilon)
        formula = segment_sum(laws(shift, n)[0][0], n)
        assert formula is not None
        exact = formula(arb(epsilon))
        assert ends.lower <= exact.upper()
        assert exact.lower() <= ends.upper
        assert ends.width <= 1e-11 * below(exact)


@pytest.mark.parametrize(
    ("scale", "n", "delta", "truth"),
    [
        (1.0, 50, 1e-12, 48.6653200877),
        (12.0, 150, 1e-5, 4.35997784863),
        (0.5, 50, 1e-5, 88.2014498475),
        (33.0, 440, 1e-40, 8.16455036257),
        (100.0, 2000, 1e-12, 3.05481796251),
        (1.0, 41, 1e-40, 41.0),
    ],
)
def test_answers_that_lines_gave(scale: float, n: int, delta: float, truth: float) -> None:
    run = hs.Laplace(scale) * n
    bound, plain = run.epsilon(delta, certify=True), run.epsilon(delta)
    assert bound.method == "splines"
    assert abs(bound - truth) < 1e-10 * truth
    assert bound.upper - bound.lower < 1e-12 * truth
    assert bound.lower <= plain.upper
    assert plain.lower <= bound.upper
    back = run.delta(bound.upper, certify=True)
    assert back.lower <= delta
    assert verify(read(json.dumps(bound.certificate))) == (bound.lower, bound.upper)
    assert verify(read(json.dumps(back.certificate))) == (back.lower, back.upper)


def test_a_bad_plan_is_wide_and_not_wrong() -> None:
    with of_bits(192):
        good = Splines(laws(0.5, 60), planned(0.5, 60, 12.0)).ends(12.0)
        for recipe in (SplineRecipe(14, 30, 1.0, 1.0), SplineRecipe(30, 5, 1.0, 1.0)):
            wide = Splines(laws(0.5, 60), recipe).ends(12.0)
            assert wide.lower <= good.upper
            assert wide.upper >= good.lower
            assert wide.width > 100 * good.width


def test_above_all_losses_nothing_is_left() -> None:
    run = hs.Laplace(3.0) * 50
    nothing = run.delta(50 / 3 + 1e-9, certify=True)
    assert (nothing.lower, nothing.upper) == (0.0, 5e-324)
    assert verify(read(json.dumps(nothing.certificate))) == (0.0, 5e-324)


ATTACKS = [
    ({"continuous": 1}, "more continuous steps"),
    ({"continuous": 12}, "the lower end"),
    ({"powers": 3}, "the upper end"),
    ({"powers": 0}, "continuous steps and powers"),
    ({"powers": 10**9}, "fewer steps"),
    ({"order": math.nan}, "more continuous steps"),
    ({"order": -0.25}, "positive order"),
    ({"order_of_powers": 1e-9}, "the upper end"),
]


@pytest.mark.parametrize(("forged", "why"), ATTACKS)
def test_forged(forged: dict[str, Any], why: str) -> None:
    said = read(json.dumps((hs.Laplace(5.0) * 60).epsilon(1e-6, certify=True).certificate))
    said = copy.deepcopy(said)
    said["proofs"][0]["directions"][0]["line"].update(forged)
    with pytest.raises(CannotCertify, match=why):
        verify(said)


@pytest.mark.parametrize("end", ["lower", "upper"])
def test_forged_ends(end: str) -> None:
    said = read(json.dumps((hs.Laplace(5.0) * 60).epsilon(1e-6, certify=True).certificate))
    said["proofs"][0]["directions"][0][end] += {"lower": 1e-9, "upper": -1e-9}[end]
    with pytest.raises(CannotCertify, match=f"the {end} end"):
        verify(said)


def test_outwards_holds_the_truth() -> None:
    rng = np.random.default_rng(1)
    x, y = (np.exp(rng.uniform(-40, 40, 300)) for _ in range(2))
    both = outwards(np.array([x * y + x, x * y + x]), 2)
    tiny = outwards(np.array([x * 1e-310 * 1e-10] * 2), 2)
    for i in range(x.size):
        exact = Fraction(x[i]) * Fraction(y[i]) + Fraction(x[i])
        assert Fraction(both[0, i]) <= exact <= Fraction(both[1, i])
        assert both[1, i] - both[0, i] < 1e-14 * both[1, i]
        assert Fraction(tiny[0, i]) <= 0 < Fraction(x[i]) * Fraction(1, 10**320) <= tiny[1, i]
    with of_bits(192):
        third = ball(Fraction(1, 3))
        ends = between(third)
        assert ends[0, 0] < third < ends[1, 0]
        assert above(third) == ends[1, 0]


@pytest.mark.slow
def test_large_losses_by_a_line_that_is_not_too_long() -> None:
    """Of 40 000 points most were there for a δ that is good to 15 digits rather than 12."""
    bound = (hs.Laplace(0.01) * 60).epsilon(1e-6, certify=True)
    assert bound.certificate is not None
    line = bound.certificate["proofs"][0]["directions"][0]["line"]
    assert line["points"] < 20_000
    assert bound.lower <= 5986.2743148518587 <= bound.upper
    assert bound.upper - bound.lower < 1e-14 * bound.upper

"""Questions asked where rounding decides: at sums of losses, at their probabilities, at many steps.

The truths come from enumeration in high precision, of the mechanism as its floats define it.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from mpmath import mp, mpf

import hockeystick as hs
from hockeystick import questions
from hockeystick.numerics.rounding import around, exact_sum, quotient_error
from hockeystick.numerics.series import log1p, log_mixed, log_unmixed
from hockeystick.routes.grid import route as grid
from tests.oracles.truth import truth

ON = hs.Poisson

LEFT_OVER = (
    "ProfileDP.table(0.3, 0.0006195859305258917, 0.6457401680475815, 7.340814013392937e-07, "
    "0.720516468340968, 4.2978350015249635e-10, 0.7332889093721547, 3.6577579963621494e-13) * 2"
    " + RandomizedResponse(0.13740424116241237, 2) * 2 + PureDP(0.18).on(Poisson(0.0037))"
)

QUESTIONS: list[tuple[str, str, float, float]] = [
    # what the finite losses add to the mass at infinity is less than its last digit
    (LEFT_OVER, "delta", 1.7415168084123553, 1e-11),
    # δ next to the probability of the largest loss: the answer is steep, and so its ends are wide
    ("RandomizedResponse(30.0).on(Poisson(0.1)) * 5", "epsilon", 1e-5, 1e-2),
    ("RandomizedResponse(25.0).on(Poisson(0.01)) * 3", "epsilon", 1e-6, 1e-5),
    ("RandomizedResponse(30.0).on(Poisson(0.25)) * 4", "epsilon", 2.0**-8, 5e-2),
    ("RandomizedResponse(4.0).on(Poisson(0.25)) * 4", "epsilon", 0.003, 1e-11),
    # losses of 1e-12 are known to twelve digits less than 1 is
    ("RandomizedResponse(0.0001).on(Poisson(1e-8)) * 3", "epsilon", 1e-15, 1e-12),
    # ε next to the largest loss, which is a rounded sum: 1e-16 of it is all there is
    ("RandomizedResponse(1.1710558739010468) * 5", "delta", 5.855279369505234, 9.0),
    ("RandomizedResponse(1.1710558739010468) * 5", "epsilon", 0.0, 1e-15),
    ("PureDP(0.1) * 3", "epsilon", 0.0, 1e-15),
    ("PureDP(1.0).on(Poisson(0.9998340501053639)) * 28", "delta", 27.9970626364083, 9.0),
    ("PureDP(0.5206539128000572).on(Poisson(0.5002306703649229)) * 3",
     "delta", 0.881860543811439, 1e-3),
    ("RandomizedResponse(1.1778251665448705, 3).on(Poisson(0.000615617238167191)) * 11",
     "epsilon", 1.1800347172952592e-29, 1e-12),
    ("DiscreteLaplace(1.9388706401855071, 2).on(Poisson(0.0427480257575064)) * 9",
     "delta", 0.25598738832306817, 0.3),
    ("PureDP(1.0).on(Poisson(0.0038448593555865276)) * 2", "epsilon", 1e-323, 1e-13),
    ("PureDP(0.02624).on(Poisson(0.04015))", "epsilon", 1e-20, 1e-13),
    # parts without a common lattice
    ("PureDP(1.1) * 3 + PureDP(0.7).on(Poisson(0.1)) * 2", "epsilon", 1e-30, 1e-13),
    ("PureDP(3.0).on(Poisson(0.02)) * 4 + PureDP(2.3) * 3", "epsilon", 1e-29, 1e-13),
    # mass at infinity
    ("ApproximateDP(1.0, 0.1) + ApproximateDP(2.0, 0.2)", "delta", 3.0, 1e-14),
    ("RandomizedResponse(1.0) + ApproximateDP(1.0, 1e-12) * 4", "delta", 5.0, 1e-14),
    ("ApproximateDP(1.0, 1e-05)", "epsilon", 1e-5, 1e-14),
    ("ApproximateDP(1.0, 1e-05) + PureDP(2.0)", "epsilon", 1e-5, 1e-10),
    ("ApproximateDP(0.001995298150564372, 2.716060464685379e-10) * 2", "delta", 0.0, 1e-9),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "query", "at", "width"), QUESTIONS, ids=[f"{q[0]}-{q[1]}" for q in QUESTIONS]
)
def test_both_ends_hold_the_truth(text: str, query: str, at: float, width: float) -> None:
    found = truth(text, query, at)
    assert found is not None
    low, high = found
    answer = getattr(hs.parse(text), query)(at)
    assert answer.lower <= high
    assert low <= answer.upper
    assert answer.upper - answer.lower <= width * high


def test_random_sums_of_guarantees() -> None:
    random = np.random.default_rng(0)
    for first, second in random.uniform(1e-9, 0.5, (400, 2)).tolist():
        answer = (hs.ApproximateDP(1, first) + hs.ApproximateDP(2, second)).delta(3)
        with mp.workdps(40):
            exact = 1 - (1 - mpf(first)) * (1 - mpf(second))
            assert answer.lower <= exact <= answer.upper
            assert answer.upper - answer.lower <= 4e-15 * exact


MANY_STEPS = [
    # proven enclosures, by interval arithmetic
    ("Gaussian(2.8462745028237224).on(Poisson(0.00011985577360023774)) * 597896",
     1.0225868119320126e-05, 0.10348741819826, 0.10348741819827),
    ("Laplace(0.7684141781538772).on(Poisson(0.00738981751168499)) * 407556",
     1.6889806915312383e-06, 42.26208475788893, 42.26208475790949),
    ("Gaussian(0.36747765432616997, replace_sensitivity=1.0)"
     ".on(WithoutReplacement(394, 10000)) * 873287",
     1.2137337165501455e-10, 54972.3372865409, 54972.337286541435),
]  # fmt: skip


@pytest.mark.parametrize(("text", "delta", "low", "high"), MANY_STEPS)
def test_many_steps(text: str, delta: float, low: float, high: float) -> None:
    answer = hs.parse(text).epsilon(delta, method="contour")  # of the pair that dominates
    assert answer.upper >= low
    assert answer.upper == pytest.approx(high, rel=1e-11)
    if "Poisson" in text:  # of a fixed size, another pair is attained
        assert answer.lower <= high
        assert answer.lower == pytest.approx(low, rel=1e-11)


@pytest.mark.parametrize("method", ["auto", "contour", "lattice"])
def test_delta_zero_by_any_method(method: str) -> None:
    answer = (hs.Laplace(1) * 3).epsilon(0, method=method)
    assert (answer.lower, answer.upper) == (3.0, 3.0)


def test_losses_given_as_numbers_are_exact() -> None:
    for run, largest in ((hs.Laplace(1) * 10, 10.0), (hs.PureDP(0.5) * 7, 3.5),
                         (hs.DiscreteLaplace(0.5), 2.0)):  # fmt: skip
        answer = run.epsilon(0)
        assert (answer.lower, answer.upper) == (largest, largest)
    third = hs.Laplace(3).epsilon(0)
    assert third.lower < mpf(1) / 3 < third.upper
    assert third.upper - third.lower < 1e-15


def test_around() -> None:
    assert around(exact_sum([(0.1, 3)])) == (0.3, math.nextafter(0.3, 1))
    assert around(exact_sum([(1e300, 10**10)])) == (1.7976931348623157e308, math.inf)
    low, high = around(exact_sum([(1.0, 1)]), 1e-10)
    assert low <= 1 - 1e-10
    assert high >= 1 + 1e-10
    assert quotient_error(math.inf, 1.0, 0.0) == 0


def test_cumulants_keep_their_digits_next_to_points_that_have_none() -> None:
    """One point of an array where e^K is far from 1 must not spoil the others."""
    real, imaginary = np.array([1e-6, -0.9]), np.array([0.0, 0.1])
    with mp.workdps(30):
        wanted = [
            mp.log(abs(1 + mpf(x) + 1j * mpf(y))) for x, y in zip(real, imaginary, strict=True)
        ]
    assert log1p(real, imaginary).real.tolist() == pytest.approx(
        [float(x) for x in wanted], rel=1e-15
    )


@pytest.mark.parametrize("rate", [1e-9, 0.3, 0.7, 1 - 1e-9])
def test_mixed_losses_to_the_last_digits(rate: float) -> None:
    losses = np.array([-300.0, -25.0, -3.0, -0.9, -1e-3, 1e-3, 2.0, 29.0, 31.0, 900.0])
    mixed = log_mixed(rate, losses)
    with mp.workdps(50):
        exact = [mp.log(1 - mpf(rate) + mpf(rate) * mp.exp(mpf(x))) for x in losses.tolist()]
        errors = [abs(mpf(x) / y - 1) for x, y in zip(mixed.tolist(), exact, strict=True)]
    assert max(errors) < 4e-16
    back = log_unmixed(rate, mixed[losses >= -3])
    assert log_mixed(rate, back) == pytest.approx(mixed[losses >= -3], rel=4e-15)


def test_a_trade_off_is_rounded_outwards() -> None:
    step, alpha = hs.RandomizedResponse(0.18050293022169986, 5).on(ON(0.002219492829307062)), 0.332
    with mp.workdps(40):
        e, q, a = mpf(0.18050293022169986), mpf(0.002219492829307062), mpf(alpha)
        total = mp.exp(e) + 4
        # The best test takes the answer that the record makes likelier, and then some of the three
        # that it leaves alone.
        without, with_record = 1 / total, ((1 - q) + q * mp.exp(e)) / total
        assert without < a < 4 * without
        exact = 1 - with_record - (a - without)
    ends = step.tradeoff([alpha])
    assert ends.lower[0] <= exact <= ends.upper[0]
    assert ends.upper[0] - ends.lower[0] < 1e-12


@pytest.mark.parametrize(
    ("text", "epsilon"),
    [
        ("PureDP(1.9034053230904675) * 4 + PureDP(0.13391836143219596)", 7.7475396537940595),
        (
            "ApproximateDP(2.0, 1.7704235998879698e-12).on(Poisson(0.0017116863694029345)) * 3"
            " + ApproximateDP(2.0, 3.77786012170982e-147).on(Poisson(0.9999999989239112)) * 5",
            10.032630077230968,
        ),
    ],
)
def test_no_grid_is_finer_than_rounding(text: str, epsilon: float) -> None:
    """Once its cells had numbers that no integer holds, and were written outside of it."""
    run = hs.parse(text)
    ((side, *_), *_) = questions.dominating(questions.parts_of(run, hs.ADD_REMOVE))
    with pytest.raises(hs.NumericalError, match="finer than the losses are rounded"):
        grid.delta(side, epsilon)
    added_up, best = run.delta(epsilon, method="lattice"), run.delta(epsilon)
    assert added_up.method == "lattice"
    assert added_up.lower <= best.upper
    assert best.lower <= added_up.upper <= 10 * best.upper


@pytest.mark.parametrize("steps", [1, 2])
def test_the_largest_loss_from_a_curve_is_rounded_up(steps: int) -> None:
    """log(1 + q(e^ε − 1)) of a rare sample, in 40 digits."""
    epsilon, rate = 0.00010304169949505875, 1.0375666787451848e-08
    run = hs.RandomizedResponse(epsilon).group(2).on(hs.Poisson(rate)) * steps
    with mp.workdps(40):
        exact = steps * mp.log1p(mpf(rate) * mp.expm1(2 * mpf(epsilon)))
        for method in ("renyi", "auto"):
            upper = run.epsilon(0.0, method=method).upper
            assert exact <= mpf(upper) <= exact * (1 + mpf("1e-14"))


def test_one_step_on_a_sample_far_out() -> None:
    """A proven enclosure; once the lower end was 1.4e-14 of δ above it."""
    step = hs.Gaussian(3.978977834651336).on(hs.WithoutReplacement(4, 10_000))
    answer = step.delta(1.7710413624302417)
    assert answer.lower <= 2.0027793988694184e-81
    assert answer.upper >= 2.002779398869418e-81
    assert answer.upper - answer.lower <= 1e-12 * answer

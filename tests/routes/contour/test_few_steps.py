"""The bent line for sampled Gaussians, against multiple precision and the other routes."""

from __future__ import annotations

import contextlib
import math
import random
from itertools import pairwise

import numpy as np
import pytest
from mpmath import mpf

import hockeystick as hs
from hockeystick.errors import NumericalError
from hockeystick.loss.measure import GaussianSample
from hockeystick.loss.sum import ComposedLoss
from hockeystick.routes.contour import route
from hockeystick.routes.contour.few_steps import answer
from hockeystick.routes.contour.few_steps.law import SampledSteps
from hockeystick.routes.contour.few_steps.lines import Lines
from hockeystick.routes.contour.few_steps.nodes import Nodes
from hockeystick.routes.contour.few_steps.plan import Plan, plan
from hockeystick.routes.contour.few_steps.soft_step import log_below
from hockeystick.routes.contour.few_steps.terms import power
from hockeystick.routes.contour.straight import line_for
from tests.oracles.profile import separated_gaussian
from tests.oracles.two_steps import by_integral

ENCLOSURES = (
    (1.0, 0.01, 3, 1e-05, True, 0.2753377810231231, 0.27533778106183626),
    (1.0, 0.01, 3, 1e-05, False, 0.0243048099743613, 0.024304809974381277),
    (1.0, 0.01, 10, 1e-05, True, 0.37990223658059297, 0.3799022365808977),
    (1.0, 0.01, 10, 1e-05, False, 0.06546126509133769, 0.06546126509134785),
    (1.0, 0.01, 100, 1e-05, True, 0.7180356613386633, 0.7180356613388393),
    (1.0, 0.01, 100, 1e-05, False, 0.33815636936243687, 0.3381563693626056),
    (0.5, 0.01, 1000, 1e-05, True, 13.360823985343048, 13.360823985351088),
    (0.5, 0.01, 1000, 1e-05, False, 4.315927155943942, 4.315927155944579),
    (0.3, 0.01, 100, 1e-06, True, 31.569886341443336, 31.56988634145258),
    (0.3, 0.01, 100, 1e-06, False, 0.9762093853902998, 0.9762093853903762),
    (1.0, 0.2, 3, 1e-05, True, 3.2920936568995844, 3.292093656909018),
    (1.0, 0.2, 3, 1e-05, False, 0.5822318178149961, 0.5822318178152635),
    (2.0, 0.01, 30, 1e-08, True, 0.17993291583033194, 0.17993291583035387),
    (2.0, 0.01, 30, 1e-08, False, 0.10700818148122684, 0.107008181481235),
    (5.0, 0.1, 50, 1e-06, True, 0.6131805669824834, 0.6131805669834621),
    (5.0, 0.1, 50, 1e-06, False, 0.5480019018309944, 0.5480019018317327),
    (0.6, 0.005, 20, 0.0001, True, 1.1036013153774185, 1.1036013162173461),
    (0.6, 0.005, 20, 0.0001, False, 0.07068903194859756, 0.07068903194864125),
    (0.8, 0.001, 500, 1e-06, True, 0.39302059909596126, 0.3930205991002868),
    (0.8, 0.001, 500, 1e-06, False, 0.12558212829213797, 0.12558212829223583),
    (0.2, 0.02, 50, 1e-07, False, 1.0100218098376066, 1.010021809837632),
    (1.0, 0.05, 200, 1e-20, True, 13.85444275768227, 13.854442757683787),
    (1.0, 0.05, 200, 1e-20, False, 5.394358810484479, 5.394358810484618),
    (10.0, 0.3, 20, 1e-08, True, 0.6993739618972924, 0.6993739618977927),
    (10.0, 0.3, 20, 1e-08, False, 0.6442112332801705, 0.6442112332809459),
    (1.0, 1e-4, 2, 1e-05, True, 0.0003887209723637985, 0.0003887209723639107),
)
"""noise, rate, steps, δ, remove, and ends of ε: proven in ball arithmetic, by code that shares
nothing with this; the last is an integral in multiple precision (`tests.oracles.two_steps`)."""


def steps(noise: float, rate: float, count: int, remove: bool = True) -> SampledSteps:
    return SampledSteps([(GaussianSample(1 / noise, rate, remove), count)])


def composed(noise: float, rate: float, count: int) -> ComposedLoss:
    loss = hs.Gaussian(noise).on(hs.Poisson(rate)).evidence(hs.ADD_REMOVE).loss
    return ComposedLoss([(loss, count)])


@pytest.mark.parametrize("case", ENCLOSURES, ids=str)
def test_epsilon_and_delta_of_proven_enclosures(
    case: tuple[float, float, int, float, bool, float, float],
) -> None:
    noise, rate, count, delta, remove, low, high = case
    law = steps(noise, rate, count, remove)
    ends = answer.epsilon(law, delta)
    assert ends.lower <= high
    assert low <= ends.upper
    assert ends.gap < 1e-10
    assert answer.delta(law, low).upper >= delta
    assert answer.delta(law, high).lower <= delta
    assert answer.delta(law, low).gap < 1e-8


@pytest.mark.parametrize(
    ("noise", "rate", "epsilon"), [(1.0, 0.01, 0.2), (3.0, 0.1, 0.05), (0.7, 0.3, 2.0)]
)
@pytest.mark.slow
def test_two_steps_by_an_integral(noise: float, rate: float, epsilon: float) -> None:
    run = f"Gaussian({noise}).on(Poisson({rate})) * 2"
    truth = by_integral(run, "delta", epsilon, None)
    assert truth is not None
    bound = hs.parse(run).delta(epsilon)
    assert bound.lower <= truth[1]
    assert truth[0] <= bound.upper
    assert bound.upper - bound.lower < 1e-9 * bound.upper


@pytest.mark.parametrize("noise", [0.05, 0.055])
@pytest.mark.parametrize("rate", [1e-4, 0.01, 0.3])
@pytest.mark.parametrize("count", [2, 40])
@pytest.mark.parametrize("remove", [True, False])
def test_little_noise_is_a_mixture_of_normal_laws(
    noise: float, rate: float, count: int, remove: bool
) -> None:
    """The law is known to 1e-20: whether the record was drawn is as good as seen."""
    law = steps(noise, rate, count, remove)
    for delta in (1e-6, 1e-9):
        ends = answer.epsilon(law, delta)
        side = "remove" if remove else "add"
        below, above = (
            separated_gaussian(mpf(noise), mpf(rate), count, mpf(end), side)
            for end in (ends.upper, ends.lower)
        )
        assert below <= delta * (1 + 1e-12)
        assert above >= delta * (1 - 1e-12) or ends.lower == 0
        assert ends.gap < 1e-9


def test_deep_tails_with_little_noise() -> None:
    """Sums of normal laws, in 40 digits: an inner path that misses the bulk would be 3e-9 off."""
    for noise, rate, count, delta, truth in (
        (0.051192054316351696, 0.014216389923923876, 7, 1.810514923564168e-17, 1491.29150821625515),
        (
            0.05150526005391886,
            1.0810027233677888e-06,
            3,
            1.5357225738637285e-19,
            562.49658331635263,
        ),
    ):
        ends = answer.epsilon(steps(noise, rate, count), delta)
        assert ends.lower <= truth <= ends.upper
        assert ends.gap < 1e-11


def questions(seed: int, count: int) -> list[tuple[float, float, int, float]]:
    """Noise .05 to 20, rate 1e-8 to .5, 2 to 3000 steps, δ from 1e-30 to 1e-2."""
    draw = random.Random(seed)

    def between(low: float, high: float) -> float:
        return math.exp(draw.uniform(math.log(low), math.log(high)))

    return [
        (between(0.05, 20), between(1e-8, 0.5), int(between(2, 3000)), between(1e-30, 1e-2))
        for _ in range(count)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("question", questions(5, 30), ids=str)
def test_random_questions_agree_with_the_grid(question: tuple[float, float, int, float]) -> None:
    noise, rate, count, delta = question
    run = hs.Gaussian(noise).on(hs.Poisson(rate)) * count
    bound, grid = run.epsilon(delta), run.epsilon(delta, method="lattice")
    assert bound.lower <= grid.upper
    assert grid.lower <= bound.upper
    origin = -count * math.log1p(-rate)
    assert bound.upper - bound.lower <= 1e-9 * bound.upper + 1e-12 * origin


@pytest.mark.parametrize("remove", [True, False])
@pytest.mark.parametrize("question", questions(8, 12), ids=str)
def test_delta_undoes_epsilon(question: tuple[float, float, int, float], remove: bool) -> None:
    noise, rate, count, delta = question
    law = steps(noise, rate, count, remove)
    ends = answer.epsilon(law, delta)
    if ends.lower > 0:
        assert answer.delta(law, ends.upper).lower <= delta
        if law.x(ends.lower) > 1e-6 * law.origin:
            assert answer.delta(law, ends.lower).upper >= delta


def grows(values: list[answer.Ends]) -> bool:
    each = all(a.lower <= b.upper for a, b in pairwise(values))
    return each and values[0].upper < values[-1].lower


@pytest.mark.slow
@pytest.mark.parametrize("remove", [True, False])
@pytest.mark.parametrize("delta", [1e-3, 1e-8, 1e-25])
def test_epsilon_grows_with_steps_rate_and_less_noise(remove: bool, delta: float) -> None:
    counts = [answer.epsilon(steps(1.0, 0.02, n, remove), delta) for n in (2, 3, 10, 11, 300, 1500)]
    rates = [answer.epsilon(steps(1.0, q, 60, remove), delta) for q in (1e-3, 0.0101, 0.1, 0.4)]
    noises = [answer.epsilon(steps(s, 0.02, 60, remove), delta) for s in (9.0, 2.0, 1.9, 0.6, 0.2)]
    assert grows(counts)
    assert grows(rates)
    assert grows(noises)


@pytest.mark.parametrize("count", [250, 299, 301, 400])
def test_where_the_straight_line_takes_over(count: int) -> None:
    """At n·q = 3: both lines give the same, on both sides of it."""
    loss = composed(1.0, 0.01, count)
    straight = route._epsilon(loss, 1e-5, line_for)
    law = answer.steps_of(loss)
    assert law is not None
    bent = answer.epsilon(law, 1e-5)
    assert max(straight.lower, bent.lower) <= min(straight.upper, bent.upper)
    assert max(straight.upper, bent.upper) - min(straight.lower, bent.lower) < 1e-9
    assert answer.is_first(law) == (count < 300)


def test_different_steps_are_planned_together() -> None:
    """The same law told as one part, and as two that differ by less than the error allows."""
    sample, near = GaussianSample(1.0, 0.01, True), GaussianSample(1 + 1e-15, 0.01, True)
    one = answer.epsilon(SampledSteps([(sample, 30)]), 1e-6)
    two = answer.epsilon(SampledSteps([(sample, 20), (near, 10)]), 1e-6)
    assert max(one.lower, two.lower) <= min(one.upper, two.upper)
    assert two.gap < 1e-9
    run = hs.Gaussian(1.0).on(hs.Poisson(0.01)) * 20 + hs.Gaussian(0.7).on(hs.Poisson(0.003)) * 9
    bound, grid = run.epsilon(1e-6), run.epsilon(1e-6, method="lattice")
    assert bound.method == "contour"
    assert grid.lower <= bound.upper
    assert bound.lower <= grid.upper
    assert bound.upper - bound.lower < 1e-9 * bound.upper


def test_what_is_not_a_sum_of_few_sampled_gaussians_is_handed_over() -> None:
    gaussian = hs.Gaussian(1.0)
    parts = [gaussian.on(hs.Poisson(0.01 * k)) for k in range(1, 12)]
    losses = [part.evidence(hs.ADD_REMOVE).loss for part in parts]
    assert answer.steps_of(ComposedLoss([(loss, 2) for loss in losses])) is None
    unsampled = gaussian.evidence(hs.ADD_REMOVE).loss
    assert answer.steps_of(ComposedLoss([(losses[0], 2), (unsampled, 1)])) is None
    assert answer.steps_of(ComposedLoss([(losses[0], 2), (losses[1].reverse(), 1)])) is None
    little, much = (
        hs.Gaussian(noise).on(hs.Poisson(0.1)).evidence(hs.ADD_REMOVE).loss for noise in (0.04, 200)
    )
    assert answer.steps_of(ComposedLoss([(little, 2)])) is None
    assert answer.steps_of(ComposedLoss([(much, 2)])) is None
    cut = losses[0].truncated(1e-9)
    assert answer.steps_of(ComposedLoss([(cut, 2)])) is None
    assert answer.steps_of(ComposedLoss([(losses[0].reverse().reverse(), 2)])) is not None


def test_the_guard_charges_a_path_that_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """A path that ends too early is off by more than its bounds say; the guard sees it."""
    law = steps(1.0, 0.01, 10)
    x = law.x(0.38)
    planned = plan(law, x, math.log(1e-5), 1.0)
    whole = Lines(planned, math.log(1e-5)).at(x).value
    low, high = planned.path()
    for path in ((low, high - 0.45 * (high - math.log(x)) - 0.8), (low + 5.5, high)):
        monkeypatch.setattr(Plan, "path", lambda self, path=path: path)
        lines = Lines(planned, math.log(1e-5))
        off = abs(lines.at(x).value - whole)
        assert off > 1e-12 * whole
        assert lines.slack(x).below >= off


def test_an_inner_rule_that_is_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hockeystick.routes.contour.few_steps.nodes.MOST_NODES", 10)
    planned = plan(steps(1.0, 0.01, 10), 0.5, None, 1.0)
    with pytest.raises(NumericalError, match="nodes"):
        Nodes(planned)


def test_jumps_add_up() -> None:
    """Terms with no, one, and more jumps are all of F^n, for small jumps and large ones."""
    count = np.array([[3.0, 5.0]])
    for size in (1e-9, 1e-3, 0.3, 2.0):
        f = np.array([[1 - 0.1j, 0.9 + 0.2j, size * (1 + 1j), size * (0.5 - 1j)]])
        parts = [np.exp(power(kind, f, count).log)[0, 0] for kind in (0, 1, 2)]
        whole = np.exp(power("all", f[:, :2] + f[:, 2:], count).log)[0, 0]
        assert sum(parts) == pytest.approx(whole, rel=1e-13)
    r, exact = 1e-9, 56 / 2 * 1e-18  # 8·7/2·r² of (1 + r)^8
    f = np.array([[1.0 + 0j, r + 0j]])
    assert np.exp(power(2, f, np.array([[8.0]])).log)[0, 0].real == pytest.approx(exact, rel=1e-8)


def test_jumps_too_rare_for_a_float_are_refused() -> None:
    f = np.array([[1.0 + 0j, 1e-140 + 0j]])
    with pytest.raises(NumericalError, match="too rare"):
        power(1, f, np.array([[8.0]]))
    far_out = np.array([[1.0 + 0j, 1e-3 + 0j], [1.0 + 0j, 0j]])
    found = power(2, far_out, np.array([[8.0]]))
    assert np.isfinite(found.log).all()
    assert np.exp(found.log[0, 1]).real < 1e-290
    assert (found.slope(np.array([1e-15, 1e-15])) >= 0).all()


def test_a_soft_step_far_out() -> None:
    """log Φ(−T) of a T beyond every float's reach, from Mills' ratio."""
    t = 60.0
    mills = (1 - 1 / t**2 + 3 / t**4 - 15 / t**6) / t
    value = log_below(np.array([t / math.sqrt(2) + 0j]))[0]
    exact = -0.5 * t * t - 0.5 * math.log(2 * math.pi) + math.log(mills)
    assert value.real == pytest.approx(exact, rel=1e-13)
    assert value.imag == 0


def test_steps_that_are_harmless_cost_nothing() -> None:
    assert answer.epsilon(steps(5.0, 1e-6, 10), 1e-3) == answer.Ends(0.0, 0.0)
    assert answer.delta(steps(1.0, 0.1, 2, remove=False), 1.0) == answer.Ends(0.0, 0.0)


def test_next_to_the_largest_loss_the_milder_direction_is_as_good_as_nothing() -> None:
    """Here other routes search for minutes; a calibration asked for this on its way."""
    law = steps(0.858, 0.001, 100, remove=False)
    ends = answer.delta(law, 0.1)
    assert ends.lower == 0
    assert 0 < ends.upper < 1e-250
    assert law.x(0.1) > 0
    run = hs.Gaussian(0.858).on(hs.Poisson(0.001)) * 100
    assert run.epsilon(1e-5).method == "contour"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rate", "count", "delta", "apart"),
    [(1e-6, 10**6, 1e-60, 1e-8), (4.4e-6, 2_685_713, 1e-8, 1e-7)],
)
def test_very_many_steps_of_few_samples(
    rate: float, count: int, delta: float, apart: float
) -> None:
    """Straight lines need too many points, and a grid left ends 0.2 to 0.8 apart."""
    bound = (hs.Gaussian(1.0).on(hs.Poisson(rate)) * count).epsilon(delta)
    assert bound.method == "contour"
    assert bound.upper - bound.lower <= apart * bound.upper


@pytest.mark.slow
def test_sharper_marks_say_the_same_of_very_many_steps() -> None:
    """Each rotation has marks, jumps and lines of its own."""
    law = steps(1.0, 1e-6, 10**6)
    one, other = (answer._epsilon(law, 1e-60, sharper) for sharper in (1.0, 0.6))
    assert max(one.lower, other.lower) <= min(one.upper, other.upper)
    assert max(one.upper, other.upper) - min(one.lower, other.lower) < 1e-7


@pytest.mark.parametrize("question", questions(21, 16), ids=str)
def test_chernoff_bound_is_above_the_milder_direction(
    question: tuple[float, float, int, float],
) -> None:
    """And not by much: two nats and a quarter of them."""
    noise, rate, count, delta = question
    law = steps(noise, rate, count, remove=False)
    ends = answer.epsilon(law, delta)
    x = law.x(ends.lower)
    if ends.lower > 0 and x > 1e-6 * law.origin:
        assert math.log(delta) <= law.log_chernoff(x) <= 0.75 * math.log(delta) + 2
    loss = composed(noise, rate, count).reverse()
    assert answer.is_milder(loss, ends.upper, min(1.0, delta * 1e4))
    assert not answer.is_milder(loss, 0.5 * ends.lower, delta * 1e-3) or ends.lower == 0


def test_one_step_against_its_formula() -> None:
    """What marks leave out is a sum with a kink at x: on a coarse grid it was 5 % too small, and
    the upper end of ε below the truth in its 14th digit."""
    step = hs.Gaussian(7.117664269761031).on(hs.WithoutReplacement(2167, 10_000))
    found, truth = (
        step.epsilon(4.778719285862129e-10, relation=hs.ADD_REMOVE, method=each)
        for each in ("contour", "closed form")
    )
    assert found.lower <= truth.lower <= truth.upper <= found.upper
    assert found.upper - found.lower < 1e-11


@pytest.mark.slow
@pytest.mark.parametrize(
    ("noise", "rate", "count", "epsilon", "lower", "upper"),
    [
        # δ is about 1 below the mean loss; proven ends of the last.
        (0.0723, 0.6251, 20_694, 939477.4, 1 - 1e-12, 1.0),
        (0.1, 0.9, 100_000, 4020757.66, 1 - 1e-12, 1.0),
        (0.1, 0.9, 100_000, 4467508.51, 0.4990789953700121, 0.49907899537001826),
    ],
)
def test_records_that_are_often_sampled_with_little_noise(
    noise: float, rate: float, count: int, epsilon: float, lower: float, upper: float
) -> None:
    """Steps that do not sample a record are below the path: they count where the line ends."""
    law = answer.steps_of(composed(noise, rate, count))
    assert law is not None
    with contextlib.suppress(NumericalError):
        found = answer.delta(law, epsilon)
        assert found.lower <= upper
        assert found.upper >= lower
    answered = (hs.Gaussian(noise).on(hs.Poisson(rate)) * count).delta(epsilon)
    assert answered.lower <= upper
    assert answered.upper >= lower
    assert answered.upper - answered.lower < 1e-6


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rate", "proven"), [(1e-8, 0.00065676839769297), (1e-7, 0.010120695869550533)]
)
def test_a_billion_rare_steps_are_rounded_and_still_answered(rate: float, proven: float) -> None:
    """Once left to a grid, whose ends were 0 and 0.0036: a line that is no better than 1e-5 is
    taken where nothing else is. Proven by certified answers."""
    found = (hs.Gaussian(1).on(hs.Poisson(rate)) * 10**9).epsilon(1e-5)
    assert found.lower <= proven <= found.upper <= 1.0001 * found.lower


def test_outcomes_that_are_rounded_are_charged() -> None:
    """Much noise on rare samples: outcomes are differences of logarithms over a small shift. Once
    1e-12 of δ too small, as proven ends told."""
    pytest.importorskip("flint")
    run = hs.Gaussian(9.124229214494008).on(hs.Poisson(0.0001705427281246179)) * 2532
    truth = run.delta(0.0024809216764250792, certify=True)
    found = run.delta(0.0024809216764250792, method="contour")
    assert found.lower <= truth.lower <= truth.upper <= found.upper
    assert found.upper - found.lower < 1e-8 * truth

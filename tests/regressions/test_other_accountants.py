"""What other accountants got wrong, the extremes, and what must be refused."""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest

import hockeystick as hs
from hockeystick.errors import ParameterError
from hockeystick.evidence import Evidence
from hockeystick.loss.atoms import AtomicLoss
from hockeystick.samplers.without_replacement import fixed_size_loss

ON = hs.Poisson
LN3 = math.log(3)

EPSILONS: list[tuple[str, hs.Mechanism, float, float, float]] = [
    # what went wrong elsewhere, the run, δ, the true ε, how many digits of it are known (relative)
    ("the count is forgotten", hs.RandomizedResponse(LN3) * 100, 1e-6, 94.28986789292, 1e-11),
    ("a limit theorem is below", hs.Gaussian(3.0).on(ON(0.2)) * 50, 1 / 48000, 1.960811339, 1e-9),
    ("negative", hs.Gaussian(1.0).on(ON(0.01)) * 100, 0.9, 0.0, 0.0),
    ("negative at one step", hs.Gaussian(1.0).on(ON(0.01)), 0.5, 0.0, 0.0),
    ("raises", hs.Gaussian(4.0).on(ON(0.00033)) * 10_000, 1e-18, 0.0673133, 1e-6),
    ("jumps", hs.Gaussian(4.0).on(ON(0.00033)) * 10_000, 1e-12, 0.051084235793, 1e-10),
    ("end of the order grid", hs.Gaussian(100.0).on(ON(1.0)), 1e-5, 0.02721942, 1e-6),
    ("not private enough for ε = 0", hs.Gaussian(1.0).on(ON(0.00105)), 1e-3, 0.0, 0.0),
    ("59 seconds and 2.8 GB", hs.Gaussian(0.03), 1e-5, 696.778, 1e-6),
    ("plain", hs.Gaussian(1.0), 1e-5, 4.377178096, 1e-9),
    ("plain, composed", hs.Gaussian(20.0) * 400, 1e-5, 4.377178096, 1e-9),
    ("600 000 steps", hs.Gaussian(1.0).on(ON(0.001)) * 600_000, 1e-8, 5.912238944, 1e-9),
    ("600 000 quieter steps", hs.Gaussian(5.0).on(ON(0.001)) * 600_000, 1e-8, 0.789128620, 1e-8),
    ("an epoch of MNIST", hs.Gaussian(1.1).on(ON(256 / 60000)) * 14063, 1e-5, 2.381689726, 1e-9),
    ("little noise", hs.Gaussian(0.5).on(ON(0.01)) * 1000, 1e-5, 13.360823985, 1e-9),
    ("δ = 1e-12", hs.Gaussian(1.0).on(ON(0.01)) * 1000, 1e-12, 3.914298156, 1e-9),
    ("δ = 1e-15", hs.Gaussian(1.0).on(ON(0.01)) * 1000, 1e-15, 4.854537751, 1e-9),
    ("δ = 1e-20", hs.Gaussian(1.0).on(ON(0.01)) * 1000, 1e-20, 6.361700204, 1e-9),
    ("δ = 1e-30", hs.Gaussian(1.0).on(ON(0.01)) * 1000, 1e-30, 9.341895633, 1e-9),
    ("sampled Laplace", hs.Laplace(2.0).on(ON(0.001)) * 600_000, 1e-8, 1.932292415, 1e-9),
    ("loud sampled Laplace", hs.Laplace(0.5).on(ON(0.001)) * 600_000, 1e-8, 9.402497251, 1e-9),
    ("one Laplace", hs.Laplace(1.0), 0.1, 0.789278969, 1e-8),
    ("10 000 steps", hs.Gaussian(1.0).on(ON(0.01)) * 10_000, 1e-5, 6.187712390, 1e-9),
]


@pytest.mark.parametrize(
    ("run", "delta", "truth", "rel"), [c[1:] for c in EPSILONS], ids=[c[0] for c in EPSILONS]
)
def test_epsilon(run: hs.Mechanism, delta: float, truth: float, rel: float) -> None:
    answer = run.epsilon(delta)
    assert answer.lower <= truth * (1 + rel)
    assert truth * (1 - rel) <= answer.upper
    assert answer == pytest.approx(truth, rel=2 * rel, abs=0)


@pytest.mark.slow
def test_a_thousand_different_mechanisms() -> None:
    run = sum(
        (hs.Gaussian(1 + 0.001 * i).on(ON(0.005)) * 10 for i in range(1000)), start=hs.Composition()
    )
    assert run.epsilon(1e-6) == pytest.approx(1.892553, abs=1e-6)


def test_repeats_cost_like_the_sum_of_repeats() -> None:
    one = hs.RandomizedResponse(LN3)
    assert (one * 100).epsilon(1e-6) == sum([one] * 100, start=one * 0).epsilon(1e-6)
    one = hs.RandomizedResponse.truthful(0.75, categories=3)
    assert (one * 10).epsilon(0) == pytest.approx(10 * one.epsilon(0), rel=1e-12)


def test_replacing_a_record_moves_the_query_twice_as_far() -> None:
    exact = hs.Gaussian(1.0).epsilon(1e-5, relation=hs.REPLACE_ONE)
    assert exact == pytest.approx(9.99725615, rel=1e-8)
    assert exact == hs.Gaussian(0.5).epsilon(1e-5)
    told = hs.Gaussian(1.0, replace_sensitivity=1.0)
    assert told.epsilon(1e-5, relation=hs.REPLACE_ONE) == hs.Gaussian(1.0).epsilon(1e-5)
    assert hs.Gaussian(1.0).epsilon(1e-5, relation=hs.ZERO_OUT) == hs.Gaussian(1.0).epsilon(1e-5)


def test_replacing_under_poisson_costs_more_than_removing() -> None:
    step = hs.Gaussian(1.0).on(ON(0.1))
    assert step.epsilon(1e-5, relation=hs.REPLACE_ONE).lower > step.epsilon(1e-5)


def test_a_whole_composition_on_one_sample_is_amplified_once() -> None:
    """Amplifying each part would count the one sample twice."""
    both = (hs.Gaussian(1.0) + hs.Laplace(1.0)).on(ON(0.1))
    apart = hs.Gaussian(1.0).on(ON(0.1)) + hs.Laplace(1.0).on(ON(0.1))
    assert both.epsilon(1e-5).lower > apart.epsilon(1e-5)


def test_almost_nothing_at_one_step() -> None:
    assert hs.Gaussian(1.0).on(ON(0.00105)).delta(0.0) == pytest.approx(4.02e-4, rel=1e-3)


def test_little_laplace_noise() -> None:
    """δ = 1e-6 is worth less than 3e-6 here: just below the largest loss."""
    answer = hs.Laplace(0.001).epsilon(1e-6)
    assert 999.99 < answer.lower <= answer < 1000


@pytest.mark.parametrize("count", [100, 1000])
def test_little_gaussian_noise_on_a_sample(count: int) -> None:
    """σ = 0.05: each step either gives the record away (loss about 200) or nearly nothing."""
    answer = (hs.Gaussian(0.05).on(ON(0.01)) * count).epsilon(1e-5)
    if count == 100:
        assert 1400 < answer.lower <= answer < 1500
    assert answer.lower >= 0.99 * answer


# Extremes ---------------------------------------------------------------------------------------

NOISY: list[Callable[[float], hs.Mechanism]] = [
    hs.Gaussian,
    hs.Laplace,
    hs.DiscreteGaussian,
    hs.DiscreteLaplace,
]
LOUD: list[Callable[[float], hs.Mechanism]] = [
    hs.RandomizedResponse,
    hs.ExponentialMechanism,
    hs.PureDP,
]
noisy = pytest.mark.parametrize("kind", NOISY, ids=lambda kind: kind.__name__)
loud = pytest.mark.parametrize("kind", LOUD, ids=lambda kind: kind.__name__)


@noisy
@pytest.mark.parametrize("noise", [0.0, 5e-324, 1e-200])
def test_no_noise_reveals_everything(kind: Callable[[float], hs.Mechanism], noise: float) -> None:
    for run in (kind(noise), kind(noise) * 7, kind(noise) + hs.Gaussian(1.0)):
        assert run.epsilon(1e-5) == math.inf
        assert run.epsilon(0.999) == math.inf
        assert run.epsilon(1) == 0.0
        assert run.delta(1000.0) == 1.0
        assert run.rdp(2.0) == math.inf


@noisy
def test_no_noise_on_a_sample(kind: Callable[[float], hs.Mechanism]) -> None:
    """The record is in the sample, and then it is seen, with probability exactly the rate."""
    run = kind(0.0).on(ON(0.01))
    assert run.epsilon(0.005) == math.inf
    assert run.delta(50.0) == pytest.approx(0.01, rel=1e-12)
    assert (run * 2).delta(50.0) == pytest.approx(1 - 0.99**2, rel=1e-12)


@noisy
def test_infinite_noise_reveals_nothing(kind: Callable[[float], hs.Mechanism]) -> None:
    for run in (kind(math.inf), kind(math.inf) * 1000, kind(math.inf).on(ON(0.5)) * 3):
        assert run.epsilon(1e-300) == run.epsilon(0) == 0.0
        assert run.delta(0.0) == 0.0
        assert run.rdp(2.0) == run.rdp(1.0) == run.rdp(math.inf) == 0
    assert (kind(math.inf) * 9 + hs.Gaussian(1.0)).epsilon(1e-5) == pytest.approx(
        hs.Gaussian(1.0).epsilon(1e-5), rel=1e-9
    )


@loud
def test_ends_of_declared_epsilon(kind: Callable[[float], hs.Mechanism]) -> None:
    assert (kind(0.0) * 5).epsilon(0) == 0.0
    assert (kind(0.0) * 5).delta(0.0) == 0.0
    assert kind(math.inf).epsilon(0.5) == math.inf
    assert (kind(math.inf) * 5).delta(10.0) == 1.0


MECHANISMS = [
    hs.Gaussian(1.0),
    hs.Laplace(2.0),
    hs.DiscreteGaussian(1.0),
    hs.DiscreteLaplace(2.0),
    hs.RandomizedResponse(1.0),
    hs.ExponentialMechanism(1.0),
    hs.PureDP(1.0),
    hs.ApproximateDP(1.0, 1e-6),
    hs.ProfileDP({0.0: 0.1, 1.0: 0.0}),
]


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=repr)
def test_extremes_of_rate_count_and_delta(mechanism: hs.Mechanism) -> None:
    never, always = mechanism.on(ON(0.0)), mechanism.on(ON(1.0))
    assert never.epsilon(0) == never.delta(0.0) == (never * 1000).epsilon(0) == 0.0
    assert always.epsilon(1e-3) == mechanism.epsilon(1e-3)
    assert always.epsilon(0) == mechanism.epsilon(0)
    assert (mechanism * 0).epsilon(0) == (mechanism * 0).delta(0.0) == 0.0
    assert mechanism.epsilon(1) == (mechanism * 3).epsilon(1.0) == 0.0
    assert mechanism.epsilon(0.999) == 0.0


@pytest.mark.parametrize(
    ("run", "largest"),
    [
        (hs.Gaussian(1.0), math.inf),
        (hs.Gaussian(1.0).on(ON(0.1)) * 3, math.inf),
        (hs.DiscreteGaussian(1.0), math.inf),
        (hs.Laplace(1.0), 1.0),
        (hs.Laplace(1.0) * 10, 10.0),
        (hs.Laplace(1.0).on(ON(0.1)), math.log(0.9 + 0.1 * math.e)),
        (hs.DiscreteLaplace(0.5) * 3, 6.0),
        (hs.RandomizedResponse(0.5) * 7, 3.5),
        (hs.ExponentialMechanism(0.3), 0.3),
        (hs.PureDP(0.1) * 30, 3.0),
        (hs.ApproximateDP(1.0, 1e-6), math.inf),
        (hs.ApproximateDP(1.0, 0.0), 1.0),
    ],
    ids=repr,
)
def test_delta_zero_is_the_largest_loss(run: hs.Mechanism, largest: float) -> None:
    assert run.epsilon(0) == pytest.approx(largest, rel=1e-14)
    assert run.rdp(math.inf) == pytest.approx(largest, rel=1e-12)


def test_smallest_and_largest_of_everything() -> None:
    assert hs.Gaussian(1.0).delta(math.inf) == 0.0
    assert hs.Gaussian(1e-3).delta(0.0) == pytest.approx(1, rel=1e-12)
    assert 0 < hs.Gaussian(1e6).epsilon(1e-300) < 1e-3
    assert 0 < hs.Gaussian(1e6).delta(1e-9) < 1e-6
    assert hs.Gaussian(1.0).epsilon(5e-324) < 50
    assert hs.Gaussian(1.0).delta(60.0) > 0 or hs.Gaussian(1.0).delta(60.0).upper >= 5e-324


# Refusals ---------------------------------------------------------------------------------------

NAN, INF = math.nan, math.inf
MECHANISM = hs.Gaussian(1.0)
REFUSED: list[tuple[str, Callable[[Any], Any], list[Any]]] = [
    # the parameter that the message must name, the call, the values
    ("noise_multiplier", hs.Gaussian, [NAN, -1.0, -INF, True, "1", None, 1j]),
    ("noise_multiplier", hs.Laplace, [NAN, -1.0, False, "1"]),
    ("noise_multiplier", hs.DiscreteGaussian, [NAN, -1.0, True, "1"]),
    ("noise_multiplier", hs.DiscreteLaplace, [NAN, -1.0, True, "1"]),
    ("replace_sensitivity", lambda x: hs.Gaussian(1.0, replace_sensitivity=x), [NAN, 0.0, INF, -1]),
    ("sensitivity", lambda x: hs.DiscreteLaplace(1.0, sensitivity=x), [0, 1.5, True, NAN, "2"]),
    ("epsilon", hs.RandomizedResponse, [NAN, -0.1, True, "1"]),
    ("categories", lambda x: hs.RandomizedResponse(1.0, categories=x), [1, 2.0, True, "3"]),
    ("probability_of_truth", hs.RandomizedResponse.truthful, [NAN, 0.4, 1.1, -1, True]),
    ("epsilon", hs.ExponentialMechanism, [NAN, -0.1, True, "1"]),
    ("epsilon", hs.PureDP, [NAN, -0.1, True, "1"]),
    ("epsilon", lambda x: hs.ApproximateDP(x, 0.1), [NAN, -0.1, True, "1"]),
    ("delta", lambda x: hs.ApproximateDP(1.0, x), [NAN, -0.1, 1.1, True, "0"]),
    ("rho", hs.ZeroConcentratedDP, [NAN, INF, -1.0, True]),
    ("xi", lambda x: hs.ZeroConcentratedDP(1.0, x), [NAN, INF, -1.0, True]),
    ("rho", lambda x: hs.TruncatedConcentratedDP(x, 10.0), [NAN, INF, -1.0, True]),
    ("omega", lambda x: hs.TruncatedConcentratedDP(1.0, x), [NAN, 1.0, 0.0, True]),
    ("order", lambda x: hs.RenyiDP({x: 1.0}), [NAN, 1.0, 0.5, -2.0]),
    ("epsilon", lambda x: hs.RenyiDP({2.0: x}), [NAN, -1.0, True]),
    ("epsilon", lambda x: hs.ProfileDP({x: 0.1}), [NAN, INF, -1.0]),
    ("delta", lambda x: hs.ProfileDP({1.0: x}), [NAN, 1.5, -0.1]),
    ("rate", hs.Poisson, [NAN, INF, -0.1, 1.5, True, "0.1", None]),
    ("count", lambda x: MECHANISM * x, [-1, 1.5, 2.0, True, NAN, "2", None]),
    ("delta", lambda x: MECHANISM.epsilon(x), [NAN, INF, -1e-9, 1.5, True, "0", None]),
    ("delta", lambda x: MECHANISM.epsilons(x, [1, 2]), [NAN, -0.1, 1.5, True]),
    ("count", lambda x: MECHANISM.epsilons(1e-5, [x]), [-1, 1.5, True, NAN]),
    ("epsilon", lambda x: MECHANISM.delta(x), [NAN, -1.0, -INF, True, "1", None]),
    ("epsilon", lambda x: MECHANISM.profile([0.5, x]), [NAN, -1.0]),
    ("alpha", lambda x: MECHANISM.tradeoff([0.5, x]), [NAN, -0.1, 1.5]),
    ("order", lambda x: MECHANISM.rdp(x), [NAN, -0.5, -1.0, [2.0, NAN]]),
    ("method", lambda x: MECHANISM.epsilon(0.1, method=x), ["", "Contour", "fft", None, 3]),
    ("relation", lambda x: MECHANISM.epsilon(0.1, relation=x), ["ADD_REMOVE", 1, True]),
    ("relation", lambda x: MECHANISM.delta(0.1, relation=x), ["REPLACE_ONE"]),
    ("curve", hs.RenyiDP, [1.0, "x", None, {}]),
    ("profile", hs.ProfileDP, [1.0, "x", None, {}]),
]
DOMAIN = ("in [", "in (", "integer >=", "one of", "ADD_REMOVE", "a function", "at least")


@pytest.mark.parametrize(
    ("name", "call", "value"),
    [
        pytest.param(name, call, value, id=f"{i}-{name}-{value!r}")
        for i, (name, call, values) in enumerate(REFUSED)
        for value in values
    ],
)
def test_refused(name: str, call: Callable[[Any], Any], value: Any) -> None:
    """Never an answer: and the message names the parameter, its domain and what was given."""
    with pytest.raises(hs.ParameterError) as caught:
        call(value)
    text = str(caught.value)
    assert name in text
    assert any(words in text for words in DOMAIN)
    given = value[-1] if isinstance(value, list) else value
    assert repr(given) in text or (isinstance(given, dict) and "empty" in text)


@pytest.mark.parametrize("other", [1, 2.0, "Gaussian(1)", None])
def test_only_mechanisms_are_added(other: Any) -> None:
    with pytest.raises(TypeError):
        MECHANISM + other
    if other != 0:
        with pytest.raises(TypeError):
            other + MECHANISM


def test_numpy_numbers_are_numbers() -> None:
    assert hs.Gaussian(np.float64(2.0)) == hs.Gaussian(2.0)
    three: Any = np.int64(3)
    assert MECHANISM * three == MECHANISM * 3
    assert MECHANISM.epsilon(np.float64(1e-5)) == MECHANISM.epsilon(1e-5)
    assert hs.Gaussian(2) == hs.Gaussian(2.0)


@pytest.mark.parametrize(
    "run",
    [
        pytest.param(hs.Gaussian(0.1).on(hs.Poisson(0.1)) * 10, marks=pytest.mark.slow),
        hs.Gaussian(0.01),
        hs.Gaussian(1.0) * 10,
    ],
    ids=repr,
)
def test_the_renyi_route_is_above_the_truth_where_losses_are_large(run: hs.Mechanism) -> None:
    """Events with q below the least float were taken for impossible; coarse grids missed peaks."""
    truth = run.epsilon(1e-5).lower
    assert truth <= run.epsilon(1e-5, method="renyi") <= 1.2 * truth
    for epsilon in (0.5, 5.0):
        assert run.delta(epsilon).lower <= run.delta(epsilon, method="renyi")


def test_calibration_meets_the_target_both_ways_and_does_not_walk_away() -> None:
    found = hs.calibrate(
        lambda sigma: hs.Gaussian(sigma).on(hs.Poisson(0.16)) * 249, epsilon=20, delta=1e-5
    )
    assert 20 * (1 - 1e-8) <= found.epsilon(1e-5) <= 20
    assert found.delta(20) <= 1e-5


@pytest.mark.slow
@pytest.mark.parametrize("count", [2, 3, 6])
def test_the_curve_of_few_fixed_size_steps(count: int) -> None:
    """A first guess that had gone astray ended in a ValueError or in overflow."""
    for step in (
        hs.Laplace(2, replace_sensitivity=1).on(hs.WithoutReplacement(1, 2)),
        hs.Gaussian(1, replace_sensitivity=1).on(hs.WithoutReplacement(60, 60_000)),
    ):
        (found,) = step.epsilons(1e-8, [count])
        assert found == pytest.approx((step * count).epsilon(1e-8), rel=1e-3)


def test_one_step_of_fixed_size_attains_the_divergence_of_a_pair_only() -> None:
    """Each point of the profile is attained, by different data; the divergence is not."""
    step = hs.RandomizedResponse.truthful(0.9).on(hs.WithoutReplacement(1, 1000))
    found = step.rdp(10)
    pair = sum(
        math.comb(10, j)
        * 0.999 ** (10 - j)
        * 0.001**j
        * (0.9**j * 0.1 ** (1 - j) + 0.1**j * 0.9 ** (1 - j))
        for j in range(11)
    )
    assert found.lower == pytest.approx(math.log(pair) / 9, rel=1e-9)
    assert found.lower < found.upper


def test_rare_events_count_in_the_renyi_route() -> None:
    """Of a record that is rarely drawn and then given away: δ is the rate at every such ε."""
    step = hs.PureDP(60.0).on(hs.Poisson(1e-5))
    truth = step.delta(30.0)
    assert truth.lower == pytest.approx(1e-5, rel=1e-6)
    assert truth.lower <= step.delta(30.0, method="renyi") <= 1.001 * truth


def test_moments_that_end_are_infinite_in_an_allocation() -> None:
    """Means of gamma laws are gamma laws: their Rényi divergences end, at a later order."""
    draw = hs.GammaPosterior.public_rate(2, largest=1)
    together = hs.GammaPosterior.public_rate(4, largest=1)
    orders = np.array([1.5, 2.0, 3.0, 4.6, 5.5, 50.0])
    epoch = draw.on(hs.RandomAllocation(2)).rdp(orders)
    assert (np.asarray(epoch) >= np.asarray(together.rdp(orders).lower) * (1 - 1e-9)).all()
    assert epoch[-1] == math.inf


def test_a_record_that_every_draw_hits() -> None:
    step = hs.Laplace(0.05).on(hs.WithReplacement(10, 1000))
    attained = 10 * math.log(0.999 + 0.001 * math.exp(40))
    assert attained <= step.rdp(math.inf) < 400
    curve = np.asarray(step.rdp([2.0, 1e6, math.inf]))
    assert (np.diff(curve) >= 0).all()


@pytest.mark.slow
def test_a_profile_steeper_than_any_mechanism_is_taken_for_the_largest_below_it() -> None:
    steep = hs.ProfileDP(lambda epsilon: 0.9 * math.exp(-10 * epsilon))
    start = min((2 * 0.9 * a**-10 + a - 1) / (a + 1) for a in np.linspace(1, 2, 100_001))
    for end in (steep.delta(0).lower, steep.delta(0).upper):
        assert end == pytest.approx(start, rel=1e-8)
    two = (steep * 2).delta(0.5)
    assert 0 < two.lower <= two.upper < 2 * start


def test_a_profile_that_calls_exp() -> None:
    profile = hs.ProfileDP(lambda e: max(0.0, 0.1 - 0.1 * math.expm1(e) / math.expm1(1)))
    assert profile.delta(0.3) == pytest.approx(0.1 - 0.1 * math.expm1(0.3) / math.expm1(1))


def test_large_orders_do_not_spoil_small_ones() -> None:
    step = hs.Gaussian(1).on(hs.Poisson(0.01))
    together = step.rdp([2.0, 1e6], relation=hs.REPLACE_ONE)
    assert together[0] == step.rdp(2.0, relation=hs.REPLACE_ONE)
    assert hs.Laplace(1.0).rdp([1.001, 1e6])[0] == pytest.approx(hs.Laplace(1.0).rdp(1.001))


def test_calibration_where_every_count_meets_the_budget_says_so() -> None:
    """The end of the domain is not an answer: it is far from the budget."""

    def sampled(size: int) -> hs.Mechanism:
        return hs.Gaussian(30.0).on(hs.WithoutReplacement(size, 1000))

    with pytest.raises(ParameterError, match="every parameter from 1 to 1000 meets epsilon = 1"):
        hs.calibrate(sampled, epsilon=1, delta=1e-5, integer=True)
    gaussian = hs.calibrate(hs.Gaussian, epsilon=0, delta=1e-5)
    assert gaussian.noise_multiplier == pytest.approx(
        0.5 / NormalDist().inv_cdf((1 + 1e-5) / 2), rel=1e-6
    )


def test_zeroing_out_an_asymmetric_release_on_a_fixed_size_sample() -> None:
    """What a data set of equal records costs, the record zeroed out or not, in either direction."""

    class Lopsided(hs.Mechanism):
        """(0.01, 0.99) with the record, (0.5, 0.5) without it."""

        def evidence(self, relation: hs.Relation, steps: int = 1) -> Evidence:
            ratio = np.log(np.array([0.01 / 0.5, 0.99 / 0.5]))
            if relation is hs.REPLACE_ONE:  # as far apart, both ways
                ratio = np.array([-math.log(50), math.log(50)])
                return Evidence((AtomicLoss(ratio, np.log([50 / 51, 1 / 51]), symmetric=True),))
            return Evidence((AtomicLoss(ratio, np.log([0.5, 0.5])),))

    with_it, without = np.array([0.01, 0.99]), np.array([0.5, 0.5])
    mixed = 0.7 * without + 0.3 * with_it
    loss = fixed_size_loss(Lopsided(), hs.ZERO_OUT, 0.3)
    for p, q, profile in (
        (mixed, without, loss.profile),
        (without, mixed, loss.reverse_profile),
    ):
        for epsilon in (0.0, 0.1, 0.2, 1.0):
            attained = np.maximum(p - math.exp(epsilon) * q, 0).sum()
            assert attained <= profile(np.array([epsilon]))[0] + 1e-12

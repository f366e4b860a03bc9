"""Atoms off any lattice: the smoothed contour against every outcome, one by one."""

from __future__ import annotations

import math
import random
import tracemalloc

import mpmath
import numpy as np
import pytest

import hockeystick as hs
from hockeystick import questions
from hockeystick.errors import NumericalError
from hockeystick.loss.atoms import AtomicLoss
from hockeystick.loss.sum import ComposedLoss
from hockeystick.routes.adding import route as adding
from hockeystick.routes.grid import route as grid
from hockeystick.routes.smoothed import nodes as nodes_module
from hockeystick.routes.smoothed import route as smoothed
from hockeystick.routes.smoothed.atoms import AtomicSum
from tests.oracles.atomic_sums import ListedSum

ON = hs.Poisson


def directions(mechanism: hs.Mechanism) -> list[ComposedLoss]:
    return questions.dominating(questions.parts_of(mechanism, hs.ADD_REMOVE))[0]


def random_loss(draw: random.Random) -> AtomicLoss:
    """Two to four atoms, on a Poisson sample, in either direction."""
    size = draw.randint(2, 4)
    losses = np.array([draw.uniform(-1.5, 1.5) for _ in range(size)])
    masses = np.array([draw.expovariate(1) for _ in range(size)])
    masses /= masses.sum()
    losses -= math.log(float(masses @ np.exp(losses)))
    rate = 10 ** draw.uniform(-2, 0)
    infinite = draw.choice([0.0, 0.0, 1e-9])
    mixed = np.log1p(rate * np.expm1(losses)) + math.log1p(-infinite)
    law = AtomicLoss(mixed, np.log(masses), infinite=infinite)
    other = law.reverse()
    assert isinstance(other, AtomicLoss)
    return draw.choice([law, other])


def random_sum(draw: random.Random) -> ComposedLoss:
    if draw.random() < 0.7:
        loss = random_loss(draw)
        most = {2: 60, 3: 40, 4: 18}[loss.atoms.losses.size]
        return ComposedLoss([(loss, draw.randint(3, most))])
    return ComposedLoss([(random_loss(draw), draw.randint(2, 6)) for _ in range(2)])


def check(loss: ComposedLoss, delta: float) -> float:
    """The distance of the ends, which hold the truth."""
    if delta <= loss.infinite:
        return 0.0
    listed = ListedSum(loss)
    with mpmath.workdps(60):
        finite = mpmath.mpf(delta) - mpmath.mpf(loss.infinite)
        truth = listed.epsilon(finite)
        answer = smoothed.epsilon(loss, delta)
        assert answer.lower <= truth <= answer.upper
        there = smoothed.delta(loss, float(truth))
        exact = listed.delta(float(truth)) + mpmath.mpf(loss.infinite)
        assert there.lower <= exact <= there.upper
    return answer.upper - answer.lower


def test_both_ends_hold_every_outcome() -> None:
    draw, widths = random.Random(1), []
    for _ in range(12):
        try:
            widths.append(check(random_sum(draw), 10 ** -draw.choice([2, 4, 7, 12, 30])))
        except NumericalError:
            continue
    assert len(widths) >= 8
    assert np.median(widths) < 1e-7  # few steps are wide beside a heavy atom, others are not


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 12))
def test_both_ends_hold_every_outcome_at_length(seed: int) -> None:
    draw, answered = random.Random(seed), 0
    for _ in range(25):
        try:
            check(random_sum(draw), 10 ** -draw.uniform(1, 30))
            answered += 1
        except NumericalError:
            continue
    assert answered >= 15


def test_what_smoothing_adds_is_between_its_bounds() -> None:
    """E[(1 − e^{−x−W})₊] against τ²·e^{−x/2}·n_τ(x), in 30 digits."""
    with mpmath.workdps(30):
        for width in (0.01, 0.3, 1.5):
            tau = mpmath.mpf(width)
            for place in (-5, -2, -0.5, -0.01, 0, 0.01, 0.5, 2, 5):
                x = place * tau
                # A put of strike 1 on e^{−x}, whose logarithm has the variance τ².
                put = mpmath.ncdf(x / tau + tau / 2) - mpmath.exp(-x) * mpmath.ncdf(
                    x / tau - tau / 2
                )
                more = put - max(1 - mpmath.exp(-x), 0)
                most = tau**2 * mpmath.exp(-x / 2) * mpmath.npdf(x, 0, tau)
                assert -(mpmath.mpf(10) ** -25) <= more <= most


def test_nodes_that_are_ruled_out_are_small() -> None:
    loss = directions(hs.DiscreteGaussian(1.0).on(ON(0.3)) * 700)[0].truncated(1e-15)
    steps = AtomicSum(loss).tilted(2.0)
    step, count, nats = 0.002, 60_000, 30.0
    some = nodes_module.nodes_of(steps, step, count, nats)
    (each,) = steps
    everything = each.at(step * np.arange(count)) ** each.count
    assert 10 < some.places.size < count / 4
    assert np.allclose(some.values, everything[some.places], atol=1e-12)
    others = np.setdiff1d(np.arange(count), some.places)
    assert np.abs(everything[others]).max() <= math.exp(-nats) + 1e-14
    assert others.size <= some.skipped
    assert (1 / others.astype(float) ** 2).sum() <= some.skipped_squares
    few = nodes_module.nodes_of(steps, step, count // 30, nats)  # of so few all are computed
    left_out = np.setdiff1d(np.arange(count // 30), few.places)
    assert few.places.size > 10
    assert left_out.size == few.skipped > 10
    assert np.abs(everything[left_out]).max() <= math.exp(-nats) + 1e-14
    assert few.skipped_squares == pytest.approx((1 / left_out.astype(float) ** 2).sum())


CASES = [
    (hs.RandomizedResponse(1.0, 4).on(ON(0.1)) * 100, 1e-6, 4.2336793707),
    (hs.RandomizedResponse(1.0, 4).on(ON(0.01)) * 10**5, 1e-6, 15.6169238228),
    (hs.RandomizedResponse(1.0, 4).on(ON(0.01)) * 10**6, 1e-6, 74.380778146),
    (hs.ApproximateDP(0.5, 1e-10).on(ON(0.01)) * 10**4, 1e-6, 2.28853617234),
    (hs.DiscreteLaplace(2.0, 3).on(ON(0.1)) * 100, 1e-6, 2.16443506808),
    (hs.DiscreteGaussian(1.0).on(ON(0.01)) * 10, 1e-6, 0.60633343),
    (hs.DiscreteGaussian(1.0).on(ON(0.01)) * 1000, 1e-6, 2.1245228047),
    (hs.DiscreteGaussian(20.0).on(ON(0.1)) * 12, 1e-6, 0.0623508973),
    (hs.DiscreteGaussian(5.0).on(ON(0.2)) * 100, 1e-30, 5.01849495),
    (
        hs.RandomizedResponse(1.0).on(ON(0.01)) * 500
        + hs.RandomizedResponse(0.5).on(ON(0.02)) * 700,
        1e-6,
        1.56929196464,
    ),
]


@pytest.mark.parametrize(("run", "delta", "near"), CASES, ids=[repr(case[0]) for case in CASES])
def test_the_ends_are_close_and_take_little_memory(
    run: hs.Mechanism, delta: float, near: float
) -> None:
    tracemalloc.start()
    try:
        answer = run.epsilon(delta)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert answer.upper - answer.lower < 1e-7
    assert answer == pytest.approx(near, abs=5e-8)
    assert peak < 150e6


@pytest.mark.slow
@pytest.mark.parametrize("run", [case[0] for case in CASES[3:6]], ids=repr)
def test_a_delta_next_to_the_mass_at_infinity(run: hs.Mechanism) -> None:
    """ε grows without a jump until no δ is left; the other routes agree on the way."""
    last = 0.0
    for loss in directions(run):
        for more in (1e-3, 1e-6, 1e-9, 1e-14):
            answer = smoothed.epsilon(loss, loss.infinite + more)
            assert answer.lower <= answer.upper
            assert answer.upper >= last
            last = answer.lower
        last = 0.0


@pytest.mark.slow
def test_kinks_below_the_largest_loss() -> None:
    """Where log δ is steep on one side of an atom and flat on the other; truths by enumeration."""
    losses = [0.3445598614714595, 0.8482768802158338, 0.3643864933512841, -5.6610750515107e-07]
    log_p = [-21.126886279337327, -17.854189555037603, -13.216586179295252, -1.8384502658204837e-06]
    law = AtomicLoss(losses, np.subtract(log_p, losses))
    loss, delta = ComposedLoss([(law, 3)]), 5.210552269193495e-22
    truth = ListedSum(loss).epsilon(delta)
    for route in (adding, smoothed):
        answer = route.epsilon(loss, delta)
        assert answer.lower <= truth <= answer.upper
    assert adding.epsilon(loss, delta).upper == pytest.approx(float(truth), abs=1e-9)
    assert (hs.DiscreteGaussian(1 / 3).on(ON(0.1)) * 2).epsilon(1e-22) > 0.2107208789678


@pytest.mark.slow
def test_the_grid_and_adding_up_say_the_same() -> None:
    draw = random.Random(5)
    compared = 0
    for _ in range(150):
        rate, steps = 10 ** draw.uniform(-3, -0.3), int(10 ** draw.uniform(0.5, 3.5))
        kind = draw.choice(
            [
                hs.DiscreteGaussian(10 ** draw.uniform(-0.3, 1.2)),
                hs.RandomizedResponse(draw.uniform(0.1, 3), draw.randint(3, 8)),
                hs.ApproximateDP(draw.uniform(0.05, 2), 1e-12),
                hs.DiscreteLaplace(10 ** draw.uniform(-0.3, 1), draw.randint(2, 4)),
            ]
        )
        delta = 10 ** draw.uniform(-12, -2)
        loss = draw.choice(directions(kind.on(ON(rate)) * steps))
        if delta <= loss.infinite or loss.top <= 0:
            continue
        for route in (adding, grid) if adding.is_small(loss) else (grid,):
            try:
                one, other = smoothed.epsilon(loss, delta), route.epsilon(loss, delta)
            except NumericalError:
                continue
            assert one.lower <= other.upper
            assert other.lower <= one.upper
            compared += 1
    assert compared > 100


def test_more_steps_cost_more() -> None:
    step = hs.RandomizedResponse(1.0, 4).on(ON(0.05))
    costs = [(step * n).epsilon(1e-6) for n in (2, 5, 12, 30, 80, 200, 500, 1200, 3000, 8000)]
    assert all(np.diff(costs) > 0)


def test_aliases_that_nearly_cancel_are_charged() -> None:
    """Those of P and of Q are each 6e4 times their difference from δ."""
    e, q, epsilon = (
        mpmath.mpf(1.6280719449450187),
        mpmath.mpf(0.00018196514867693014),
        0.004796368809770657,
    )
    run = hs.RandomizedResponse(float(e), categories=5).on(ON(float(q))) * 14
    with mpmath.workdps(40):
        total = mpmath.exp(e) + 4
        other = [1 / total, mpmath.exp(e) / total, 3 / total]
        one = [
            (1 - q) * b + q * a for a, b in zip((other[1], other[0], other[2]), other, strict=True)
        ]
        truth = mpmath.mpf(0)
        for i in range(15):
            for j in range(15 - i):
                ways = math.comb(14, i) * math.comb(14 - i, j)
                p, r = (x[0] ** i * x[1] ** j * x[2] ** (14 - i - j) for x in (one, other))
                truth += ways * max(p - mpmath.exp(mpmath.mpf(epsilon)) * r, 0)
    bound = smoothed.delta(directions(run)[0], epsilon)
    assert bound.lower <= truth <= bound.upper
    assert bound.upper - bound.lower < 1e-7 * bound.upper


@pytest.mark.parametrize(
    ("scale", "rate", "steps", "delta"),
    [
        (3.0, 0.01, 1000, 1e-20),
        pytest.param(3.0, 0.1, 1000, 1e-6, marks=pytest.mark.slow),
        pytest.param(1.0, 0.1, 100, 1e-6, marks=pytest.mark.slow),  # of which half is left
        pytest.param(0.5, 0.2, 61, 1e-9, marks=pytest.mark.slow),
        pytest.param(10.0, 0.1, 300, 1e-6, marks=pytest.mark.slow),
    ],
)
def test_with_most_nodes_ruled_out_it_agrees_with_a_proof(
    scale: float, rate: float, steps: int, delta: float
) -> None:
    pytest.importorskip("flint")
    run = hs.DiscreteGaussian(scale).on(ON(rate)) * steps
    answer, proven = run.epsilon(delta), run.epsilon(delta, certify=True)
    assert proven.lower <= answer.upper
    assert answer.lower <= proven.upper
    assert answer.upper - answer.lower <= 1e-7 * answer.upper


@pytest.mark.slow
def test_losses_that_nearly_never_vary() -> None:
    """Next to no integer noise, nearly always sampled: a block of nodes was once more than there
    are integers of a machine, and a TypeError."""
    step = hs.DiscreteGaussian(0.01)
    found = (step.on(ON(1 - 1e-9)) * 100).epsilon(0.5)
    every = (step * 100).epsilon(0.5)
    assert every * (1 - 1e-6) < found.lower <= found <= every.upper * (1 + 1e-10)

"""Random allocation: every value lies between the two ends, and the ends are close.

The ends come from doubling on a grid. The values come from elsewhere: enumeration, closed forms
integrated once by mpmath, an inverse Laplace transform, a generating function, simulation.
"""

from __future__ import annotations

import itertools
import math

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hockeystick as hs
from hockeystick.errors import ParameterError
from hockeystick.loss.allocation.epoch import _hedged, allocation
from hockeystick.loss.allocation.grid import Cells, Part
from hockeystick.loss.atoms import EVERYTHING, NOTHING, AtomicLoss
from hockeystick.loss.base import Loss
from hockeystick.loss.gaussian import GaussianLoss
from hockeystick.loss.sum import ComposedLoss
from hockeystick.mechanisms.laplace import Laplace
from hockeystick.numerics.types import Array
from hockeystick.relation import ADD_REMOVE
from hockeystick.routes.grid import route as lattice


def both(base: Loss, steps: int) -> tuple[Loss, Loss]:
    return allocation(base, steps, upper=False), allocation(base, steps, upper=True)


def profiles(loss: Loss, epsilon: float) -> tuple[float, float]:
    point = np.array([epsilon])
    return float(loss.profile(point)[0]), float(loss.reverse().profile(point)[0])


def enclosed(
    base: Loss, steps: int, epsilon: float, exact: tuple[float, float], gap: float, slack: float = 0
) -> None:
    """Both directions of the exact δ lie between the ends, which are close."""
    low, high = (profiles(loss, epsilon) for loss in both(base, steps))
    for lower, value, upper in zip(low, exact, high, strict=True):
        assert lower <= value * (1 + slack)
        assert value * (1 - slack) <= upper
        assert upper - lower <= gap * value


def randomized_response(epsilon: float, zero: float = 0.0) -> AtomicLoss:
    """Losses ±ε and, with probability `zero`, 0."""
    top = (1 - zero) / (1 + math.exp(-epsilon))
    p, q = [top, zero, 1 - zero - top], [1 - zero - top, zero, top]
    if not zero:
        p, q = p[::2], q[::2]
    return AtomicLoss(np.log(p) - np.log(q), np.log(q))


def enumerate_epoch(p: list[float], q: list[float], steps: int) -> tuple[Array, Array]:
    """P- and Q-probability of every sequence of outcomes of one epoch."""
    under_p, under_q = [], []
    for outcome in itertools.product(range(len(p)), repeat=steps):
        under_q.append(math.prod(q[i] for i in outcome))
        without = (
            math.prod(q[i] for j, i in enumerate(outcome) if j != k) * p[outcome[k]]
            for k in range(steps)
        )
        under_p.append(sum(without) / steps)
    return np.array(under_p), np.array(under_q)


def hockey_stick(p: Array, q: Array, epsilon: float) -> tuple[float, float]:
    a = math.exp(epsilon)
    return float(np.maximum(p - a * q, 0).sum()), float(np.maximum(q - a * p, 0).sum())


# values from the literature and from elsewhere ---------------------------------------------------


@pytest.mark.slow
def test_reference_values() -> None:
    enclosed(GaussianLoss(1.0), 10, 0.5, (2.68504e-2, 1.90641e-2), 4e-4, slack=2e-6)


def moments(shift: float, steps: int, order: int) -> float:
    """log E_Q[(ΣΛ/t)^α] = log(α!·t^−α·[z^α](Σ_j m_j z^j/j!)^t), m_j = e^{j(j−1)shift²/2}."""
    with mp.workdps(40):
        one = [
            mp.exp(mp.mpf(shift) ** 2 * j * (j - 1) / 2) / mp.factorial(j) for j in range(order + 1)
        ]
        power, square, left = [mp.mpf(1)] + [mp.mpf(0)] * order, one, steps
        while left:
            if left & 1:
                power = product(power, square)
            square, left = product(square, square), left >> 1
        return float(mp.log(power[order] * mp.factorial(order)) - order * mp.log(steps))


def product(a: list[mp.mpf], b: list[mp.mpf]) -> list[mp.mpf]:
    return [mp.fsum(a[i] * b[k - i] for i in range(k + 1)) for k in range(len(a))]


@pytest.mark.parametrize(
    ("steps", "order", "value"),
    [(10, 2, 0.158565078740429), (10, 8, 1.70754130384099), (10_000, 32, 6.78965962837913)],
)
def test_renyi_divergences_of_the_literature(steps: int, order: int, value: float) -> None:
    assert moments(1.0, steps, order) / (order - 1) == pytest.approx(value, rel=1e-13)


@pytest.mark.parametrize("order", [2, 3, 4, 5])
@pytest.mark.parametrize("steps", [10, pytest.param(1000, marks=pytest.mark.slow)])
def test_renyi_divergences(steps: int, order: int) -> None:
    """Orders at which what is cut off at loss 10 and above does not count."""
    exact = moments(1.0, steps, order)
    low, high = (
        float(loss.cgf(np.array([order - 1.0])).real[0]) for loss in both(GaussianLoss(1.0), steps)
    )
    assert low <= exact <= high
    assert high - low < 2e-3 * exact


def gaussian_call(shift: mp.mpf, strike: mp.mpf) -> mp.mpf:
    """E(Λ − k)+ under Q, Λ = e^{shift·Z − shift²/2}."""
    if strike <= 0:
        return 1 - strike
    d = (-mp.log(strike) + shift**2 / 2) / shift
    return mp.ncdf(d) - strike * mp.ncdf(d - shift)


def two_gaussian_steps(shift: float, epsilon: float) -> tuple[float, float]:
    """Condition on the first ratio, the second has a closed form; both directions at once."""
    with mp.workdps(25):
        mu, a = mp.mpf(shift), mp.exp(mp.mpf(epsilon))

        def inner(strike: mp.mpf) -> mp.mpf:
            def integrand(z: mp.mpf) -> mp.mpf:
                x = mp.exp(mu * z - mu**2 / 2)
                return gaussian_call(mu, 2 * strike - x) / 2 * mp.npdf(z)

            kink = mp.log(2 * strike) / mu + mu / 2
            cuts = sorted([-12 - mu, -3, 0, mu, 3 + mu, kink, 12 + 2 * mu])
            return mp.quad(integrand, cuts)

        return float(inner(a)), float(1 - a + a * inner(1 / a))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sigma", "epsilon"), [(0.3, 4.0), (1.0, 0.3), (1.0, 6.0), (2.0, 0.0), (20.0, 0.05)]
)
def test_two_gaussian_steps(sigma: float, epsilon: float) -> None:
    exact = two_gaussian_steps(1 / sigma, epsilon)
    enclosed(GaussianLoss(1 / sigma), 2, epsilon, exact, 5e-3, slack=1e-11)


@pytest.mark.slow
def test_a_far_tail_keeps_its_relative_accuracy() -> None:
    exact = two_gaussian_steps(1.0, 6.5)
    assert 1e-13 < exact[0] < 1e-8
    low, high = (profiles(loss, 6.5)[0] for loss in both(GaussianLoss(1.0), 2))
    assert low <= exact[0] <= high
    assert high - low < 3e-3 * exact[0]


def test_two_laplace_steps() -> None:
    """As above, with δ(ε) = 1 − e^{(ε−θ)/2} of one step, and its law: two atoms and a segment."""
    theta, epsilon = mp.mpf(1), mp.mpf("0.25")

    def call(strike: mp.mpf) -> mp.mpf:
        if strike <= mp.exp(-theta):
            return 1 - strike
        if strike >= mp.exp(theta):
            return mp.mpf(0)
        return (
            1 - mp.exp((mp.log(strike) - theta) / 2)
            if strike >= 1
            else 1 - strike + strike * (1 - mp.exp((-mp.log(strike) - theta) / 2))
        )

    def mean(a: mp.mpf) -> mp.mpf:
        def at(loss: mp.mpf) -> mp.mpf:
            return call(2 * a - mp.exp(loss)) / 2

        kinks = [mp.log(2 * a - x) for x in (mp.exp(theta), 1, mp.exp(-theta)) if 2 * a > x]
        cuts = sorted([-theta, theta, *(k for k in kinks if abs(k) < theta)])
        inside = mp.quad(lambda x: at(x) * mp.exp(-(x + theta) / 2) / 4, cuts)
        return at(-theta) / 2 + at(theta) * mp.exp(-theta) / 2 + inside

    exact = float(mean(mp.exp(epsilon)))
    back = float(1 - mp.exp(epsilon) + mp.exp(epsilon) * mean(mp.exp(-epsilon)))
    loss = Laplace(1.0).evidence(ADD_REMOVE).loss
    enclosed(loss, 2, 0.25, (exact, back), 1e-3, slack=1e-9)


def put(shift: float, steps: int, strike: float) -> float:
    """E(K − S)+ of the sum S of the ratios, by the inverse Laplace transform of e^{−zS}."""
    u = np.linspace(-9, 9, 1201)
    weights = np.exp(-(u**2) / 2) * (u[1] - u[0]) / math.sqrt(2 * math.pi)
    ratios = np.exp(shift * u - shift**2 / 2)
    centre = 2 / math.sqrt(steps * math.expm1(shift**2))
    z = centre + 1j * np.arange(801) * centre / 40
    phi = np.exp(-z[:, None] * ratios) @ weights
    terms = np.exp(steps * np.log(phi) + z * strike) / z**2
    return float(terms.sum().real - terms[0].real / 2) * (centre / 40) / math.pi


@pytest.mark.parametrize(
    ("sigma", "steps", "epsilon"),
    [
        pytest.param(1.0, 1000, 0.05, marks=pytest.mark.slow),
        pytest.param(2.0, 256, 0.05, marks=pytest.mark.slow),
        pytest.param(1.0, 333, 0.1, marks=pytest.mark.slow),
    ],
)
def test_many_steps_against_the_transform(sigma: float, steps: int, epsilon: float) -> None:
    shift, a = 1 / sigma, math.exp(epsilon)
    remove = 1 - a + put(shift, steps, steps * a) / steps
    add = a / steps * put(shift, steps, steps / a)
    enclosed(GaussianLoss(shift), steps, epsilon, (remove, add), 2e-3, slack=1e-9)


@pytest.mark.slow
def test_many_steps_against_simulation() -> None:
    """2·10^4 draws: a mean of values in [0, 1], compared within five standard errors."""
    rng = np.random.default_rng(1)
    draws = np.concatenate(
        [np.exp(rng.standard_normal((4000, 1000)) - 0.5).mean(axis=1) for _ in range(5)]
    )
    low, high = both(GaussianLoss(1.0), 1000)
    for epsilon in (0.0, 0.03):
        values = np.maximum(1 - math.exp(epsilon) * draws, 0)
        error = 5 * values.std() / math.sqrt(len(values))
        assert profiles(low, epsilon)[1] - error <= values.mean()
        assert values.mean() <= profiles(high, epsilon)[1] + error


@pytest.mark.slow
def test_the_far_tail_of_many_steps_against_simulation() -> None:
    """δ = E_Q(S/t − e^ε)+ with one of the t ratios drawn where it matters, whichever it is."""
    rng = np.random.default_rng(2)
    steps, epsilon, raised = 1000, 1.0, 8.0
    values = []
    for _ in range(4):
        z = rng.standard_normal((2000, steps))
        z[:, 0] += raised
        weight = steps / np.exp(raised * z - raised**2 / 2).sum(axis=1)
        values.append(weight * np.maximum(np.exp(z - 0.5).mean(axis=1) - math.exp(epsilon), 0))
    drawn = np.concatenate(values)
    error = 5 * drawn.std() / math.sqrt(len(drawn))
    assert error < 0.2 * drawn.mean()
    assert drawn.mean() < 1e-12
    low, high = (profiles(loss, epsilon)[0] for loss in both(GaussianLoss(1.0), steps))
    assert low - error <= drawn.mean() <= high + error
    assert high - low < 0.02 * high


# enumeration --------------------------------------------------------------------------------------


@pytest.mark.parametrize("steps", [2, 3, 5, 6])
@pytest.mark.parametrize("zero", [0.0, 0.3])
def test_randomized_response_by_enumeration(steps: int, zero: float) -> None:
    base = randomized_response(1.0, zero)
    p, q = enumerate_epoch(list(base.atoms.p), list(base.atoms.q), steps)
    for epsilon in (0.0, 0.1, 0.3, 0.6):
        exact = hockey_stick(p, q, epsilon)
        low, high = (profiles(loss, epsilon) for loss in both(base, steps))
        for lower, value, upper in zip(low, exact, high, strict=True):
            assert lower <= value + 1e-15
            assert value <= upper + 1e-15
            assert upper - lower < 4e-3


@pytest.mark.parametrize("steps", [2, 3, 4])
def test_a_step_that_can_reveal_everything(steps: int) -> None:
    """P-mass where Q has none, Q-mass where P has none: kept apart, not rounded."""
    base = AtomicLoss(np.log([0.6 / 0.3, 0.3 / 0.5]), np.log([0.3, 0.5]), infinite=0.1, void=0.2)
    p, q = enumerate_epoch([0.6, 0.3, 0.1, 0.0], [0.3, 0.5, 0.0, 0.2], steps)
    low, high = both(base, steps)
    assert low.infinite == pytest.approx(0.1, rel=1e-12)
    assert high.infinite == pytest.approx(0.1, rel=1e-12)
    assert high.void == pytest.approx(0.2**steps, rel=1e-12)
    for epsilon in (0.0, 0.2, 0.5):
        exact = hockey_stick(p, q, epsilon)
        for lower, value, upper in zip(
            profiles(low, epsilon), exact, profiles(high, epsilon), strict=True
        ):
            assert lower <= value + 1e-15
            assert value <= upper + 1e-15
            assert upper - lower < 3e-3


def test_epochs_compose() -> None:
    """Two epochs of three steps of randomized response, all 64 outcomes."""
    base = randomized_response(1.0)
    p, q = enumerate_epoch(list(base.atoms.p), list(base.atoms.q), 3)
    p, q = np.outer(p, p).ravel(), np.outer(q, q).ravel()
    low, high = (ComposedLoss([(loss, 2)]) for loss in both(base, 3))
    for epsilon in (0.1, 0.4, 1.2):
        for k, value in enumerate(hockey_stick(p, q, epsilon)):
            ends = [side if k == 0 else side.reverse() for side in (low, high)]
            lower, upper = lattice.delta(ends[0], epsilon), lattice.delta(ends[1], epsilon)
            assert lower.lower <= value <= upper.upper
            assert upper.upper - lower.lower < 0.02 * value + 1e-3


# both ends ----------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sigma", "steps"),
    [
        (0.3, 7),
        (0.5, 64),
        pytest.param(1.0, 100, marks=pytest.mark.slow),
        pytest.param(5.0, 33, marks=pytest.mark.slow),
        pytest.param(20.0, 200, marks=pytest.mark.slow),
    ],
)
def test_the_upper_end_is_above_the_lower_everywhere(sigma: float, steps: int) -> None:
    low, high = both(GaussianLoss(1 / sigma), steps)
    scale = max(abs(high.top), abs(high.bottom))
    epsilon = np.linspace(-scale, scale, 401)
    for one, other in ((low, high), (low.reverse(), high.reverse())):
        assert (one.profile(epsilon) <= other.profile(epsilon) + 2e-15).all()


@pytest.mark.slow
@pytest.mark.parametrize("upper", [False, True])
def test_both_ends_are_pairs(upper: bool) -> None:
    for base, steps in ((GaussianLoss(1.0), 50), (Laplace(0.5).evidence(ADD_REMOVE).loss, 9)):
        loss = allocation(base, steps, upper=upper)
        assert loss.atoms.q.sum() + loss.void == pytest.approx(1, abs=1e-12)
        assert loss.atoms.p.sum() + loss.infinite == pytest.approx(1, abs=1e-12)
        assert loss.infinite < 1e-17
        places = loss.atoms.losses / loss.spacing
        assert np.abs(places - np.round(places)).max() < 1e-9


@pytest.mark.slow
def test_ten_epochs_of_a_thousand_steps() -> None:
    low, high = (ComposedLoss([(loss, 10)]) for loss in both(GaussianLoss(1.0), 1000))
    for one, other, value in ((low, high, 0.54003), (low.reverse(), high.reverse(), 0.52216)):
        lower, upper = lattice.epsilon(one, 1e-6).lower, lattice.epsilon(other, 1e-6).upper
        assert lower <= upper
        assert upper - lower < 1e-3 * upper
        assert lower <= value * (1 + 2e-4)
        assert value * (1 - 2e-4) <= upper


@pytest.mark.slow
@pytest.mark.parametrize(("sigma", "delta"), [(0.3, 1e-12), (20.0, 1e-12)])
def test_far_corners_stay_close(sigma: float, delta: float) -> None:
    low, high = both(GaussianLoss(1 / sigma), 2048)
    lower = lattice.epsilon(ComposedLoss([(low, 100)]), delta).lower
    upper = lattice.epsilon(ComposedLoss([(high, 100)]), delta).upper
    assert lower <= upper < lower * 1.01


@pytest.mark.slow
def test_more_steps_reveal_less() -> None:
    values = [profiles(allocation(GaussianLoss(1.0), n), 0.5)[0] for n in (1, 2, 3, 4, 8, 16)]
    assert values == sorted(values, reverse=True)


# rounding -----------------------------------------------------------------------------------------


def call_of(ratios: Array, q: Array, a: Array) -> Array:
    return np.asarray(np.maximum(ratios - a[:, None], 0) @ q)


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(st.integers(1, 40), st.integers(0, 2**32 - 1))
def test_rounding_respects_the_convex_order(count: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    losses, q = rng.uniform(-1, 1, count), rng.dirichlet(np.full(count, 0.5))
    losses -= math.log(np.exp(losses) @ q)  # only a mean on the grid can be kept by all laws on it
    cells = Cells(0.05, -50, 51)
    cells.add(losses, q)
    a = np.exp(np.linspace(-2.2, 2.2, 300))
    exact = call_of(np.exp(losses), q, a)
    high, low = cells.rounded(True), cells.rounded(False)
    assert (call_of(high.ratios, high.q, a) >= exact - 1e-14).all()
    assert (call_of(low.ratios, low.q, a) <= exact + 1e-14).all()
    for part in (high, low):
        assert part.q.min() >= 0
        assert part.q.sum() == pytest.approx(1, abs=1e-13)
        assert part.q @ part.ratios == pytest.approx(np.exp(losses) @ q, abs=1e-13)


def test_rounding_down_costs_little_where_there_is_a_density() -> None:
    width = 0.02
    x = np.linspace(-4, 4, 40_001)
    q = np.exp(-(x**2) / 2)
    q /= q.sum()
    cells = Cells(width, -210, 211)
    cells.add(x, q)
    low, high = cells.rounded(False), cells.rounded(True)
    variances = [(p.q @ p.ratios**2) - (p.q @ p.ratios) ** 2 for p in (low, high)]
    exact = q @ np.exp(2 * x) - (q @ np.exp(x)) ** 2
    assert variances[0] < exact < variances[1]
    assert variances[1] - variances[0] < width**2 * exact


def test_the_allowance_for_rounding() -> None:
    part = Part(0.01, -300, np.exp(-((np.arange(-300, 301) * 0.01) ** 2) / 0.5))
    q = part.q / part.q.sum()
    a = np.exp(np.linspace(-3, 3, 200))
    before = call_of(part.ratios, q, a)
    rng = np.random.default_rng(3)
    for error in (1e-3, -1e-3):
        after = _hedged(q, part.ratios, error)
        assert after.sum() == pytest.approx(1, abs=1e-12)
        assert after @ part.ratios == pytest.approx(q @ part.ratios, abs=1e-12)
        change = (call_of(part.ratios, after, a) - before) * np.sign(error)
        assert (change >= -1e-14).all()
        assert (change <= abs(error) * before + 1e-14).all()
    # any law within the error and with the same mass and mean is below
    after = _hedged(q, part.ratios, 1e-3)
    for _ in range(20):
        noise = 1e-4 * rng.uniform(-1, 1, q.size)
        basis = np.stack([np.ones(q.size), part.ratios])
        gram = (basis * q) @ basis.T
        noise -= np.linalg.solve(gram, basis @ (q * noise)) @ basis
        kept = np.abs(noise) <= 1e-3
        assert kept.all()
        assert (
            call_of(part.ratios, q * (1 + noise), a) <= call_of(part.ratios, after, a) + 1e-14
        ).all()


# edges --------------------------------------------------------------------------------------------


def test_one_step_is_the_base() -> None:
    base = GaussianLoss(1.0)
    assert allocation(base, 1) == base
    assert allocation(NOTHING, 5).profile(np.array([0.0]))[0] == 0
    assert allocation(EVERYTHING, 5) is EVERYTHING


@pytest.mark.slow
def test_next_to_nothing() -> None:
    low, high = both(GaussianLoss(1e-12), 100)
    assert 0 < profiles(low, 0.0)[0] <= 1e-13 / math.sqrt(2 * math.pi)  # what the mean gives away
    assert 1e-13 / math.sqrt(2 * math.pi) <= profiles(high, 0.0)[0] <= 1e-12
    tiny = 1e-5  # where δ(0) = 2Φ(shift/2) − 1, and the mean of t has its shift over sqrt(t)
    lower, upper = (profiles(loss, 0.0)[0] for loss in both(GaussianLoss(tiny), 100))
    assert lower <= tiny / 10 / math.sqrt(2 * math.pi) <= upper
    assert upper - lower < 1e-3 * upper


@pytest.mark.parametrize("steps", [0, -1, 2.5, True])
def test_bad_steps(steps: int) -> None:
    with pytest.raises(ParameterError, match="steps must be an integer >= 1"):
        allocation(GaussianLoss(1.0), steps)


@pytest.mark.slow
def test_several_participations_enclose_what_is_simulated() -> None:
    """P/Q of 3 of 10 steps is the third symmetric polynomial of the ratios, over 120."""
    rng, records, steps, shift = np.random.default_rng(5), 200_000, 10, 0.5
    outcomes = rng.standard_normal((records, steps))
    chosen = np.argsort(rng.random((records, steps)), axis=1)[:, :3]
    np.put_along_axis(
        outcomes, chosen, np.take_along_axis(outcomes, chosen, axis=1) + shift, axis=1
    )
    powers = np.exp(shift * outcomes[:, :, None] - shift**2 / 2) ** np.arange(1, 4)
    one, two, three = powers.sum(axis=1).T
    ratios = (one**3 - 3 * one * two + 2 * three) / 6 / 120  # Newton's identity
    excess = np.maximum(1 - math.exp(0.5) / ratios, 0)
    mean, error = excess.mean(), excess.std() / math.sqrt(records)
    found = (hs.Gaussian(2.0).on(hs.RandomAllocation(steps, participations=3))).delta(0.5)
    assert found.lower <= mean + 4 * error
    assert mean - 4 * error <= found.upper
    assert 0.85 * mean < found.lower < found.upper < 1.1 * mean


@pytest.mark.slow
@pytest.mark.parametrize("noise", [0.01, 0.02, 0.03, 0.05])
def test_losses_of_thousands_of_nats(noise: float) -> None:
    """The mean of t ratios is at least one of them over t, and tells no more than all of them."""
    epoch = hs.Gaussian(noise).on(hs.RandomAllocation(10))
    plain = hs.Gaussian(noise) * 3
    answer = (epoch * 3).epsilon(1e-5)
    assert plain.epsilon(1e-5).lower - 3 * math.log(10) <= answer.upper
    assert answer.upper <= plain.epsilon(1e-5).upper
    assert 0.9 * answer.upper <= answer.lower <= plain.epsilon(1e-5).upper


@pytest.mark.parametrize("relation", hs.Relation)
def test_ratios_that_no_float_holds(relation: hs.Relation) -> None:
    """Next to no noise tells all: δ is 1 but for what the noise hides."""
    bound = hs.Gaussian(1e-3).on(hs.RandomAllocation(2)).delta(1e-3, relation=relation)
    assert 0 <= bound.lower <= 1 == bound.upper

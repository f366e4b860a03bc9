"""Steps with next to no noise, as if their coins were told: both ends beside other routes."""

from __future__ import annotations

import math
from itertools import product

import mpmath as mp
import pytest

import hockeystick as hs
from hockeystick.loss.atoms import EVERYTHING, NOTHING
from hockeystick.loss.gaussian import GaussianLoss
from hockeystick.loss.gaussian_mixture import GaussianMixture
from hockeystick.loss.labelled import LabelledLoss
from hockeystick.loss.mixed import mixed
from hockeystick.loss.mixture import MixtureLoss
from hockeystick.loss.sum import ComposedLoss
from hockeystick.questions import dominating, parts_of
from hockeystick.routes.adding import evident
from hockeystick.routes.adding import route as adding


@pytest.mark.parametrize(
    ("noise", "rate", "steps", "delta"),
    [
        (0.2, 0.1, 30, 1e-6),
        (0.2, 0.01, 1000, 1e-5),
        (0.1, 0.3, 20, 1e-4),
        (0.1, 1e-3, 500, 1e-8),
        (0.3, 0.5, 40, 1e-3),
    ],
)
def test_the_contour_is_between_the_ends(
    noise: float, rate: float, steps: int, delta: float
) -> None:
    """The inequalities hold for any noise; where there is some, the contour has all digits."""
    loss = ComposedLoss([(mixed(GaussianLoss(1 / noise), rate), steps)])
    truth = (hs.Gaussian(noise).on(hs.Poisson(rate)) * steps).epsilon(delta)
    assert truth.upper - truth.lower < 1e-3 * truth.upper
    found = evident.epsilon(loss, delta)
    assert found.lower <= truth.upper
    assert truth.lower <= found.upper
    at = (hs.Gaussian(noise).on(hs.Poisson(rate)) * steps).delta(float(truth))
    sides = evident.delta(loss, float(truth))
    assert sides.lower <= at.upper
    assert at.lower <= sides.upper


def test_sums_in_multiple_precision() -> None:
    """Σ b_k·h_k at both places."""
    steps, rate, shift, epsilon = 200, 0.01, 80.0, 30_000.0
    loss = ComposedLoss([(mixed(GaussianLoss(shift), rate), steps)])
    found = evident.delta(loss, epsilon)
    with mp.workdps(60):
        q, ends = mp.mpf(rate), [mp.mpf(0), mp.mpf(0)]
        for k in range(1, steps + 1):
            weight = mp.binomial(steps, k) * q**k * (1 - q) ** (steps - k)
            hidden = -k * mp.log(q) - (steps - k) * mp.log(1 - q)
            for i, e in enumerate((epsilon + hidden, mp.mpf(epsilon))):
                mu = mp.sqrt(k) * shift
                ends[i] += weight * (
                    mp.ncdf(mu / 2 - e / mu) - mp.exp(e) * mp.ncdf(-mu / 2 - e / mu)
                )
    assert ends[0] * (1 - 4e-9) <= found.lower <= ends[0]
    assert ends[1] <= found.upper <= ends[1] * (1 + 4e-9)


@pytest.mark.slow
def test_beside_outcomes_added_up() -> None:
    loss = ComposedLoss([(mixed(GaussianLoss(100.0), 0.01), 40)])
    added, told = adding.epsilon(loss, 1e-6), evident.epsilon(loss, 1e-6)
    assert max(added.lower, told.lower) <= min(added.upper, told.upper)
    assert told.upper - told.lower < 1e-2 * told.upper


@pytest.mark.slow
@pytest.mark.parametrize(
    ("run", "lower", "upper"),
    [
        # Between the ends of outcomes added up, which took 15 s.
        (hs.Gaussian(0.01).on(hs.WithoutReplacement(60, 60_000)) * 1000, 158_129.0, 158_528.5),
    ],
)
def test_batches_of_fixed_size(run: hs.Mechanism, lower: float, upper: float) -> None:
    found = run.epsilon(1e-5)
    assert lower < found.lower <= found.upper < upper
    assert found.upper - found.lower < 60
    assert run.delta(found.upper).lower <= 1e-5 <= run.delta(found.lower).upper


@pytest.mark.parametrize("steps", [16, 17])
@pytest.mark.parametrize("shift", [49.9, 50.0])
def test_where_it_begins(steps: int, shift: float) -> None:
    loss = ComposedLoss([(mixed(GaussianLoss(shift), 0.1), steps)])
    assert evident.is_for(loss) == (steps == 17 and shift == 50.0)
    assert not evident.is_for(loss.reverse())


def profile(shift: mp.mpf, epsilon: mp.mpf) -> mp.mpf:
    """δ(ε) of one Gaussian release."""
    if not shift:
        return mp.mpf(0)
    return mp.ncdf(shift / 2 - epsilon / shift) - mp.exp(epsilon) * mp.ncdf(
        -shift / 2 - epsilon / shift
    )


@pytest.mark.parametrize("nested", [False, True])
@pytest.mark.parametrize(
    ("shift", "epsilon"), [(0.01, 0.02), (0.8, 3.0), (1.0, 0.1), (60.0, 1850.0)]
)
def test_told_copies_are_the_answer(shift: float, epsilon: float, nested: bool) -> None:
    """Σ over all numbers of copies in three steps, in multiple precision; also where a label says
    first whether there is any other."""
    weights = (0.7, 0.2, 0.06, 0.03)
    parts = [(w, GaussianLoss(k * shift) if k else NOTHING) for k, w in enumerate(weights)]
    step = LabelledLoss(*parts, (0.01, EVERYTHING))
    if nested:
        others = LabelledLoss(*((w / 0.99, loss) for w, loss in parts))
        step = LabelledLoss((0.99, others), (0.01, EVERYTHING))
    loss = ComposedLoss([(step, 3)])
    found = evident.delta(loss, epsilon)
    with mp.workdps(40):
        truth = mp.mpf(loss.infinite)
        for counts in product(range(4), repeat=3):
            size = mp.sqrt(sum(k * k for k in counts)) * shift
            truth += mp.fprod(map(mp.mpf, (weights[k] for k in counts))) * profile(size, epsilon)
        assert truth * (1 - 1e-8) <= found.lower <= truth <= found.upper <= truth * (1 + 1e-8)
    ends = evident.epsilon(loss, float(truth))
    assert ends.lower <= epsilon <= ends.upper <= ends.lower * (1 + 1e-7)
    assert evident.is_told(loss)


def test_more_copies_than_can_be_told_are_left_to_others() -> None:
    parts = [(0.5, NOTHING), (0.5, GaussianLoss(0.1))]
    with pytest.raises(hs.NumericalError, match="too many copies"):
        evident.epsilon(ComposedLoss([(LabelledLoss(*parts), 100_000)]), 1e-6)


def test_a_record_that_is_always_there_is_no_coin() -> None:
    """N(60) against a mixture with half of N(0): losses are log 2 larger than those of N(0)."""
    one, other = GaussianMixture((1.0,), (60.0,)), GaussianMixture((0.5, 0.5), (0.0, -60.0))
    loss = ComposedLoss([(MixtureLoss(one, other), 20)])
    found = evident.epsilon(loss, 1e-6)
    plain = (hs.Gaussian(1 / 60) * 20).epsilon(1e-6)
    truth = plain + 20 * math.log(2)
    assert plain * (1 - 1e-9) <= found.lower <= truth <= found.upper <= truth * (1 + 1e-9)


def test_what_has_no_copies_is_left_to_others() -> None:
    loss = ComposedLoss([(GaussianLoss(60.0), 20), (mixed(GaussianLoss(60.0), 0.1), 20)])
    assert not evident.is_for(loss)
    with pytest.raises(hs.NumericalError, match="not releases of copies"):
        evident.epsilon(loss, 1e-6)


def test_different_coins_in_multiple_precision() -> None:
    """Σ b_j·b_k·h at its own place above, and no more nats away below than a record can hide."""
    parts = [(mixed(GaussianLoss(80.0), 0.01), 30), (mixed(GaussianLoss(113.7), 0.01), 20)]
    found = evident.epsilon(ComposedLoss(parts), 1e-4)

    def told(epsilon: float) -> float:
        with mp.workdps(40):
            total = mp.mpf(0)
            for j, k in product(range(13), repeat=2):
                weight = mp.binomial(30, j) * mp.binomial(20, k) * mp.mpf("0.01") ** (j + k)
                size = mp.sqrt(j * 80**2 + k * mp.mpf(113.7) ** 2)
                total += weight * mp.mpf("0.99") ** (50 - j - k) * profile(size, mp.mpf(epsilon))
            return float(total)

    assert told(found.upper) <= 1e-4 <= told(found.upper * (1 - 2e-4))
    assert told(found.lower) >= 1e-4
    assert found.upper - found.lower < 5e-3 * found.upper


coin = hs.Poisson(0.02)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("run", "relation"),
    [
        (hs.Gaussian(1 / 60).on(coin) * 18, hs.REPLACE_ONE),
        (hs.Gaussian(1 / 60).on(coin) * 9 + hs.Gaussian(1 / 65).on(coin) * 9, hs.REPLACE_ONE),
        (hs.MixtureOfGaussians(0.015, (0, 1, 2), (0.5, 0.3, 0.2)) * 17, hs.ADD_REMOVE),
    ],
)
def test_beside_others_added_up(run: hs.Mechanism, relation: hs.Relation) -> None:
    """Different coins, a record replaced, and copies that are not told."""
    loss = dominating(parts_of(run, relation))[0][0]
    assert evident.is_for(loss)
    listed, told = adding.epsilon(loss, 1e-5), evident.epsilon(loss, 1e-5)
    assert max(listed.lower, told.lower) <= min(listed.upper, told.upper)
    assert told.upper - told.lower < 2e-2 * told.upper


@pytest.mark.parametrize("steps", [1000, 10**6, 10**9])
def test_steps_that_nearly_always_see_the_record(steps: int) -> None:
    """Told by how many do not: once a table of all 10⁹ counts, in more memory than there was.

    j of them do not with binomial probability; the loss of the others is next to normal.
    """
    noise, rate, delta = 0.01, 1 - 1e-9, 1e-5
    found = (hs.Gaussian(noise).on(hs.Poisson(rate)) * steps).epsilon(delta)

    def beyond(epsilon: mp.mpf) -> mp.mpf:
        missing = steps * (1 - mp.mpf(rate))
        total = mp.mpf(0)
        for j in range(40):
            shift = mp.sqrt(steps - j) / mp.mpf(noise)
            normal = mp.ncdf(-(epsilon / shift - shift / 2))
            total += mp.exp(-missing) * missing**j / mp.factorial(j) * normal
        return total

    with mp.workdps(40):  # leaving out the part of Q moves ε by no more than that
        a = mp.findroot(lambda e: mp.log(beyond(e) / delta), mp.mpf(float(found)))
        assert abs(a / mp.mpf(float(found)) - 1) < 1e-5 / mp.sqrt(steps)
    assert 0 < found.upper - found.lower < 1e-10 * found.upper

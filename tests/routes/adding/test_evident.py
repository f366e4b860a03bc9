"""Steps with next to no noise, as if their coins were told: both ends beside other routes."""

from __future__ import annotations

import time

import mpmath as mp
import pytest

import hockeystick as hs
from hockeystick.loss.gaussian import GaussianLoss
from hockeystick.loss.mixed import mixed
from hockeystick.loss.sum import ComposedLoss
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


@pytest.mark.parametrize(
    ("run", "lower", "upper"),
    [
        # Between the ends of outcomes added up, which took 15 s.
        (hs.Gaussian(0.01).on(hs.WithoutReplacement(60, 60_000)) * 1000, 158_129.0, 158_528.5),
    ],
)
def test_batches_of_fixed_size(run: hs.Mechanism, lower: float, upper: float) -> None:
    start = time.process_time()
    found = run.epsilon(1e-5)
    assert time.process_time() - start < 8
    assert lower < found.lower <= found.upper < upper
    assert found.upper - found.lower < 60
    assert run.delta(found.upper).lower <= 1e-5 <= run.delta(found.lower).upper


@pytest.mark.parametrize("steps", [16, 17])
@pytest.mark.parametrize("shift", [49.9, 50.0])
def test_where_it_begins(steps: int, shift: float) -> None:
    loss = ComposedLoss([(mixed(GaussianLoss(shift), 0.1), steps)])
    assert evident.is_for(loss) == (steps == 17 and shift == 50.0)
    assert not evident.is_for(loss.reverse())

"""One bent line for many counts: every count has the ends of a line of its own, or nearly."""

from __future__ import annotations

import math

import numpy as np
import pytest

import hockeystick as hs
from hockeystick.loss.measure import GaussianSample
from hockeystick.routes.contour.few_steps import answer, many
from hockeystick.routes.contour.few_steps.law import SampledSteps
from hockeystick.routes.contour.few_steps.lines import CountedLines, Lines
from hockeystick.routes.contour.few_steps.plan import plan

from .test_few_steps import ENCLOSURES, steps


@pytest.mark.slow
@pytest.mark.parametrize("case", ENCLOSURES, ids=str)
def test_among_other_counts_as_proven(
    case: tuple[float, float, int, float, bool, float, float],
) -> None:
    """Whether it stands at the beginning of a range, in it, or at its end."""
    noise, rate, count, delta, remove, low, high = case
    sample = GaussianSample(1 / noise, rate, remove)
    for first, last in ((count, 2 * count + 1), (max(1, count // 2), count), (count - 1, count)):
        few = np.linspace(max(1, first), last, min(6, last - first + 1))
        counts = np.unique(np.append(np.rint(few), count))[:, None]
        lower, upper = many.epsilons([sample], counts, delta)
        place = int(np.flatnonzero(counts[:, 0] == count)[0])
        if noise < 0.3 and math.isnan(upper[place]):
            continue  # x is 1e-10 of its origin, and moves too fast: left to a line of its own
        assert lower[place] <= high
        assert low <= upper[place]
        assert upper[place] - lower[place] <= 2e-9 * high


@pytest.mark.parametrize("remove", [True, False])
def test_several_steps_of_which_some_stay(remove: bool) -> None:
    samples = [GaussianSample(1.0, 0.004, remove), GaussianSample(0.5, 0.02, remove)]
    counts = np.array([[30.0, n] for n in range(2, 60)])
    lower, upper = many.epsilons(samples, counts, 1e-6)
    for place in (0, 1, 20, 57):
        parts = list(zip(samples, counts[place].astype(int).tolist(), strict=True))
        alone = answer.epsilon(SampledSteps(parts), 1e-6)
        assert lower[place] <= alone.upper
        assert alone.lower <= upper[place]
        assert upper[place] - lower[place] <= 1e-9 * alone.upper


def test_a_line_says_of_another_count_what_its_own_says() -> None:
    """Off the count and the x that it was planned for, errors grow and are charged."""
    law, delta = steps(1.0, 0.01, 20), 1e-5
    x = law.x(0.455)
    shared = Lines(plan(law, x, math.log(delta), 1.0), math.log(delta), share=True)
    for count in (14, 20, 28):
        other = steps(1.0, 0.01, count)
        at = other.x(answer.epsilon(other, delta).upper)
        own = Lines(plan(other, at, math.log(delta), 1.0), math.log(delta))
        values, slack = CountedLines(shared, np.array([[float(count)]])).with_slack(np.array([at]))
        off = abs(values.value[0] - own.at(at).value)
        assert off <= slack.above[0] + own.slack(at).above
        assert slack.above[0] < 1e-9 * delta


def test_where_nothing_is_lost_no_line_is_asked() -> None:
    """δ(0) of few steps is below δ: no root above 0, and no answer here."""
    _, upper = many.epsilons([GaussianSample(1.0, 1e-4, True)], np.array([[1.0], [2.0]]), 0.01)
    assert np.isnan(upper).all()
    assert hs.Gaussian(1.0).on(hs.Poisson(1e-4)).epsilons(0.01, [1, 2, 50]).tolist() == [0, 0, 0]


def test_too_small_a_delta_is_left_to_others() -> None:
    _, upper = many.epsilons([GaussianSample(1.0, 0.01, True)], np.array([[3.0]]), 1e-300)
    assert np.isnan(upper).all()


@pytest.mark.slow
def test_an_epsilon_far_below_the_mean_is_no_plan() -> None:
    """Next to no noise, so many steps that nothing on the way is a number: refused in words."""
    run = hs.Gaussian(0.08921829319729574).on(hs.Poisson(0.23761066444432768)) * 706925
    with pytest.raises(hs.NumericalError):
        run.delta(45441.07829861474, method="contour")

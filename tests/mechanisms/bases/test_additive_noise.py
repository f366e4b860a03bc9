"""What a release adds, to what, and what it refuses without telling what it was given."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

import hockeystick as hs

SECRET = 918273645.5
CONTINUOUS: list[type[hs.Mechanism]] = [hs.Gaussian, hs.Laplace]
DISCRETE: list[type[hs.Mechanism]] = [hs.DiscreteGaussian, hs.DiscreteLaplace]
each = pytest.mark.parametrize("kind", CONTINUOUS + DISCRETE, ids=lambda kind: kind.__name__)


@pytest.mark.parametrize("kind", CONTINUOUS)
def test_noise_has_the_scale_of_multiplier_times_sensitivity(kind: Any) -> None:
    law = {hs.Gaussian: stats.norm, hs.Laplace: stats.laplace}[kind]
    noise = kind(0.5, sensitivity=40.0).release(np.full(20_000, 7.0), rng=1) - 7
    assert stats.kstest(noise / 20, law.cdf).pvalue > 1e-3


@pytest.mark.parametrize("kind", DISCRETE)
def test_integer_noise_has_the_scale_of_multiplier_times_sensitivity(kind: Any) -> None:
    noise = kind(0.5, sensitivity=40).release(np.full(20_000, 7), rng=1) - 7
    spread = {hs.DiscreteGaussian: 20.0, hs.DiscreteLaplace: math.sqrt(2) * 20}[kind]
    assert noise.std() == pytest.approx(spread, rel=0.03)
    assert abs(noise.mean()) < 5 * spread / math.sqrt(20_000)


@each
def test_shapes_and_types(kind: Any) -> None:
    mechanism, number = kind(1.0), int if kind in DISCRETE else float
    assert type(mechanism.release(5)) is number
    assert type(mechanism.release(np.int32(5))) is number
    assert type(mechanism.release(np.array(5.0))) is number
    for shape in [(0,), (1,), (2, 3), (2, 0, 4)]:
        noisy = mechanism.release(np.zeros(shape))
        assert noisy.shape == shape
        assert noisy.dtype == (np.int64 if kind in DISCRETE else np.float64)


@each
def test_every_entry_has_noise_of_its_own(kind: Any) -> None:
    noisy = kind(1000.0).release(np.zeros((20, 5)), rng=2)
    assert len(np.unique(noisy)) > 90


@each
def test_the_answer_is_not_changed(kind: Any) -> None:
    answer = np.array([1.0, 2.0])
    kind(3.0).release(answer)
    assert answer.tolist() == [1.0, 2.0]


@each
@pytest.mark.parametrize(
    "value",
    [
        [SECRET, math.nan],
        [SECRET, math.inf],
        str(SECRET),
        [[SECRET], [SECRET, 1]],
        {"count": SECRET},
        complex(SECRET),
        np.array([SECRET], dtype=object),
        10**40 + int(SECRET),
        None,
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_private_value_is_never_shown(kind: Any, value: Any) -> None:
    with pytest.raises(hs.ParameterError, match="value must be") as caught:
        kind(1.0).release(value)
    shown = f"{caught.value}{caught.value.__cause__}{caught.value.__context__}"
    assert "918273645" not in shown
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


@pytest.mark.parametrize("kind", DISCRETE)
@pytest.mark.parametrize("value", [SECRET, [1, SECRET], 2.0**62 + 2**12, -(2.0**63), math.inf])
def test_integer_noise_is_for_integers(kind: Any, value: Any) -> None:
    with pytest.raises(hs.ParameterError, match="value must be integers in") as caught:
        kind(1.0).release(value)
    assert "918273645" not in str(caught.value)


@each
def test_no_noise_and_nothing_but_noise_are_refused(kind: Any) -> None:
    for multiplier in (0.0, math.inf):
        with pytest.raises(hs.ParameterError, match=r"in \(0, inf\) to release"):
            kind(multiplier).release(5)


@each
def test_a_group_gets_the_noise_that_was_added(kind: Any) -> None:
    mechanism = kind(3.0, sensitivity=2)
    person = mechanism.group(4)
    assert person.scale == mechanism.scale == 6.0
    assert person.epsilon(0.01) > mechanism.epsilon(0.01)


@each
def test_sensitivity_is_part_of_the_value_and_of_the_text(kind: Any) -> None:
    one, other = kind(2.0), kind(2.0, sensitivity=3)
    assert one != other
    assert hs.parse(repr(other)) == other
    assert "sensitivity" not in repr(kind(2.0, sensitivity=1))
    assert (other * 2 + one + other).parts == {other: 3, one: 1}


@pytest.mark.parametrize("kind", CONTINUOUS)
def test_units_do_not_change_the_cost(kind: Any) -> None:
    for relation in hs.Relation:
        metres = kind(1.5, sensitivity=1000.0).delta(0.3, relation=relation)
        assert metres == kind(1.5).delta(0.3, relation=relation)
    for value in (0, -1.0, math.inf, math.nan, True):
        with pytest.raises(hs.ParameterError, match="sensitivity must be"):
            kind(1.5, sensitivity=value)

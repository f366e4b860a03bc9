"""The least noise: it meets what was asked under the relation, and a little less would not."""

from __future__ import annotations

import math
from typing import Any

import pytest

import hockeystick as hs
from hockeystick.sensitivity import Sensitivity

PURE: list[type[hs.Mechanism]] = [hs.Laplace, hs.DiscreteLaplace]
NORMAL: list[type[hs.Mechanism]] = [hs.Gaussian, hs.DiscreteGaussian]
relations = pytest.mark.parametrize("relation", list(hs.Relation), ids=lambda r: r.name)
sensitivities = pytest.mark.parametrize(
    "sensitivity",
    [1, 7, Sensitivity.count(), Sensitivity.sum(-2, 5), Sensitivity.histogram(2)],
    ids=repr,
)


def less_noise(mechanism: Any, factor: float) -> Any:
    """The same query with a little less noise."""
    fields = dict(mechanism.__dict__)
    fields["noise_multiplier"] *= factor
    return type(mechanism)(**fields)


@relations
@sensitivities
@pytest.mark.parametrize("kind", PURE)
@pytest.mark.parametrize("epsilon", [0.1, 0.3, 1.0, math.pi])
def test_pure(kind: Any, epsilon: float, sensitivity: Any, relation: hs.Relation) -> None:
    mechanism = kind.for_query(sensitivity=sensitivity, epsilon=epsilon, relation=relation)
    assert mechanism.epsilon(0, relation=relation) <= epsilon
    assert less_noise(mechanism, 1 - 4e-15).epsilon(0, relation=relation) > epsilon


@relations
@sensitivities
@pytest.mark.parametrize("kind", PURE + NORMAL)
def test_approximate(kind: Any, sensitivity: Any, relation: hs.Relation) -> None:
    asked = {"epsilon": 0.7, "delta": 1e-6, "relation": relation}
    mechanism = kind.for_query(sensitivity=sensitivity, **asked)
    assert mechanism.epsilon(1e-6, relation=relation) <= 0.7
    assert less_noise(mechanism, 1 - 1e-8).epsilon(1e-6, relation=relation).lower > 0.7


@pytest.mark.parametrize(
    ("kind", "distances"),
    [
        (hs.Laplace, {hs.ADD_REMOVE: 2, hs.ZERO_OUT: 2, hs.REPLACE_ONE: 4}),
        (hs.DiscreteLaplace, {hs.ADD_REMOVE: 2, hs.ZERO_OUT: 2, hs.REPLACE_ONE: 4}),
        (hs.Gaussian, {hs.ADD_REMOVE: 2**0.5, hs.ZERO_OUT: 2**0.5, hs.REPLACE_ONE: 2.0}),
    ],
)
def test_each_noise_takes_the_norm_that_its_theorem_has(kind: Any, distances: Any) -> None:
    """Two bins for each record: L1 2 and 4, L2 √2 and 2; the noise is that of one number so far."""
    for relation, distance in distances.items():
        asked = {"epsilon": 0.5, "delta": 1e-3, "relation": relation}
        of_bins = kind.for_query(sensitivity=Sensitivity.histogram(2), **asked)
        of_number = kind.for_query(sensitivity=distance, **asked)
        assert of_bins.scale == pytest.approx(of_number.scale, rel=1e-8)


def test_the_lecture_and_the_issue_of_counting() -> None:
    """A count at ε = 0.5: scale 2; exactly the geometric mechanism for integers."""
    assert hs.Laplace.for_query(sensitivity=1, epsilon=0.5) == hs.Laplace(2.0)
    assert hs.DiscreteLaplace.for_query(sensitivity=1, epsilon=0.5) == hs.DiscreteLaplace(2.0)
    assert hs.Laplace.for_query(sensitivity=3, epsilon=0.5, relation=None).scale == 6.0


def test_a_number_for_replaced_records_is_how_far_they_move() -> None:
    mechanism = hs.Gaussian.for_query(sensitivity=2, epsilon=1, delta=1e-5, relation=hs.REPLACE_ONE)
    added = hs.Gaussian.for_query(sensitivity=2, epsilon=1, delta=1e-5)
    assert mechanism.scale == pytest.approx(added.scale, rel=1e-8)
    assert mechanism.epsilon(1e-5) <= 1


def test_a_clipped_gradient_can_turn_round() -> None:
    """Clip C moves the sum by 2C when a record is replaced (not C): twice the noise."""
    clipped = Sensitivity.clipped(0.5)
    noise = [
        hs.Gaussian.for_query(sensitivity=clipped, epsilon=1, delta=1e-5, relation=relation).scale
        for relation in (hs.ADD_REMOVE, hs.REPLACE_ONE)
    ]
    assert noise[1] == pytest.approx(2 * noise[0], rel=1e-8)


@pytest.mark.parametrize(
    ("kind", "options", "words"),
    [
        (hs.Gaussian, {"sensitivity": 1, "epsilon": 1}, "delta must be in (0, 1]"),
        (hs.DiscreteGaussian, {"sensitivity": 1, "epsilon": 1}, "delta must be in (0, 1]"),
        (hs.Laplace, {"sensitivity": 1, "epsilon": 0}, "epsilon must be in (0, inf)"),
        (hs.Laplace, {"sensitivity": 1, "epsilon": math.inf}, "epsilon must be in (0, inf)"),
        (hs.Laplace, {"sensitivity": 1, "epsilon": math.nan}, "epsilon must be in (0, inf)"),
        (hs.Laplace, {"sensitivity": 0, "epsilon": 1}, "sensitivity must be in (0, inf)"),
        (hs.Laplace, {"sensitivity": 1, "epsilon": 1, "delta": 2}, "delta must be in [0, 1]"),
        (hs.DiscreteLaplace, {"sensitivity": 0.5, "epsilon": 1}, "whole numbers"),
        (
            hs.DiscreteGaussian,
            {"sensitivity": Sensitivity.sum(0, 1.5), "epsilon": 1, "delta": 0.1},
            "whole numbers",
        ),
        (
            hs.Laplace,
            {"sensitivity": Sensitivity.clipped(1.0), "epsilon": 1},
            "needs a bound in L1",
        ),
    ],
)
def test_refusals(kind: Any, options: Any, words: str) -> None:
    with pytest.raises(hs.ParameterError) as caught:
        kind.for_query(**options)
    assert words in str(caught.value)

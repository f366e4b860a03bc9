"""What has no answer is refused, with words that help."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

import hockeystick as hs
from hockeystick.errors import ParameterError, RelationError


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: hs.Poisson(1.5), ("rate", "[0, 1]", "1.5")),
        (lambda: hs.Poisson(-0.1), ("rate", "[0, 1]", "-0.1")),
        (lambda: hs.Poisson(math.nan), ("rate", "[0, 1]", "nan")),
        (lambda: hs.WithoutReplacement(11, 10), ("size", "population", "10", "11")),
        (lambda: hs.WithoutReplacement(1, 0), ("population", ">= 1", "0")),
        (lambda: hs.WithoutReplacement(-1, 10), ("size", ">= 0", "-1")),
        (lambda: hs.WithoutReplacement(1.5, 10), ("size", "integer", "1.5")),  # type: ignore[arg-type]
        (lambda: hs.WithReplacement(1, 0), ("population", ">= 1", "0")),
        (lambda: hs.WithReplacement(-2, 5), ("size", ">= 0", "-2")),
        (lambda: hs.TruncatedPoisson(2.0, 1, 5), ("rate", "[0, 1]", "2.0")),
        (lambda: hs.TruncatedPoisson(0.5, -1, 5), ("limit", ">= 0", "-1")),
        (lambda: hs.TruncatedPoisson(0.5, 1, 0), ("population", ">= 1", "0")),
        (lambda: hs.RandomAllocation(0), ("steps", ">= 1", "0")),
        (lambda: hs.RandomAllocation(3, participations=4), ("participations", "3", "4")),
        (lambda: hs.Shuffled(0), ("size", ">= 1", "0")),
        (lambda: hs.Gaussian(1).on(hs.Poisson(0.1)).group(0), ("size", ">= 1", "0")),
    ],
)
def test_bad_parameters(make: Callable[[], object], words: tuple[str, ...]) -> None:
    with pytest.raises(ParameterError) as refused:
        make()
    for word in words:
        assert word in str(refused.value)


def test_shuffled_batches_have_no_bound_when_a_record_is_added() -> None:
    with pytest.raises(RelationError, match="ZERO_OUT or REPLACE_ONE"):
        hs.Gaussian(1).on(hs.Shuffled(5)).epsilon(1e-5, relation=hs.ADD_REMOVE)


def test_samplers_with_different_neighbours() -> None:
    response = hs.RandomizedResponse(1)
    run = response.on(hs.Poisson(0.1)) + response.on(hs.WithoutReplacement(1, 10))
    with pytest.raises(RelationError, match=r"add-remove.*replace-one.*relation="):
        run.epsilon(1e-5)
    assert run.epsilon(1e-5, relation=hs.REPLACE_ONE) > 0


@pytest.mark.parametrize(
    "sampler",
    [hs.WithoutReplacement(3, 10), hs.WithReplacement(3, 10), hs.TruncatedPoisson(0.5, 3, 10)],
    ids=repr,
)
def test_drawing_from_another_population(sampler: hs.Sampler) -> None:
    assert len(sampler.draw(10, rng=1)) <= 3
    for other in (9, 11):
        with pytest.raises(ParameterError, match=rf"population.*10.*{other}"):
            sampler.draw(other, rng=1)


def test_a_fixed_share_of_a_sample() -> None:
    """Ten of a hundred is more than a tenth where a coin has left about fifty."""
    with pytest.raises(ParameterError):
        hs.Gaussian(1).on(hs.WithoutReplacement(10, 100)).on(hs.Poisson(0.5)).delta(
            0.5, relation=hs.ADD_REMOVE
        )


@pytest.mark.parametrize(
    ("text", "relation", "expected"),
    [
        ("Gaussian(0).on(WithoutReplacement(10, 100))", "ZERO_OUT", 0.1),
        ("Laplace(0.002).on(WithoutReplacement(10, 100))", "ZERO_OUT", 0.1),
        ("PureDP(800).on(RandomAllocation(10))", "ADD_REMOVE", 1.0),
        ("Gaussian(1e300).on(RandomAllocation(10))", "ADD_REMOVE", 0.0),
    ],
)
def test_extremes_without_warnings(text: str, relation: str, expected: float) -> None:
    found = hs.parse(text).delta(0.5, relation=hs.Relation[relation])
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-300)


CURVES = [
    hs.ZeroConcentratedDP(0.1),
    hs.TruncatedConcentratedDP(0.1, 5.0),
    hs.RenyiDP({2.0: 0.1}),
    hs.ExponentialFamily.bounded(1.0, smoothness=0.25),
    hs.GaussianPair([1, 0], [[2, 0], [0, 1]], [0, 0], [[1, 0], [0, 3]]),
    hs.Gaussian(1.0) + hs.ZeroConcentratedDP(0.1),
]


@pytest.mark.parametrize("relation", list(hs.Relation), ids=repr)
@pytest.mark.parametrize("mechanism", CURVES, ids=lambda m: type(m).__name__)
def test_groups_of_what_is_known_by_its_curve(
    mechanism: hs.Mechanism, relation: hs.Relation
) -> None:
    grouped = mechanism.on(hs.Poisson(0.01)).group(2)
    for ask in (
        lambda: grouped.epsilon(1e-5, relation=relation),
        lambda: grouped.evidence(relation).loss,
    ):
        with pytest.raises(ParameterError, match="no pair is known for 2 records together"):
            ask()


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        (0.01, "0.01"),
        (None, "None"),
        (hs.Poisson, "<class 'hockeystick.samplers.poisson.Poisson'>"),
        (hs.Gaussian(1.0), r"Gaussian\(1.0\)"),
        ("Poisson(0.01)", r"'Poisson\(0.01\)'"),
    ],
)
@pytest.mark.parametrize(
    "mechanism",
    [hs.Gaussian(1.0), hs.Gaussian(1.0) * 2, hs.Gaussian(1.0).bernoulli(c=0.1)],
    ids=repr,
)
def test_a_mechanism_goes_on_a_sampler_alone(
    mechanism: hs.Mechanism, given: Any, shown: str
) -> None:
    message = rf"sampler must be a Sampler such as Poisson\(0.01\), got {shown}"
    with pytest.raises(hs.ParameterError, match=message):
        mechanism.on(given)

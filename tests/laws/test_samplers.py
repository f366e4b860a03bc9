"""Laws that every sampler obeys, whatever it samples."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hockeystick as hs
from tests.laws.fields import drawn_from_fields

BASES = [hs.Gaussian(1.3), hs.Laplace(0.8), hs.DiscreteLaplace(1.0), hs.RandomizedResponse(0.9)]
ONCE = [
    hs.Poisson(0.15),
    hs.WithoutReplacement(3, 20),
    hs.TruncatedPoisson(0.2, 3, 20),
    hs.RandomAllocation(4),
    hs.Shuffled(4),
]
SAMPLERS = [*ONCE, hs.WithReplacement(3, 20), hs.RandomAllocation(7, participations=3)]
bases = pytest.mark.parametrize("base", BASES, ids=repr)
relations = pytest.mark.parametrize("relation", list(hs.Relation), ids=str)
EXCLUDED = [(hs.Shuffled, hs.ADD_REMOVE)]
EVERY: list[type[hs.Sampler]] = [getattr(hs, name) for name in hs.SAMPLERS if name != "Sampler"]
"""Found by their files, and drawn from the domains of their fields: a new one is tried, too."""
every = pytest.mark.parametrize("kind", EVERY, ids=lambda kind: kind.__name__)
OFTEN = {hs.WithReplacement}
"""Those that may draw a record more than once in a step."""


def test_every_sampler_is_here() -> None:
    assert {type(sampler) for sampler in SAMPLERS} <= set(EVERY)
    assert len(EVERY) >= 7


@every
@given(data=st.data())
@settings(max_examples=20)
def test_text_of_any(kind: type[hs.Sampler], data: st.DataObject) -> None:
    sampler = data.draw(drawn_from_fields(kind))
    assert type(sampler) is kind
    step = hs.Gaussian(1.3).on(sampler)
    assert hs.parse(f"Gaussian(1.3).on({sampler!r})") == step
    assert hs.parse(repr(step * 3)) == step * 3
    assert pickle.loads(pickle.dumps(sampler)) == sampler


@every
@given(data=st.data(), seed=st.integers(0, 100))
@settings(max_examples=20)
def test_draws_records_that_there_are(
    kind: type[hs.Sampler], data: st.DataObject, seed: int
) -> None:
    sampler = data.draw(drawn_from_fields(kind))
    population = getattr(sampler, "population", 9)
    drawn = sampler.draw(population, rng=seed)
    for batch in drawn if isinstance(drawn, list) else [drawn]:
        assert np.isin(batch, np.arange(population)).all()
        assert kind in OFTEN or len(set(batch.tolist())) == len(batch)


@every
@relations
@given(data=st.data())
@settings(max_examples=3)
def test_costs_no_more_than_all_its_steps_without_a_sample(
    kind: type[hs.Sampler], relation: hs.Relation, data: st.DataObject
) -> None:
    """A record drawn so often costs no more than if it were known when; by group privacy."""
    sampler = data.draw(drawn_from_fields(kind))
    if (kind, relation) in EXCLUDED:
        return
    times = sampler.size if isinstance(sampler, hs.WithReplacement) else 1
    times = getattr(sampler, "participations", times)
    part = hs.RandomizedResponse(0.1).on(sampler).delta(0.05, relation=relation)
    whole = hs.PureDP(0.1 * times).delta(0.05)
    assert 0 <= part.lower <= part <= whole * (1 + 1e-5)  # an epoch's lattice is rounded up


@bases
@relations
@pytest.mark.parametrize("sampler", ONCE, ids=repr)
def test_never_above_the_mechanism(
    base: hs.Mechanism, sampler: hs.Sampler, relation: hs.Relation
) -> None:
    """A record drawn at most once costs no more; another in its place counts as replaced."""
    if (type(sampler), relation) in EXCLUDED:
        return
    fixed = isinstance(sampler, (hs.WithoutReplacement, hs.TruncatedPoisson))
    whole = base.delta(0.2, relation=hs.REPLACE_ONE if fixed else relation)
    part = base.on(sampler).delta(0.2, relation=relation)
    assert part.lower <= part <= whole * (1 + 1e-5)  # an epoch's lattice is rounded up


@bases
@relations
def test_more_of_the_data_costs_more(base: hs.Mechanism, relation: hs.Relation) -> None:
    families: list[list[hs.Sampler]] = [
        [hs.Poisson(rate) for rate in (0.05, 0.2, 0.6)],
        [hs.WithoutReplacement(size, 20) for size in (1, 4, 12)],
        [hs.TruncatedPoisson(rate, 3, 20) for rate in (0.02, 0.1, 0.3)],
    ]
    for family in families:
        for epsilon in (0.0, 0.1):
            costs = [base.on(each).delta(epsilon, relation=relation) for each in family]
            assert costs == sorted(costs)
            assert costs[0] < costs[-1]


@bases
@relations
def test_edges(base: hs.Mechanism, relation: hs.Relation) -> None:
    assert base.on(hs.WithoutReplacement(20, 20)) == base
    assert base.on(hs.Poisson(1)) == base
    for nothing in (
        hs.Poisson(0),
        hs.WithoutReplacement(0, 20),
        hs.WithReplacement(0, 20),
        hs.TruncatedPoisson(0, 3, 20),
        hs.TruncatedPoisson(0.3, 0, 20),
    ):
        assert (base.on(nothing) * 5).delta(0, relation=relation) == 0.0
        assert (base.on(nothing) * 5).epsilon(0, relation=relation) == 0.0


@bases
@relations
def test_a_limit_that_never_bites_is_poisson(base: hs.Mechanism, relation: hs.Relation) -> None:
    free, limited = hs.Poisson(0.3), hs.TruncatedPoisson(0.3, 20, 20)
    for epsilon in (0.0, 0.2):
        expected = base.on(free).delta(epsilon, relation=relation)
        found = base.on(limited).delta(epsilon, relation=relation)
        assert found == pytest.approx(expected, rel=1e-12)


@bases
def test_one_draw_is_one_draw(base: hs.Mechanism) -> None:
    one, other = base.on(hs.WithReplacement(1, 20)), base.on(hs.WithoutReplacement(1, 20))
    for epsilon in (0.0, 0.03):
        expected = other.delta(epsilon, relation=hs.REPLACE_ONE)
        assert one.delta(epsilon, relation=hs.REPLACE_ONE) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("sampler", SAMPLERS, ids=repr)
def test_text_and_sums(sampler: hs.Sampler) -> None:
    for base in (hs.Gaussian(1.3), hs.RandomizedResponse(0.9, categories=3)):
        step = base.on(sampler)
        assert hs.parse(repr(step)) == step
        assert hs.parse(repr(step * 3)) == step * 3
        assert step * 2 == step + step


@pytest.mark.slow
@settings(max_examples=25)
@given(
    noise=st.floats(0.5, 5.0),
    size=st.integers(1, 50),
    steps=st.integers(1, 500),
    kind=st.sampled_from(["Poisson", "WithoutReplacement"]),
    relation=st.sampled_from([hs.ADD_REMOVE, hs.REPLACE_ONE]),
)
def test_ends_in_order(
    noise: float, size: int, steps: int, kind: str, relation: hs.Relation
) -> None:
    sampler = hs.Poisson(size / 50) if kind == "Poisson" else hs.WithoutReplacement(size, 50)
    run = hs.RandomizedResponse(1 / noise).on(sampler) * steps
    found = run.epsilon(1e-4, relation=relation)
    assert 0 <= found.lower <= found
    assert found <= (hs.RandomizedResponse(1 / noise) * steps).epsilon(1e-4) * (1 + 1e-5)
    back = run.delta(found, relation=relation)
    assert back.lower <= 1e-4 * (1 + 1e-6)


LITTLE_NOISE = [
    # Far and rare components of a mixture.
    ("Gaussian(1).on(WithReplacement(10, 100))", "ADD_REMOVE", 0.5, 0.03299),
    ("Gaussian(0.05).on(Poisson(0.1))", "REPLACE_ONE", 0.5, 0.0999),
    ("Gaussian(0.1).on(Poisson(0.001))", "REPLACE_ONE", 0.5, 0.000999),
    ("Gaussian(1).on(Poisson(0.5)).group(10)", "ADD_REMOVE", 0.5, 0.9096),
    # e^−ε underflows.
    ("PureDP(800).on(Poisson(0.1))", "REPLACE_ONE", 0.5, 0.0999),
    ("PureDP(800).on(WithoutReplacement(10, 100))", "REPLACE_ONE", 0.5, 0.0999),
    ("DiscreteLaplace(0.002).on(WithoutReplacement(10, 100))", "REPLACE_ONE", 0.5, 0.0999),
    ("DiscreteGaussian(0.05).on(WithoutReplacement(10, 100))", "REPLACE_ONE", 0.5, 0.0999),
]


@pytest.mark.parametrize(("text", "relation", "epsilon", "least"), LITTLE_NOISE)
def test_upper_ends(text: str, relation: str, epsilon: float, least: float) -> None:
    """By integration of the densities; a tenth of the records drawn and no noise is 0.1."""
    assert hs.parse(text).delta(epsilon, relation=hs.Relation[relation]) >= least


@pytest.mark.parametrize("sampler", [hs.Poisson(0.999999), hs.Shuffled(2)], ids=repr)
def test_lower_end_of_a_class(sampler: hs.Sampler) -> None:
    """Next to no sampling cannot make known what is not known without."""
    base = hs.ExponentialMechanism(1.0)
    assert (base.on(sampler) * 10).delta(2.0).lower <= (base * 10).delta(2.0).lower * 1.01


@pytest.mark.parametrize("sampler", [hs.Poisson(0.5), hs.TruncatedPoisson(0.5, 90, 100)], ids=repr)
def test_lower_end_when_replacing_moves_less(sampler: hs.Sampler) -> None:
    """What is said to be attained on a sample is at most what the mechanism costs without one."""
    base = hs.Gaussian(1, replace_sensitivity=0.5)
    found = base.on(sampler).delta(1.0, relation=hs.REPLACE_ONE)
    assert found.lower <= base.delta(1.0, relation=hs.REPLACE_ONE)


@pytest.mark.slow
def test_too_many_releases_on_one_sample_are_refused_at_once() -> None:
    many = (hs.RandomizedResponse(1.0) * 10**6).on(hs.Poisson(0.1))
    with pytest.raises(hs.NumericalError, match="one sample"):
        many.epsilon(1e-5)

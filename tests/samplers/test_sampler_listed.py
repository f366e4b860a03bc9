"""Laws of batches that are listed: all neighbouring data sets of a few records lie between."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import Any

import numpy as np
import pytest

import hockeystick as hs
from hockeystick import questions
from hockeystick.routes.question import DeltaAt
from tests.oracles.sampling import enumeration
from tests.oracles.sampling.enumeration import Array, Data

PAIRS = list(itertools.combinations(range(4), 2))
LAWS = {
    "stratified": hs.Sampling({(one, other): 1 for one in (0, 1) for other in (2, 3)}, 4),
    "by cluster": hs.Sampling({(0, 1): 1, (2, 3): 1}, 4),
    "by clusters of two sizes": hs.Sampling({(0, 1, 2): 2, (3,): 1}, 4),
    "unequal coins": hs.Sampling(
        {
            batch: float(np.prod([r if i in batch else 1 - r for i, r in enumerate((0.5, 0.25))]))
            for batch in ((), (0,), (1,), (0, 1))
        },
        2,
    ),
    "unequal pairs": hs.Sampling({pair: 1 + 0.37 * i for i, pair in enumerate(PAIRS)}, 4),
    "never the last": hs.Sampling({(0,): 1, (1, 2): 1, (): 0.5}, 4),
}
RELEASES = {
    "Laplace": (hs.DiscreteLaplace(1.5), enumeration.discrete_laplace(1.5)),
    "response": (hs.RandomizedResponse(1.0), enumeration.response(1.0)),
}


def neighbours(relation: str, size: int) -> list[tuple[Any, Any]]:
    """Data sets that differ in one place; None stands for a record that is not there."""
    found: list[tuple[Any, Any]] = []
    for data in itertools.product(enumeration.UNIVERSE, repeat=size):
        for i in range(size):
            place = {"ADD_REMOVE": (None,), "ZERO_OUT": (0,)}.get(relation, enumeration.UNIVERSE)
            found += [(data, (*data[:i], other, *data[i + 1 :])) for other in place]
    return found


def worst(sampler: hs.Sampling, release: str, relation: str, epsilon: float, steps: int) -> float:
    """The largest divergence of all neighbouring data sets."""
    output = RELEASES[release][1]
    total = sum(weight for _, weight in sampler.weights)
    laws: dict[Data, Array] = {}

    def law(data: Data) -> Array:
        if data not in laws:
            chances: Counter[Data] = Counter()
            for batch, weight in sampler.weights:
                records = sorted(data[i] for i in batch if data[i] is not None)
                chances[tuple(records)] += weight / total  # type: ignore[assignment]
            laws[data] = np.asarray(sum(p * output(batch) for batch, p in chances.items()))
        return laws[data]

    pairs = neighbours(relation, sampler.population)
    return max(enumeration.divergence(law(x), law(y), epsilon, steps) for x, y in pairs)


@pytest.fixture(autouse=True)
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Outputs beyond the largest sum are alike for Laplace noise."""
    monkeypatch.setattr(enumeration, "REACH", 5)


@pytest.mark.slow
@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("relation", ["ADD_REMOVE", "REPLACE_ONE", "ZERO_OUT"])
@pytest.mark.parametrize("name", LAWS)
def test_between_the_ends(name: str, relation: str, release: str) -> None:
    sampler, base = LAWS[name], RELEASES[release][0]
    for steps, epsilon in ((1, 0.0), (1, 0.1), (1, 0.4), (2, 0.2)):
        truth = worst(sampler, release, relation, epsilon, steps)
        bound = (base.on(sampler) * steps).delta(epsilon, relation=hs.Relation[relation])
        assert bound.lower * (1 - 1e-9) - 1e-13 <= truth <= bound * (1 + 1e-9) + 1e-13, epsilon


@pytest.mark.slow
@pytest.mark.parametrize("relation", [hs.REPLACE_ONE, hs.ZERO_OUT], ids=str)
@pytest.mark.parametrize("base", [hs.Laplace(1.5), hs.RandomizedResponse(1.0)], ids=repr)
def test_agrees_with_a_sample_of_fixed_size(base: hs.Mechanism, relation: hs.Relation) -> None:
    listed, named = hs.Sampling(dict.fromkeys(PAIRS, 3.0), 4), hs.WithoutReplacement(2, 4)
    for epsilon in (0.0, 0.2):
        asked = DeltaAt(epsilon), relation, "auto"
        expected = questions.answer(base.on(named) * 2, *asked, games=False)  # by couplings
        found = (base.on(listed) * 2).delta(epsilon, relation=relation)
        if isinstance(base, hs.Laplace) and relation is hs.ZERO_OUT:  # three in line are less
            assert expected.upper <= found.upper <= 1.15 * expected.upper
        else:
            assert found == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("relation", list(hs.Relation), ids=str)
def test_agrees_with_coins(relation: hs.Relation) -> None:
    """Also where only a Gaussian pair, not the couplings, is tight: a record being replaced."""
    coins = LAWS["unequal coins"]
    assert coins.rates == (0.5, 0.25)
    expected = (hs.Gaussian(1.5).on(hs.Poisson(0.5)) * 10).epsilon(1e-5, relation=relation)
    found = (hs.Gaussian(1.5).on(coins) * 10).epsilon(1e-5, relation=relation)
    assert found == pytest.approx(expected, rel=1e-12)


def test_strata_cost_what_their_most_sampled_costs() -> None:
    sampler = hs.Sampling({(a, b, c): 1 for a in (0, 1) for b, c in ((2, 3), (3, 4), (2, 4))}, 5)
    base = hs.Gaussian(2.0)
    expected = base.on(hs.WithoutReplacement(2, 3)).epsilon(1e-6)
    assert base.on(sampler).epsilon(1e-6) == pytest.approx(expected, rel=1e-9)


def test_a_cluster_costs_more_than_its_share_and_less_than_no_sampling() -> None:
    base = hs.Gaussian(2.0)
    cluster = base.on(LAWS["by cluster"]).delta(1.0)
    share = base.on(hs.WithoutReplacement(1, 2)).delta(1.0)
    assert share < cluster < base.delta(1.0, relation=hs.REPLACE_ONE)


def test_without_group_privacy_the_batch_is_revealed() -> None:
    base = hs.ProfileDP(hs.Laplace(1.0))
    found = base.on(LAWS["by cluster"]).delta(0.1)
    assert found == pytest.approx(0.5 * base.delta(0.1, relation=hs.REPLACE_ONE), rel=1e-9)


def test_draws_what_it_accounts_for() -> None:
    sampler = LAWS["unequal pairs"]
    rng = np.random.default_rng(1)
    drawn = Counter(tuple(sampler.draw(4, rng).tolist()) for _ in range(4000))
    for batch, chance in sampler.law.items():
        assert abs(drawn[batch] / 4000 - float(chance)) < 5 * (float(chance) / 4000) ** 0.5


@pytest.mark.parametrize(
    ("weights", "population", "message"),
    [
        ({}, 3, "weights must be a mapping of 1 to"),
        ({(0, 3): 1}, 3, "index must be below population = 3, got 3"),
        ({(0, 0): 1}, 3, "each of different records"),
        ({(0, 1): 1, (1, 0): 1}, 3, "different batches"),
        ({(0,): 0.0}, 3, r"weight must be in \(0, inf\), got 0.0"),
        ({(0,): float("nan")}, 3, "weight must be"),
        ({"a": 1}, 3, "a batch must be a tuple of indices"),
        ({(-1,): 1}, 3, "index must be an integer >= 0"),
    ],
)
def test_refused(weights: object, population: int, message: str) -> None:
    with pytest.raises(hs.ParameterError, match=message):
        hs.Sampling(weights, population)  # type: ignore[arg-type]


@pytest.mark.parametrize("numbers", [(3, 1.0), (3, 1.0, 2, 0), (3, 1.0, 1, 0, 2.0, 1, 0)])
def test_refused_tables(numbers: tuple[float, ...]) -> None:
    with pytest.raises(hs.ParameterError, match="table must hold"):
        hs.Sampling.table(*numbers)  # type: ignore[arg-type]

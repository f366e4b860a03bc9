"""Each batch has exactly the law that its name says.

A small population has few outcomes: their whole law is enumerated and compared by chi-square with
drawn outcomes, at fixed seeds. The same comparison, with as many draws, rejects wrong samplers.
"""

from __future__ import annotations

import itertools
import tracemalloc
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable
from math import comb, factorial, prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.random import Generator, Philox
from scipy import stats

from hockeystick.errors import ParameterError
from hockeystick.random import batches
from hockeystick.random.generators import generator

Draw = Callable[[Generator], Any]
Law = dict[Hashable, float]
DRAWS = 10_000


def outcome(drawn: Any) -> Hashable:
    """A batch as a tuple, an epoch as a tuple of tuples."""
    if isinstance(drawn, list):
        return tuple(outcome(batch) for batch in drawn)
    return tuple(drawn.tolist())


def outcomes(draw: Draw, draws: int = DRAWS) -> Counter[Hashable]:
    """How often each outcome was drawn."""
    rng = generator(1)
    return Counter(outcome(draw(rng)) for _ in range(draws))


def p_value(drawn: Counter[Hashable], law: Law) -> float:
    """Chi-square of the outcomes; one outside the law has probability 0."""
    draws = drawn.total()
    assert abs(sum(law.values()) - 1) < 1e-12
    assert min(law.values()) * draws > 4
    if set(drawn) - set(law):
        return 0.0
    observed = [drawn[key] for key in law]
    return float(stats.chisquare(observed, [p * draws for p in law.values()]).pvalue)


def subsets(population: int) -> list[tuple[int, ...]]:
    sizes = range(population + 1)
    return [s for size in sizes for s in itertools.combinations(range(population), size)]


def poisson_law(population: int, rate: float) -> Law:
    return {s: rate ** len(s) * (1 - rate) ** (population - len(s)) for s in subsets(population)}


def truncated_law(population: int, rate: float, limit: int) -> Law:
    law: Law = defaultdict(float)
    for drawn in subsets(population):
        kept = list(itertools.combinations(drawn, min(limit, len(drawn))))
        for s in kept:
            law[s] += rate ** len(drawn) * (1 - rate) ** (population - len(drawn)) / len(kept)
    return law


def uniform(outcomes: list[Any]) -> Law:
    return dict.fromkeys(outcomes, 1 / len(outcomes))


def subset_law(population: int, size: int) -> Law:
    return uniform(list(itertools.combinations(range(population), size)))


def multiset_law(population: int, size: int) -> Law:
    return {
        s: factorial(size) / prod(map(factorial, Counter(s).values())) / population**size
        for s in itertools.combinations_with_replacement(range(population), size)
    }


def allocation_law(population: int, steps: int, participations: int) -> Law:
    rows = list(itertools.combinations(range(steps), participations))
    return uniform(
        [
            tuple(tuple(i for i, row in enumerate(chosen) if step in row) for step in range(steps))
            for chosen in itertools.product(rows, repeat=population)
        ]
    )


def partition_law(population: int, size: int) -> Law:
    cuts = range(0, population, size)
    permutations = itertools.permutations(range(population))
    return uniform(
        list({tuple(tuple(sorted(p[c : c + size])) for c in cuts) for p in permutations})
    )


RIGHT: list[tuple[str, Draw, Law]] = [
    ("poisson 0.3", lambda rng: batches.poisson(5, 0.3, rng), poisson_law(5, 0.3)),
    ("poisson 0.8", lambda rng: batches.poisson(4, 0.8, rng), poisson_law(4, 0.8)),
    ("poisson 0.03", lambda rng: batches.poisson(2, 0.03, rng), poisson_law(2, 0.03)),
    ("subset", lambda rng: batches.subset(6, 3, rng), subset_law(6, 3)),
    ("multiset", lambda rng: batches.multiset(3, 4, rng), multiset_law(3, 4)),
    ("truncated", lambda rng: batches.truncated_poisson(5, 0.4, 2, rng), truncated_law(5, 0.4, 2)),
    ("allocation 1", lambda rng: batches.allocation(4, 3, 1, rng), allocation_law(4, 3, 1)),
    ("allocation 2", lambda rng: batches.allocation(3, 4, 2, rng), allocation_law(3, 4, 2)),
    ("allocation 3", lambda rng: batches.allocation(3, 4, 3, rng), allocation_law(3, 4, 3)),
    ("partition", lambda rng: batches.partition(5, 2, rng), partition_law(5, 2)),
]  # fmt: skip
LAWS = {name: law for name, _, law in RIGHT}
SLOW = ("allocation 2", "allocation 3")


def keeping_the_first(rng: Generator) -> Any:
    return batches.poisson(5, 0.4, rng)[:2]


def of_fixed_size(rng: Generator) -> Any:
    return batches.subset(5, 1 + int(rng.random() < 0.5), rng)  # each index with probability 0.3


def in_step(rng: Generator) -> Any:
    """Right for every single index, wrong for pairs: all indices share one draw."""
    first = int(rng.integers(4))
    return [np.arange(4) if (step - first) % 4 < 2 else np.arange(0) for step in range(4)]


def with_repeats(rng: Generator) -> Any:
    chosen = rng.integers(0, 4, (3, 2))
    return [np.flatnonzero((chosen == step).any(axis=1)) for step in range(4)]


def biased_shuffle(rng: Generator) -> Any:
    order = np.arange(5)
    for i in range(5):  # swaps with any place, not only with those not yet settled
        j = int(rng.integers(5))
        order[[i, j]] = order[[j, i]]
    return [np.sort(order[:2]), np.sort(order[2:4]), order[4:]]


WRONG: list[tuple[str, str, Draw]] = [
    ("10 % more", "poisson 0.3", lambda rng: batches.poisson(5, 0.33, rng)),
    ("10 % less", "poisson 0.8", lambda rng: batches.poisson(4, 0.72, rng)),
    ("a fifth more", "poisson 0.03", lambda rng: batches.poisson(2, 0.036, rng)),
    ("fixed size", "poisson 0.3", of_fixed_size),
    ("last index never", "subset", lambda rng: batches.subset(5, 3, rng)),
    ("uneven", "multiset", lambda rng: np.sort(rng.integers(0, 3, 4) % 2)),
    ("10 % more", "truncated", lambda rng: batches.truncated_poisson(5, 0.44, 2, rng)),
    ("the first are kept", "truncated", keeping_the_first),
    ("all in step", "allocation 2", in_step),
    ("a step may repeat", "allocation 2", with_repeats),
    ("in order", "allocation 1", lambda rng: batches.partition(4, 2, rng)),
    ("biased shuffle", "partition", biased_shuffle),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "draw", "law"),
    [
        pytest.param(*case, marks=[pytest.mark.slow] if case[0] in SLOW else [], id=case[0])
        for case in RIGHT
    ],
)
def test_the_law_of_every_outcome(name: str, draw: Draw, law: Law) -> None:
    assert p_value(outcomes(draw), law) > 0.005


@pytest.mark.slow
@pytest.mark.parametrize(("fault", "name", "draw"), WRONG)
def test_wrong_samplers_are_rejected(fault: str, name: str, draw: Draw) -> None:
    assert p_value(outcomes(draw), LAWS[name]) < 1e-6


@pytest.mark.parametrize(
    "rate", [0.25, *(pytest.param(rate, marks=pytest.mark.slow) for rate in (0.3, 0.45))]
)
def test_the_sparse_way_has_the_same_law(rate: float, monkeypatch: Any) -> None:
    """Blocks of 2, of which the last one is cut."""
    monkeypatch.setattr(batches, "DENSE", 0.5)
    drawn = outcomes(lambda rng: batches.poisson(5, rate, rng))
    assert p_value(drawn, poisson_law(5, rate)) > 0.005
    assert p_value(drawn, poisson_law(5, 1.1 * rate)) < 1e-6


CELLS = (1000, 1200, 797)  # of a larger population; 2997 is no multiple of a block
TOP = 3


def cells_of(batch: Any) -> Any:
    """How many indices lie in each cell, TOP standing for more."""
    return np.minimum(np.histogram(batch, bins=np.cumsum((0, *CELLS)))[0], TOP)


def sparse_law(rate: float) -> Law:
    pmfs = []
    for size in CELLS:
        pmf = stats.binom.pmf(np.arange(TOP), size, rate)
        pmfs.append([*pmf.tolist(), float(1 - pmf.sum())])
    counts = itertools.product(range(TOP + 1), repeat=len(CELLS))
    return {c: prod(pmf[i] for pmf, i in zip(pmfs, c, strict=True)) for c in counts}


@pytest.mark.slow
def test_sparse_batches() -> None:
    """The joint law of the counts in three cells: independent binomials of the rate."""
    rate = 1.1e-3
    drawn = outcomes(lambda rng: cells_of(batches.poisson(sum(CELLS), rate, rng)))
    assert p_value(drawn, sparse_law(rate)) > 0.005
    assert p_value(drawn, sparse_law(1.1 * rate)) < 1e-9
    assert p_value(drawn, sparse_law(rate / 1.1)) < 1e-9


def head_law(population: int, size: int, head: int) -> Law:
    """How many of `size` different indices are below `head`: hypergeometric."""
    return {
        (c,): comb(head, c) * comb(population - head, size - c) / comb(population, size)
        for c in range(size + 1)
    }


def test_small_subsets_of_large_populations() -> None:
    """Numpy takes Floyd's algorithm here."""
    drawn = outcomes(lambda rng: np.array([(batches.subset(20_000, 4, rng) < 9_000).sum()]))
    assert p_value(drawn, head_law(20_000, 4, 9_000)) > 0.005
    assert p_value(drawn, head_law(20_000, 4, 9_900)) < 1e-9


def poisson_sizes(mean: float, last: int) -> Law:
    """The size of a batch of that mean out of very many, `last` standing for more."""
    law: Law = {(c,): float(stats.poisson.pmf(c, mean)) for c in range(last)}
    return law | {(last,): 1 - sum(law.values())}


@pytest.mark.slow
@pytest.mark.parametrize(("mean", "last"), [(3.1, 6), (0.9, 3), (0.106, 2)])
def test_rates_far_below_the_rounding_of_one(mean: float, last: int) -> None:
    """2^62 records; the last rate is thinned twice."""
    rate = mean * 2.0**-62
    drawn = outcomes(lambda rng: np.array([min(batches.poisson(2**62, rate, rng).size, last)]))
    assert p_value(drawn, poisson_sizes(mean, last)) > 0.005
    assert p_value(drawn, poisson_sizes(1.2 * mean, last)) < 1e-4


def test_pairs_of_records_share_a_step_as_often_as_they_should() -> None:
    """Two records with k of t steps share k²/t of them on average, at each lag of their indices."""
    t, k, population = 9, 4, 40
    rng, epochs = generator(2), 400
    shared = np.zeros((population, population))
    for _ in range(epochs):
        member = np.zeros((t, population))
        for step, batch in enumerate(batches.allocation(population, t, k, rng)):
            member[step, batch] = 1
        shared += member.T @ member
    assert (np.diag(shared) == k * epochs).all()
    mean, variance = k * k / t, k * k / t * (1 - k / t) * (t - k) / (t - 1)  # hypergeometric
    z = (shared - epochs * mean) / np.sqrt(epochs * variance)
    z = z[np.triu_indices(population, 1)]
    assert abs(z.mean()) * np.sqrt(z.size) < 4
    assert abs(z.var() - 1) < 4 * np.sqrt(2 / z.size)


BATCHES: list[tuple[str, Draw]] = [
    ("poisson", lambda rng: batches.poisson(10**8, 1e-6, rng)),
    ("subset", lambda rng: batches.subset(10**8, 100, rng)),
    ("multiset", lambda rng: batches.multiset(10**8, 100, rng)),
    ("truncated_poisson", lambda rng: batches.truncated_poisson(10**8, 1e-6, 80, rng)),
]


@pytest.mark.parametrize(("name", "draw"), BATCHES)
def test_a_batch_costs_in_proportion_to_itself(name: str, draw: Draw) -> None:
    """Of 1e8 records about 100 are drawn: with less than 100 kB and 1000 random words."""
    rng = Generator(Philox(key=1))
    draw(rng)
    before = rng.bit_generator.state["state"]["counter"][0]
    tracemalloc.start()
    batch = draw(rng)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert 60 < batch.size < 150
    assert batch.nbytes <= peak < 100_000
    assert 4 * (rng.bit_generator.state["state"]["counter"][0] - before) < 1000


@given(st.integers(0, 300), st.floats(0, 1), st.integers(0, 300), st.integers(0, 2**32))
def test_shape_of_batches(population: int, rate: float, size: int, seed: int) -> None:
    size = min(size, population)
    sets = [batches.poisson(population, rate, seed), batches.subset(population, size, seed)]
    sets.append(batches.truncated_poisson(population, rate, size, seed))
    assert sets[1].size == size
    assert sets[2].size == min(size, sets[0].size)
    assert set(sets[2]) <= set(sets[0])
    for batch in [*sets, batches.multiset(max(population, 1), size, seed)]:
        assert batch.dtype == np.int64
        assert (np.diff(batch) >= 0).all()
        assert ((batch >= 0) & (batch < max(population, 1))).all()
    assert all(np.unique(batch).size == batch.size for batch in sets)


@given(st.integers(0, 60), st.integers(1, 30), st.data())
def test_shape_of_epochs(population: int, steps: int, data: st.DataObject) -> None:
    participations = data.draw(st.integers(1, steps))
    size, seed = data.draw(st.integers(1, 70)), data.draw(st.integers(0, 99))
    epoch = batches.allocation(population, steps, participations, seed)
    assert len(epoch) == steps
    assert all(batch.dtype == np.int64 and (np.diff(batch) > 0).all() for batch in epoch)
    counts = np.bincount(np.concatenate(epoch), minlength=population)
    assert counts.tolist() == [participations] * population
    cut = batches.partition(population, size, seed)
    assert [batch.size for batch in cut[:-1]] == [size] * (len(cut) - 1)
    assert all(batch.dtype == np.int64 and (np.diff(batch) > 0).all() for batch in cut)
    assert sorted(i for batch in cut for i in batch.tolist()) == list(range(population))


def test_edges() -> None:
    for rate in (0, 5e-324, 1e-300):
        assert batches.poisson(2**62, rate, 0).size == 0
    assert batches.poisson(5, 1, 0).tolist() == [0, 1, 2, 3, 4]
    assert batches.poisson(0, 0.5, 0).size == batches.poisson(0, 1e-9, 0).size == 0
    assert batches.subset(4, 4, 0).tolist() == [0, 1, 2, 3]
    assert batches.subset(0, 0, 0).size == batches.multiset(0, 0, 0).size == 0
    assert batches.truncated_poisson(5, 1, 9, 0).tolist() == [0, 1, 2, 3, 4]
    assert batches.truncated_poisson(5, 1, 0, 0).size == 0
    assert [batch.tolist() for batch in batches.allocation(2, 3, 3, 0)] == [[0, 1]] * 3
    assert [batch.size for batch in batches.allocation(0, 3, 2, 0)] == [0, 0, 0]
    assert [batch.tolist() for batch in batches.partition(2, 9, 0)] == [[0, 1]]
    assert batches.partition(0, 9, 0) == []


@pytest.mark.parametrize(("name", "draw"), [*BATCHES, *[case[:2] for case in RIGHT]])
def test_a_seed_decides_and_secure_batches_differ(name: str, draw: Any) -> None:
    assert outcome(draw(11)) == outcome(draw(11)) == outcome(draw(np.random.default_rng(11)))
    pytest.importorskip("randomgen")
    secure = generator()
    seen = {outcome(draw(secure)) for _ in range(100)} | {outcome(draw(None))}
    assert len(seen) > 1


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda: batches.poisson(-1, 0.5, 0), "population must be an integer >= 0, got -1"),
        (lambda: batches.poisson(2**62 + 1, 0.5, 0), "population must be an integer in"),
        (lambda: batches.poisson(10.0, 0.5, 0), "population must be an integer >= 0, got 10.0"),  # type: ignore[arg-type]
        (lambda: batches.poisson(10, 1.5, 0), r"rate must be in \[0, 1\], got 1.5"),
        (lambda: batches.poisson(10, float("nan"), 0), r"rate must be in \[0, 1\], got nan"),
        (lambda: batches.subset(10, 11, 0), "size must be at most the population 10, got 11"),
        (lambda: batches.subset(10, -1, 0), "size must be an integer >= 0, got -1"),
        (lambda: batches.multiset(0, 1, 0), "population must be an integer >= 1"),
        (lambda: batches.multiset(1, -1, 0), "size must be an integer >= 0, got -1"),
        (lambda: batches.truncated_poisson(9, 0.5, -1, 0), "limit must be an integer >= 0, got -1"),
        (lambda: batches.truncated_poisson(9, -0.5, 1, 0), "rate must be in"),
        (lambda: batches.allocation(9, 0, 1, 0), "steps must be an integer >= 1, got 0"),
        (lambda: batches.allocation(9, 3, 0, 0), "participations must be an integer >= 1, got 0"),
        (lambda: batches.allocation(9, 3, 4, 0), "participations must be at most the steps 3"),
        (lambda: batches.partition(9, 0, 0), "size must be an integer >= 1, got 0"),
        (lambda: batches.poisson(9, 0.5, "seed"), "rng must be None, an integer >= 0 or a numpy"),  # type: ignore[arg-type]
    ],
)  # fmt: skip
def test_bad_arguments(draw: Callable[[], Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        draw()

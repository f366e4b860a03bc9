"""All neighbouring data sets of three records: none is easier to tell apart than the upper end.

And some pair of them is at least as easy as the lower end says.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

import hockeystick as hs
from tests.oracles.sampling import enumeration
from tests.oracles.sampling.enumeration import Array, Batches, Data, Release

RELEASES: dict[str, tuple[hs.Mechanism, Release]] = {
    "Laplace": (hs.DiscreteLaplace(1.5), enumeration.discrete_laplace(1.5)),
    "Gaussian": (hs.DiscreteGaussian(1.2), enumeration.discrete_gaussian(1.2)),
    "response": (hs.RandomizedResponse(1.0), enumeration.response(1.0)),
}
SAMPLERS: dict[str, tuple[hs.Sampler, Batches]] = {
    "Poisson": (hs.Poisson(0.3), enumeration.poisson(0.3)),
    "one of three": (hs.WithoutReplacement(1, 3), enumeration.without_replacement(1)),
    "two of three": (hs.WithoutReplacement(2, 3), enumeration.without_replacement(2)),
    "with replacement": (hs.WithReplacement(2, 3), enumeration.with_replacement(2)),
    "truncated": (hs.TruncatedPoisson(0.4, 1, 3), enumeration.truncated_poisson(0.4, 1)),
    "truncated to two": (hs.TruncatedPoisson(0.7, 2, 3), enumeration.truncated_poisson(0.7, 2)),
}
Law = Callable[[Data], Array]


def check(mechanism: hs.Mechanism, law: Law, relation: str, size: int, lower: bool = True) -> None:
    """The mechanism's bounds around the worst of all pairs, for one step and for two."""
    laws: dict[Data, Array] = {}

    def of(data: Data) -> Array:
        if data not in laws:
            laws[data] = law(data)
        return laws[data]

    pairs = [(of(x), of(y)) for x, y in enumeration.neighbours(relation, size)]
    for steps in (1, 2):
        for epsilon in ((0.0, 0.1, 0.4, 1.0), (0.1, 0.4))[steps - 1]:
            worst = max(enumeration.divergence(p, q, epsilon, steps) for p, q in pairs)
            bound = (mechanism * steps).delta(epsilon, relation=hs.Relation[relation])
            assert worst <= bound * (1 + 1e-9) + 1e-13, (steps, epsilon)
            if lower:
                assert bound.lower <= worst * (1 + 1e-9) + 1e-13, (steps, epsilon)


SLOW = ("two of three", "truncated", "truncated to two", "with replacement")
"""As other samplers, in larger batches or by two of them: in the slow run."""
CASES = [
    pytest.param(
        sampler,
        release,
        relation,
        marks=[pytest.mark.slow] if sampler in SLOW else [],
    )
    for sampler in SAMPLERS
    for release in RELEASES
    for relation in ("ADD_REMOVE", "REPLACE_ONE", "ZERO_OUT")
    # The other bounds are no lists of atoms for discrete Gaussian noise: many seconds each.
    if release != "Gaussian" or relation == "ADD_REMOVE" or sampler == "one of three"
    if (release, relation) != ("Gaussian", "ZERO_OUT")
]


@pytest.mark.parametrize(("sampler", "release", "relation"), CASES)
def test_steps(sampler: str, release: str, relation: str) -> None:
    mechanism, output = RELEASES[release]
    drawn, batches = SAMPLERS[sampler]
    check(mechanism.on(drawn), partial(enumeration.law, batches, output), relation, size=3)


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fewer outputs, as an epoch has several; all beyond the largest sum are alike for Laplace."""
    monkeypatch.setattr(enumeration, "REACH", 3)


@pytest.mark.usefixtures("narrow")
@pytest.mark.parametrize("relation", ["ADD_REMOVE", "ZERO_OUT"])
@pytest.mark.parametrize("steps", [2, 3])
@pytest.mark.parametrize("release", ["Laplace", "response"])
def test_epochs_of_random_allocation(release: str, steps: int, relation: str) -> None:
    mechanism, output = RELEASES[release]
    law = partial(enumeration.allocation, steps, output)
    size = 3 if release == "response" else 2
    check(mechanism.on(hs.RandomAllocation(steps)), law, relation, size)


@pytest.mark.usefixtures("narrow")
@pytest.mark.parametrize("relation", ["REPLACE_ONE", "ZERO_OUT"])
@pytest.mark.parametrize("batch", [1, 2, 3])
@pytest.mark.parametrize("release", ["Laplace", "response"])
def test_epochs_of_shuffled_batches(release: str, batch: int, relation: str) -> None:
    """The upper end always; the lower is that of data that fits into one batch."""
    mechanism, output = RELEASES[release]
    law = partial(enumeration.shuffled, batch, output)
    size = 3 if release == "response" else 2
    check(mechanism.on(hs.Shuffled(batch)), law, relation, size, lower=size <= batch)

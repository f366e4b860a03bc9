"""A strategy for every exported mechanism: the laws are tried on all of them.

A new one is found by its file and drawn from the domains of its fields; an entry in STRATEGIES is
for those with other arguments, or that are to be tried further out.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterable

import pytest
from hypothesis import find
from hypothesis import strategies as st

import hockeystick as hs
from hockeystick.mechanisms.beta_posterior import BetaPosterior
from hockeystick.mechanisms.dirichlet_posterior import DirichletPosterior
from hockeystick.mechanisms.exponential_family import ExponentialFamily
from hockeystick.mechanisms.gamma_posterior import GammaPosterior
from hockeystick.mechanisms.gaussian_pair import GaussianPair
from tests.laws.fields import drawn_from_fields

EXPORTED: list[type[hs.Mechanism]] = [
    value
    for name in hs.__all__
    if isinstance(value := getattr(hs, name), type)
    and issubclass(value, hs.Mechanism)
    and value not in (hs.Mechanism, hs.Composition)
]
"""Found by looking, so that a mechanism added later cannot be forgotten here."""

rates = st.floats(0.001, 0.9)
deltas = st.floats(-12, -0.5).map(lambda x: 10**x)
epsilons = st.floats(0.0, 6.0)
counts = st.integers(2, 40)

_few = st.floats(0.05, 3.0)
_prior = st.floats(14.0, 60.0)
"""Counts for which K is finite at all the points that the laws ask for."""


def _table(pairs: list[tuple[float, float]]) -> dict[float, float]:
    """Growing orders with growing divergences."""
    orders = sorted({round(a, 6) for a, _ in pairs})
    values = sorted(v for _, v in pairs)
    return dict(zip(orders, values, strict=False))


STRATEGIES: dict[type[hs.Mechanism], st.SearchStrategy[hs.Mechanism]] = {
    hs.Gaussian: st.builds(
        hs.Gaussian, st.floats(0.3, 20.0), replace_sensitivity=st.sampled_from([2.0, 1.0, 0.5])
    ),
    hs.Laplace: st.builds(hs.Laplace, st.floats(0.3, 20.0)),
    hs.DiscreteGaussian: st.builds(
        hs.DiscreteGaussian, st.floats(0.5, 8.0), sensitivity=st.integers(1, 3)
    ),
    hs.DiscreteLaplace: st.builds(
        hs.DiscreteLaplace, st.floats(0.3, 8.0), sensitivity=st.integers(1, 4)
    ),
    hs.RandomizedResponse: st.builds(hs.RandomizedResponse, _few, categories=st.integers(2, 6)),
    hs.ExponentialMechanism: st.builds(hs.ExponentialMechanism, _few),
    hs.PermuteAndFlip: st.builds(hs.PermuteAndFlip, _few),
    hs.PureDP: st.builds(hs.PureDP, _few),
    hs.ApproximateDP: st.builds(hs.ApproximateDP, _few, st.floats(0.0, 1e-3)),
    hs.ZeroConcentratedDP: st.builds(
        hs.ZeroConcentratedDP, st.floats(0.0, 2.0), st.floats(0.0, 0.5)
    ),
    hs.TruncatedConcentratedDP: st.builds(
        hs.TruncatedConcentratedDP, st.floats(0.0, 2.0), st.floats(1.5, 100.0)
    ),
    hs.RenyiDP: st.one_of(
        st.lists(st.tuples(st.floats(1.1, 64.0), _few), min_size=1, max_size=5)
        .map(_table)
        .map(hs.RenyiDP),
        st.builds(hs.RenyiDP, st.builds(hs.Gaussian, st.floats(0.5, 5.0))),
    ),
    hs.ProfileDP: st.sampled_from([hs.Gaussian(1.0), hs.Gaussian(3.0)]).map(hs.ProfileDP),
    hs.MixtureOfGaussians: st.builds(
        lambda noise, move, half: hs.MixtureOfGaussians(
            noise, (0, move, 2), (1 - half, half / 2, half / 2)
        ),
        st.floats(0.5, 4.0),
        st.floats(0.1, 1.9),
        st.floats(0.1, 0.9),
    ),
    hs.RepeatAndSelect: st.sampled_from(
        [
            hs.RepeatAndSelect(hs.Gaussian(3.0), 10.0),
            hs.RepeatAndSelect(hs.Laplace(4.0), 5.0, 0.0),
            hs.RepeatAndSelect(hs.RandomizedResponse(0.3), 3.0, math.inf),
        ]
    ),
    hs.Correlated: st.builds(
        hs.Correlated,
        st.sampled_from(
            [
                hs.matrix.toeplitz(20, (1.0, 0.5)),
                hs.matrix.toeplitz(9, (1.0, -0.4, 0.2)),
                hs.matrix.tree(12),
                hs.matrix.square_root(16),
            ]
        ),
        st.floats(1.0, 20.0),
        st.sampled_from([hs.Once(), hs.MinSeparated(every=4, at_most=3), hs.EveryStep()]),
        st.sampled_from([2.0, 1.0]),
    ),
    ExponentialFamily: st.builds(
        ExponentialFamily.bounded,
        st.floats(0.0, 2.0),
        smoothness=st.floats(0.0, 2.0),
        lipschitz=st.floats(0.0, 2.0),
        radius=st.floats(2.0, 20.0),
    ),
    BetaPosterior: st.builds(BetaPosterior, _prior, _prior),
    DirichletPosterior: st.builds(DirichletPosterior, _prior, _prior, _prior),
    GammaPosterior: st.builds(GammaPosterior.public_rate, _prior, st.floats(0.2, 1.0)),
    GaussianPair: st.builds(
        GaussianPair, st.floats(-2.0, 2.0), st.floats(0.95, 1.05), st.just(0.0), st.just(1.0)
    ),
}

ALL = EXPORTED


def of(kind: type[hs.Mechanism]) -> st.SearchStrategy[hs.Mechanism]:
    """Mechanisms of one kind; of one without an entry, by the domains of its fields."""
    if kind in STRATEGIES:
        return STRATEGIES[kind]
    return drawn_from_fields(kind).filter(lambda mechanism: mechanism.delta(1.0) < 1)


BY_CURVE: set[type[hs.Mechanism]] = {
    kind
    for kind in ALL
    if kind is not hs.ProfileDP  # it has one that takes seconds to make, whenever tests are listed
    and not find(of(kind), lambda _: True).evidence(hs.ADD_REMOVE).pairs
}
"""Known by a Rényi curve alone: they have no loss, as a law asks of each kind."""

WITH_LOSS = [kind for kind in ALL if kind not in BY_CURVE]


HEAVY: set[type[hs.Mechanism]] = {
    hs.Laplace,
    hs.ProfileDP,
    hs.ExponentialMechanism,
    hs.PermuteAndFlip,
    hs.MixtureOfGaussians,
    hs.RepeatAndSelect,
    hs.ShuffledReports,
    BetaPosterior,
    DirichletPosterior,
    GammaPosterior,
    GaussianPair,
}
"""Where a question of several steps takes seconds: no closed form, kinks or heavy tails."""


def each(
    kinds: Iterable[type[hs.Mechanism]], slow: Container[type[hs.Mechanism]] = ()
) -> pytest.MarkDecorator:
    """A case for each kind of mechanism; those in `slow` are left to the slow run."""
    return pytest.mark.parametrize(
        "kind",
        [
            pytest.param(kind, id=kind.__name__, marks=[pytest.mark.slow] if kind in slow else [])
            for kind in kinds
        ],
    )


def sampled(kind: type[hs.Mechanism]) -> st.SearchStrategy[hs.Mechanism]:
    """Mechanisms of one kind, as they are or on a Poisson sample."""
    plain = of(kind)
    return st.one_of(plain, st.builds(lambda m, q: m.on(hs.Poisson(q)), plain, rates))


LARGEST_ORDER: dict[type[hs.Mechanism], float] = {hs.ProfileDP: 20.0}
"""Beyond it, values of a curve that are too small for a float decide, which is an error."""

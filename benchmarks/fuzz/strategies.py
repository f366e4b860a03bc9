"""Hypothesis strategies for expressions and questions, over the whole language and its extremes."""

from __future__ import annotations

from typing import Any, TypeVar

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from benchmarks.fuzz.questions import Question

Text = SearchStrategy[str]
RELATIONS = ("ADD_REMOVE", "REPLACE_ONE", "ZERO_OUT")
BASE = 1000
T = TypeVar("T")
METHODS = ("closed form", "contour", "lattice", "renyi")


def powers(low: float, high: float) -> SearchStrategy[float]:
    """Numbers from 10^low to 10^high, evenly in their logarithm (st.floats prefers round ones)."""
    digit = st.integers(0, BASE - 1)  # small enough to be drawn evenly
    return st.builds(
        lambda a, b: float(10.0 ** (low + (high - low) * (a * BASE + b) / (BASE**2 - 1))),
        digit,
        digit,
    )


def any_of(*strategies: SearchStrategy[T]) -> SearchStrategy[T]:
    """One of them, each as likely as it is often listed (st.one_of flattens what is nested)."""
    return st.sampled_from(strategies).flatmap(lambda strategy: strategy)


noises = any_of(powers(-2, 4), powers(-1, 1.5), st.sampled_from([0.02, 0.5, 1.0, 2.0]))
losses = any_of(powers(-4, 2.5), powers(-1, 1), st.sampled_from([0.0, 0.5, 1.0, 2.0, 30.0]))
rates = any_of(
    powers(-8, 0),
    powers(-3, -0.3),
    powers(-9, -1).map(lambda x: 1 - x),
    st.sampled_from([0.01, 0.1, 0.25, 0.5, 2.0**-8, 1.0]),
)
deltas = any_of(
    powers(-15, -2),
    powers(-15, -2),
    powers(-200, -0.3),
    st.sampled_from([0.0, 1e-200, 1e-30, 1e-10, 1e-6, 1e-5, 0.5, 1.0]),
)
epsilons = any_of(powers(-6, 3), powers(-1, 1.5), st.sampled_from([0.0, 0.5, 1.0, 3.0]))
counts = any_of(
    st.integers(1, 5),
    st.integers(1, 5),
    st.integers(1, 60),
    powers(0, 9).map(int),
)
small = st.integers(1, 4)


def call(name: str, *arguments: SearchStrategy[Any]) -> Text:
    """The text of a call with these arguments."""
    return st.tuples(*arguments).map(lambda values: f"{name}({', '.join(map(repr, values))})")


@st.composite
def tables(draw: DrawFn) -> str:
    """ProfileDP.table with falling delta, the last one often 0."""
    steps = draw(st.lists(powers(-2, 0.3), min_size=1, max_size=5))
    falls = draw(st.lists(powers(-4, -0.05), min_size=len(steps) + 1, max_size=len(steps) + 1))
    epsilon, delta = draw(st.sampled_from([0.0, 0.0, 0.3])), 0.9
    numbers: list[float] = []
    for step, fall in zip([0.0, *steps], falls, strict=True):
        epsilon, delta = epsilon + step, delta * fall
        numbers += [epsilon, delta]
    if draw(st.booleans()):
        numbers[-1] = 0.0
    return f"ProfileDP.table({', '.join(map(repr, numbers))})"


@st.composite
def gaussian_pairs(draw: DrawFn) -> str:
    mean, one, other = draw(st.floats(0, 3)), draw(powers(-1, 1)), draw(powers(-0.3, 0.9))
    return f"GaussianPair({mean!r}, {one * other!r}, 0.0, {one!r})"


atomic: Text = any_of(
    call("RandomizedResponse", losses),
    call("RandomizedResponse", losses, st.integers(2, 6)),
    call("PureDP", losses),
    call("ApproximateDP", losses, any_of(powers(-12, -1), powers(-200, -1))),
    call("DiscreteLaplace", noises),
    call("DiscreteLaplace", powers(-1, 1), small),
    call("DiscreteGaussian", powers(-1, 1)),
    tables(),
)
noisy: Text = any_of(
    call("Gaussian", noises),
    call("Laplace", noises),
    call("Gaussian", noises, powers(-0.5, 0.5)),
)
rare: Text = any_of(
    call("DiscreteGaussian", noises, small),
    call("DiscreteLaplace", noises, small, small),
    call("ExponentialMechanism", losses),
    call("BetaPosterior", powers(-0.9, 3), powers(-0.9, 3)),
    call("GammaPosterior", powers(0, 3)),
    call("GammaPosterior.public_rate", powers(0, 3), powers(-2, -0.1)),
    call("DirichletPosterior", powers(-0.9, 2), powers(-0.9, 2), powers(-0.9, 2)),
    gaussian_pairs(),
    any_of(atomic, noisy).map(lambda m: f"ProfileDP({m})"),
)
by_curve: Text = any_of(
    call("ZeroConcentratedDP", powers(-5, 1)),
    call("TruncatedConcentratedDP", powers(-5, 0), powers(0.5, 3)),
    noisy.map(lambda m: f"RenyiDP({m})"),
    st.builds(lambda a, b: f"RenyiDP.table(2, {a!r}, 8, {a + b!r})", powers(-4, 0), powers(-4, 1)),
    powers(-3, 1).map(lambda x: f"ExponentialFamily.bounded({x!r}, smoothness=0.25)"),
)
mechanisms: Text = any_of(*[atomic] * 4, *[noisy] * 8, *[rare] * 3, by_curve)


@st.composite
def samplers(draw: DrawFn) -> str:
    """Poisson mostly; the others as they come."""
    kind = draw(st.sampled_from(range(-3, 10)))
    if kind < 6:
        return f"Poisson({draw(rates)!r})"
    population = draw(st.integers(1, 200_000))
    size = draw(st.integers(1, population))
    if kind == 6:
        return f"WithoutReplacement({size}, {population})"
    if kind == 7:
        return f"WithReplacement({min(size, 300)}, {population})"
    if kind == 8:
        return draw(
            any_of(
                st.just("EveryRecord()"),
                call("Shuffled", st.integers(1, 1000)),
                st.just(f"TruncatedPoisson({size / population!r}, {size}, {population})"),
            )
        )
    steps = draw(st.integers(1, 2000))
    return f"RandomAllocation({steps}, {draw(st.integers(1, min(3, steps)))})"


@st.composite
def steps(draw: DrawFn) -> str:
    """A mechanism, perhaps for a group, on a sample (perhaps a shared one), or as coins."""
    base = draw(mechanisms)
    kind = draw(st.sampled_from(range(20)))
    if kind == 0:
        base += f".group({draw(small)})"
    if kind in (1, 2):
        base = f"({base} + {draw(mechanisms)})"
    if kind < 10:
        base += f".on({draw(samplers())})"
    if kind == 3:
        base += f".group({draw(small)})"
    if kind == 19:
        c, d, k = draw(st.floats(0, 0.5)), draw(small), draw(small)
        base += f".bernoulli(c={c!r}, dimension={d}, samples={k})"
    return base


@st.composite
def expressions(draw: DrawFn) -> str:
    """A sum of one to three steps, each repeated."""
    terms = []
    for _ in range(draw(st.sampled_from([1, 1, 1, 2, 2, 3]))):
        count = draw(counts)
        step = draw(steps())
        terms.append(step if count == 1 else f"{step} * {count}")
    return " + ".join(terms)


@st.composite
def questions(draw: DrawFn) -> Question:
    """Any query of any expression."""
    expression = draw(expressions())
    query = draw(
        st.sampled_from(
            ["epsilon"] * 5 + ["delta"] * 5 + ["rdp", "profile", "tradeoff", "epsilons"]
        )
    )
    relation = draw(st.sampled_from([None, None, None, *RELATIONS]))
    method = None if query == "rdp" else draw(st.sampled_from([None] * 8 + list(METHODS)))
    return Question(expression, query, draw(arguments(query)), relation, method)


def arguments(query: str) -> SearchStrategy[Any]:
    """What a query is asked at."""
    few = st.lists(counts, min_size=1, max_size=4).map(tuple)
    orders = any_of(st.sampled_from([1.0, 2.0, float("inf")]), st.floats(1, 4), powers(0.1, 4))
    return {
        "epsilon": deltas,
        "delta": epsilons,
        "rdp": orders,
        "profile": st.lists(epsilons, min_size=1, max_size=3).map(tuple),
        "tradeoff": st.lists(st.floats(0, 1), min_size=1, max_size=3).map(tuple),
        "epsilons": st.tuples(deltas, few),
    }[query]

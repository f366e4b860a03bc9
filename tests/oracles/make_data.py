"""Write the reference tables: ``python -m tests.oracles.make_data [name ...]``.

Each table is a list of rows such as

    {"mechanism": "Gaussian(1.0).on(Poisson(0.01)) * 1000", "direction": "remove",
     "query": "delta", "epsilon": "1.0", "value": "0.0026124205786269241939763"}

``mechanism`` is the library's own expression; its numbers, and those of the query, stand for the
doubles nearest to them. ``direction`` is "remove", "add" or "both" (the larger of the two);
``query`` is "delta" (at "epsilon"), "epsilon" (at "delta") or "rdp" (at "order"). A row without
"relation" is about adding or removing one record; "REPLACE_ONE" is the other relation.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial

from mpmath import mp, mpf

from tests.reference import DATA

from . import pairs, profile, renyi
from .contour import Steps, gaussian_rule, pair_rule
from .pairs import Pair

Row = dict[str, str]
Profile = Callable[[mpf], mpf]
Inverse = Callable[[mpf], mpf]
Ask = Mapping[str, Mapping[str, Callable[[mpf], mpf]]]
DIRECTIONS = ("remove", "add")
Counts = tuple[int, ...]
Floats = tuple[float, ...]
KEYS = {"delta": "epsilon", "epsilon": "delta", "rdp": "order"}


def row(mechanism: str, direction: str, query: str, at: float, value: mpf, **more: str) -> Row:
    """One line of a table."""
    text = mp.nstr(value, 22) if mp.isfinite(value) else "inf"
    first = {"mechanism": mechanism, "direction": direction, "query": query}
    return first | {KEYS[query]: repr(float(at)), "value": text} | more


def times(text: str, count: int) -> str:
    """The expression of ``count`` repetitions."""
    return text if count == 1 else f"{text} * {count}"


def answers(text: str, ask: Ask, query: str, at: float) -> Iterator[Row]:
    """The rows of one question for both directions, and their maximum."""
    values = {side: ask[side][query](mpf(at)) for side in DIRECTIONS}
    for side in DIRECTIONS:
        yield row(text, side, query, at, values[side])
    yield row(text, "both", query, at, max(values.values()))


def questions(
    text: str,
    ask: Ask,
    epsilons: Iterable[float] = (),
    deltas: Iterable[float] = (),
) -> Iterator[Row]:
    """Every delta(epsilon) and epsilon(delta) asked of one mechanism."""
    for epsilon in epsilons:
        yield from answers(text, ask, "delta", epsilon)
    for delta in deltas:
        yield from answers(text, ask, "epsilon", delta)


def by_profile(remove: Profile, add: Profile, high: float) -> Ask:
    """Answers from two profile functions; ``high`` is an epsilon above every answer."""

    def inverse(f: Profile) -> Inverse:
        return lambda delta: profile.solve(f, delta, mpf(high))

    return {
        "remove": {"delta": remove, "epsilon": inverse(remove)},
        "add": {"delta": add, "epsilon": inverse(add)},
    }


def by_steps(steps: dict[str, Steps], largest: dict[str, mpf] | None = None) -> Ask:
    """Answers from the line integral; the profile is 0 from the largest total loss on."""

    def delta(side: str, epsilon: mpf) -> mpf:
        above = largest is not None and epsilon >= largest[side]
        return mpf(0) if above else steps[side].delta(epsilon)

    return {d: {"delta": partial(delta, d), "epsilon": s.epsilon} for d, s in steps.items()}


def by_pair(pair: Pair, high: float) -> Ask:
    """Answers for a single step of a pair, and of its reverse."""
    other = pairs.reverse(pair)
    return by_profile(
        lambda e: profile.one_step_by_tails(pair, e),
        lambda e: profile.one_step_by_tails(other, e),
        high,
    )


def by_nesting(pair: Pair, count: int, high: float) -> Ask:
    """Answers for a few steps by nested integration."""
    points = 0 if count == 2 else 96  # of three sampled Laplace steps 32 miss 1e-11, 64 miss 1e-16

    def delta(here: Pair, epsilon: mpf) -> mpf:
        return profile.nested(here, count, epsilon, points)

    return by_profile(partial(delta, pair), partial(delta, pairs.reverse(pair)), high)


def by_atoms(pair: Pair, count: int, high: float) -> Ask:
    """Answers for a loss with finitely many values."""
    terms = profile.finite(pair, count)
    other = profile.finite(pairs.reverse(pair), count)
    return by_profile(terms.delta, other.delta, high)


def same(f: Profile, high: float) -> Ask:
    """Answers of a symmetric pair, solved once."""
    inverse = cache(lambda delta: profile.solve(f, delta, mpf(high)))
    side = {"delta": cache(f), "epsilon": inverse}
    return {"remove": side, "add": side}


def sampled_gaussian(noise: float, rate: float, count: int, digits: int = 25) -> tuple[str, Ask]:
    """Expression and answers of a Poisson-sampled Gaussian."""
    text = times(f"Gaussian({noise!r}).on(Poisson({rate!r}))", count)
    if count == 1:
        pair = pairs.poisson(pairs.gaussian(mpf(noise)), mpf(rate))
        return text, by_pair(pair, 2000)
    if count == 2:
        pair = pairs.poisson(pairs.gaussian(mpf(noise)), mpf(rate))
        return text, by_nesting(pair, 2, 50)
    steps = {
        side: Steps([(gaussian_rule(mpf(noise), mpf(rate), side), count)], digits)
        for side in DIRECTIONS
    }
    return text, by_steps(steps, {"remove": mp.inf, "add": -count * mp.log1p(-mpf(rate))})


GAUSSIAN_CASES: list[tuple[float, float, int, tuple[float, ...], tuple[float, ...]]] = [
    # noise, rate, count, epsilons, deltas
    (1.0, 0.001, 600_000, (2.0,), (1e-8,)),
    (5.0, 0.001, 600_000, (), (1e-8,)),
    (1.1, 256 / 60000, 14063, (), (1e-5,)),
    (0.5, 0.01, 1000, (), (1e-5,)),
    (1.0, 0.01, 1000, (1.0,), (1e-12, 1e-15, 1e-20, 1e-30)),
    (1.0, 0.01, 10_000, (12.0,), (1e-5,)),
    (3.0, 0.2, 50, (), (1 / 48000,)),
    (1.0, 0.01, 100, (0.1, 3.0), (0.9, 1e-5)),
    (1.0, 0.01, 1, (0.0, 0.01, 0.5), (0.5, 1e-3, 1e-5, 1e-9)),
    (4.0, 0.00033, 10_000, (), (1e-18, 1e-12)),
    (100.0, 1.0, 1, (), (1e-5,)),
    (1.0, 0.00105, 1, (0.0,), (1e-3,)),
    (1.0, 0.01, 100_000, (60.0,), ()),
    (1.0, 0.1, 1, (0.05, 1.0), (1e-2, 1e-6, 1e-12, 1e-30)),
    (1.0, 0.1, 2, (1.0, 0.05), (1e-6,)),
    (0.8, 0.3, 2, (2.0,), (1e-10,)),
    (1.0, 0.1, 5, (0.3,), (1e-6,)),
    (1.0, 0.1, 10, (0.3,), (1e-6, 1e-30)),
    (1.0, 0.1, 30, (2.0,), (0.3, 1e-9)),
    (1.0, 0.1, 100, (2.0,), (1e-5,)),
    (2.0, 0.5, 3, (0.5,), (1e-8,)),
    (2.0, 0.05, 1000, (1.0,), (0.1, 1e-6)),
    (0.6, 0.002, 10_000, (), (1e-6,)),
    (10.0, 0.02, 10_000, (0.2,), (1e-7,)),
    (50.0, 0.9, 600_000, (), (1e-10,)),
]
SPARSE_COUNTS = (2, 5, 10, 20, 50)


def poisson_gaussian() -> Iterator[Row]:
    """Poisson-sampled Gaussians, from one step to 600 000."""
    for noise, rate, count, epsilons, deltas in GAUSSIAN_CASES:
        text, ask = sampled_gaussian(noise, rate, count)
        yield from questions(text, ask, epsilons, deltas)


def poisson_gaussian_sparse() -> Iterator[Row]:
    """Few steps at a tiny rate: the transform decays slowly and the losses nearly vanish."""
    for count in reversed(SPARSE_COUNTS):
        text, ask = sampled_gaussian(1.0, 1e-4, count, digits=25 if count > 5 else 22)
        yield from questions(text, ask, deltas=(1e-5, 1e-6))


def poisson_gaussian_small_noise() -> Iterator[Row]:
    """Noise far below the sensitivity: large epsilon."""
    text, ask = sampled_gaussian(0.05, 0.01, 1)
    yield from questions(text, ask, deltas=(1e-5,))
    for count in (100, 1000):
        remove, add = (
            partial(profile.separated_gaussian, mpf(0.05), mpf(0.01), count, direction=direction)
            for direction in DIRECTIONS
        )
        text = times("Gaussian(0.05).on(Poisson(0.01))", count)
        ask = by_profile(remove, add, 300 * count)
        yield from questions(text, ask, (0.9 * count,), (0.2, 1e-5))


def gaussian() -> Iterator[Row]:
    """Plain Gaussians: n steps of noise s are one of noise s / sqrt(n)."""
    cases: list[tuple[float, int, tuple[float, ...], tuple[float, ...]]] = [
        (1.0, 1, (0.0, 1.0, 12.0), (0.9, 0.3, 1e-5, 1e-12, 1e-30)),
        (20.0, 400, (1.0,), (1e-5,)),
        (1 / 3, 1, (40.0,), ()),
        (20.0, 1, (0.6,), ()),
        (0.03, 1, (), (1e-5,)),
        (100.0, 1, (), (1e-5,)),
        *((10.0, n, (0.5,), (1e-6,)) for n in (2, 3, 5, 10, 30, 100, 1000, 10_000, 600_000)),
    ]
    for noise, count, epsilons, deltas in cases:
        pair = pairs.gaussian(mpf(noise) / mp.sqrt(count))
        high = float(count / noise**2 + 40 * count**0.5 / noise)
        ask = same(partial(profile.one_step_by_tails, pair), high)
        yield from questions(times(f"Gaussian({noise!r})", count), ask, epsilons, deltas)
    yield row("Gaussian(1.0)", "both", "epsilon", 0.0, mp.inf)


def gaussian_replace_one() -> Iterator[Row]:
    """One record replaced: shift 2 without sampling, two antipodal mixtures with it."""
    cases: list[tuple[str, Pair, tuple[float, ...], tuple[float, ...]]] = [
        ("Gaussian(1.0)", pairs.gaussian(mpf(1), 2), (1.0,), (1e-5, 1e-6)),
        ("Gaussian(5.0)", pairs.gaussian(mpf(5), 2), (1.0,), (1e-5, 1e-20)),
        ("Gaussian(20.0) * 400", pairs.gaussian(mpf(1), 2), (), (1e-5,)),
        *(
            (
                f"Gaussian({noise!r}).on(Poisson({rate!r}))",
                pairs.gaussian_replaced(mpf(noise), mpf(rate)),
                (epsilon,),
                (1e-4, 1e-10),
            )
            for noise, rate, epsilon in ((1.0, 0.1, 0.3), (0.7, 0.4, 1.5), (2.0, 0.01, 0.05))
        ),
    ]
    for text, pair, epsilons, deltas in cases:
        ask = same(partial(profile.one_step_by_tails, pair), 60)
        for each in questions(text, ask, epsilons, deltas):
            yield each | {"relation": "REPLACE_ONE"}


def laplace() -> Iterator[Row]:
    """Plain Laplace by residues; n steps cancel fewer than 2n digits."""
    cases: list[tuple[float, int, tuple[float, ...], tuple[float, ...]]] = [
        (1.0, 1, (0.0, 0.5), (0.1, 1e-5, 1e-30)),
        (0.001, 1, (), (1e-6,)),
        (1.0, 10, (3.0, 9.5), (1e-6, 1e-12)),
        (2.0, 2, (0.3,), (1e-6,)),
        (2.0, 3, (0.3,), (1e-6,)),
        (2.0, 5, (1.0,), (1e-6,)),
        (2.0, 30, (4.0,), (0.5, 1e-6)),
        (5.0, 100, (4.0,), (1e-6, 1e-30)),
        (20.0, 1000, (3.0,), ()),
    ]
    for noise, count, epsilons, deltas in cases:
        with mp.workdps(60 + 2 * count):
            f = partial(profile.laplace, mpf(noise), count)
            text = times(f"Laplace({noise!r})", count)
            yield from questions(text, same(f, count / noise), epsilons, deltas)
    for noise, count in ((1.0, 1), (1.0, 10), (0.001, 1)):
        largest = count * renyi.largest_loss(pairs.laplace(mpf(noise)))
        yield row(times(f"Laplace({noise!r})", count), "both", "epsilon", 0.0, largest)
    for noise, count, epsilons, deltas in (
        (20.0, 1000, (), (1e-8,)),
        (50.0, 10_000, (2.0,), (1e-9,)),
    ):
        steps = Steps([(pair_rule(pairs.laplace(mpf(noise))), count)])
        ask = by_steps({"remove": steps, "add": steps})
        yield from questions(f"Laplace({noise!r}) * {count}", ask, epsilons, deltas)


def poisson_laplace() -> Iterator[Row]:
    """Sampled Laplace: nested integrals for up to 3 steps, the line once the atoms have died."""
    for noise, rate, count, epsilons, deltas in (
        (1.0, 0.1, 1, (0.05, 0.1), (1e-2, 1e-6)),
        (1.0, 0.1, 2, (0.05, 0.2), (1e-3,)),
        (2.0, 0.05, 2, (0.0122,), ()),
        (0.5, 0.2, 3, (0.3,), ()),
        (0.5, 0.01, 100, (0.3,), (1e-6,)),
        (1.0, 0.1, 1000, (4.0,), (1e-5, 1e-20)),
        (2.0, 0.001, 600_000, (1.0,), (1e-8,)),
        (0.5, 0.001, 600_000, (5.0,), (1e-8,)),
        (1.0, 0.01, 10_000, (1.0,), (1e-12,)),
    ):
        text = times(f"Laplace({noise!r}).on(Poisson({rate!r}))", count)
        pair = pairs.poisson(pairs.laplace(mpf(noise)), mpf(rate))
        yield from questions(text, _composed(pair, count, 20 / noise), epsilons, deltas)


def _composed(pair: Pair, count: int, high: float) -> Ask:
    """One step by tails, two or three by nesting, more by the line."""
    if count == 1:
        return by_pair(pair, high)
    if count <= 3:
        return by_nesting(pair, count, high)
    panels = 1 + 200 // count
    sides = {"remove": pair, "add": pairs.reverse(pair)}
    return by_steps({d: Steps([(pair_rule(p, panels), count)], 18) for d, p in sides.items()})


def exponential() -> Iterator[Row]:
    """The bounded-range pair of the exponential mechanism, plain and sampled."""
    for scale, count, epsilons, deltas in (
        (1.0, 1, (0.0, 0.5), (0.1, 1e-6, 1e-30)),
        (1.0, 2, (0.5,), (1e-6,)),
        (1.0, 10, (3.0,), (1e-6,)),
        (0.5, 30, (4.0,), (0.5, 1e-12)),
        (0.1, 100, (1.0,), (1e-6,)),
        (0.1, 1000, (3.0,), ()),
    ):
        with mp.workdps(60 + 2 * count):
            f = partial(profile.exponential_mechanism, mpf(scale), count)
            text = times(f"ExponentialMechanism({scale!r})", count)
            yield from questions(text, same(f, count * scale), epsilons, deltas)
    largest = renyi.largest_loss(pairs.exponential_mechanism(mpf(1)))
    yield row("ExponentialMechanism(1.0)", "both", "epsilon", 0.0, largest)
    for scale, rate, count, epsilons, deltas in (
        (1.0, 0.1, 1, (0.03,), (1e-3, 1e-9)),
        (1.0, 0.1, 2, (0.1,), (1e-6,)),
        (2.0, 0.2, 3, (0.5,), ()),
        (1.0, 0.1, 10, (0.3,), (1e-6,)),
        (1.0, 0.1, 100, (1.0,), (1e-6,)),
        (1.0, 0.01, 1000, (0.2,), (1e-12,)),
        (1.0, 0.001, 600_000, (0.5,), (1e-8,)),
    ):
        text = times(f"ExponentialMechanism({scale!r}).on(Poisson({rate!r}))", count)
        pair = pairs.poisson(pairs.exponential_mechanism(mpf(scale)), mpf(rate))
        yield from questions(text, _composed(pair, count, count * scale), epsilons, deltas)


def atoms() -> Iterator[Row]:
    """Randomized response and declared guarantees: exact multinomial sums."""
    third = 1.0986122886681098
    for text, pair, rate, counts, epsilons, deltas in (
        (f"RandomizedResponse({third!r})", _rr(third), None, (1, 2, 3, 10), (0.5,), (1e-6, 1e-1)),
        (f"RandomizedResponse({third!r})", _rr(third), None, (100,), (60.0,), (1e-6, 1e-30, 0.9)),
        ("RandomizedResponse(0.5)", _rr(0.5), 0.05, (1, 2, 5), (0.0122,), (1e-3,)),
        ("RandomizedResponse(0.5)", _rr(0.5), 0.05, (30, 1000, 10_000), (0.2,), (1e-6, 1e-20)),
        ("RandomizedResponse(0.005)", _rr(0.005), None, (600_000,), (10.0,), (1e-8,)),
        (
            "RandomizedResponse(1.0, categories=4)",
            _rr(1.0, 4),
            None,
            (1, 2, 5, 30, 300),
            (0.4,),
            (1e-6,),
        ),
        (
            "RandomizedResponse(2.0, categories=10)",
            _rr(2.0, 10),
            0.01,
            (1, 3, 10, 100),
            (0.05,),
            (1e-6,),
        ),
        ("PureDP(0.1)", _rr(0.1), None, (1, 100), (0.05, 4.0), (1e-6,)),
        ("PureDP(1.0)", _rr(1.0), 0.1, (1, 10, 1000), (0.1,), (1e-6,)),
        ("ApproximateDP(0.1, 1e-08)", _ad(0.1, 1e-8), None, (1, 100), (0.05, 5.0), (1e-5,)),
        ("ApproximateDP(1.0, 1e-10)", _ad(1.0, 1e-10), None, (30,), (20.0,), (1e-3,)),
        ("ApproximateDP(1.0, 1e-05)", _ad(1.0, 1e-5), 0.1, (1, 2, 10, 40), (0.1,), (1e-3,)),
    ):
        for count in counts:
            here = pair if rate is None else pairs.poisson(pair, mpf(rate))
            name = text if rate is None else f"{text}.on(Poisson({rate!r}))"
            high = count * float(max(abs(a.loss) for a in here.atoms))
            ask = by_atoms(here, count, high)
            yield from questions(times(name, count), ask, epsilons, deltas)
    for count in (1, 7):
        name = times("RandomizedResponse(0.5)", count)
        yield row(name, "both", "epsilon", 0.0, mpf(count) / 2)
    yield row("ApproximateDP(1.0, 1e-05)", "both", "epsilon", 1e-6, mp.inf)


def _rr(epsilon: float, categories: int = 2) -> Pair:
    return pairs.randomized_response(mpf(epsilon), categories)


def _ad(epsilon: float, delta: float) -> Pair:
    return pairs.approximate_dp(mpf(epsilon), mpf(delta))


def _integer(name: str, noise: float, sensitivity: int) -> str:
    return f"{name}({noise!r}{'' if sensitivity == 1 else f', sensitivity={sensitivity}'})"


def discrete() -> Iterator[Row]:
    """Integer noise."""
    yield from _discrete_gaussian()
    yield from _sampled_discrete_gaussian()
    yield from _discrete_laplace()


def _discrete_gaussian() -> Iterator[Row]:
    """Convolved masses."""
    cases: list[tuple[float, int, Counts, Floats, Floats]] = [
        (1.0, 1, (1, 2, 3, 5, 10), (1.0,), (1e-6,)),
        (0.5, 1, (1, 3), (4.0,), (0.2, 1e-12)),
        (2.0, 3, (1, 10), (1.0,), (1e-5, 1e-30)),
        (5.0, 1, (30, 100), (2.0,), (1e-6,)),
        (1.5, 1, (300,), (), (1e-5,)),
    ]
    for noise, k, counts, epsilons, deltas in cases:
        for count in counts:
            name = _integer("DiscreteGaussian", noise, k)
            terms = profile.discrete_gaussian(mpf(noise), k, count)
            high = 40 * count / noise**2 + 40
            yield from questions(times(name, count), same(terms.delta, high), epsilons, deltas)


def _sampled_discrete_gaussian() -> Iterator[Row]:
    """Every combination of losses."""
    cases: list[tuple[float, int, float, Counts, Floats, Floats]] = [
        (1.0, 1, 0.1, (1, 2, 3), (0.1, 1.0), (1e-6,)),
        (0.5, 2, 0.05, (1, 2), (0.5,), (1e-6, 1e-20)),
    ]
    for noise, k, rate, counts, epsilons, deltas in cases:
        name = _integer("DiscreteGaussian", noise, k)
        pair = pairs.poisson(pairs.discrete_gaussian(mpf(noise), k), mpf(rate))
        for count in counts:
            ask = by_atoms(pair, count, 100)
            yield from questions(
                times(f"{name}.on(Poisson({rate!r}))", count), ask, epsilons, deltas
            )


def _discrete_laplace() -> Iterator[Row]:
    """Every combination of the k + 1 losses, plain and sampled."""
    cases: list[tuple[float, int, float | None, Counts, Floats, Floats]] = [
        (1.0, 1, None, (1, 2, 10, 100), (0.5,), (1e-2, 1e-6)),
        (2.0, 3, None, (1, 2, 5, 30), (0.3,), (1e-6,)),
        (1.0, 1, 0.1, (1, 2, 10, 1000), (0.1,), (1e-3, 1e-9)),
        (0.5, 4, 0.02, (1, 3, 10), (0.05,), (1e-4,)),
    ]
    for noise, k, rate, counts, epsilons, deltas in cases:
        name = _integer("DiscreteLaplace", noise, k)
        pair = pairs.discrete_laplace(mpf(noise), k)
        if rate is not None:
            pair, name = pairs.poisson(pair, mpf(rate)), f"{name}.on(Poisson({rate!r}))"
        for count in counts:
            ask = by_atoms(pair, count, count / noise)
            yield from questions(times(name, count), ask, epsilons, deltas)


def rdp() -> Iterator[Row]:
    """Renyi divergences of one step, in both directions (both directions agree if unsampled)."""
    bases: list[tuple[str, Callable[[float], Pair]]] = [
        ("Gaussian(1.5)", lambda a: pairs.gaussian(mpf(1.5))),
        ("Laplace(0.7)", lambda a: pairs.laplace(mpf(0.7))),
        ("DiscreteGaussian(0.8)", lambda a: pairs.discrete_gaussian(mpf(0.8), 1, a)),
        ("DiscreteGaussian(0.6, sensitivity=2)", lambda a: pairs.discrete_gaussian(mpf(0.6), 2, a)),
        ("DiscreteLaplace(0.7, sensitivity=2)", lambda a: pairs.discrete_laplace(mpf(0.7), 2)),
        ("RandomizedResponse(1.0)", lambda a: _rr(1.0)),
        ("RandomizedResponse(1.0, categories=5)", lambda a: _rr(1.0, 5)),
        ("ExponentialMechanism(1.5)", lambda a: pairs.exponential_mechanism(mpf(1.5))),
        ("PureDP(0.3)", lambda a: _rr(0.3)),
    ]
    for base, make in bases:
        for rate in (None, 0.05, 0.5):
            name = base if rate is None else f"{base}.on(Poisson({rate!r}))"
            for order in (1.0, 1.01, 1.5, 2.0, 7.3, 64.0, mp.inf):
                if mp.isinf(order) and base.startswith("DiscreteGaussian"):
                    continue
                pair = make(float(order))
                pair = pair if rate is None else pairs.poisson(pair, mpf(rate))
                ask = {
                    "remove": {"rdp": partial(renyi.divergence, pair)},
                    "add": {"rdp": partial(renyi.divergence, pairs.reverse(pair))},
                }
                yield from answers(name, ask, "rdp", order)


TABLES: dict[str, Callable[[], Iterator[Row]]] = {
    "gaussian": gaussian,
    "gaussian_replace_one": gaussian_replace_one,
    "laplace": laplace,
    "poisson_laplace": poisson_laplace,
    "exponential": exponential,
    "atoms": atoms,
    "discrete": discrete,
    "rdp": rdp,
    "poisson_gaussian": poisson_gaussian,
    "poisson_gaussian_sparse": poisson_gaussian_sparse,
    "poisson_gaussian_small_noise": poisson_gaussian_small_noise,
}


def main(names: list[str]) -> None:
    """Make the named tables, or all of them."""
    for name in names or list(TABLES):
        started = time.process_time()
        rows: list[Row] = []
        with mp.workdps(40):
            for each in TABLES[name]():
                rows.append(each)
                print(name, *each.values(), f"{time.process_time() - started:.0f}s", flush=True)
                lines = ",\n".join(json.dumps(r) for r in rows)
                (DATA / f"{name}.json").write_text(f"[\n{lines}\n]\n")


if __name__ == "__main__":
    main(sys.argv[1:])

"""Questions aimed at kinks: epsilon at and next to sums of losses, delta at their probabilities."""

from __future__ import annotations

import math
from functools import lru_cache

from hypothesis import assume
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn
from mpmath import mp, mpf

from benchmarks.fuzz.questions import Question
from benchmarks.fuzz.strategies import any_of, atomic, losses, powers, rates
from tests.oracles import enumeration
from tests.oracles.expressions import Unknown, read

DIGITS = 40
MOST_OUTCOMES = 1500


@st.composite
def expressions(draw: DrawFn) -> str:
    """Sums of atoms of which every outcome can be written out."""
    terms = []
    parts = draw(st.sampled_from([1, 1, 1, 2, 2, 3]))
    for _ in range(parts):
        few = draw(st.sampled_from([True, True, True, False])) or parts > 1
        step = draw(atomic) if few else f"PureDP({draw(losses)!r})"
        if draw(st.booleans()):
            step += f".on(Poisson({draw(rates)!r}))"
        count = draw(st.integers(1, 5 if few else 200))
        terms.append(step if count == 1 else f"{step} * {count}")
    return " + ".join(terms)


@lru_cache(maxsize=1)
def outcomes(expression: str, backwards: bool) -> list[tuple[mpf, mpf]]:
    """The masses of every outcome, the largest loss first; none where there are too many."""
    with mp.workdps(DIGITS):
        try:
            parts = read(expression)
            steps = [(part.dominating, part.count) for part in parts]
            if math.prod(math.comb(n + len(p.atoms) - 1, n) for p, n in steps) > MOST_OUTCOMES:
                return []
            terms = enumeration.outcomes(steps)
        except Unknown:
            return []
        pairs = [(q, p) if backwards else (p, q) for p, q in terms]
        return sorted(pairs, key=lambda each: each[0] / each[1], reverse=True)


@lru_cache(maxsize=1)
def infinite_mass(expression: str) -> float:
    """What is revealed altogether."""
    with mp.workdps(DIGITS):
        masses = [(part.dominating.p_only, part.count) for part in read(expression)]
        return float(enumeration.infinite_mass(masses))


@st.composite
def questions(draw: DrawFn) -> Question:
    """A question at a kink, a few units in the last place beside it, or close to it."""
    expression = draw(expressions())
    terms = outcomes(expression, draw(st.sampled_from([False, False, True])))
    assume(terms)
    place = draw(any_of(st.integers(0, min(3, len(terms) - 1)), st.integers(0, len(terms) - 1)))
    query = draw(st.sampled_from(["epsilon", "delta"]))
    with mp.workdps(DIGITS):
        at = _loss(terms, place) if query == "delta" else _probability(draw, terms, place)
        if query == "epsilon" and draw(st.booleans()):
            at += infinite_mass(expression)
    near = draw(any_of(st.just(0.0), st.just(0.0), powers(-12, -1)))
    at = beside(at * (1 + near), draw(st.sampled_from([0, 0, 0, 1, -1, 2, -2, 7, -7])))
    assume(0 <= at <= (1 if query == "epsilon" else 1e300))
    relation = draw(st.sampled_from([None, None, None, None, "ZERO_OUT"]))
    method = draw(st.sampled_from([None] * 9 + ["contour", "lattice", "renyi"]))
    return Question(expression, query, at, relation, method)


def _loss(terms: list[tuple[mpf, mpf]], place: int) -> float:
    p, q = terms[place]
    return max(0.0, float(mp.log(p / q)))


def _probability(draw: DrawFn, terms: list[tuple[mpf, mpf]], place: int) -> float:
    """The mass of one outcome, of all from it on, or the profile at its loss."""
    kind = draw(st.integers(0, 2))
    p, q = terms[place]
    if kind == 0:
        return float(p)
    if kind == 1:
        return float(mp.fsum(each for each, _ in terms[: place + 1]))
    return float(mp.fsum(a - p / q * b for a, b in terms[:place]))


def beside(value: float, units: int) -> float:
    """The double that many places further."""
    for _ in range(abs(units)):
        value = math.nextafter(value, math.inf if units > 0 else -math.inf)
    return value

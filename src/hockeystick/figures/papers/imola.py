"""Imola and Chaudhuri: what Bernoulli vectors of a private parameter cost, a panel each case."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from hockeystick.bernoulli import amplify, asymptote, search
from hockeystick.figures import palette
from hockeystick.figures.figure import Curve, Entry, Figure, Panel, Progress, panels
from hockeystick.numerics.types import Array

PLACES = (0, 0.15, 0.3, 0.45, 0.6, 0.7, 0.8, 0.86, 0.92, 0.97, 1, 1.03, 1.08, 1.15, 1.25, 1.4, 1.6)
"""Every ε, as a multiple of where the asymptote begins to count: more of them where curves bend."""
REACH = PLACES[-1]
SMALL = 8
"""Most corners × samples for which the paper's own program is solved."""
SOLVED = (0.3, 0.7, 1.0, 1.4)
"""Where it is, as multiples of the asymptote."""
CLOSE = 1e-4
"""How far apart the ends may be: a tenth of what the picture shows."""
ONE = "One Bernoulli vector"
SEVERAL = "k Bernoulli vectors"


class Case(NamedTuple):
    """The parameters of one panel."""

    order: float
    c: float
    dimension: int
    samples: int


def panels_figure(
    number: int, what: str, rows: Sequence[Sequence[Case]], progress: Progress, points: int = 0
) -> Figure:
    """A figure with one panel for each case, all of one order; so many `points` instead of the
    usual ones, if any."""
    cases = [case for row in rows for case in row]
    return Figure(
        f"imola-{number}",
        f"{what} of an (α, ε)-RDP parameter in [c, 1 − c]^d, α = {cases[0].order:g}",
        f"after Imola and Chaudhuri, Privacy amplification by Bernoulli sampling, Figure {number}",
        panels(cases, lambda case, _: _panel(case, points), progress),
        columns=len(rows[0]),
    )


def _panel(case: Case, points: int) -> Panel:
    limit = asymptote(*case)
    epsilons = limit * (np.linspace(0, REACH, points) if points else np.array(PLACES))
    return Panel(
        f"d = {case.dimension}, k = {case.samples}, c = {case.c:g}",
        "ε of the parameter (nats)",
        "ε of the coins (nats)",
        tuple(_curves(case, epsilons, limit)),
        x_limits=(0.0, REACH * limit),
        y_limits=(0.0, 1.15 * limit),
    )


def _curves(case: Case, epsilons: Array, limit: float) -> Iterator[Curve]:
    order, c, dimension, samples = case
    yield Curve("post-processing: ε", epsilons, epsilons, palette.GREY)
    yield Curve("asymptote: d·k·r(c)", epsilons, np.full_like(epsilons, limit), palette.ORANGE)
    answers = [amplify(e, order, c, dimension, samples, close=CLOSE) for e in epsilons]
    lower = [answer.lower for answer in answers]
    yield Curve("lower bound: symmetric pair", epsilons, lower, palette.SKY, width=4.0)
    yield Curve("hockeystick: certified upper end", epsilons, answers, palette.BLACK, "--")
    if 2**dimension * samples <= SMALL:
        chosen = limit * np.array(SOLVED)
        largest = [search(e, order, c, dimension, samples, starts=0).divergence for e in chosen]
        yield Curve(
            "the paper's program, solved globally", chosen, largest, palette.VERMILION, "", "o"
        )


def _by_clipping(order: float) -> list[list[Case]]:
    return [[Case(order, c, d, 1) for d in (1, 2, 3, 5, 15)] for c in (0.01, 0.1, 0.3)]


_BY_SAMPLES = [[Case(50, 0.1, d, k) for d in (1, 3, 5)] for k in (1, 2, 4)]

FIGURES = {
    1: Entry(
        "What one Bernoulli vector of a private parameter costs, of order 50, by d and c.",
        partial(panels_figure, 1, ONE, _by_clipping(50)),
    ),
    2: Entry(
        "What one Bernoulli vector of a private parameter costs, of order 5, by d and c.",
        partial(panels_figure, 2, ONE, _by_clipping(5)),
    ),
    3: Entry(
        "What several Bernoulli vectors of a private parameter cost, of order 50, by d and k.",
        partial(panels_figure, 3, SEVERAL, _BY_SAMPLES),
    ),
}

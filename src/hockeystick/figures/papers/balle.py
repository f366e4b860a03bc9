"""Balle, Barthe and Gaboardi (2018): privacy profiles on samples and for groups."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from hockeystick import classical
from hockeystick.figures import palette
from hockeystick.figures.figure import Curve, Entry, Figure, Panel, Progress
from hockeystick.mechanism import Mechanism
from hockeystick.mechanisms.gaussian import Gaussian
from hockeystick.mechanisms.laplace import Laplace
from hockeystick.numerics.types import Array
from hockeystick.relation import REPLACE_ONE
from hockeystick.samplers.poisson import Poisson
from hockeystick.samplers.sampler import Sampler
from hockeystick.samplers.with_replacement import WithReplacement
from hockeystick.samplers.without_replacement import WithoutReplacement

SIZE, POPULATION = 100, 1000
RATE = SIZE / POPULATION
POINTS = 31
NEARER = np.geomspace(0.9, 1e-5, 26)
"""How far before its end, as a share of it, a profile that ends is drawn too: it drops as
log(end − ε) does, so that each step down the axis needs points ever nearer."""
MOST_COPIES = 16
"""More copies of a record in a sample have a probability of 1e-32: their δ counts as 1."""
GROUPS = {1: palette.GREY, 2: palette.BLUE, 3: palette.VERMILION}
"""Sizes of groups and their colours."""

Profile = Callable[[float], float]


@dataclass(frozen=True)
class _Case:
    """A mechanism whose query moves by one noise scale with a record: θ = 1."""

    name: str
    base: Mechanism
    group_profile: Callable[[Any, float, int], Any]
    """ε, θ and k to δ_k(ε)."""
    reach: float
    """The largest ε drawn for one record on a sample."""
    group_reach: float
    """The largest ε drawn for a group."""
    floor: float
    """The smallest δ drawn."""
    pure: bool
    """Whether the profile ends: at ε = k for k records."""

    def grid(self, reach: float, rate: float, points: int) -> Array:
        """Values of ε up to `reach`, ever more of them towards where a profile ends."""
        ends = [classical.amplified_epsilon(k, rate) for k in GROUPS] if self.pure else []
        before = [end * (1 - share) for end in ends for share in (*NEARER, 0.0)]
        return np.union1d(np.linspace(0, reach, points), [e for e in before if e < reach])

    def white_box(self, size: int, epsilon: float) -> float:
        """What the mechanism itself costs a group."""
        if size > MOST_COPIES:
            return 1.0
        return float(self.group_profile(epsilon, 1.0, size))

    def black_box(self, size: int, epsilon: float) -> float:
        """What follows for a group from the profile for one record."""
        return classical.group_profile(lambda e: self.white_box(1, e), epsilon, size)


CASES = (
    _Case(
        "Laplace",
        Laplace(1, replace_sensitivity=1),
        classical.laplace_group_profile,
        reach=0.6,
        group_reach=3.2,
        floor=1e-5,
        pure=True,
    ),
    _Case(
        "Gaussian",
        Gaussian(1, replace_sensitivity=1),
        classical.gaussian_group_profile,
        reach=3.0,
        group_reach=16.0,
        floor=1e-7,
        pure=False,
    ),
)


def figure(progress: Progress, points: int = POINTS) -> Figure:
    """Figure 1 of Balle, Barthe and Gaboardi (2018), which is in their supplement."""
    panels: list[Panel] = []
    for case in CASES:
        for panel in _panels(case, points):
            panels.append(panel)
            progress(len(panels) / (4 * len(CASES)))
    return Figure(
        "balle-1",
        f"Privacy profiles on a sample, γ = {RATE:g} (m = {SIZE}, n = {POPULATION}), "
        "and for a group; a record moves the query by one noise scale",
        "after Balle, Barthe and Gaboardi (2018), Figure 1",
        tuple(panels),
        columns=4,
    )


def _panels(case: _Case, points: int) -> Iterator[Panel]:
    def one(epsilon: float) -> float:
        return case.white_box(1, epsilon)

    fixed = {"size": SIZE, "population": POPULATION}
    with_replacement = WithReplacement(**fixed)
    theorem_10 = classical.with_replacement_profile(case.white_box, **fixed)
    black_box = classical.with_replacement_profile(case.black_box, **fixed)
    for title, sampler, rate, theorems in (
        ("Poisson (Theorem 8)", Poisson(RATE), RATE, (classical.poisson_profile(one, rate=RATE),)),
        (
            "without replacement (Theorem 9)",
            WithoutReplacement(**fixed),
            RATE,
            (classical.without_replacement_profile(one, **fixed),),
        ),
        (
            "with replacement (Theorem 10)",
            with_replacement,
            with_replacement.drawn,
            (theorem_10, black_box),
        ),
    ):
        epsilons = case.grid(case.reach, rate, points)
        yield _panel(case, title, _sampled(case, sampler, theorems, epsilons), case.reach)
    epsilons, dots = (
        case.grid(case.group_reach, 1.0, points),
        np.linspace(0, case.group_reach, points),
    )
    yield _panel(case, "groups of k records", _groups(case, epsilons, dots), case.group_reach)


def _panel(case: _Case, title: str, curves: Iterable[Curve], reach: float) -> Panel:
    limits = (0.0, reach), (case.floor, 1.5)
    return Panel(f"{case.name}, {title}", "ε (nats)", "δ", tuple(curves), "linear", "log", *limits)


def _sampled(
    case: _Case, sampler: Sampler, theorems: Iterable[Profile], epsilons: Array
) -> Iterator[Curve]:
    alone = [case.white_box(1, epsilon) for epsilon in epsilons]
    yield Curve("no sampling", epsilons, alone, palette.GREY)
    names = ("bound of the theorem", palette.BLUE), ("the same, black box", palette.ORANGE)
    for (name, colour), theorem in zip(names, theorems, strict=False):
        values = [theorem(epsilon) for epsilon in epsilons]
        yield Curve(name, epsilons, values, colour, width=3.0)
    exact = case.base.on(sampler).profile(epsilons)
    yield Curve("hockeystick, upper end", epsilons, exact.upper, palette.BLACK, "--")
    yield Curve("hockeystick, lower end", epsilons, exact.lower, palette.BLACK, ":")


def _groups(case: _Case, epsilons: Array, dots: Array) -> Iterator[Curve]:
    for k, colour in GROUPS.items():
        white = [case.white_box(k, epsilon) for epsilon in dots]
        black = [case.black_box(k, epsilon) for epsilon in epsilons]
        if k > 1:
            yield Curve(f"k = {k}, black box", epsilons, black, colour, "--")
        exact = case.base.group(k).profile(epsilons, relation=REPLACE_ONE)
        yield Curve(f"k = {k}, hockeystick", epsilons, exact, colour)
        yield Curve(f"k = {k}, white box", dots, white, colour, "", ".")


FIGURES = {
    1: Entry(
        "Amplification by three ways of sampling, and group privacy, for Laplace and Gaussian "
        "noise.",
        figure,
    )
}

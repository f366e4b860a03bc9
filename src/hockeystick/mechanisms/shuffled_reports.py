"""The shuffle model: every user randomises an answer, and a shuffler hides who reported what."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hockeystick.checks import Between, Whole, checked, declare, declared
from hockeystick.errors import NumericalError, ParameterError
from hockeystick.evidence import Evidence
from hockeystick.loss.atoms import NOTHING, AtomicLoss
from hockeystick.loss.base import Loss
from hockeystick.loss.merged import MergedAbove, merged_above, merged_below
from hockeystick.mechanism import Mechanism
from hockeystick.mechanisms.approximate_dp import two_point_loss
from hockeystick.mechanisms.randomized_response import RandomizedResponse
from hockeystick.numerics.types import Array
from hockeystick.relation import REPLACE_ONE, Relation

if TYPE_CHECKING:
    from hockeystick.random.generators import Randomness

LOCAL = Between("[0, 50]")
"""ε of a report: beyond, the reports of others hide nothing that a float can hold."""
RARE = 1e-25
"""Numbers of clones less likely than this together count as if there were none."""
MOST_CELLS, LEAST_ROWS = 2e6, 20
"""Pairs of numbers that are listed, and totals among them at least: others are taken for these."""
MOST_WIDTH = 1950.0
"""Numbers of reports of one kind that are listed: their square is twice `MOST_CELLS`."""
MOST_LEFT_OUT = 3
"""So many times as many users as can be listed cost less by the bound for any randomiser."""
FEW = 200
"""Outcomes that are kept one by one; more are merged on a lattice."""


class Law(NamedTuple):
    """Outcomes of a symmetric pair: losses, masses under Q, and the mass of what is not listed."""

    losses: Array
    q: Array
    rest: float


@declared
class ShuffledReports(Mechanism):
    """`users` reports in random order, each of an ε-local randomiser applied to one user's answer.

    The reports of all others are seen as *clones*: whatever the answer, a report is one of two
    extreme ones with probability 1/(e^ε + 1) each. With C ~ Bin(n − 1, 2/(e^ε + 1)) clones, A ~
    Bin(C, 1/2) of the first kind and Δ ~ Bern(e^ε/(e^ε + 1)), the numbers of both kinds

        (A + Δ, C − A + 1 − Δ)   against   (A + 1 − Δ, C − A + Δ)

    dominate (Feldman, McMillan and Talwar 2022). For the laws of a local randomiser at one report,
    over all answers, are mixtures of laws with ratios 1 and e^±ε alone; and if two answers differ
    in fewer reports, that is what is left when some are erased at random. Of randomized response
    with K `categories` every report is uniform with probability K/(e^ε + K − 1), and among those
    the own report hides, also where it says a third thing; the smaller answer counts. The lower end
    is randomized response when all others answer the same.

    An absent user, or one who is not in the sample, counts as one who gives a fixed answer: always
    `users` reports are shuffled, so the pair is the same under every relation.

    Parameters
    ----------
    epsilon: ε of each report, in [0, 50]. users: n, an integer >= 1. categories: K >= 2 for
    randomized response among K answers; None for any ε-local randomiser.

    >>> answer = ShuffledReports(1.0, 10_000).epsilon(delta=1e-6)
    >>> round(answer.upper, 4), round(answer.lower, 4)
    (0.0432, 0.038)
    >>> round((ShuffledReports(1.0, 1000, categories=10) * 5).epsilon(delta=1e-6), 3)
    0.19
    """

    source = "Feldman, McMillan and Talwar 2022"
    natural_relation = REPLACE_ONE

    epsilon_: float = checked(LOCAL)
    users: int = checked(Whole(1))
    categories: int | None = checked(Whole(2), default=None)

    def __init__(self, epsilon: float, users: int, categories: int | None = None) -> None:
        declare(self, epsilon_=epsilon, users=users, categories=categories)

    def evidence(self, relation: Relation, steps: int = 1) -> Evidence:
        if self.epsilon_ == 0:
            return Evidence((NOTHING,))
        if self.users == 1 and self.categories is None:
            return Evidence((two_point_loss(self.epsilon_, 0.0),))
        pairs: tuple[Loss, ...] = (_above(self._clones(2), self.epsilon_),)
        if self.categories and self.categories > 2:
            pairs += self._among_all(self.categories)
        # What is rare is rounded up: no more than the report itself costs.
        return Evidence((*pairs, two_point_loss(self.epsilon_, 0.0)), self._attained)

    def _among_all(self, categories: int) -> tuple[Loss, ...]:
        """Of randomized response, N reports that say nothing of their users, the own among them.

        a and b of them say one thing or the other, the rest a third; the loss is log((e^ε·a + b +
        rest)/(a + e^ε·b + rest)). Of more users than can be listed some are left out: their reports
        can be added and shuffled in later, so fewer users tell more. None if that is most of them.
        """
        e, k = math.exp(self.epsilon_), categories
        uniform = k / (e + k - 1)
        listed = int(MOST_WIDTH**2 / 144 * k / 2 / uniform)
        if self.users > MOST_LEFT_OUT * listed:
            return ()
        totals, _, before, rest = _totals(min(self.users, listed) - 1, uniform)
        totals, before = totals[before > 0], before[before > 0]
        width = 12 * math.sqrt(2 / k * float(totals[-1])) + 12
        rows = int(min(totals.size, max(LEAST_ROWS // 2, MOST_CELLS / width**2)))
        starts = np.unique(np.linspace(0, totals.size, rows + 1).astype(int)[:-1])
        total = 0.0
        merged = MergedAbove(self.epsilon_ if totals[0] < width else _largest(e, totals[0], width))
        for n, weight in zip(totals[starts], np.add.reduceat(before, starts), strict=True):
            said, chance, _, more = _totals(int(n), 2 / k)
            said, chance = said[chance > 0][:, None], chance[chance > 0][:, None]
            a, halves = _halves(said)
            p, q = n + (e - 1) * a, n + (e - 1) * (said - a)
            kept = halves > 0
            mass = weight * k / (n * (e + k - 1)) * chance * halves * q
            merged.add(np.log(p[kept]) - np.log(q[kept]), mass[kept])
            rest, total = rest + weight * more, total + float(mass[kept].sum())
        if not abs(total + rest - 1) < 1e-9:
            raise NumericalError(f"the reports' masses add up to {total + rest!r}, not to 1")
        return (merged.pair(rest, self.epsilon_),)

    def _clones(self, categories: int, *, hidden: bool = False) -> Law:
        """The numbers (a, b) of reports of either kind, if the user's own is one of them.

        Under P it is of the first kind, e^ε times as often as of the second. If `hidden`, also
        where it says a third thing, which the numbers of the two do not tell; then nearby totals
        are taken for the largest of them, which tells less, and else for the least, which tells
        more.
        """
        e = math.exp(self.epsilon_)
        chance = 1 / (e + categories - 1)
        totals, weight, before, rest = _in_blocks(self.users - 1, 2 * chance, last=hidden)
        a, halves = _halves(totals)
        own = before / ((e + 1) * np.maximum(totals, 1)) * 2 * halves
        b = totals - a
        p, q = own * (e * a + b), own * (a + e * b)
        if hidden:
            extreme = (e + 1) * chance
            neither = (1 - extreme) * weight * halves
            p, q = extreme * p + neither, extreme * q + neither
        kept = (p > 0) & (q > 0)
        return _whole(Law(np.log(p[kept]) - np.log(q[kept]), q[kept], rest))

    def release(
        self, answers: Any, *, labels: Sequence[Any] | None = None, rng: Randomness = None
    ) -> Any:
        """A report on each of the `users` answers, by randomized response among K `categories`, in
        a uniformly random order.

        See `RandomizedResponse.release`. The order is drawn here, in one place: where users do not
        trust that place, each must randomise alone, and only the shuffler is trusted.

        >>> ShuffledReports(1.0, 4, categories=3).release([2, 0, 1, 1], rng=0).shape
        (4,)
        """
        from hockeystick.random.generators import generator

        if self.categories is None:
            raise ParameterError(
                "categories must be given to release: which ε-local randomiser the users run is "
                "not known; let each run their own, and shuffle the reports"
            )
        if np.shape(answers) != (self.users,):
            raise ParameterError(
                f"answers must be a list of {self.users}, one for each user, got the shape "
                f"{np.shape(answers)}"
            )
        drawn = generator(rng)
        local = RandomizedResponse(self.epsilon_, self.categories)
        reports = local.release(answers, labels=labels, rng=drawn)
        order = np.arange(self.users)
        drawn.shuffle(order)
        return reports[order]

    @cached_property
    def _attained(self) -> Loss:
        """Randomized response on two answers, when all others give a third, or one of the two."""
        e, n = math.exp(self.epsilon_), self.users
        few = 2 if e <= 2 else 3  # the number of categories that tells more, where any will do
        if (self.categories or few) > 2:
            return _below(self._clones(self.categories or few, hidden=True))
        h, weight, _, rest = _totals(n, 1 / (e + 1))
        losses = np.append(np.log((h * e + (n - h) / e) / n), 0.0)
        with np.errstate(divide="ignore"):
            return AtomicLoss(losses, np.log(np.append(weight, rest)))


def _whole(law: Law) -> Law:
    """The law, if nothing of it was lost."""
    if not abs(law.q.sum() + law.rest - 1) < 1e-9:
        raise NumericalError(f"the reports' masses add up to {law.q.sum() + law.rest!r}, not to 1")
    return law


def _largest(e: float, n: float, width: float) -> float:
    """A loss above all of N reports of which one kind is at most so many more than the other."""
    return math.log((n + (e - 1) * width) / n)


def _above(law: Law, epsilon: float) -> Loss:
    if law.losses.size > FEW or law.rest:
        return merged_above(law.losses, law.q, law.rest, epsilon)
    return AtomicLoss(law.losses, np.log(law.q), symmetric=True)


def _below(law: Law) -> Loss:
    return merged_below(law.losses, law.q, alike=law.rest)


def _totals(n: int, chance: float) -> tuple[Array, Array, Array, float]:
    """Likely totals k of n others and one more: Bin(n) at k, at k − 1, and the mass of the rest."""
    from scipy.stats import binom

    low, high = binom.ppf(RARE / 4, n, chance), n * chance + 10
    while high < n and binom.sf(high, n, chance) > RARE / 4:
        high += 2 * math.sqrt(n * chance) + 2
    k = np.arange(max(0, int(low) - 1), min(n, int(high) + 1) + 2)
    rest = binom.cdf(k[0] - 2, n, chance) + binom.sf(k[-1] - 1, n, chance)
    return k, binom.pmf(k, n, chance), binom.pmf(k - 1, n, chance), float(rest)


def _in_blocks(n: int, chance: float, *, last: bool) -> tuple[Array, Array, Array, float]:
    """The same as columns, for some of the totals: each stands for those up to the next.

    Clones can be added to those that there are, so fewer tell more: the first of a block, or the
    last of it if so asked, is a bound for all of them.
    """
    k, weight, before, rest = _totals(n, chance)
    if not last:  # with one's own there is at least one
        k, weight, before = k[k > 0], weight[k > 0], before[k > 0]
    columns = 24 * math.sqrt(float(k[-1]) + 1) + 24
    rows = int(min(k.size, max(LEAST_ROWS, MOST_CELLS / columns)))
    starts = np.unique(np.linspace(0, k.size, rows + 1).astype(int)[:-1])
    places = np.append(starts[1:], k.size) - 1 if last else starts
    sums = [np.add.reduceat(each, starts)[:, None] for each in (weight, before)]
    return k[places][:, None], sums[0], sums[1], rest


def _halves(totals: Array) -> tuple[Array, Array]:
    """For each total t the numbers a that are likely among t fair coins, and C(t, a)/2^t.

    From the middle outwards by the ratio of neighbours; the sum of a row is 1.
    """
    reach = int(12 * math.sqrt(float(totals.max()) + 1) / 2 + 12)
    steps = np.arange(1, min(reach, int(totals.max())) + 1)
    middle = totals // 2
    with np.errstate(divide="ignore", invalid="ignore"):
        up = np.log(np.maximum(totals - middle - steps + 1, 0) / (middle + steps))
        down = np.log(np.maximum(middle - steps + 1, 0) / (totals - middle + steps))
        logs = [np.cumsum(down, axis=1)[:, ::-1], np.zeros(totals.shape), np.cumsum(up, axis=1)]
    weights = np.exp(np.concatenate(logs, axis=1))
    a = middle + np.arange(-steps.size, steps.size + 1)
    return a, weights / weights.sum(axis=1, keepdims=True)

"""Σ weight·e^{pX} at many orders p of growing size, in balls (Theorem 22).

Where |pX| <= 8 all nodes are one power series in p. Of the others, those whose terms have become
negligible are left out from there on: each term falls from order to order.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from flint import acb, acb_poly, arb

from hockeystick.routes.certified.balls import only_if, total

SERIES = 8
"""Largest |pX| of the power series: it costs 12 bits."""
MOST_TERMS = 2000
SELDOM = 4
"""One in so many orders at which it is asked what has become negligible."""
GROWTH = 1.5
"""Orders up to so many times as large as others share their series."""


class TurnedSum:
    """Nodes of growing |X|, and what may be left out in all."""

    def __init__(self, weights: Sequence[acb], places: Sequence[acb], negligible: arb) -> None:
        sizes = [x.abs_upper() for x in places]
        only_if(all(x <= y for x, y in pairwise(sizes)), "X that grows")
        self._weights, self._places, self._sizes = weights, places, sizes
        self._negligible = arb((negligible / max(len(places), 1)).lower())
        self.left_out = arb(0)

    def __call__(self, orders: Sequence[acb]) -> list[acb]:
        """The sums, but for `left_out`; of each |weight·e^{pX}| it is known that it falls."""
        groups = self._groups(orders)
        series = self._series([most for _, most in groups])
        out: list[acb] = []
        gone: set[int] = set()
        for (count, _), (small, polynomial) in zip(groups, series, strict=True):
            active = [j for j in range(small, len(self._places)) if j not in gone]
            for p in orders[len(out) : len(out) + count]:
                terms = [self._weights[j] * (p * self._places[j]).exp() for j in active]
                out.append(total(terms) + polynomial(p))
                if len(out) % SELDOM == 1:
                    gone |= {j for j, x in zip(active, terms, strict=True) if self._fades(x)}
                    active = [j for j in active if j not in gone]
        return out

    def _fades(self, term: acb) -> bool:
        size = term.abs_upper()
        if not size < self._negligible:
            return False
        self.left_out = arb((self.left_out + size).upper())
        return True

    def _groups(self, orders: Sequence[acb]) -> list[tuple[int, arb]]:
        """How many orders each has, and the largest |p|."""
        groups: list[tuple[int, arb]] = []
        first = 0.0
        for p in orders:
            size = arb(p.abs_upper())
            if groups and float(size) <= GROWTH * first:
                count, most = groups[-1]
                groups[-1] = count + 1, arb.max(most, size)
            else:
                groups, first = [*groups, (1, size)], float(size)
        return groups

    def _series(self, largest: Sequence[arb]) -> list[tuple[int, acb_poly]]:
        """For each group: how many nodes are in its series, and the series. The largest orders have
        the fewest nodes, so all are added up from there."""
        out: list[tuple[int, acb_poly]] = []
        known, small = [acb(0)], 0
        only_if(all(x <= y for x, y in pairwise(largest)), "orders that grow")
        for most in reversed(largest):
            while small < len(self._places) and most * self._sizes[small] <= SERIES:
                self._add(known, small, arb((most * self._sizes[small]).upper()))
                small += 1
            out.append((small, acb_poly(known)))
        return out[::-1]

    def _add(self, known: list[acb], j: int, size: arb) -> None:
        """weight·Σ X^m/m!, to where what is beyond is negligible: for |pX| <= ρ and m + 1 >= 2ρ it
        is at most 2·ρ^m/m! of the weight."""
        term, x, m = self._weights[j], self._places[j], 0
        beyond = 2 * arb(term.abs_upper())
        while not (beyond < self._negligible and m + 1 >= 2 * size):
            if m == len(known):
                known.append(acb(0))
            known[m] += term
            m += 1
            term, beyond = term * x / m, beyond * size / m
            only_if(m < MOST_TERMS, "a series of fewer terms")
        self.left_out = arb((self.left_out + beyond).upper())

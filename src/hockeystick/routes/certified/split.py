"""Few steps with atoms: what atoms alone do is added up, the line has the rest (Theorem 14).

With A the atoms of M and C the rest, M^n − A^n − n·A^{n−1}·C is the transform of a positive measure
too, and falls like t^−2 where M^n need not fall at all. The two terms taken out are finite sums.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations_with_replacement

import numpy as np
from flint import acb, arb

from hockeystick.errors import CannotCertify
from hockeystick.numerics.types import Array
from hockeystick.routes.certified.balls import above, only_if
from hockeystick.routes.certified.decay import logarithms
from hockeystick.routes.certified.discs import Discs
from hockeystick.routes.certified.law import Law, Splits, Tilted
from hockeystick.routes.certified.line import Line
from hockeystick.routes.certified.quick import two_or_more

MOST_TERMS = 20_000


def multinomial(law: Law, n: int) -> list[tuple[arb, arb]]:
    """P-masses and losses of n atoms in a row."""
    atoms = law.atoms()
    if math.comb(n + len(atoms) - 1, n) > MOST_TERMS:
        raise CannotCertify(f"{n} steps of {len(atoms)} atoms have too many sums")
    out = []
    for chosen in _counts(n, len(atoms)):
        ways, mass, loss, left = 1, arb(1), arb(0), n
        for count, (p, value) in zip(chosen, atoms, strict=True):
            ways, left = ways * math.comb(left, count), left - count
            mass, loss = mass * p**count, loss + count * value
        out.append((ways * mass, loss))
    return out


def _counts(n: int, kinds: int) -> Sequence[tuple[int, ...]]:
    bars = combinations_with_replacement(range(n + 1), kinds - 1)
    return [tuple(b - a for a, b in zip((0, *inner), (*inner, n), strict=True)) for inner in bars]


def atoms_profile(atoms: Sequence[tuple[arb, arb]], epsilon: arb) -> arb:
    """Σ p·(1 − e^{ε−ℓ})+."""
    zero = arb(0)
    terms = (p * arb.max(-(epsilon - loss).expm1(), zero) for p, loss in atoms)
    return sum(terms, zero)


def _splits(tilted: Sequence[tuple[Tilted, int]]) -> tuple[Splits, int]:
    ((each, n),) = tilted
    if not isinstance(each, Splits):
        raise CannotCertify("a proof needs atoms to take out of the line")
    return each, n


class SplitLine(Line):
    """n steps of one law, without what atoms alone, or all but one of n, do."""

    def _law(self) -> tuple[Law, int]:
        only_if(len(self._laws) == 1 and self._laws[0][1] >= 2, "steps that are all alike")
        return self._laws[0]

    def _prepare(self) -> None:
        law, n = self._law()
        atoms = sum((p for p, _ in law.atoms()), arb(0))
        self._all, self._but_one = multinomial(law, n), multinomial(law, n - 1)
        self.aside = atoms**n + n * atoms ** (n - 1) * (1 - atoms)  # not on the line
        only_if(law.infinite.is_zero() and law.lost.is_zero(), "no infinite loss")
        self.lost = arb(0)

    def beside(self, e: arb) -> arb:
        """δ of all atoms, and of all but one step: there the rest of one step is left."""
        law, n = self._law()
        total = atoms_profile(self._all, e)
        for mass, loss in self._but_one:
            profile = law.profile(e - loss)
            if profile is None:
                raise CannotCertify("a proof needs a formula for the single step")
            total += n * mass * (profile - atoms_profile(law.atoms(), e - loss))
        return total

    def _values(self, tilted: Sequence[tuple[Tilted, int]], h: float, n: int) -> list[acb]:
        each, count = _splits(tilted)
        pairs = zip(each.values(h, n), each.atoms.values(h, n), strict=True)
        return [m**count - a**count - count * a ** (count - 1) * (m - a) for m, a in pairs]

    def _relative(self, tilted: Sequence[tuple[Tilted, int]], h: float, n: int) -> Discs:
        each, count = _splits(tilted)
        only_if(
            each.others is not None and n * arb(h) <= arb(each.reach), "nodes that reach so far"
        )
        assert each.others is not None
        flat, rest = (x.relative(h, n, each.mass) for x in (each.atoms, each.others))
        return two_or_more(flat, rest, count)

    @staticmethod
    def log_sizes(tilted: Sequence[tuple[Tilted, int]], t: Array) -> Array:
        """log of n(n−1)/2·|C|²·(|A| + |C|)^{n−2}, over M(c)^n; neither |C| nor |A| + |C| is more
        than M(c)."""
        each, n = _splits(tilted)
        rest, flat = each.rest(t), above(each.atoms.mass / each.mass)
        pairs = above(arb(n * (n - 1) // 2).log())
        both = logarithms((rest + flat) * (1 + 1e-12))
        return np.asarray(pairs + (2 * logarithms(rest) + (n - 2) * both) * (1 - 1e-12))

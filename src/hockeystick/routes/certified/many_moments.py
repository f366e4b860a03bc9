"""M(c) of many sampled normal laws at once, in arrays of discs (Theorem 19).

With g = v^{c+1}·w^{−c}, M(c) − 1 = ∫ φ·(g − 1): the sum is small where M(c) is about 1, and so is
its rounding. By Theorem 3, for g and for 1 in its place, it errs by at most share·(M(c) + 1).
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import numpy as np
from flint import arb

from hockeystick.errors import CannotCertify
from hockeystick.numerics.types import Array
from hockeystick.routes.certified.balls import around_zero, only_if
from hockeystick.routes.certified.discs import Discs, size
from hockeystick.routes.certified.law import Tilted
from hockeystick.routes.certified.sampled_normal import SampledNormal

MANY = 12
"""Parts from which on arrays are worth their while."""
AT_ONCE = 80
"""Parts of one array."""
MOST_TERMS = 10_000_000
"""Of all sums together."""


def log_moment(tilted: Sequence[tuple[Tilted, int]]) -> arb:
    """K: the sum of n·log M(c)."""
    normal = [each for each, _ in tilted if isinstance(each, SampledNormal)]
    if len(normal) >= MANY:
        find_masses(normal)
    total = arb(0)
    for each, n in tilted:
        only_if(each.mass > 0, "a positive moment")
        total += n * each.mass.log()
    return total


def find_masses(parts: Sequence[SampledNormal]) -> None:
    """M(c) of each, where doubles are large enough for it."""
    only_if(sum(each.listed for each in parts) <= MOST_TERMS, "few enough points")
    parts = sorted(parts, key=lambda each: each.listed)
    for start in range(0, len(parts), AT_ONCE):
        with suppress(CannotCertify):
            _find(parts[start : start + AT_ONCE])


def _find(parts: Sequence[SampledNormal]) -> None:
    only_if(parts[-1].listed * len(parts) <= MOST_TERMS, "few enough points")
    first, last, step = (_numbers(parts, name) for name in ("first", "last", "step"))
    j = first + np.arange(int((last - first).max()) + 1)
    place = np.minimum(j, last) * step
    x = Discs.of(place, size(place) * 2.0**-52)
    laws = Mixtures(parts)
    log_v, log_w = laws.logs(x)
    norm = Discs.column([arb(each.rule["mass"]["step"]).log() for each in parts])
    density = (norm - (x * x).times(0.5)).exp().times(np.where(j <= last, 1.0, 0.0))
    excess = (density * laws.tilt(log_v, log_w).expm1()).sum(axis=1)
    root = 1 / (2 * arb.pi()).sqrt()
    for each, mid, rad in zip(parts, excess.mid.real.tolist(), excess.rad.tolist(), strict=True):
        share, tails = each.unlisted
        slack = around_zero(share)
        beyond = tails.union(-_normal_tails(each))
        each.mass = (1 + root * arb(mid, rad) + beyond + slack) / (1 + slack)


def _numbers(parts: Sequence[SampledNormal], name: str) -> Array:
    return np.array([[float(each.rule["mass"][name])] for each in parts])


def _normal_tails(each: SampledNormal) -> arb:
    """At least what h·Σ φ has beyond the ends, each of which is beyond 0."""
    said = each.rule["mass"]
    h, total = arb(said["step"]), arb(0)
    for end in (said["last"] * h, -said["first"] * h):
        total += (end * end / -2).exp() / (h * end).expm1()
    return h * total / (2 * arb.pi()).sqrt()


class Mixtures:
    """v and w of several laws on one line, a row each."""

    def __init__(self, parts: Sequence[SampledNormal]) -> None:
        self._q, self._up, self._down = (
            Discs.column([getattr(each.law, name) for each in parts])
            for name in ("q", "up", "down")
        )
        self._c, self._p = Discs.column([parts[0].c]), Discs.column([parts[0].p])

    def logs(self, z: Discs) -> tuple[Discs, Discs]:
        """log v and log w."""
        return self._mixed(self._up, z), self._mixed(self._down, -z)

    def tilt(self, log_v: Discs, log_w: Discs) -> Discs:
        """(c+1)·log v − c·log w."""
        return self._p * log_v - self._c * log_w

    def _mixed(self, shift: Discs, z: Discs) -> Discs:
        """log(1 + q·(e^{shift·z − shift²/2} − 1))."""
        if not shift.most.any():
            return Discs.of(np.zeros(z.mid.shape))
        return (self._q * (shift * z - (shift * shift).times(0.5)).expm1()).log1p()

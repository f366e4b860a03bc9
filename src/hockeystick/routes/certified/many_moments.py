"""M(c) of many sampled normal laws at once, in arrays of discs (Theorem 19).

With g = v^{c+1}·w^{−c}, M(c) − 1 = ∫ φ·(g − 1): the sum is small where M(c) is about 1, and so is
its rounding. By Theorem 3, for g and for 1 in its place, it errs by at most share·(M(c) + 1).
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from flint import arb

from hockeystick.errors import CannotCertify
from hockeystick.numerics.types import Array
from hockeystick.routes.certified.balls import only_if
from hockeystick.routes.certified.discs import Discs
from hockeystick.routes.certified.law import Rule, Tilted
from hockeystick.routes.certified.mixtures import MOST_TERMS, Mixtures, nodes, unlisted
from hockeystick.routes.certified.sampled_normal import SampledNormal

MANY = 12
"""Parts from which on arrays are worth their while."""
AT_ONCE = 125
"""Parts of one array."""


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
    """M(c) of each, where doubles are large enough for it; else of none."""
    only_if(sum(each.listed for each in parts) <= MOST_TERMS, "few enough points")
    parts = sorted(parts, key=lambda each: each.listed)
    with suppress(CannotCertify):
        laws, said = Mixtures(parts), [each.rule["mass"] for each in parts]
        errors = unlisted(laws, said)
        for start in range(0, len(parts), AT_ONCE):
            some = slice(start, start + AT_ONCE)
            sums = _excess(laws.rows(some), said[some])
            numbers = (each.ravel().tolist() for each in (*sums, *(x[some] for x in errors)))
            for each, *found in zip(parts[some], *numbers, strict=True):
                each.mass = _mass(*found)


def _excess(laws: Mixtures, said: Sequence[Rule]) -> tuple[Array, Array]:
    """h·Σ e^{−x²/2}·(g − 1) of each row, and its radius."""
    x, inside = nodes(said)
    norm = Discs.column([arb(each["step"]).log() for each in said])
    density = (norm - (x * x).times(0.5)).exp().times(inside)
    excess = (density * laws.tilt(*laws.logs(x)).expm1()).sum(axis=1)
    return excess.mid.real, excess.rad


def _mass(mid: float, rad: float, share: float, tails: float, less: float) -> arb:
    slack, beyond = arb(0, share), arb(tails).union(arb(-less))
    return (1 + arb(mid, rad) / (2 * arb.pi()).sqrt() + beyond + slack) / (1 + slack)

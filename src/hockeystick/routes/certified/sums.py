"""n steps of one law of finitely many values, added up."""

from __future__ import annotations

import math
from collections.abc import Callable

from flint import arb

from hockeystick.routes.certified.lattice_sums import lattice_sum, three_values
from hockeystick.routes.certified.points import PointsLaw
from hockeystick.routes.certified.split import atoms_profile, multinomial
from hockeystick.routes.certified.two_values import TwoValues

FEW_SUMS = 3000


def sum_of_points(law: PointsLaw, n: int, log_least: float) -> Callable[[arb], arb] | None:
    """δ(ε) of n steps: a binomial sum, or one of few terms; None where there are too many."""
    atoms = law.atoms()
    aside = 1 - (1 - law.infinite) ** n
    aside += arb(0).union(n * law.lost)
    if len(atoms) == 2:
        (p, one), (rest, other) = atoms if atoms[0][1] > atoms[1][1] else atoms[::-1]
        table = TwoValues(p, rest, one, other, n, log_least)
        return lambda e: aside + table.delta(e)
    if (together := lattice_sum(law, n)) is not None:
        return lambda e: aside + together(e)
    if (mixed := three_values(law, n, log_least)) is not None:
        return lambda e: aside + mixed(e)
    if math.comb(n + len(atoms) - 1, n) > FEW_SUMS:
        return None
    sums = multinomial(law, n)
    return lambda e: aside + atoms_profile(sums, e)

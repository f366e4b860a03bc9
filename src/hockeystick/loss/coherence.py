"""Whether what is said of a law fits together: a law that forgets something must not be trusted."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from hockeystick.loss.measure import Atoms, Nodes, Tails
from hockeystick.numerics.types import Array

MASS_ERROR = 1e-9
"""How far from 1 the masses of a law may add up."""
END_ERROR = 1e-12
"""How far its ends may be off; a density without bound has a mass of its square root there."""
CHECKED_AT = 0.37
"""The losses at which a law is checked, as a part of the largest loss or of 1: no round number."""


def places(bottom: float, top: float) -> Array:
    """Just below the smallest loss, two opposite losses, and just above the largest loss."""
    x = CHECKED_AT * min(1.0, max(top, 0.0))
    below, above = END_ERROR * (1 + abs(bottom)), END_ERROR * (1 + abs(top))
    return np.array([bottom - below, -x, x, top + above])


@dataclass(frozen=True)
class Said:
    """What a law says at such places."""

    losses: Array
    tails: Tails
    delta: Array
    """The profile at the third place."""
    atoms: Atoms
    infinite: float
    void: float

    def contradiction(self, continuous: bool, symmetric: bool, rounding: float) -> str:
        """What does not fit, in words; nothing if all does."""
        places, tails, x = self.losses[:, None], self.tails, self.losses[2]
        p, q, losses = self.atoms.p, self.atoms.q, self.atoms.losses
        p_all, q_all = float(p.sum()) + self.infinite, float(q.sum()) + self.void
        above = losses > places
        p_above = tails.p_above + above @ p + self.infinite
        q_above = tails.q_above + above @ q
        q_below = tails.q_below + (losses < places) @ q + self.void
        delta = p_above[2] - math.exp(x) * q_above[2]
        gaps = (
            ("P does not add up to 1", tails.p_above + tails.p_below + (p_all - 1)),
            ("Q does not add up to 1", tails.q_above + tails.q_below + (q_all - 1)),
            ("there is mass above its top", p_above[3] - self.infinite),
            ("there is mass below its bottom", q_below[0] - self.void),
            ("its profile is not that of its masses", delta - self.delta),
            ("it has tails but no continuous part", 0.0 if continuous else np.array(tails)),
            ("it is not symmetric", p_above - q_below[::-1] if symmetric else 0.0),
        )
        allowed = MASS_ERROR + rounding
        return next((gap for gap, size in gaps if not np.abs(size).max() <= allowed), "")


def is_whole(nodes: Nodes, infinite: float, void: float, rounding: float) -> bool:
    """Whether a quadrature has all of P and of Q."""
    q = float(np.exp(nodes.log_q).sum()) + void
    p = float(np.exp(nodes.log_q + nodes.losses).sum()) + infinite
    return max(abs(p - 1), abs(q - 1)) <= MASS_ERROR + rounding

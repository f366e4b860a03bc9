"""Whether what is said of a law fits together: a law that forgets something must not be trusted."""

from __future__ import annotations

import math
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.numerics.types import Array

if TYPE_CHECKING:
    from hockeystick.loss.base import Loss

MASS_ERROR = 1e-9
"""How far from 1 the masses of a law may add up."""
END_ERROR = 1e-12
"""How far its ends may be off; a density without bound has a mass of its square root there."""
CHECKED_AT = 0.37
"""The losses at which a law is checked, as a part of the largest loss or of 1: no round number."""


def contradiction(loss: Loss, rounding: float) -> str:
    """What does not fit, in words; nothing if all does, but for so much rounding."""
    allowed = MASS_ERROR + rounding
    with np.errstate(over="ignore", invalid="ignore"):  # what is not a number does not fit
        if not loss.sketched and not _has_whole_nodes(loss, allowed):
            return "its quadrature has not all of P and Q"
        gaps = _gaps(loss)
        return next((gap for gap, size in gaps if not np.abs(size).max() <= allowed), "")


def _has_whole_nodes(loss: Loss, allowed: float) -> bool:
    """Whether its quadrature, if it is not out of reach, has all of P and Q."""
    with suppress(NumericalError):  # what needs the nodes will say so itself
        nodes = loss.nodes(-1.0, 0.0, 0.0)
        q = float(np.exp(nodes.log_q).sum()) + loss.void
        p = float(np.exp(nodes.log_q + nodes.losses).sum()) + loss.infinite
        return max(abs(p - 1), abs(q - 1)) <= allowed
    return True


def _gaps(loss: Loss) -> list[tuple[str, Any]]:
    """What might not fit, and by how much it does not."""
    marks = _places(loss.bottom, loss.top)
    tails, x, places = loss.tails(marks), marks[2], marks[:, None]
    p, q, losses = loss.atoms.p, loss.atoms.q, loss.atoms.losses
    p_all, q_all = float(p.sum()) + loss.infinite, float(q.sum()) + loss.void
    above = losses > places
    p_above = tails.p_above + above @ p + loss.infinite
    q_above = tails.q_above + above @ q
    q_below = tails.q_below + (losses < places) @ q + loss.void
    delta = p_above[2] - math.exp(x) * q_above[2]
    return [
        ("P does not add up to 1", tails.p_above + tails.p_below + (p_all - 1)),
        ("Q does not add up to 1", tails.q_above + tails.q_below + (q_all - 1)),
        ("there is mass above its top", p_above[3] - loss.infinite),
        ("there is mass below its bottom", q_below[0] - loss.void),
        ("its profile is not that of its masses", delta - loss.profile(marks[2:3])),
        ("it has tails but no continuous part", 0.0 if loss.continuous else np.array(tails)),
        ("it is not symmetric", p_above - q_below[::-1] if loss.symmetric else 0.0),
    ]


def _places(bottom: float, top: float) -> Array:
    """Just below the smallest loss, two opposite losses, and just above the largest loss."""
    x = CHECKED_AT * min(1.0, max(top, 0.0))
    below, above = END_ERROR * (1 + abs(bottom)), END_ERROR * (1 + abs(top))
    return np.array([bottom - below, -x, x, top + above])

"""From what a loss says of itself exactly to its law in balls."""

from __future__ import annotations

from collections.abc import Callable

from hockeystick.errors import CannotCertify
from hockeystick.loss.base import Loss
from hockeystick.loss.exact import Exact
from hockeystick.routes.certified.chords import ChordsLaw
from hockeystick.routes.certified.fixed_normal import FixedNormalLaw
from hockeystick.routes.certified.law import Law
from hockeystick.routes.certified.normal import NormalLaw
from hockeystick.routes.certified.points import PAIRS, PointsLaw
from hockeystick.routes.certified.segment import SegmentLaw

LAWS: dict[str, Callable[[Exact], Law]] = {
    "normal": lambda exact: FixedNormalLaw(exact) if exact.fixed else NormalLaw(exact),
    "laplace": SegmentLaw,
    "exponential": SegmentLaw,
    **dict.fromkeys(PAIRS, PointsLaw),
}
"""The kinds of `Exact` of which the law is known in balls."""


def exact_of(loss: Loss) -> Exact:
    """What the loss says of itself; an error that names it if that is nothing."""
    exact = loss.exact()
    if exact is None or (exact.kind not in LAWS):
        raise CannotCertify(f"no law in exact numbers is known of {type(loss).__name__}")
    return exact


def law_of(exact: Exact) -> Law:
    """The law in balls."""
    if exact.instead and not exact.opposite:
        return ChordsLaw(exact, *map(law_of, exact.apart))
    return LAWS[exact.kind](exact)

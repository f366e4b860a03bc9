"""A certificate, proven again: nothing is planned, every claim is checked in balls.

A certificate says for which pairs, in exact numbers, which ends hold. That these pairs dominate the
mechanism, or are attained, is the theorem of its sampler and not checked here.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from flint import arb

from hockeystick.errors import CannotCertify
from hockeystick.loss.exact import Exact
from hockeystick.routes.certified.balls import of_bits
from hockeystick.routes.certified.bent import Bent, BentRecipe
from hockeystick.routes.certified.build import line_of
from hockeystick.routes.certified.claims import (
    at_most,
    closed,
    delta_at_once,
    epsilon_at_once,
)
from hockeystick.routes.certified.grid import Grid, GridSum
from hockeystick.routes.certified.laws import law_of
from hockeystick.routes.certified.line import Laws, Line, Recipe
from hockeystick.routes.certified.renyi import BITS as RENYI_BITS
from hockeystick.routes.certified.renyi import RenyiAt, is_bounded
from hockeystick.routes.certified.smoothed import SmoothedLine, SmoothedRecipe
from hockeystick.routes.certified.splines import SplineRecipe, Splines

LOG_LEAST = -800.0
MOST_BITS, MOST_POINTS = 1024, 1_000_000
"""A certificate that asks for more is refused, so that none takes for ever."""
Said = dict[str, Any]
Parts = list[tuple[Exact, int]]
Ends = Callable[[float], tuple[arb, arb]]


def verify(certificate: Said) -> tuple[float, float]:
    """Both ends, if all that the certificate claims is so; else `CannotCertify`."""
    try:
        with of_bits(_bits(certificate["bits"])):
            ends = [_proof(certificate, proof) for proof in certificate["proofs"]]
        _check(len(ends) in (1, 2), "one pair for each end")
        _check(len({_runs(proof) for proof in certificate["proofs"]}) == 1, "as many steps")
        _check(ends[-1][0] <= ends[0][1], "a lower end below the upper one")
        return ends[-1][0], ends[0][1]
    except CannotCertify:
        raise
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise CannotCertify(f"the certificate is not whole: {error!r}") from error


def _proof(asked: Said, proof: Said) -> tuple[float, float]:
    """The pair of the upper end, or of the lower: both of its directions."""
    lines = [each for each in proof["directions"] if each["method"] != "milder"]
    covered = [_parts(each) for each in proof["directions"]]
    for parts in covered:
        turned = [(exact.reverse(), n) for exact, n in parts]
        alike = all(exact.symmetric for exact, _ in parts)
        _check(alike or turned in covered or _plain(turned) in map(_plain, covered), "both ways")
    lower = max(each["lower"] for each in lines)
    upper = max(each["upper"] for each in lines)
    for each, parts in zip(proof["directions"], covered, strict=True):
        with of_bits(_bits(each.get("bits", asked["bits"]))):
            _way(asked, each, parts, lines[0]["lower"])
    return lower, upper


def _bits(said: Any) -> int:
    bits = int(said)
    _check(2 <= bits <= MOST_BITS, f"at most {MOST_BITS} bits")
    return bits


def _way(asked: Said, said: Said, parts: Parts, known: float) -> None:
    """One direction: its two ends, or that it is milder than what is known."""
    laws = [(law_of(exact), n) for exact, n in parts]
    below = said["method"] == "milder" or said["lower"] == 0
    _check(below or not any(law.bound_only for law, _ in laws), "a pair that has a lower end")
    if asked["asked"] == "rdp" and said["method"] == "milder":
        _check(is_bounded(laws, known), "that a direction is milder")
    elif asked["asked"] == "rdp":
        _divergence(asked, said, parts)
    elif said["method"] != "milder":
        _direction(asked, said, laws)
    elif asked["asked"] == "epsilon":
        _milder(said, laws, known, asked["delta"])
    else:
        _milder(said, laws, asked["epsilon"], known)


def _parts(said: Said) -> Parts:
    parts = [(Exact.from_json(part), part["count"]) for part in said["parts"]]
    whole = all(type(n) is int and n >= 1 for _, n in parts)
    _check(parts and whole and all(exact.is_pair for exact, _ in parts), "pairs of laws")
    return parts


def _runs(proof: Said) -> tuple[int, ...]:
    """How often each part runs: the pair of the lower end is one of the same mechanism."""
    first, *others = (tuple(p["count"] for p in each["parts"]) for each in proof["directions"])
    _check(all(each == first for each in others), "the same steps in both directions")
    return first


def _plain(parts: Parts) -> Parts:
    """The same without a direction where there is none."""
    return [(replace(e, turned=False) if e.symmetric else e, n) for e, n in parts]


def _check(holds: Any, what: str) -> None:
    if not holds:
        raise CannotCertify(f"the certificate does not show {what}")


def _milder(said: Said, laws: Laws, epsilon: float, delta: float) -> None:
    """Where the other direction's lower end is, this one has a smaller δ."""
    holds = at_most(laws, epsilon, delta, said.get("order"), said.get("rules", ()))
    _check(holds, "that a direction is milder")


def _divergence(asked: Said, said: Said, parts: Parts) -> None:
    _check(said["method"] == "renyi" and asked["order"] >= 1, "a divergence")
    with of_bits(RENYI_BITS):
        lower, upper = RenyiAt(asked["order"]).ends(parts, said["rules"])
    _check(said["lower"] <= max(lower, 0.0), "the lower end")
    _check(said["upper"] >= upper, "the upper end")


def _direction(asked: Said, said: Said, laws: Laws) -> None:
    lower, upper = said["lower"], said["upper"]
    if asked["asked"] == "delta":
        known = delta_at_once(laws, asked["epsilon"])
        at = asked["epsilon"]
        least, most = _ends(said, laws, LOG_LEAST)(at) if known is None else (known, known)
        _check(least >= lower or lower == 0, "the lower end")
        _check(most <= upper or upper == 1, "the upper end")
        return
    delta = asked["delta"]
    if (sure := epsilon_at_once(laws, delta)) is not None:
        _check(lower <= sure[0], "the lower end")
        _check(sure[1] <= upper, "the upper end")
        return
    both = _ends(said, laws, math.log(delta))
    _check(lower == 0 or both(lower)[0] > delta, "the lower end")
    _check(upper == math.inf or both(upper)[1] <= delta, "the upper end")


def _line(said: Said, laws: Laws) -> Line | Bent | Splines:
    if said["method"] == "bent":
        return Bent(laws, BentRecipe.from_json(said["line"]))
    if said["method"] == "splines":
        return Splines(laws, SplineRecipe.from_json(said["line"]))
    recipe = Recipe.from_json(said["line"])
    _check(recipe.points <= MOST_POINTS, f"at most {MOST_POINTS} points")
    if said["method"] == "smoothed":
        return SmoothedLine(laws, SmoothedRecipe.from_json(said["line"]))
    return line_of(laws, recipe)


def _ends(said: Said, laws: Laws, log_least: float) -> Ends:
    """ε to both ends of δ(ε), by the formula or on the line of the certificate."""
    if said["method"] in ("contour", "bent", "splines", "smoothed"):
        line = _line(said, laws)

        def on_line(epsilon: float) -> tuple[arb, arb]:
            ends = line.ends(epsilon)
            return ends.lower, ends.upper

        return on_line
    if said["method"] == "grid":
        return GridSum(laws, Grid.from_json(said["grid"])).ends
    profile = closed(laws, log_least)
    _check(profile is not None, "a formula for δ")
    return lambda epsilon: (profile(arb(epsilon)),) * 2  # type: ignore[misc]

"""Two steps with densities, by an integral: delta(eps) = E_P[h(eps - L)], h the other's profile."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from mpmath import mp, mpf

from . import pairs
from .expressions import Part, Unknown, gaussian_shift, read
from .pairs import Density, Pair
from .profile import one_step_by_tails, solve
from .quadrature import panels

MOST_PANELS = 100
PRECISIONS = (18, 25)
AGREEMENT = mpf(10) ** -12
MARGIN = mpf(10) ** -15
Interval = tuple[mpf, mpf]
Profile = Callable[[mpf], mpf]


def by_integral(expression: str, query: str, at: float, relation: str | None) -> Interval | None:
    """Two steps of Gaussian or Laplace noise, sampled or not; unsampled Gaussians count as one."""
    if query not in ("epsilon", "delta") or not at:
        return None
    values = []
    try:
        for digits in PRECISIONS:
            with mp.workdps(digits):
                values.append(_worst(_two(read(expression, relation)), query, mpf(at), digits))
    except (Unknown, ArithmeticError, ValueError):
        return None
    with mp.workdps(PRECISIONS[-1]):
        rough, fine = values
        if not abs(rough - fine) <= AGREEMENT * abs(fine):
            return None
        error = 10 * abs(rough - fine) + MARGIN * abs(fine)
        return max(mpf(0), fine - error), fine + error


def _two(parts: list[Part]) -> tuple[Pair, Pair]:
    """The two steps that the parts are."""
    if any(p.dominating is not p.attained or p.dominating.density is None for p in parts):
        raise Unknown("not two densities")
    gaussians = [part for part in parts if part.gaussian is not None]
    steps = [part.dominating for part in parts if part.gaussian is None for _ in range(part.count)]
    shift = gaussian_shift(gaussians)
    if gaussians and shift is not None:
        steps.append(pairs.gaussian(1 / shift))
    if len(steps) != 2:
        raise Unknown("not two steps")
    return steps[0], steps[1]


def _worst(two: tuple[Pair, Pair], query: str, at: mpf, digits: int) -> mpf:
    sides = [two, (pairs.reverse(two[0]), pairs.reverse(two[1]))]
    profiles = [partial(integral, *side) for side in sides]
    if query == "delta":
        return max(profile(at) for profile in profiles)
    return max(_root(profile, at, digits) for profile in profiles)


def _root(profile: Profile, delta: mpf, digits: int) -> mpf:
    high = mpf(1)
    while profile(high) > delta:
        high *= 2
        if high > 1e7:
            raise Unknown("no finite answer was found")
    return solve(profile, delta, high, digits - 4)


def integral(one: Pair, other: Pair, epsilon: mpf) -> mpf:
    """The profile of both steps: over the outcomes of one of them, the other's profile."""
    total = one.p_only + mp.fsum(
        a.p * one_step_by_tails(other, epsilon - a.loss) for a in one.atoms
    )
    density = one.density
    assert density is not None

    def inside(x: mpf) -> mpf:
        return density.p(x) * one_step_by_tails(other, epsilon - density.loss(x))

    return total + panels(inside, _knots(one, other, epsilon), mp.dps)


def _knots(one: Pair, other: Pair, epsilon: mpf) -> list[mpf]:
    """Narrow panels of the density, cut where the other's loss reaches the end of its range."""
    density, inner = one.density, other.density
    assert density is not None
    assert inner is not None
    low, high = density.knots[0], density.knots[-1]
    cuts = [density.inverse(epsilon - inner.loss(knot)) for knot in inner.knots]
    number = _panels(density)
    equal = [low + (high - low) * i / number for i in range(number + 1)]
    places = sorted([*equal, *(x for x in cuts if low < x < high)])
    gap = (high - low) * mpf(10) ** -15
    return [
        x for x, following in zip(places, [*places[1:], mp.inf], strict=True) if following - x > gap
    ]


def _panels(density: Density) -> int:
    """A loss on a sample has singularities pi noise^2 off the real line."""
    low, high = density.knots[0], density.knots[-1]
    if not density.stretch:
        return 6
    noise = (density.knots[1] - low) / mp.sqrt(2 * mp.log(10) * (mp.dps + 10))
    number = int(mp.ceil((high - low) / min(noise, 2 * noise**2)))
    if number > MOST_PANELS:
        raise Unknown("too many panels")
    return number

"""Releases in turn: noise for many of them is drawn at once, which is the quicker way."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hockeystick.release.grid import Draw, Integers

AHEAD = 2**13
"""So many numbers are drawn ahead at most: more are no quicker."""


class InTurn:
    """Releases of one mechanism, one after the other; none of the noise is used twice.

    >>> from hockeystick import Gaussian
    >>> release = Gaussian(2.0).in_turn(rng=0)  # a seed protects nobody
    >>> release.ahead(10)
    >>> release([1.0, 2.0]).shape
    (2,)
    """

    def __init__(self, release: Callable[[Any, Draw], Any], noise: Draw) -> None:
        self._release, self._noise = release, noise
        self.ahead(0)

    def ahead(self, count: int) -> None:
        """At least `count` releases of one shape are to come; what was drawn before is dropped."""
        self._left = count
        self._drawn: list[Integers] = []
        self._for: tuple[float, int] | None = None

    def __call__(self, value: Any) -> Any:
        """`value` plus fresh noise, as `release` says."""
        return self._release(value, self._next)

    def _next(self, scale: float, count: int) -> Integers:
        if not self._drawn or self._for != (scale, count):
            rounds = max(1, min(self._left, AHEAD // max(1, count)))
            self._drawn = list(self._noise(scale, count * rounds).reshape(rounds, count))
            self._for = (scale, count)
        self._left -= 1
        return self._drawn.pop()

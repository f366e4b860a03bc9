"""Losses that do not fade along a vertical line, as atoms off any lattice: the profile of the pair
together with a little Gaussian noise, and what that adds (Theorem 23)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb

from hockeystick.loss.exact import Exact
from hockeystick.numerics.types import Array
from hockeystick.routes.certified.balls import only_if
from hockeystick.routes.certified.law import Tilted
from hockeystick.routes.certified.line import Ends, Laws, Line, Recipe, log_sizes
from hockeystick.routes.certified.normal import NormalLaw
from hockeystick.routes.certified.quick import Quick, kernel


@dataclass(frozen=True)
class SmoothedRecipe:
    """A line in arrays, and the shift τ of the Gaussian noise that is added."""

    shift: float
    line: Recipe

    def to_json(self) -> dict[str, Any]:
        return {"shift": self.shift, **self.line.to_json()}

    @classmethod
    def from_json(cls, said: dict[str, Any]) -> SmoothedRecipe:
        return cls(said["shift"], Recipe.from_json(said))


class SmoothedLine(Line):
    """D of the pair together with N(τ, 1) against N(0, 1), and τ²·J, on the same points."""

    def __init__(self, laws: Laws, recipe: SmoothedRecipe) -> None:
        line = recipe.line
        only_if(recipe.shift > 0 and line.arrays and not line.split, "a smoothed line in arrays")
        noise = NormalLaw(Exact("normal", (Fraction(recipe.shift), Fraction(0))))
        self._square = arb(recipe.shift) ** 2
        super().__init__([*laws, (noise, 1)], line)
        last = arb(line.cut) - self._h
        fading = (-self._square * last * last / 2).exp()
        self._cut_density = fading / (arb.pi() * self._square * last)

    @staticmethod
    def log_sizes(tilted: Sequence[tuple[Tilted, int]], t: Array) -> Array:
        """Of the noise alone, as no |φ| is above 1."""
        return log_sizes(tilted[-1:], t)

    def _quickly(self, tilted: Sequence[tuple[Tilted, int]], h: float, n: int) -> None:
        halved = self._relative(tilted, h, n).times(np.append(0.5, np.ones(n - 1)))
        terms = halved * kernel(self.order, h, n)
        self._quick, self._densities = Quick(terms, self._h), Quick(halved, self._h)
        self.floats = terms.mid

    def ends(self, epsilon: float) -> Ends:
        """D is an upper end of δ, and D − τ²·J a lower one."""
        smoothed, e = super().ends(epsilon), arb(epsilon)
        lower = arb.max(smoothed.lower - self._added(e), self.beside(e))
        return Ends(arb(lower.lower()), smoothed.upper)

    def _added(self, e: arb) -> arb:
        """At least τ²·J(ε): the sum over the points, whose aliases are positive, and the cut."""
        unit = self._square * (self._square / 8 + self._k - self._c * e).exp()
        return unit * (self._h / arb.pi() * self._densities.sum(e) + self._cut_density)

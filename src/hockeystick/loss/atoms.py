"""Losses of finitely many values: randomized response, pure and approximate DP, discrete noise."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from hockeystick.loss.base import DiscreteLoss, Loss
from hockeystick.loss.exact import Exact, leak
from hockeystick.loss.measure import EMPTY, Atoms, Nodes
from hockeystick.numerics.blocks import in_blocks
from hockeystick.numerics.types import Array


class AtomicLoss(DiscreteLoss):
    """A loss that takes the values `losses` with probabilities e^log_q under Q.

    Under P they are e^{log_q + loss}, or e^log_p where that is given: of large losses it is the
    more accurate.
    """

    def __init__(
        self,
        losses: Sequence[float] | Array,
        log_q: Sequence[float] | Array,
        *,
        log_p: Sequence[float] | Array | None = None,
        infinite: float = 0.0,
        void: float = 0.0,
        spacing: float | None = None,
        symmetric: bool = False,
        slip: float | None = None,
        origin: Exact | None = None,
    ) -> None:
        values, masses = np.asarray(losses, dtype=float), np.asarray(log_q, dtype=float)
        kept = masses > -math.inf
        self._atoms = Atoms(values[kept], masses[kept])
        self._log_p = (masses + values if log_p is None else np.asarray(log_p, dtype=float))[kept]
        self.top = float(values[kept].max(initial=-math.inf))
        self.bottom = float(values[kept].min(initial=math.inf))
        self.infinite, self.void = infinite, void
        self.spacing, self.symmetric = spacing, symmetric
        self._slip, self.origin = slip, origin

    @property
    def atoms(self) -> Atoms:
        return self._atoms

    @property
    def slip(self) -> float:
        return self._last_digits if self._slip is None else self._slip

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AtomicLoss) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def _key(self) -> tuple[object, ...]:
        losses, log_q = self._atoms
        what = losses.tobytes(), log_q.tobytes(), self.infinite, self.void, self.symmetric
        return *what, self.origin  # floats alike may stand for numbers that are not

    def nodes(self, low: float, high: float, turn: float) -> Nodes:
        return Nodes(*self._atoms, EMPTY)

    def profile(self, epsilon: Array) -> Array:
        losses, p = self._atoms.losses, np.exp(self._log_p)

        def finite(part: Array) -> Array:
            return np.asarray(-np.expm1(np.minimum(part[..., None] - losses, 0)) @ p)

        return in_blocks(finite, np.asarray(epsilon), losses.size) + self.infinite

    def reverse(self) -> Loss:
        if self.symmetric:
            return self
        losses, log_q = self._atoms
        return AtomicLoss(
            -losses,
            self._log_p,
            log_p=log_q,
            infinite=self.void,
            void=self.infinite,
            spacing=self.spacing,
            slip=self._slip,
            origin=self.origin and self.origin.reverse(),
        )

    def reverse_profile(self, epsilon: Array) -> Array:
        return self.reverse().profile(epsilon)


NOTHING = AtomicLoss([0.0], [0.0], spacing=0.0, symmetric=True, origin=leak(0.0))
"""P = Q: nothing is revealed."""

EVERYTHING = AtomicLoss(
    [], [], infinite=1.0, void=1.0, spacing=0.0, symmetric=True, origin=leak(1.0)
)
"""P and Q are disjoint: the answer gives the record away."""

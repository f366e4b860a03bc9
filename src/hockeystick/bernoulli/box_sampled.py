"""A mechanism of which only coins are released, each coordinate with its own interval."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from hockeystick.bernoulli.amplify import _amplify_box
from hockeystick.bernoulli.box import Box, box_of
from hockeystick.bernoulli.loss import coin_loss
from hockeystick.bernoulli.sampled import NEAREST, ROUGH, BernoulliSampled, _tested
from hockeystick.checks import Whole, checked, declared
from hockeystick.evidence import Evidence, known
from hockeystick.loss.atoms import NOTHING
from hockeystick.mechanism import AnySampler, Mechanism
from hockeystick.numerics.types import Array
from hockeystick.relation import Relation


def _ends(name: str, value: Any) -> tuple[float, ...]:
    """The ends of the intervals, as a tuple; what they must be, the box says."""
    return tuple(value) if np.ndim(value) else (value,)


@declared
class BoxSampled(Mechanism):
    """`samples` Bernoulli vectors with probabilities that `base` computed, clipped to Π [c_i, d_i].

    As `BernoulliSampled`, with the coins of a symmetric box that tell no less for the upper ends
    and of one that tell no more for the lower ends: see `box`.

    Parameters
    ----------
    c, d: in [0, 1], as many as there are coordinates, c_i <= d_i. samples: an integer >= 1.

    >>> from hockeystick import Gaussian
    >>> coins = Gaussian(1.0).bernoulli(c=[0.2, 0.4])
    >>> round((coins * 4).epsilon(delta=1e-5), 6)
    2.710581
    """

    base: Mechanism
    c: tuple[float, ...] = checked(_ends)
    d: tuple[float, ...] = checked(_ends)
    samples: int = checked(Whole(1), default=1)

    def check_together(self) -> None:
        box = self._box
        vars(self).update(
            c=tuple(low for low, _ in box.intervals), d=tuple(high for _, high in box.intervals)
        )

    @property
    def _box(self) -> Box:
        return box_of(self.c, self.d, len(self.c), self.samples)

    def evidence(self, relation: Relation, steps: int = 1) -> Evidence:
        base, box = known(self.base, relation, steps), self._box
        if not base.pairs:
            return Evidence(curve=partial(self._curve, base))
        if box.tells_nothing:
            return Evidence((NOTHING,))
        if box.tells_all:  # or too much to be counted: what is attained is not known
            return Evidence((base.loss,), NOTHING)
        loss, _ = coin_loss(base.loss, box.channel(above=True))
        attained = _tested(base.attained_loss, box.channel(above=False))
        return Evidence((loss, base.loss), attained)

    def _curve(self, base: Evidence, orders: Array) -> tuple[Array, Array]:
        orders = np.maximum(orders, NEAREST)
        before = np.maximum(*base.renyi(orders)).tolist()
        each = zip(before, orders.tolist(), strict=True)
        value = np.array([float(_amplify_box(e, a, self._box, ROUGH)) for e, a in each])
        return value, value

    def on(self, sampler: AnySampler) -> Mechanism:
        """Coins of a parameter that was computed on a sample."""
        return BoxSampled(self.base.on(sampler), self.c, self.d, self.samples)

    def group(self, size: int) -> Mechanism:
        return BoxSampled(self.base.group(size), self.c, self.d, self.samples)

    @property
    def natural_relation(self) -> Relation | None:
        return self.base.natural_relation

    def __repr__(self) -> str:
        several = self.base.parts != {self.base: 1}
        base = f"({self.base!r})" if several else repr(self.base)
        return f"{base}.bernoulli(c={self.c!r}, d={self.d!r}, samples={self.samples})"


def coins_of_mechanism(base: Mechanism, c: Any, d: Any, dimension: int, samples: int) -> Mechanism:
    """The mechanism of which coins are released, in a cube or in a box."""
    if d is None and not np.ndim(c):
        return BernoulliSampled(base, c, dimension, samples)
    low, high = zip(*box_of(c, d, dimension, samples).intervals, strict=True)
    return BoxSampled(base, low, high, samples)

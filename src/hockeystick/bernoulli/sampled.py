"""A mechanism of which only coins are released."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from hockeystick.bernoulli.amplify import _amplify
from hockeystick.bernoulli.channel import MOST_COINS, Channel, coins
from hockeystick.bernoulli.excess import two_points
from hockeystick.bernoulli.loss import coin_loss
from hockeystick.bernoulli.parameters import Coins, clipping
from hockeystick.checks import whole
from hockeystick.loss.atoms import NOTHING, AtomicLoss
from hockeystick.loss.base import Loss
from hockeystick.mechanism import Mechanism
from hockeystick.numerics.types import Array
from hockeystick.relation import Relation

if TYPE_CHECKING:
    from hockeystick.samplers.sampler import Sampler

ROUGH = 1e-4
"""How close the ends are to be at each order of a Rényi curve."""
LARGEST = 600.0
MOST_OUTCOMES = 400
"""For the lower end: losses up to which probabilities are floats, and outcomes that are kept."""
NEAREST = 1 + 1e-6
"""Stands for order 1, which it is above."""


@dataclass(frozen=True, repr=False)
class BernoulliSampled(Mechanism):
    """`samples` Bernoulli vectors with probabilities that `base` computed, clipped to [c, 1−c]^d.

    Where the base has a loss, its profile is contracted exactly at every ε (see `amplify_delta`),
    which is again a profile and composes; its Rényi divergences are then at most those that
    `amplify` gives. Where only a Rényi curve is known, that is amplified at every order.

    Parameters
    ----------
    c: in [0, 1/2]. dimension, samples: integers >= 1.

    >>> from hockeystick import Gaussian
    >>> coin = Gaussian(1.0).bernoulli(c=0.2)
    >>> round((coin * 4).epsilon(delta=1e-5), 6)
    2.108457
    """

    base: Mechanism
    c: float
    dimension: int = 1
    samples: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "c", clipping(self.c))
        object.__setattr__(self, "dimension", whole("dimension", self.dimension, 1))
        object.__setattr__(self, "samples", whole("samples", self.samples, 1))

    @property
    def _coins(self) -> Coins:
        return Coins(self.dimension * self.samples, self.c)

    def _channel(self) -> Channel:
        """The channel of the coins, of as many as are counted one by one."""
        number, c = self._coins
        return coins(min(number, MOST_COINS), c)

    def loss(self, relation: Relation) -> Loss | None:
        if self.base.known_by_curve(relation):
            return None
        return NOTHING if self.c == 0.5 else _loss(self, relation)[0]

    def known_by_curve(self, relation: Relation) -> bool:
        return self.base.known_by_curve(relation)

    def renyi(self, orders: Array, relation: Relation) -> tuple[Array, Array]:
        if not self.known_by_curve(relation):
            return super().renyi(orders, relation)
        orders = np.maximum(orders, NEAREST)
        before = np.maximum(*self.base.renyi(orders, relation))
        value = np.array(
            [
                float(_amplify(e, a, self._coins, ROUGH))
                for e, a in zip(before.tolist(), orders.tolist(), strict=True)
            ]
        )
        return value, value

    def attained(self, relation: Relation, steps: int) -> Loss | None:
        """The parameter says only whether the loss was positive: a test that some query is."""
        base = self.base.attained(relation, steps)
        if self.c == 0.5 or self.known_by_curve(relation):
            return None
        if steps == 1 and base is None and _loss(self, relation)[1]:
            return None  # at each ε, the profile is that of some test
        base = base or self.base.loss(relation)
        assert base is not None
        return base if self.c == 0 else _tested(base, self._channel())

    def other_loss(self, relation: Relation) -> Loss | None:
        """That of the parameter itself, where the loss of the coins is not exact."""
        if self.c == 0.5 or self.known_by_curve(relation) or _loss(self, relation)[1]:
            return None
        return self.base.loss(relation)

    def on(self, sampler: Sampler) -> Mechanism:
        """Coins of a parameter that was computed on a sample."""
        return self._of(self.base.on(sampler))

    def group(self, size: int) -> Mechanism:
        return self._of(self.base.group(size))

    def _of(self, base: Mechanism) -> Mechanism:
        return BernoulliSampled(base, self.c, self.dimension, self.samples)

    @property
    def natural_relation(self) -> Relation | None:
        return self.base.natural_relation

    def __repr__(self) -> str:
        several = self.base.parts != {self.base: 1}
        base = f"({self.base!r})" if several else repr(self.base)
        numbers = f"c={self.c!r}, dimension={self.dimension}, samples={self.samples}"
        return f"{base}.bernoulli({numbers})"


@lru_cache(maxsize=256)
def _loss(mechanism: BernoulliSampled, relation: Relation) -> tuple[Loss, bool]:
    """The loss, and whether it is exact."""
    base = mechanism.base.loss(relation)
    assert base is not None
    if mechanism.c == 0 or mechanism._coins.number > MOST_COINS:
        return base, mechanism.c == 0
    return coin_loss(base, mechanism._channel())


def _tested(base: Loss, channel: Channel) -> Loss:
    """The loss of the coins of a bit that says whether the loss of the base is positive.

    Or of something that tells less: losses are cut to what floats can hold, outcomes merged.
    """
    zero = np.zeros(1)
    losses, log_q = base.atoms
    above = losses > 0
    y = float(base.tails(zero).q_above[0] + np.exp(log_q[above]).sum())
    x = float(base.profile(zero)[0]) + y
    if x <= y:
        return NOTHING
    with np.errstate(divide="ignore"):
        rho, sigma = np.log([x]) - np.log([y]), np.log([1 - y]) - np.log([max(1 - x, 0.0)])
    loss, log_q = channel.losses(two_points(np.minimum(rho, LARGEST), np.minimum(sigma, LARGEST)))
    if loss.size <= MOST_OUTCOMES:
        return AtomicLoss(loss[0], log_q[0])
    q, p = np.exp(log_q[0]), np.exp(log_q[0] + loss[0])
    share = np.cumsum(p + q)
    groups = np.unique(np.searchsorted(share, np.linspace(0, share[-1], MOST_OUTCOMES + 1)[:-1]))
    p, q = np.add.reduceat(p, groups), np.add.reduceat(q, groups)
    kept = (p > 0) & (q > 0)
    return AtomicLoss(np.log(p[kept]) - np.log(q[kept]), np.log(q[kept]))

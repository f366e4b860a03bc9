"""A mechanism of which only coins are released."""

from __future__ import annotations

from functools import partial

import numpy as np

from hockeystick.bernoulli.amplify import _amplify
from hockeystick.bernoulli.channel import MOST_COINS, Channel, coins
from hockeystick.bernoulli.excess import two_points
from hockeystick.bernoulli.loss import coin_loss
from hockeystick.bernoulli.parameters import Coins, clipping
from hockeystick.checks import Whole, checked, declared
from hockeystick.evidence import Evidence, known
from hockeystick.loss.atoms import NOTHING, AtomicLoss
from hockeystick.loss.base import Loss
from hockeystick.mechanism import AnySampler, Mechanism
from hockeystick.numerics.types import Array
from hockeystick.relation import Relation

ROUGH = 1e-4
"""How close the ends are to be at each order of a Rényi curve."""
LARGEST = 600.0
MOST_OUTCOMES = 400
"""For the lower end: losses up to which probabilities are floats, and outcomes that are kept."""
NEAREST = 1 + 1e-6
"""Stands for order 1, which it is above."""


@declared
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
    c: float = checked(clipping)
    dimension: int = checked(Whole(1), default=1)
    samples: int = checked(Whole(1), default=1)

    @property
    def _coins(self) -> Coins:
        return Coins(self.dimension * self.samples, self.c)

    def _channel(self) -> Channel:
        """The channel of the coins, of as many as are counted one by one."""
        number, c = self._coins
        return coins(min(number, MOST_COINS), c)

    def evidence(self, relation: Relation, steps: int = 1) -> Evidence:
        base = known(self.base, relation, steps)
        if not base.pairs:
            return Evidence(curve=partial(self._curve, base))
        if self.c == 0.5:
            return Evidence((NOTHING,))
        loss, exact = self._loss(base.loss)
        # Where the loss of the coins is not exact, that of the parameter itself may be better.
        pairs = (loss,) if exact else (loss, base.loss)
        if steps == 1 and base.attained is None and exact:
            return Evidence(pairs)  # at each ε, the profile is that of some test
        # The parameter says only whether the loss was positive: a test that some query is.
        attained = base.attained_loss
        return Evidence(pairs, attained if self.c == 0 else _tested(attained, self._channel()))

    def _loss(self, base: Loss) -> tuple[Loss, bool]:
        """The loss, and whether it is exact."""
        if self.c == 0 or self._coins.number > MOST_COINS:
            return base, self.c == 0
        return coin_loss(base, self._channel())

    def _curve(self, base: Evidence, orders: Array) -> tuple[Array, Array]:
        orders = np.maximum(orders, NEAREST)
        before = np.maximum(*base.renyi(orders))
        value = np.array(
            [
                float(_amplify(e, a, self._coins, ROUGH))
                for e, a in zip(before.tolist(), orders.tolist(), strict=True)
            ]
        )
        return value, value

    def on(self, sampler: AnySampler) -> Mechanism:
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
    groups = groups[(np.add.reduceat(p, groups) > 0) & (np.add.reduceat(q, groups) > 0)]
    groups[0] = 0  # groups that one law has and the other cannot hold are merged with the nearest
    p, q = np.add.reduceat(p, groups), np.add.reduceat(q, groups)
    return AtomicLoss(np.log(p) - np.log(q), np.log(q))

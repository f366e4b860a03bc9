"""What the theorems' premises ask of a mechanism, for those of which it is known."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial, singledispatch

from hockeystick.classical.amplification import shuffle_epsilon
from hockeystick.classical.composition import naive_composition_of
from hockeystick.classical.concentrated import zcdp_of_pure
from hockeystick.classical.moments import (
    gaussian_log_moment,
    laplace_log_moment,
    randomized_response_log_moment,
)
from hockeystick.evidence import known
from hockeystick.mechanism import Mechanism
from hockeystick.mechanisms.laplace import Laplace
from hockeystick.mechanisms.randomized_response import RandomizedResponse
from hockeystick.mechanisms.shuffled_reports import ShuffledReports
from hockeystick.mechanisms.zero_concentrated_dp import ZeroConcentratedDP
from hockeystick.relation import Relation
from hockeystick.samplers.sampler import Sampled


@singledispatch
def log_moments(base: Mechanism, relation: Relation) -> Callable[[int], float] | None:
    """j to log E|P/Q − 1|^j of a base of which one pair attains the Rényi curve and all of these.

    The premises of Theorem 19 of Wang, Balle and Kasiviswanathan (2019); None where they are not
    known to hold.
    """
    shift = known(base, relation, 1).loss.gaussian_shift
    return None if shift is None else partial(gaussian_log_moment, shift=shift)


@log_moments.register
def _(base: Laplace, relation: Relation) -> Callable[[int], float] | None:
    shift = known(base, relation, 1).loss.top
    return partial(laplace_log_moment, shift=shift) if 0 < shift < math.inf else None


@log_moments.register
def _(base: RandomizedResponse, relation: Relation) -> Callable[[int], float] | None:
    if base.categories > 2:
        return None
    return partial(randomized_response_log_moment, truth=1 / (1 + math.exp(-base.epsilon_)))


@singledispatch
def zcdp_of(step: Mechanism, relation: Relation) -> tuple[float, float] | None:
    """ξ and ρ of Gaussian noise, of pure DP and of what is declared so; None of others.

    Nor of a mechanism on a sample, which does not improve ρ (Bun et al. 2018).
    """
    pairs = known(step, relation, 1).pairs
    if not pairs or isinstance(step, Sampled):
        return None
    loss = pairs[0]
    if loss.gaussian_shift is not None:
        return 0.0, loss.gaussian_shift**2 / 2
    largest = math.inf if loss.infinite or loss.void else max(loss.top, -loss.bottom)
    return (0.0, zcdp_of_pure(largest)) if math.isfinite(largest) else None


@zcdp_of.register
def _(step: ZeroConcentratedDP, relation: Relation) -> tuple[float, float] | None:
    return step.xi, step.rho


def zcdp_of_run(mechanism: Mechanism, relation: Relation) -> tuple[float, float] | None:
    """ξ and ρ of all steps together, which add up; None if those of a step are not known."""
    steps = [(zcdp_of(step, relation), count) for step, count in mechanism.parts.items()]
    known_ones = [(pair[0] * count, pair[1] * count) for pair, count in steps if pair]
    if not steps or len(known_ones) < len(steps):
        return None
    return sum(xi for xi, _ in known_ones), sum(rho for _, rho in known_ones)


def shift_of_run(mechanism: Mechanism, relation: Relation) -> float | None:
    """θ of Gaussian steps, which are together one of θ² = Σ θ_i²; None if not all are such."""
    square = 0.0
    for step, count in mechanism.parts.items():
        pairs = known(step, relation, 1).pairs
        shift = pairs[0].gaussian_shift if pairs else None
        if shift is None:
            return None
        square += count * shift**2
    return math.sqrt(square)


def shuffled_of_run(mechanism: Mechanism, delta: float) -> float | None:
    """The closed form for one round of shuffled reports; None of anything else."""
    ((step, count),) = mechanism.parts.items() if len(mechanism.parts) == 1 else ((None, 0),)
    if count != 1 or not isinstance(step, ShuffledReports):
        return None
    return shuffle_epsilon(step.epsilon_, step.users, delta)


def naive_of_run(mechanism: Mechanism, relation: Relation, delta: float) -> float | None:
    """The sum of the ε of different steps, each with an equal share of δ; None without one."""
    share = delta / max(len(mechanism.parts), 1)
    if not share:
        return None
    steps = [
        (step.epsilon(share / count, relation=relation).upper, share / count, count)
        for step, count in mechanism.parts.items()
    ]
    return naive_composition_of(steps)[0]

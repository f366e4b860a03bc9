"""What the experiments of Wang, Balle and Kasiviswanathan (2019, Section 5) share."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property, partial

import numpy as np

from hockeystick import classical
from hockeystick.classical import asymptotics
from hockeystick.classical.moments import Moments
from hockeystick.classical.orders import Remembered
from hockeystick.figures.figure import Figure, Panel, Progress, panels
from hockeystick.figures.palette import GREEN, PURPLE
from hockeystick.mechanism import Mechanism
from hockeystick.mechanisms.gaussian import Gaussian
from hockeystick.mechanisms.laplace import Laplace
from hockeystick.mechanisms.randomized_response import RandomizedResponse
from hockeystick.numerics.roots import last_true
from hockeystick.relation import REPLACE_ONE
from hockeystick.samplers.without_replacement import WithoutReplacement

MOST = 10_000
"""The largest finite order at which a theorem is evaluated."""
SAMPLE = 100
"""Records in a sample: the paper's approximations have n = 100/γ."""

Rdp = Callable[[float], float]


@dataclass(frozen=True)
class Base:
    """A mechanism without sampling, when one record of its input is replaced.

    Values are remembered: they are asked for at the same orders again and again.
    """

    title: str
    mechanism: Mechanism
    log_moment: Moments
    """j to log E|P/Q − 1|^j of its pair."""
    sigma: float | None = None
    """The noise of a Gaussian, for which the paper has approximations; None of others."""

    @cached_property
    def curve(self) -> Remembered:
        """ε(α) at the integers up to `MOST` and inf."""
        orders = [*range(2, MOST + 1), math.inf]
        values = self.mechanism.evidence(REPLACE_ONE).renyi(np.array(orders))
        larger = np.maximum(*values).tolist()
        return Remembered(dict(zip(orders, larger, strict=True)).__getitem__)


@dataclass(frozen=True)
class Case:
    """A mechanism on a fraction γ of the records, and what the theorems say of its Rényi curve."""

    base: Base
    gamma: float

    @cached_property
    def step(self) -> Mechanism:
        """The mechanism on a sample of fixed size."""
        return self.base.mechanism.on(WithoutReplacement(SAMPLE, round(SAMPLE / self.gamma)))

    @property
    def transition(self) -> float:
        """The order α where γ·α·e^{ε(α)} = 1: from about there on sampling helps little."""

        def is_before(order: float) -> bool:
            epsilon = float(self.base.mechanism.rdp(order, relation=REPLACE_ONE))
            return math.log(self.gamma * order) + epsilon < 0

        return last_true(is_before, 1.0, 2 / self.gamma, 60)[1]

    @property
    def jump(self) -> float | None:
        """The order α where ε(α) = log(1/γ), near which the sampled curve jumps; None without."""
        if self.base.sigma is None:
            return None  # ε(∞) is finite: the curve bends, and nothing jumps
        return -2 * self.base.sigma**2 * math.log(self.gamma)

    @cached_property
    def theorem_9(self) -> Rdp:
        """Upper bound of the sampled curve, from the curve alone."""
        given = self.base.curve, self.gamma
        pure = self.base.curve(math.inf)
        return cache(lambda order: float(classical.rdp_without_replacement(*given, order, pure)))

    @cached_property
    def theorem_19(self) -> Rdp:
        """Upper bound of the sampled curve where one pair attains curve and moments."""
        given = self.base.curve, self.gamma
        rest = self.base.curve(math.inf), self.base.log_moment
        theorem = classical.rdp_without_replacement_self_consistent
        return cache(lambda order: float(theorem(*given, order, *rest)))

    @cached_property
    def proposition_20(self) -> Rdp:
        """Lower bound of the sampled curve."""
        given = self.base.curve, self.gamma
        return cache(lambda order: float(classical.rdp_lower_bound(*given, order)))

    @property
    def approximations(self) -> tuple[tuple[str, Rdp, str, float], ...]:
        """Name, curve, colour and the order from which on it is infinite.

        Those in Section 3.4, for n = 100/γ + 1 records of Gaussians. For bad data the two normal
        laws differ in variance, and E[(P/Q)^α] is finite only below Example 21's α*.
        """
        if self.base.sigma is None:
            return ()
        n = round(SAMPLE / self.gamma) + 1
        given = self.base.sigma, self.gamma, n
        end = 1 + self.base.sigma**2 / (self.gamma * (1 - self.gamma)) * n / (n - 1)
        bad = asymptotics.approximate_divergence_on_bad_data
        good = asymptotics.approximate_divergence_on_good_data
        return (
            ("approximation, bad data (Example 21)", lambda order: bad(order, *given), PURPLE, end),
            (
                "approximation, good data (Example 22)",
                lambda order: good(order, *given),
                GREEN,
                math.inf,
            ),
        )


def figure_of_cases(
    number: int,
    title: str,
    gamma: float,
    panel: Callable[[Case, Progress], Panel],
    progress: Progress,
) -> Figure:
    """Six panels: high privacy in the first row, low privacy in the second."""
    source = f"after Wang, Balle and Kasiviswanathan (2019), Figure {number}"
    made = panels(cases(gamma), panel, progress)
    return Figure(f"wang-{number}", title, source, made, columns=3)


def cases(gamma: float) -> tuple[Case, ...]:
    """The six of them."""
    return tuple(Case(base, gamma) for base in _bases())


@cache
def _bases() -> tuple[Base, ...]:
    """The paper's σ and b are the noise over how far one *replaced* record moves the query."""
    bases = []
    for (one, two, three), sigma, b, p in (("abc", 5.0, 2.0, 0.6), ("def", 1.0, 0.5, 0.9)):
        bases += [
            Base(
                f"({one}) Gaussian, σ = {sigma:g}",
                Gaussian(sigma, replace_sensitivity=1),
                Moments(partial(classical.gaussian_log_moment, shift=1 / sigma), together=True),
                sigma,
            ),
            Base(
                f"({two}) Laplace, b = {b:g}",
                Laplace(b, replace_sensitivity=1),
                Moments(partial(classical.laplace_log_moment, shift=1 / b), together=True),
            ),
            Base(
                f"({three}) Randomized response, p = {p:g}",
                RandomizedResponse.truthful(p),
                Moments(partial(classical.randomized_response_log_moment, truth=p), together=True),
            ),
        ]
    return tuple(bases)

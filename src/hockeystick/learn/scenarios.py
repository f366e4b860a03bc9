"""The noise that private gradient descent needs, in three scenarios, by formula and exactly.

Yıldırım's lecture on differential privacy (2024) calibrates the noise for T steps on n records with
gradients clipped to C, averaged over a batch of m. Each scenario is given here as it is printed,
corrected, and solved exactly. Noise is in the units of the averaged gradient: the scale of the
Laplace law, or the standard deviation of the Gaussian.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hockeystick.bound import Bound
from hockeystick.calibration import calibrate
from hockeystick.checks import Between, Whole, checked, declared, finite_positive
from hockeystick.classical import mironov_epsilon, rdp_poisson
from hockeystick.errors import ParameterError
from hockeystick.learn.plan import noise_of
from hockeystick.mechanism import Mechanism
from hockeystick.mechanisms.gaussian import Gaussian
from hockeystick.mechanisms.laplace import Laplace
from hockeystick.numerics.roots import last_true
from hockeystick.relation import ADD_REMOVE, REPLACE_ONE, Relation
from hockeystick.samplers.poisson import Poisson
from hockeystick.samplers.without_replacement import WithoutReplacement

ORDERS = np.unique(np.round(2 ** np.arange(1, 9.01, 0.125)).astype(int))
"""Integer Rényi orders that the third scenario tries; any of them is valid."""


@declared
class Problem:
    """What is to be trained, and how private it must be.

    Parameters
    ----------
    epsilon: in (0, inf). delta: in (0, 1); the first scenario does not use it.
    steps: T, an integer >= 1. population: n, an integer >= 1, public.
    batch: m, an integer in [1, n]; the second scenario takes all n.
    clip: C in (0, inf), in L1 for the first scenario and in L2 for the others.
    """

    epsilon: float = checked(finite_positive)
    delta: float = checked(Between("(0, 1)"))
    steps: int = checked(Whole(1))
    population: int = checked(Whole(1))
    batch: int = checked(Whole(1))
    clip: float = checked(finite_positive, default=1.0)

    def check_together(self) -> None:
        if self.population < self.batch:
            raise ParameterError(
                f"batch must be at most the population {self.population}, got {self.batch}"
            )


@dataclass(frozen=True)
class Calibration:
    """One scenario: the noise as printed, corrected, and exact, and the run that the noise makes.

    family: from a noise multiplier to the mechanism of all steps. divisor: of the summed gradients.
    """

    name: str
    problem: Problem
    family: Callable[[float], Mechanism]
    relation: Relation
    delta: float
    divisor: int
    printed: float
    corrected: float

    @cached_property
    def mechanism(self) -> Mechanism:
        """All steps with the least noise that meets the target."""
        target = self.problem.epsilon
        return calibrate(self.family, epsilon=target, delta=self.delta, relation=self.relation)

    @property
    def exact(self) -> float:
        """The least noise that meets the target."""
        return self.multiplier * self.problem.clip / self.divisor

    @property
    def multiplier(self) -> float:
        """The least noise in units of the clip, on the sum: what `Plan` takes."""
        return noise_of(self.mechanism).noise_multiplier

    def cost(self, noise: float) -> Bound:
        """The ε, at the scenario's δ, of all steps with this noise on the averaged gradient."""
        mechanism = self.family(noise * self.divisor / self.problem.clip)
        return mechanism.epsilon(self.delta, relation=self.relation)


def pure_laplace(problem: Problem) -> Calibration:
    """Pure ε-DP with Laplace noise, m of n records without replacement, one record replaced.

    Printed: σ = C / (m·log(1 + (e^{ε/T} − 1)·n/m)). A record that is replaced moves the sum by up
    to 2C, so C must be 2C; then it is exact, because largest losses add up.

    >>> noise = pure_laplace(Problem(1.0, 1e-5, steps=100, population=10_000, batch=1000))
    >>> round(noise.printed, 6), round(noise.corrected, 6), round(noise.exact, 6)
    (0.010442, 0.020884, 0.020884)
    >>> round(noise.cost(noise.printed), 4)
    2.0891
    """
    m, n, steps, clip = problem.batch, problem.population, problem.steps, problem.clip
    sampler = WithoutReplacement(m, n)
    printed = clip / (m * math.log1p(math.expm1(problem.epsilon / steps) * n / m))
    return Calibration(
        "pure, without replacement", problem, lambda b: Laplace(b).on(sampler) * steps,
        REPLACE_ONE, 0.0, m, printed, 2 * printed,
    )  # fmt: skip


def full_batch(problem: Problem) -> Calibration:
    """(ε, δ)-DP by zCDP with Gaussian noise on all records, one record replaced.

    Printed: ρ = √(log(1/δ) + ε) − √log(1/δ) and σ² = T·C²/(n²·ρ²). From ε = ρ + 2√(ρ·log(1/δ)) it
    is ρ = (√(log(1/δ) + ε) − √log(1/δ))²; noise of variance σ² is (2C/n)²/(2σ²)-zCDP (Bun and
    Steinke 2016, Propositions 1.3 and 1.6), so σ² = 2·T·C²/(n²·ρ).

    >>> noise = full_batch(Problem(1.0, 1e-5, steps=100, population=10_000, batch=1000))
    >>> round(noise.printed, 6), round(noise.corrected, 6), round(noise.exact, 6)
    (0.00693, 0.009801, 0.007461)
    """
    n, steps, clip, log = problem.population, problem.steps, problem.clip, -math.log(problem.delta)
    root = problem.epsilon / (math.sqrt(log + problem.epsilon) + math.sqrt(log))  # √ρ
    return Calibration(
        "all records, zCDP", problem, lambda sigma: Gaussian(sigma) * steps,
        REPLACE_ONE, problem.delta, n,
        printed=math.sqrt(steps) * clip / (n * root),
        corrected=math.sqrt(2 * steps) * clip / (n * root),
    )  # fmt: skip


def poisson_gaussian(problem: Problem) -> Calibration:
    """(ε, δ)-DP by Rényi DP with Gaussian noise on Poisson samples, one record added or removed.

    Each record is drawn with probability γ = m/n. The condition is that for some integer order α

        T·ε_γ(α) + log(1/δ)/(α − 1) <= ε,  ε_γ from the curve ρ·i of one step (Zhu and Wang 2019).

    Printed: ρ = C²/(n²·σ²), though the step divides by m, and ⌈α·ρ⌉ in place of the order, which is
    read here as ⌈α⌉. The step's own sensitivity is C/m: ρ = C²/(2·m²·σ²).

    >>> noise = poisson_gaussian(Problem(1.0, 1e-5, steps=100, population=10_000, batch=1000))
    >>> round(noise.printed, 6), round(noise.corrected, 6), round(noise.exact, 6)
    (0.000729, 0.005155, 0.003942)
    """
    m, n, steps, clip = problem.batch, problem.population, problem.steps, problem.clip
    root = math.sqrt(_largest_rho(problem))
    sampler = Poisson(m / n)
    return Calibration(
        "Poisson, Gaussian", problem, lambda sigma: Gaussian(sigma).on(sampler) * steps,
        ADD_REMOVE, problem.delta, m,
        printed=clip / (n * root),
        corrected=clip / (m * math.sqrt(2) * root),
    )  # fmt: skip


def _largest_rho(problem: Problem) -> float:
    """The largest ρ of one step for which some order meets the target, by bisection of log ρ."""
    rate = problem.batch / problem.population

    def meets(log_rho: float) -> bool:
        rho = math.exp(log_rho)
        curve = problem.steps * np.asarray(rdp_poisson(lambda i: rho * i, rate, ORDERS, factor=1))
        return bool(mironov_epsilon(ORDERS, curve, problem.delta).min() <= problem.epsilon)

    least, most = -40.0, 20.0
    if not meets(least):
        raise ParameterError(
            f"epsilon must be above log(1/delta)/{ORDERS[-1] - 1}, the least that orders up to "
            f"{ORDERS[-1]} can show, got {problem.epsilon!r}"
        )
    return math.exp(last_true(meets, least, most, 46)[0])


def scenarios(problem: Problem) -> tuple[Calibration, Calibration, Calibration]:
    """All three on the same problem."""
    return pure_laplace(problem), full_batch(problem), poisson_gaussian(problem)


def table(problem: Problem) -> str:
    """The noise by each way, and the ε that it really costs, as a table in Markdown.

    >>> print(table(Problem(1.0, 1e-5, steps=100, population=10_000, batch=1000)))
    | scenario | printed | its true ε | corrected | its true ε | exact | its true ε |
    | --- | --- | --- | --- | --- | --- | --- |
    | pure, without replacement | 0.01044 | 2.089 | 0.02088 | 1.000 | 0.02088 | 1.000 |
    | all records, zCDP | 0.00693 | 1.084 | 0.009801 | 0.7416 | 0.007461 | 1.000 |
    | Poisson, Gaussian | 0.000729 | 13.37 | 0.005155 | 0.7322 | 0.003942 | 1.000 |
    """
    heads = ("scenario", "printed", "corrected", "exact")
    title = f"| {heads[0]} | " + " | ".join(f"{head} | its true ε" for head in heads[1:]) + " |"
    rows = [title, "| " + " | ".join(["---"] * 7) + " |"]
    for each in scenarios(problem):
        cells = [each.name]
        for noise in (each.printed, each.corrected, each.exact):
            cells += [f"{noise:.4g}", f"{each.cost(noise):#.4g}".rstrip(".")]
        rows.append("| " + " | ".join(cells) + " |")
    return "\n".join(rows)

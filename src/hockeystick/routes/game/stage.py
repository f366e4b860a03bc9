"""What is known of the game after some steps: a profile above its value, on a lattice."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.numerics.types import Array

MASS_ROUNDING = 1e-14
"""Of a sum of all weights, of which there are at most 60 000, for each unit of the largest loss:
the mass must not be below 1."""
LEAST_ROUNDING = 1e-11
LARGEST_EXPONENT = 700.0


@dataclass(frozen=True)
class Stage:
    """U(x) = Σ_k w_k·(1 − e^{x − kΔ})_+ + infinite >= V(x), with h_k = e^{−kΔ/2}·w_k even in k.

    h does not grow with |k|, but for an atom at 0 that is kept apart.
    """

    steps: int
    log_weights: Array
    """log h_0, log h_1, …"""
    atom: float
    infinite: float


def reflected(steps: int, log_ahead: Array, infinite: float, spacing: float) -> Stage:
    """The stage with these weights at k = 1, 2, …: h_0 is what is left of the mass 1.

    V(−x) = 1 − e^{−x} + e^{−x}·V(x), so a bound for x >= 0 is one for all x. Weights may grow:
    so they do where they were not falling, and h_0 if it would be below its neighbours.
    """
    falling = np.maximum.accumulate(log_ahead[::-1])[::-1]
    x = spacing * np.arange(1, falling.size + 1)
    unsure = max(LEAST_ROUNDING, MASS_ROUNDING * float(x[-1]))
    rest = 1 + unsure - float(np.sum(_exp(falling + x / 2) * (1 + np.exp(-x))))
    first = float(falling[0]) + math.log((4 - math.exp(falling[1] - falling[0])) / 3)
    atom = max(rest - math.exp(min(first, LARGEST_EXPONENT)), 0.0)
    return Stage(steps, np.append(first, falling), atom, infinite)


def slowed(stage: Stage, slope: float, spacing: float) -> Stage:
    """With weights whose spline falls by e^{−slope·t} at most over any t: they may grow.

    Their ratio is at least ρ = 1/(1 + slope·Δ), because the spline h has −h' <= (1/ρ − 1)/Δ·h. It
    goes on like that beyond the lattice, on both sides: those hinges count as given away.
    """
    fall = math.log1p(slope * spacing) * (1 - 1e-9)
    if not fall > spacing / 2:
        raise NumericalError("the weights of the game fall too slowly to end anywhere")
    line = fall * np.arange(stage.log_weights.size)
    slow = np.maximum(np.maximum.accumulate(stage.log_weights + line) - line, stage.log_weights)
    last = float(slow[-1]) + spacing * (slow.size - 1) / 2
    beyond = 2 * math.exp(last) / math.expm1(fall - spacing / 2) * (1 + LEAST_ROUNDING)
    return replace(stage, log_weights=slow, infinite=stage.infinite + beyond)


def values(stage: Stage, spacing: float) -> Array:
    """U at 0, Δ, 2Δ, …, by sums of positive terms."""
    x = spacing * np.arange(stage.log_weights.size)
    weights = _exp(stage.log_weights + x / 2) * (1 + MASS_ROUNDING * x)
    beyond = _summed(weights[:0:-1], math.exp(-spacing))
    return np.append(np.cumsum(beyond * -math.expm1(-spacing))[::-1], 0.0) + stage.infinite


def _exp(logarithms: Array) -> Array:
    """Masses; if one should be above e^700, the bound says nothing either way."""
    return np.asarray(np.exp(np.minimum(logarithms, LARGEST_EXPONENT)))


def _summed(values: Array, decay: float) -> Array:
    """Σ_{j <= k} decay^{k−j}·v_j at each k, by doubling.

    >>> _summed(np.array([1.0, 1.0, 1.0]), 0.5).tolist()
    [1.0, 1.5, 1.75]
    """
    total, reach = values.copy(), 1
    while reach < total.size:
        total[reach:] = total[reach:] + decay**reach * total[:-reach]
        reach *= 2
    return total

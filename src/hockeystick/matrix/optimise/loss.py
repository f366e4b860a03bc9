"""The loss of a Toeplitz matrix, sensitivity² × error², and how it changes with c.

For c >= 0 that does not increase, the worst participation is at steps 0, b, …, (k − 1)·b:
sensitivity² = ‖Σ_j c shifted by j·b‖² (Kalinin and Lampert 2024, Theorem 2). With β the series of
1/((1 − z)·c), the squared errors are Σ_i β_i² (max) and Σ_i (1 − i/n)·β_i² (mean).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hockeystick.checks import whole
from hockeystick.errors import ParameterError
from hockeystick.matrix.strategy import Measure
from hockeystick.numerics.types import Array


@dataclass(frozen=True)
class ToeplitzLoss:
    """log(sensitivity² × error²) of coefficients, for a record in `times` steps, `every` apart."""

    steps: int
    every: int
    times: int
    measure: Measure

    def __call__(self, coefficients: Array) -> tuple[float, Array]:
        """The logarithm of the loss, and its derivatives by the coefficients."""
        count = coefficients.size
        c = np.zeros(self.steps)
        c[:count] = coefficients
        total = self._shifted(c)
        squared = float(total @ total)
        by_sensitivity = 2 * self._shifted_back(total)[:count] / squared
        inverse = inverse_series(c)
        noise = np.cumsum(inverse)
        weighted = self._weights() * noise
        error = float(weighted @ noise)
        # δβ = −β·(1/c)·δc, as series.
        response = _product(noise, inverse, self.steps)
        by_error = -2 * _correlated(weighted, response, count) / error
        return float(np.log(squared) + np.log(error)), by_sensitivity + by_error

    def _weights(self) -> Array:
        if self.measure == "max":
            return np.ones(self.steps)
        return 1 - np.arange(self.steps) / self.steps

    def _shifted(self, c: Array) -> Array:
        """Σ_j c shifted by j·every."""
        total = np.zeros(self.steps)
        for shift in self._shifts():
            total[shift:] += c[: self.steps - shift]
        return total

    def _shifted_back(self, total: Array) -> Array:
        result = np.zeros(self.steps)
        for shift in self._shifts():
            result[: self.steps - shift] += total[shift:]
        return result

    def _shifts(self) -> range:
        return range(0, min(self.steps, self.times * self.every), self.every)


def loss_for(steps: int, participation: Any, measure: Measure) -> ToeplitzLoss:
    """The loss for a pattern of participation; None is a record that takes part once."""
    if measure not in ("max", "mean"):
        raise ParameterError(f"measure must be 'max' or 'mean', got {measure!r}")
    steps = whole("steps", steps, 1)
    every, times = spacing(participation, steps)
    return ToeplitzLoss(steps, every, times, measure)


def spacing(participation: Any, steps: int) -> tuple[int, int]:
    """The least distance of two participations, and how many there are at most.

    >>> from hockeystick.matrix.participation.min_separated import MinSeparated
    >>> spacing(None, 8), spacing(MinSeparated(every=3), 8)
    ((8, 1), (3, 3))
    """
    if participation is None or type(participation).__name__ == "Once":
        return steps, 1
    if type(participation).__name__ == "EveryStep":
        return 1, steps
    for distance, number in (("period", "times"), ("every", "at_most")):
        if hasattr(participation, distance) and hasattr(participation, number):
            every = int(getattr(participation, distance))
            return every, int(getattr(participation, number) or -(-steps // every))
    raise ParameterError(
        "participation must be Once(), Cyclic(...), MinSeparated(...) or EveryStep(), or None for "
        f"once, got {participation!r}"
    )


def inverse_series(c: Array) -> Array:
    """The series 1/c, by Newton's method: d ← d·(2 − c·d), twice as many terms each time.

    >>> inverse_series(np.array([1.0, -0.5, 0.0, 0.0])).round(12).tolist()
    [1.0, 0.5, 0.25, 0.125]
    """
    result = np.array([1 / c[0]])
    while result.size < c.size:
        size = min(2 * result.size, c.size)
        residual = -_product(c[:size], result, size)
        residual[0] += 2
        result = _product(result, residual, size)
    return result


def _product(one: Array, other: Array, size: int) -> Array:
    """The first terms of a product of series."""
    length = one.size + other.size
    product = np.fft.irfft(np.fft.rfft(one, length) * np.fft.rfft(other, length), length)
    return np.asarray(product[:size])


def _correlated(weights: Array, response: Array, size: int) -> Array:
    """Σ_i weights_i·response_{i−j}, for j below `size`."""
    return _product(weights[::-1], response, weights.size)[::-1][:size]

"""A smooth function kept as Chebyshev series on panels, for very many points."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.polynomial import chebyshev

from hockeystick.errors import NumericalError
from hockeystick.numerics.types import Array

DEGREE = 19
ENOUGH = 2e-15
"""The last coefficients of a panel are below this part of its largest value, or of 1."""
RANGE = 10.0
"""Values of one panel differ by no more, so that no digits are lost to their size."""
GENERATIONS = 40


class Table:
    """The function between 0 and `last`, to about 1e-14 of its value or of 1.

    >>> table = Table(np.exp, 3.0)
    >>> bool(np.allclose(table(np.array([0.1, 2.9])), np.exp([0.1, 2.9]), rtol=1e-13))
    True
    """

    def __init__(self, function: Callable[[Array], Array], last: float) -> None:
        self.last = last
        points = chebyshev.chebpts1(DEGREE + 1)
        to_series = 2 / (DEGREE + 1) * chebyshev.chebvander(points, DEGREE).T
        to_series[0] /= 2
        start, width = np.array([0.0]), np.array([last])
        done: list[tuple[Array, ...]] = []
        for _ in range(GENERATIONS):
            x = start[:, None] + width[:, None] * (points + 1) / 2
            values = function(x.ravel()).reshape(x.shape)
            level = values[:, :1]
            series = (values - level) @ to_series.T
            size = np.maximum(np.abs(values).max(axis=1), 1.0)
            good = np.abs(series[:, -4:]).max(axis=1) <= ENOUGH * size
            good &= np.ptp(values, axis=1) <= RANGE
            done.append((start[good], width[good], level[good, 0], series[good]))
            if good.all():
                break
            half = width[~good] / 2
            start = np.stack([start[~good], start[~good] + half], axis=1).ravel()
            width = np.repeat(half, 2)
        else:
            raise NumericalError("a profile is too rough to be tabulated")
        start, width, level, series = (np.concatenate(column) for column in zip(*done, strict=True))
        order = np.argsort(start)
        self._start, self._width, self._level = start[order], width[order], level[order]
        self._series = series[order].T

    def __call__(self, x: Array) -> Array:
        panel = np.maximum(np.searchsorted(self._start, x, "right") - 1, 0)
        t = 2 * (x - self._start[panel]) / self._width[panel] - 1
        series = chebyshev.chebval(t, self._series[:, panel], tensor=False)
        return np.asarray(self._level[panel] + series)

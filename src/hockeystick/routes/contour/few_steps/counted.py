"""A bent line for any counts of its steps: F stays as it is, and only its power changes.

Everything here has one row for each row of `counts`, and one x for each of them.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import NamedTuple

import numpy as np

from hockeystick.numerics.types import Array, Complex
from hockeystick.routes.contour.few_steps.line import ULP, Line
from hockeystick.routes.contour.few_steps.terms import power

COARSE_MARGIN = 1.5
"""Integrals of absolute values are sums with a large step, taken so many times."""
HIGHEST = 600.0
"""An error beyond e^600 is as good as any other that is too large."""


class Part(NamedTuple):
    """The integral along one line, at each x."""

    value: Array
    rate: Array
    """−d/dε of it."""


class Errors(NamedTuple):
    """How far it may be off."""

    method: Array
    rounding: Array


class CountedLine:
    """The integral along a line, of the compositions that rows of counts stand for."""

    def __init__(self, line: Line, counts: Array) -> None:
        self.line, self.counts = line, counts
        self.power = power(line.group.kind, line.f, counts)

    def _terms(self, x: Array) -> Complex:
        return np.asarray(np.exp(self.power.log - self.line.s * x[:, None]) * self.line.weight)

    def at(self, x: Array) -> Part:
        """The integral at each x, and its rate."""
        terms = self._terms(x)
        rate = (terms * self.line.s).imag.sum(axis=1)
        return Part(terms.imag.sum(axis=1), rate if self.line.steps.remove else -rate)

    @cached_property
    def _strip(self) -> list[tuple[Array, Array]]:
        """Re s and the log of the absolute value of the integrand, on both sides of the line."""
        sides = []
        for side in self.line.strip:
            at = power(self.line.group.kind, side.f, self.counts)
            sides.append((side.real, at.log.real + at.log_growth(side.error) + side.log_weight))
        return sides

    def errors(self, x: Array) -> Errors:
        """How far it may be off at each x."""
        line, far = self.line, x[:, None]
        size = np.abs(self._terms(x))
        moved = [np.minimum(log - far * real, HIGHEST) for real, log in self._strip]
        rule = sum(np.exp(each).sum(axis=1) for each in moved)
        rule *= COARSE_MARGIN / math.expm1(line.nats)
        growth = np.minimum(self.power.log_growth(line.guarded), HIGHEST)
        inner = (size * np.expm1(growth)).sum(axis=1)
        rest = np.exp(np.minimum(line.log_rest(x, self.counts), HIGHEST))
        turns = np.abs(self.power.log) + np.abs(line.s) * far + 12
        rounding = size * (self.power.slope(line.rounding) + ULP * turns)
        return Errors(rule + inner + rest, rounding.sum(axis=1))

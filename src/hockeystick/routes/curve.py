"""ε after each of many numbers of steps: one line of the contour serves a whole range of counts."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from hockeystick.bound import Bound
from hockeystick.composed import ComposedLoss
from hockeystick.errors import NumericalError
from hockeystick.routes import contour, spectral
from hockeystick.series import Array

RANGE = 1.15
"""Largest over smallest count that one line serves."""
FEW = 128
"""Up to so many steps of a smooth loss K comes from one FFT, and a line serves a wider range."""
WIDE = 1.6
SIZES = (1 << 15, 1 << 17)
TOLERATED = 1e-2
ROWS = 512


def epsilons(sides: Sequence[ComposedLoss], delta: float, counts: Sequence[int]) -> dict[int, Bound]:
    """ε at those counts that the contour reaches; the others are left to be asked one by one."""
    found: dict[int, Bound] = {}
    if any(side.infinite for side in sides):
        return found
    start = 0
    while start < len(counts):
        stop = start + 1
        reach = (WIDE if counts[start] < FEW else RANGE) * counts[start]
        while stop < min(len(counts), start + ROWS) and counts[stop] <= reach:
            stop += 1
        block = np.array(counts[start:stop])
        try:
            ends = [_block(side, delta, block) for side in sides]
        except NumericalError:
            ends = []
        if ends:
            lower = np.max([low for low, _ in ends], axis=0)
            upper = np.max([high for _, high in ends], axis=0)
            for count, low, high in zip(block, lower, upper, strict=True):
                found[int(count)] = Bound(float(high), lower=float(low), method="contour")
        start = stop
    return found


def _block(side: ComposedLoss, delta: float, counts: Array) -> tuple[Array, Array]:
    middle = int(counts[len(counts) // 2])
    log_delta = math.log(delta)
    whole = ComposedLoss((loss, count * middle) for loss, count in side.parts)
    if whole.smooth and whole.steps < FEW:
        line = spectral.plan(whole, None, log_delta, TOLERATED, SIZES)
    else:
        line = contour.plan(whole, None, log_delta)
    root = float(contour.solve(line, log_delta)[0])
    if abs(root - line.epsilon) * line.centre > 1 and not whole.smooth:
        line = contour.plan(whole, root, log_delta)
    scale = counts / middle
    roots = contour.solve(line, log_delta, scale)
    upper_target = math.log(delta - line.loss.infinite)
    lower, upper = contour.ends(line, roots, log_delta, upper_target, scale)
    return np.maximum(lower, 0.0), np.maximum(upper, 0.0)

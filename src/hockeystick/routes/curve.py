"""ε after each of many numbers of steps: one line of the contour serves a whole range of counts."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from hockeystick.bound import Bound
from hockeystick.composed import ComposedLoss
from hockeystick.errors import NumericalError
from hockeystick.routes import contour
from hockeystick.series import Array

RANGE = 1.08
"""Largest over smallest count that one line serves."""
ROWS = 512


def epsilons(sides: Sequence[ComposedLoss], delta: float, counts: Sequence[int]) -> dict[int, Bound]:
    """ε at those counts that the contour reaches; the others are left to be asked one by one."""
    found: dict[int, Bound] = {}
    if any(side.infinite for side in sides):
        return found
    start = 0
    while start < len(counts):
        stop = start + 1
        while stop < min(len(counts), start + ROWS) and counts[stop] <= RANGE * counts[start]:
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
    line = contour.line_for(whole, None, log_delta)
    root = float(contour.solve(line, log_delta)[0])
    if line.lost(root) > 2 * contour.LOST or abs(root - line.epsilon) * line.centre > 1:
        line = contour.line_for(whole, root, log_delta)
    scale = counts / middle
    roots = contour.solve(line, log_delta, scale)
    upper_target = math.log(delta - line.loss.infinite)
    lower, upper = contour.ends(line, roots, log_delta, upper_target, scale)
    return np.maximum(lower, 0.0), np.maximum(upper, 0.0)

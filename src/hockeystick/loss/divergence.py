"""Rényi divergences of a pair, from the cumulants of its loss."""

from __future__ import annotations

import math

import numpy as np

from hockeystick.loss.base import Loss
from hockeystick.numerics.types import Array


def divergence(loss: Loss, orders: Array) -> Array:
    """K(α − 1)/(α − 1) at orders α from 1 (the KL divergence) to inf (the largest loss)."""
    if loss.infinite and not loss.endless:
        return np.full(orders.shape, math.inf)
    most = math.inf if loss.infinite else max(0.0, loss.top)
    value = np.where(np.isinf(orders), most, 0.0)
    value[orders == 1] = loss.mean() if (orders == 1).any() else 0.0
    between = (orders > 1) & np.isfinite(orders)
    if between.any():
        s = orders[between] - 1
        value[between] = np.maximum(loss.cgf(s).real / s, 0.0)
    return value


def divergence_below_one(loss: Loss, orders: Array) -> Array:
    """K(α − 1)/(α − 1) at orders α in [0, 1), finite also where outcomes give the record away.

    At 0 it is −log Q[P > 0], the mass that P never reaches.
    """
    value = np.full(orders.shape, -math.log1p(-loss.void) if loss.void < 1 else math.inf)
    inside = orders > 0
    if inside.any() and loss.void < 1:
        s = orders[inside] - 1
        value[inside] = np.maximum(loss.cgf(s).real / s, 0.0)
    return value


def divergences(loss: Loss, orders: Array) -> tuple[Array, Array]:
    """Of the pair and of its reverse."""
    one = divergence(loss, orders)
    return one, one if loss.symmetric else divergence(loss.reverse(), orders)

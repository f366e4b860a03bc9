"""Losses rounded to a grid of one width, up or down.

Up: the mass between two grid points goes to both, keeping its P-mass and its Q-mass; that is the
smallest pair on the grid which dominates (Doroshenko et al. 2022). Down: the mass around a grid
point is first merged at its mean likelihood ratio, a post-processing, and then lowered to the grid.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.loss.base import Loss
from hockeystick.loss.sum import ComposedLoss
from hockeystick.numerics.types import Array, Complex
from hockeystick.routes.grid.support import support

EPS = 2.0**-52
MOST_SUPPORT = 1 << 22
FINEST = 64.0
"""Least width of a grid, in units of the last place of the largest loss."""


class Transform(NamedTuple):
    """The law of one loss on a grid, tilted by e^{tilt·L}."""

    phi: Complex
    """Its Fourier transform about its centre."""
    log_mass: float
    """log E[e^{tilt·L}]."""
    centre: float
    first: float
    """Where the grid begins."""
    largest: float
    """The largest absolute loss on the grid."""
    rounding: float
    """Error of `log_mass`, in units of the last place of 1."""


def round_up(loss: Loss, first: float, width: float, count: int) -> Array:
    """P-masses on the grid after each loss moves to both neighbours, P- and Q-mass kept."""
    x = first + width * np.arange(count)
    masses = np.zeros(count)
    if loss.continuous:
        p, _, q, _ = loss.tails(x).between()
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            excess = np.expm1(np.log(p) - np.log(q) - x[:-1])
        part = np.clip(np.nan_to_num(excess / math.expm1(width), nan=0.5, posinf=1.0), 0, 1)
        up = p * part * math.exp(width) / (1 + part * math.expm1(width))
        masses[1:] += up
        masses[:-1] += np.maximum(p - up, 0)
        masses[0] += max(float(loss.tails(x[:1]).p_below[0]), 0.0)
    losses = loss.atoms.losses
    if losses.size:
        place = np.clip((losses - first) / width, 0, count - 1)
        j = np.minimum((place + 1e-9).astype(int), count - 2)
        part = np.clip(np.expm1((place - j) * width) / math.expm1(width), 0, 1)
        up = part * math.exp(width) / (1 + part * math.expm1(width))
        np.add.at(masses, j + 1, loss.atoms.p * up)
        np.add.at(masses, j, loss.atoms.p * (1 - up))
    return masses


def round_down(
    loss: Loss, first: float, width: float, count: int, tilt: float
) -> tuple[Array, float]:
    """P-masses on the grid after each loss is lowered, and how far the whole grid is lowered.

    The cell around each grid point is moved until its mean ratio is at the point, or just above.
    """
    x = first + width * np.arange(count)
    places, lags, p = np.empty(0, dtype=int), np.empty(0), np.empty(0)
    if loss.continuous:
        edges = np.append(x - width / 2, x[-1] + width / 2)
        p, lags = _merge(loss, x, edges, width)
        for margin in (0.0, 0.01):
            wanted = np.minimum(lags, width)
            wanted = wanted + margin * np.abs(wanted)
            edges[1:-1] += 0.5 * (wanted[1:] + wanted[:-1])
            np.maximum.accumulate(edges, out=edges)
            p, lags = _merge(loss, x, edges, width)
        places = np.arange(count)
    losses = loss.atoms.losses
    if losses.size:
        # Those below the grid are left out; clipped first, for no integer holds −1e19.
        nearest = np.clip(np.round((losses - first) / width), -1, count - 1).astype(int)
        places, p = np.append(places, nearest), np.append(p, loss.atoms.p)
        lags = np.append(lags, np.where(nearest < 0, 0.0, first + width * nearest - losses))
    # The tilt is that of the line, which may be well beyond the best one for δ.
    shift = _best_shift(lags, p * np.exp(0.5 * tilt * width * (places - count)), width)
    places = places - (lags > shift + 1e-9 * width)
    kept = (places >= 0) & (lags <= width)
    return np.bincount(places[kept], p[kept], count), shift


def _best_shift(lags: Array, weights: Array, width: float) -> float:
    """How far to lower the grid, so that what is lowered by a whole cell more weighs little."""
    heaviest = np.argsort(weights)[-64:]
    shifts = np.concatenate([[0.0], width * 0.25 ** np.arange(24.0), lags[heaviest]])
    order = np.argsort(lags)
    late = np.append(np.cumsum(weights[order][::-1])[::-1], 0.0)
    late = late[np.searchsorted(lags[order], shifts + 1e-9 * width, "right")]
    return float(shifts[np.argmin(shifts + width * late / max(weights.sum(), 1e-300))])


def _merge(loss: Loss, x: Array, edges: Array, width: float) -> tuple[Array, Array]:
    """P-mass of each cell, and how far its mean ratio lies below the grid point."""
    p, _, q, _ = loss.tails(edges).between()
    with np.errstate(divide="ignore", invalid="ignore"):
        lag = x - (np.log(p) - np.log(q))
    # A lag of more than a cell is a ratio lost to rounding: such mass is not counted at all.
    return p, np.maximum(np.nan_to_num(lag, nan=0.0), -width)


def grid_width(loss: ComposedLoss, width: float) -> float:
    """A width near the wanted one that puts the atoms on the grid as well as can be."""
    if len(loss.parts) > 1:
        return width
    atoms = np.sort(loss.parts[0][0].atoms.losses)
    spread = atoms[-1] - atoms[0] if atoms.size > 1 else 0.0
    if spread < width:
        return width
    least = math.ceil(spread / width)
    if least > MOST_SUPPORT:
        raise NumericalError(f"the lattice would need {least} points for one loss")
    cells = least + np.arange(1 if atoms.size == 2 else min(2000, least))  # at most twice as fine
    place = (atoms[:64] - atoms[0]) / (spread / cells[:, None])
    misfit = np.mod(place + 1e-9, 1).max(axis=1)
    return float(spread / cells[np.argmin(misfit)])


def transform(
    loss: Loss, tilt: float, width: float, points: int, mass: float, up: bool
) -> Transform:
    """The rounded and tilted law of one loss."""
    import scipy.fft

    loss.check_mass()
    first, size = grid(loss, width, *support(loss, mass, tilt))
    shift = 0.0
    if up:
        masses = round_up(loss, first, width, size)
    else:
        masses, shift = round_down(loss, first, width, size, tilt)
    with np.errstate(divide="ignore"):
        tilted = np.log(masses) + tilt * (width * np.arange(size))
    peak = tilted.max()
    if not math.isfinite(peak):
        raise NumericalError("no mass of the loss is left on the grid")
    tilted = np.exp(tilted - peak)
    total = tilted.sum()
    centre = round(float(tilted @ np.arange(size) / total))
    folded = np.bincount((np.arange(size) - centre) % points, tilted / total, points)
    start = first - shift
    log_mass = math.log(total) + float(peak) + tilt * start
    largest = max(abs(first), abs(first + size * width))
    return Transform(
        scipy.fft.rfft(folded), log_mass, start + centre * width, first, largest,
        8 + abs(float(peak)) + tilt * abs(start),
    )  # fmt: skip


def grid(loss: Loss, width: float, low: float, high: float) -> tuple[float, int]:
    """First point and size of a grid over the support, with the lowest atom on it."""
    atoms = loss.atoms.losses
    atoms = atoms[atoms >= low]
    anchor = float(atoms.min()) if atoms.size else low
    if width < FINEST * EPS * max(abs(low), abs(high)):
        raise NumericalError(f"a lattice of width {width!r} is finer than the losses are rounded")
    below = math.ceil((anchor - low) / width)
    size = below + math.ceil((high - anchor) / width + 1e-6) + 2
    if size > MOST_SUPPORT:
        raise NumericalError(f"the lattice would need {size} points for one loss")
    return anchor - below * width, size

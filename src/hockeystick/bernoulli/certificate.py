"""An upper bound on the Rényi divergence of the coins that is proven, not searched for.

By Lagrange duality, over all pairs whose Rényi divergences are at most ε in both directions,

    e^{(α−1)·Post} <= (λ₁ + λ₂)·A + max over x, y of (J − λ₁·C − λ₂·C'),   A = e^{(α−1)ε}

for every λ₁, λ₂ >= 0. A general pair is a mixture of pairs on two points, along which C and C' are
linear and J is convex, and the coins of two points of [c, 1−c]^d are a garbling of those of two
opposite corners; so pairs on two points and the channel of d·k coins are enough. The multipliers
are those of the symmetric pair. The maximum is bounded by covering all pairs with cells, on each of
which `cells.bounds` holds, and cutting cells until each is below the goal.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from hockeystick.bernoulli.cells import Lagrangian, bounds
from hockeystick.bernoulli.channel import Channel
from hockeystick.bernoulli.corners import Cells
from hockeystick.bernoulli.excess import divergence_of_excess
from hockeystick.bernoulli.symmetric import Symmetric
from hockeystick.numerics.types import Array

GENERATIONS = 120
FINE = 400
"""Up to so many new cells, cells are cut in four instead of two."""
MANY = 4000
"""With more open cells than that, the goal is relaxed."""
WORK = 1_000_000
"""Most cells × outcomes for one cover."""


class Multipliers(NamedTuple):
    """λ₁ and log λ₁, log λ₂."""

    first: float
    log_first: float
    log_second: float


def multipliers(channel: Channel, best: Symmetric) -> Multipliers | None:
    """λ₁, λ₂ with ∇J = λ₁·∇C + λ₂·∇C' at the symmetric pair; None where one is not positive.

    With r the likelihood ratios of the outcomes and V the difference of the channel's masses,
    ∇J = (α·Σ V·r^{α−1}, (1−α)·Σ V·r^α), and C is the same for the bit itself.
    """
    a, rho = best.order, best.loss
    loss, _ = channel.losses(best.pair)
    change = np.exp(channel.log_mass) * channel.lean
    top = float(loss.max())
    by_x = a * float((change * np.exp((a - 1) * (loss[0] - top))).sum())
    by_y = (a - 1) * float((change * np.exp(a * (loss[0] - top))).sum()) * math.exp(top)
    # C_x = −C'_y = α·s, C_y = −C'_x = −(α−1)·t·e^ρ, all in units of e^{(α−1)ρ}.
    s = -math.expm1(-2 * (a - 1) * rho)
    t = -math.expm1(-2 * a * rho)
    m, k = a * s, (a - 1) * t * math.exp(min(rho, 700.0))
    determinant = (k - m) * (k + m)
    if determinant == 0:
        return None
    first, second = (k * by_y - m * by_x) / determinant, (k * by_x - m * by_y) / determinant
    if not (first > 0 and second > 0):
        return None
    shift = (a - 1) * (top - rho)
    return Multipliers(first * math.exp(shift), math.log(first) + shift, math.log(second) + shift)


def certified(channel: Channel, best: Symmetric, wanted: float, useful: float) -> float:
    """A proven upper bound on the divergence, `wanted` above the symmetric pair's if that succeeds.

    The goal is relaxed where it takes too many cells, at last to a tenth of the way to `useful`;
    inf where even that fails.
    """
    weights = multipliers(channel, best)
    if weights is None:
        return math.inf
    a, unit = best.order, best.log_seen
    lagrangian = Lagrangian(
        channel, a, unit, weights.first, weights.log_first - unit, weights.log_second - unit
    )
    weight = math.exp(lagrangian.log_one + best.log_given)
    weight += math.exp(lagrangian.log_other + best.log_given)
    weight *= 1 + lagrangian.rounding(best.loss)
    share = 1 + math.exp(-unit)  # J* in units of J* − 1
    least = max((a - 1) * share * wanted, 16 * lagrangian.rounding(best.loss))
    most = (a - 1) * share * (useful - best.divergence)
    slack = _cover(lagrangian, best.loss, 1 - weight, least, most)
    if math.isinf(slack) and most > 10 * least:
        slack = _cover(lagrangian, best.loss, 1 - weight, most / 10, most)
    if math.isinf(slack):
        return math.inf
    log_upper = unit + math.log1p(slack + 4 * lagrangian.rounding(best.loss))
    return divergence_of_excess(log_upper, a) * (1 + 8 * 2.0**-52)


def _cover(lagrangian: Lagrangian, loss: float, best: float, slack: float, most: float) -> float:
    """The slack such that F <= best + slack on every cell; inf if it would be above `most`."""
    cells = _first_cells(lagrangian.order, loss)
    work, each = 0, lagrangian.channel.w.size + 12
    for _ in range(GENERATIONS):
        upper, rho_blur, sigma_blur = bounds(lagrangian, cells)
        work += upper.size * each
        open_ = upper > best + slack
        if open_.sum() > MANY:
            slack *= 8
            open_ = upper > best + slack
        if not open_.any():
            return slack
        if slack > most or work > WORK:
            break
        left = Cells(*(part[open_] for part in cells))
        cells = _cut(left, rho_blur[open_], sigma_blur[open_], lagrangian.order)
        many = cells.rho_low.size
        if many > upper.size and work + many * each > WORK:
            break  # more and more cells: they will not all be closed at once
    return math.inf


def _first_cells(order: float, loss: float) -> Cells:
    narrow = 1 / max(order, 2.0)
    cuts = loss * np.array([0.5, 1 - narrow / 2, 1.0, 1 + narrow, 2.0])
    cuts = np.unique(np.concatenate([[0.0], cuts, [math.inf]]))
    low, high = cuts[:-1], cuts[1:]
    rho_low, sigma_low = (part.ravel() for part in np.meshgrid(low, low))
    rho_high, sigma_high = (part.ravel() for part in np.meshgrid(high, high))
    return Cells(rho_low, rho_high, sigma_low, sigma_high)


def _cut(cells: Cells, rho_blur: Array, sigma_blur: Array, order: float) -> Cells:
    """Each cell in parts, along the loss that blurs the bound more, or along both."""
    pieces = 4 if 16 * rho_blur.size <= FINE else 2
    along_rho, along_sigma = rho_blur >= sigma_blur / 4, sigma_blur >= rho_blur / 4
    parts: list[Cells] = []
    for rho_pieces, sigma_pieces, chosen in (
        (pieces, pieces, along_rho & along_sigma),
        (pieces, 1, along_rho & ~along_sigma),
        (1, pieces, along_sigma & ~along_rho),
    ):
        if not chosen.any():
            continue
        some = Cells(*(part[chosen] for part in cells))
        rho = _pieces(some.rho_low, some.rho_high, rho_pieces, order)
        sigma = _pieces(some.sigma_low, some.sigma_high, sigma_pieces, order)
        parts += [
            Cells(rho[i], rho[i + 1], sigma[k], sigma[k + 1])
            for i in range(rho_pieces)
            for k in range(sigma_pieces)
        ]
    return Cells(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _pieces(low: Array, high: Array, pieces: int, order: float) -> list[Array]:
    """The ends of equal parts; of [low, inf], of parts that double."""
    endless = np.isinf(high)
    end = np.where(endless, low, high)
    ends = [low]
    for i in range(1, pieces):
        doubled = low + np.maximum(low, 1 / order) * (2.0**i - 1)
        ends.append(np.where(endless, doubled, low + (end - low) * (i / pieces)))
    return [*ends, high]

"""Laws whose outcomes may be taken off the real line: mixtures of Gaussians, and labels of such.

The losses of a mixture P = Σ w·N(m) against another, Q, are L(z) = log p(z) − log q(z) at the
outcome z. Both logarithms are analytic between the real line and the first zero of p or q. With
means k·γ and weights of a binomial law, p(z)/φ(z) is a polynomial in e^{γz} that has negative roots
alone (Laguerre's multipliers e^{−k²γ²/2} keep the roots of (1 − r + r·w)^m real), so that the first
zeros are at Im z = π/γ. Of other mixtures the zeros are looked for.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from hockeystick.loss.atoms import NOTHING
from hockeystick.loss.base import Loss, Reversed
from hockeystick.loss.gaussian import GaussianLoss
from hockeystick.loss.gaussian_mixture import GaussianMixture
from hockeystick.loss.labelled import LabelledLoss
from hockeystick.loss.mixed import Mixed
from hockeystick.loss.mixture import MixtureLoss
from hockeystick.loss.sum import ComposedLoss
from hockeystick.numerics.types import Array, Complex

LOG_ROOT = 0.5 * math.log(2 * math.pi)
WIDEST_GAP = 7.5
"""Between neighbouring means: of less noise the zeros of the densities are too near to the line."""
WIDEST_PLANNED = 40.0
"""Gap up to which there is still a plan, which says about what the answer is."""
HIGHEST = 0.8
"""Standard deviations by which a path is lifted at the most: a normal law grows by e^0.32."""
PART_OF_GAP = 0.55
"""The path, over the height of the first zero; 1.5 times as high its error is bounded."""
LEAST_MODULUS = 0.1
"""|Σ| over Σ|·| of the terms of a density, below which a zero is taken to be near."""
HEIGHTS = np.linspace(0.1, 1.6, 24)
"""Of the path's height, those at which zeros are looked for."""
LOWERED = (1.0, 0.7, 0.5, 0.35)


@dataclass(frozen=True)
class Strand:
    """With some probability, which is known by its logarithm, P = p against Q = q."""

    log_weight: float
    p: GaussianMixture
    q: GaussianMixture

    @cached_property
    def gap(self) -> float:
        """The widest between neighbouring means of one mixture."""
        gaps = [np.diff(np.sort(each.means)).max(initial=0.0) for each in (self.p, self.q)]
        return float(max(gaps))

    @cached_property
    def height(self) -> float:
        """How far a path may be lifted."""
        height = min(HIGHEST, PART_OF_GAP * math.pi / max(self.gap, 1e-9))
        low, high = min(self.p.means) - 10, max(self.p.means) + 10
        x = np.linspace(low, high, math.ceil((high - low) * max(self.gap, 1.0) * 10))
        for part in LOWERED:
            if all(_is_far_from_zero(each, x, part * height) for each in (self.p, self.q)):
                return part * height
        return 0.0

    def at(self, x: Array, height: float) -> tuple[Complex, Complex, Array]:
        """L, and the log of the weight times the P-density, at x + i·height; and the size of what L
        is the difference of."""
        log_p, log_q = _log_ratio(self.p, x, height), _log_ratio(self.q, x, height)
        z = x + 1j * height
        log_density = log_p - 0.5 * z * z + (self.log_weight - LOG_ROOT)
        return log_p - log_q, log_density, np.abs(log_p) + np.abs(log_q)


def _terms(mixture: GaussianMixture, x: Array) -> tuple[Array, Array, Array]:
    """Means, and the terms of the density over φ at real x in units of the largest, whose
    logarithm follows."""
    means = np.array(mixture.means)[:, None]
    logs = np.log(np.array(mixture.weights))[:, None] + means * (x - 0.5 * means)
    peak = logs.max(axis=0)
    return means, np.exp(logs - peak), peak


def _log_ratio(mixture: GaussianMixture, x: Array, height: float) -> Complex:
    """log p/φ at x + i·height, on the branch that is real on the real line.

    Its imaginary part is that of the turned terms, within π of the height times the mean of the
    means at x.
    """
    means, terms, peak = _terms(mixture, x)
    turned = (terms * np.exp(1j * height * means)).sum(axis=0)
    about = height * (terms * means).sum(axis=0) / terms.sum(axis=0)
    angle = np.angle(turned)
    angle += 2 * math.pi * np.round((about - angle) / (2 * math.pi))
    return np.asarray(peak + np.log(np.abs(turned)) + 1j * angle)


def _is_far_from_zero(mixture: GaussianMixture, x: Array, height: float) -> bool:
    """Whether no sum of terms nearly vanishes anywhere up to somewhat above the height."""
    if len(mixture.means) == 1:
        return True
    means, terms, _ = _terms(mixture, x)
    angles = np.multiply.outer(HEIGHTS * height, means[:, 0])
    # Without BLAS, whose threads cost more than they bring.
    real, imaginary = (np.einsum("hk,kx->hx", f(angles), terms) for f in (np.cos, np.sin))
    return bool((np.hypot(real, imaginary) > LEAST_MODULUS * terms.sum(axis=0)).all())


@dataclass(frozen=True)
class Law:
    """Strands, and the probability that the loss is 0 whatever is seen; together at most 1."""

    strands: tuple[Strand, ...]
    still: float
    top: float
    """The largest loss."""

    @property
    def is_wide(self) -> bool:
        """Whether some means are too far apart for a line."""
        return any(strand.gap > WIDEST_GAP for strand in self.strands)

    @property
    def is_bounded(self) -> bool:
        """Whether there is a largest loss; then the line leaves to the left."""
        return math.isfinite(self.top)


@lru_cache(maxsize=8)
def law_of(loss: ComposedLoss) -> Law | None:
    """The law of one step, if all steps are alike and are such; else None."""
    if len(loss.parts) != 1:
        return None
    one = loss.parts[0][0]
    if one.gaussian_sample is not None:  # bent lines of their own are faster
        return None
    parts = list(_parts(one, 1.0))
    if not parts or any(part is None for _, part in parts):
        return None
    strands = tuple(
        Strand(math.log(weight), *part) for weight, part in parts if isinstance(part, tuple)
    )
    still = sum(weight for weight, part in parts if part == "still")
    if not strands or any(strand.gap > WIDEST_PLANNED for strand in strands):
        return None
    return Law(strands, still, one.top)


Pair = tuple[GaussianMixture, GaussianMixture]
Part = Pair | str | None


def _parts(loss: Loss, weight: float) -> Iterator[tuple[float, Part]]:
    """Every pair that the loss is made of, with its probability; "still" for no loss at all."""
    if isinstance(loss, LabelledLoss):
        for share, part in loss.parts:
            yield from _parts(part, weight * share)
    elif loss == NOTHING:
        yield weight, "still"
    elif isinstance(loss, Reversed):
        pair = _pair(loss.base)
        yield weight, pair and (pair[1].flipped, pair[0].flipped)
    else:
        yield weight, _pair(loss)


def _pair(loss: Loss) -> Pair | None:
    """P and Q, if both are mixtures."""
    if isinstance(loss, GaussianLoss) and not loss.cut:
        return GaussianMixture((1.0,), (loss.shift,)), GaussianMixture((1.0,), (0.0,))
    if isinstance(loss, MixtureLoss) and not loss.cut:
        return loss.p, loss.q
    if isinstance(loss, Mixed):
        base = _pair(loss.base)
        return base and (_sampled(*base, loss.rate), base[1])
    return None


def _sampled(p: GaussianMixture, q: GaussianMixture, rate: float) -> GaussianMixture:
    """(1−rate)·Q + rate·P, equal means taken together."""
    weights: dict[float, float] = {}
    for share, mixture in ((1 - rate, q), (rate, p)):
        for weight, mean in zip(mixture.weights, mixture.means, strict=True):
            weights[mean] = weights.get(mean, 0.0) + share * weight
    return GaussianMixture(tuple(weights.values()), tuple(weights))

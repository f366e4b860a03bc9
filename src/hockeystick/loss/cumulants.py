"""K(s) = log E_P[e^{sL}] from a quadrature, accurate relative to its own size, and its decay."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from hockeystick.errors import NumericalError
from hockeystick.loss.measure import Nodes
from hockeystick.numerics.blocks import CHUNK
from hockeystick.numerics.series import LEAST, dot, entropy, exp_minus, log1p, sin_minus
from hockeystick.numerics.types import Array, Complex

LARGE_TERM = 3.0
"""Up to e^3 for the largest term of e^K, K is computed relative to its own size, not to 1."""
FAR_EXPONENT = 300.0
"""From here on e^{sL} is not separated from the probability of L: it would overflow."""
LEAST_DENSITY = 1e-290
"""A Q-density below this has lost digits, or all: what the tilted law has there may be much."""
MOST_PLACES = 24
"""At which a law is divided into what decays and what need not."""
TRANSFORMED = 1e-14
"""Rounding of a fast transform of masses that add up to 1."""
LARGEST_ENTROPY = 600.0
"""Up to here L·e^L is a float with room to spare."""


def cumulants(s: Complex, nodes: Nodes, infinite: float, void: float) -> Complex:
    """K at each complex s, of a law with P-mass `infinite` and Q-mass `void` elsewhere."""
    if not nodes.losses.size:  # no noise: everything is shown, or nothing is left of it
        raise NumericalError("no loss is finite: there is no K to compute")
    losses, log_p = nodes.losses, nodes.log_q + nodes.losses
    with np.errstate(divide="ignore"):
        edges = (LARGE_TERM - log_p) / losses  # where Re s makes each term as large as that
    low = edges[losses < 0].max(initial=-math.inf)
    high = edges[losses > 0].min(initial=math.inf)
    small = (s.real > low) & (s.real < high)
    mean = mean_loss(nodes, infinite, void) if small.any() else 0.0
    rows = max(1, CHUNK // losses.size)
    value = np.empty(s.shape, dtype=complex)
    for some in (np.flatnonzero(small), np.flatnonzero(~small)):
        for i in range(0, some.size, rows):
            part = some[i : i + rows]
            near = small[part[0]]
            value[part] = _small(s[part], nodes, mean, infinite) if near else _large(s[part], nodes)
    return value


def mean_loss(nodes: Nodes, infinite: float, void: float) -> float:
    """E_P[L; L finite] = E_Q[L·e^L − e^L + 1] + void − infinite, in which nothing cancels."""
    if nodes.losses.max(initial=0.0) < LARGEST_ENTROPY:
        return float(np.exp(nodes.log_q) @ entropy(nodes.losses)) + void - infinite
    return float(np.exp(nodes.log_q + nodes.losses) @ nodes.losses)


def slope_at(cgf: Callable[[Array], Complex], s: float) -> float:
    """About K'(s), by a difference; −inf where K is out of reach."""
    step = 1e-3 * abs(s)
    try:
        low, high = cgf(np.array([s - step, s + step])).real.tolist()
    except NumericalError:
        return -math.inf
    return (high - low) / (2 * step) if math.isfinite(high - low) else -math.inf


def _small(s: Complex, nodes: Nodes, mean: float, infinite: float) -> Complex:
    """log1p of E_P[e^{sL} − 1 − sL] + s·E_P[L] − infinite: each term of second order."""
    losses, log_p = nodes.losses, nodes.log_q + nodes.losses
    far = np.abs(losses) * np.abs(s.real).max() > FAR_EXPONENT
    x, y = s.real * mean - infinite, s.imag * mean
    if far.any():
        beyond = _far_terms(s, losses[far], log_p[far])
        x, y = x + beyond.real, y + beyond.imag
        losses, log_p = losses[~far], log_p[~far]
    p = np.exp(log_p)
    real, imaginary = s.real, s.imag
    same = real[0] == real[-1] and bool((real == real[0]).all())
    exponent = (real[:1] if same else real)[:, None] * losses
    x += dot(exp_minus(exponent), p)
    if not imaginary.any():
        return log1p(x, np.zeros_like(x))
    angle = imaginary[:, None] * losses
    half = np.sin(0.5 * angle)
    sine = np.sin(angle)
    y += dot(np.expm1(exponent) * sine + sin_minus(angle, sine), p)
    np.multiply(half, half, out=half)
    if same:
        x -= 2 * dot(half, np.exp(exponent[0]) * p)
    else:
        x -= 2 * dot(half * np.exp(exponent), p)
    return log1p(x, y)


def _large(s: Complex, nodes: Nodes) -> Complex:
    """log Σ e^{s·loss}·p, relative to its largest term."""
    exponent = s.real[:, None] * nodes.losses + (nodes.log_q + nodes.losses)
    peak = exponent.max(axis=1)
    weights = np.exp(exponent - peak[:, None])
    if not s.imag.any():
        return np.asarray((peak + np.log(weights.sum(axis=1))).astype(complex))
    angle = s.imag[:, None] * nodes.losses
    total = (weights * np.cos(angle)).sum(axis=1) + 1j * (weights * np.sin(angle)).sum(axis=1)
    with np.errstate(divide="ignore"):
        return np.asarray(peak + np.maximum(np.log(np.abs(total)), LEAST) + 1j * np.angle(total))


def _far_terms(s: Complex, losses: Array, log_p: Array) -> Complex:
    """Σ p·(e^{sL} − 1 − sL) where |Re s·L| is large: nothing cancels, and nothing overflows."""
    exponent = s[:, None] * losses
    terms = np.exp(exponent + log_p) - np.exp(log_p) * (1 + exponent)
    return np.asarray(terms.sum(axis=1))


def decay_bound(nodes: Nodes, tilt: float, frequencies: Array) -> Array:
    """Upper bounds on |φ(t)|: at each of the growing frequencies, and from it to the next, from the
    last one to infinity.

    φ(t) = e^{K(tilt+it) − K(tilt)} is the characteristic function of the law tilted by
    e^{tilt·L}. It is bounded in two ways. For every t, by `_surely`. And it is sampled: the mass of
    nodes too far apart to follow the oscillation counts as if it did not decay, and `_comes_back`
    says what it may be between two samples.
    """
    grow = (tilt + 1) * nodes.losses
    peak = (nodes.log_q + grow).max()
    masses = np.exp(nodes.log_q + grow - peak)
    total = masses.sum()
    masses /= total
    split = nodes.density.size
    atoms = masses[split:].sum()
    sure, blind = np.full(frequencies.shape, atoms), np.zeros_like(frequencies)
    if split:
        known, density = nodes.density > LEAST_DENSITY, np.zeros(split)
        density[known] = np.exp(np.log(nodes.density[known]) + grow[:split][known] - peak) / total
        unknown = np.where(known, 0.0, masses[:split])
        sure = sure + _surely(frequencies, masses[:split], density, unknown)
        blind = _too_far_apart(nodes.losses[:split], masses, frequencies)
    centred = nodes.losses - nodes.losses @ masses
    seen, useful = np.ones_like(frequencies), 2 * blind < 1
    seen[useful] = _modulus(frequencies[useful], centred, masses) + 2 * blind[useful]
    between = _comes_back(np.minimum(seen, 1.0), np.diff(frequencies), centred, masses)
    return np.asarray(np.minimum([seen, np.append(between, 1.0)], sure))


def decay_over_period(nodes: Nodes, tilt: float, spacing: float, samples: int) -> Array:
    """The same of atoms on a lattice, at that many frequencies above 0, evenly up to half its
    period: all by one transform, which is rounded."""
    weights = nodes.log_q + (tilt + 1) * nodes.losses
    masses = np.exp(weights - weights.max())
    masses /= masses.sum()
    places = np.rint((nodes.losses - nodes.losses[0]) / spacing).astype(np.int64) % (2 * samples)
    law = np.bincount(places, masses, 2 * samples)
    seen = np.minimum(np.abs(np.fft.rfft(law)) + TRANSFORMED, 1.0)
    centred = nodes.losses - nodes.losses @ masses
    between = _comes_back(seen, np.array([math.pi / spacing / samples]), centred, masses)
    return np.array([seen[1:], np.append(between[1:], 1.0)])


def _surely(frequencies: Array, masses: Array, density: Array, unknown: Array) -> Array:
    """What the continuous part is at most, at a frequency t and at all beyond: ρ + V/t, with V the
    total variation of the density on one side of any place, and ρ the mass on the other side and
    of nodes whose density is not known. The best of some places, and of none.
    """
    places = np.linspace(0, masses.size - 1, min(masses.size, MOST_PLACES)).astype(int)
    best = np.full(frequencies.shape, math.inf)
    for order in (slice(None), slice(None, None, -1)):
        f, mass, rest = density[order], masses[order], unknown[order]
        change = np.append(f[0], np.abs(np.diff(f)))
        below = (np.cumsum(change) + f)[places]
        lost = np.cumsum(rest)[places] + (mass.sum() - np.cumsum(mass))[places]
        best = np.minimum(best, (lost + below / frequencies[:, None]).min(axis=1))
    return best


def _too_far_apart(losses: Array, masses: Array, frequencies: Array) -> Array:
    """The mass of nodes too far from the next for e^{itL} to be followed."""
    gaps = np.abs(np.diff(losses, append=losses[-1]))
    order = np.argsort(gaps)[::-1]
    reached = np.searchsorted(-gaps[order], -2.0 / frequencies)
    return np.asarray(np.append(0.0, np.cumsum(masses[order]))[reached])


def _comes_back(seen: Array, steps: Array, centred: Array, masses: Array) -> Array:
    """The most that |φ| can be from each frequency, where it is known, to the next, a step away.

    arccos|φ(t)| is the angle between the functions 1 and e^{itL}, and that between e^{itL} and
    e^{iuL} is arccos|φ(u−t)|: so by the triangle inequality the angle falls off from t, and from
    the next frequency back, by no more than it is at the distance. There 1 − |φ(x)| is at most
    E[min(2, (xL)²/2)], and the angle at most x standard deviations.
    """
    order = np.argsort(np.abs(centred))
    far, mass, square = np.abs(centred)[order], masses[order], (centred * centred * masses)[order]
    squares, above = np.append(0.0, np.cumsum(square)), np.append(np.cumsum(mass[::-1])[::-1], 0.0)

    def angle(x: Array) -> Array:
        near = np.searchsorted(far, 2 / x)
        return np.asarray(
            np.arccos(np.maximum(1 - squares[near] * x * x / 2 - 2 * above[near], 0.0))
        )

    fall = np.minimum(math.sqrt(squares[-1]) * steps, angle(steps) + angle(steps / 2))
    ends = np.arccos(seen)
    return np.asarray(np.cos(np.maximum(ends[1:] + ends[:-1] - fall, 0.0) / 2))


def _modulus(frequencies: Array, losses: Array, masses: Array) -> Array:
    """|φ(t)| of the law with such masses at the losses."""
    rows = max(1, CHUNK // max(1, losses.size))
    parts = [frequencies[i : i + rows] for i in range(0, frequencies.size, rows)]
    angles = (part[:, None] * losses for part in parts)
    sizes = [np.hypot(dot(np.cos(angle), masses), dot(np.sin(angle), masses)) for angle in angles]
    return np.concatenate(sizes) if sizes else frequencies

"""How fast the characteristic function of a loss decays."""

from __future__ import annotations

import numpy as np

from hockeystick.loss.measure import Nodes
from hockeystick.numerics.blocks import in_blocks
from hockeystick.numerics.series import dot
from hockeystick.numerics.types import Array


def decay_bound(nodes: Nodes, tilt: float, frequencies: Array, guarded: bool) -> Array:
    """An upper bound on |φ(t)| between each of the growing frequencies and the next.

    φ(t) = e^{K(tilt+it) − K(tilt)} is the characteristic function of the law tilted by
    e^{tilt·L}. It is bounded in two ways. For every t, |φ(t)| <= ρ + V/t with ρ the mass of the
    atoms and V the total variation of the density. And it is sampled: the mass of nodes too far
    apart to follow the oscillation counts as if it did not decay. With atoms φ can come back
    between two samples, but (1 − |φ|²)^{1/2} is subadditive in t, which says how far at most; not
    so within one period of a lattice, for which `guarded` is False.
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
        with np.errstate(divide="ignore"):
            density = np.exp(np.log(nodes.density) + grow[:split] - peak) / total
        variation = np.abs(np.diff(density)).sum() + density[0] + density[-1]
        sure = sure + variation / frequencies
        blind = _too_far_apart(nodes.losses[:split], masses, frequencies)
    seen = _sampled(nodes.losses, masses, frequencies, blind, guarded=bool(atoms) and guarded)
    return np.asarray(np.minimum(seen, sure))


def _too_far_apart(losses: Array, masses: Array, frequencies: Array) -> Array:
    """The mass of nodes too far from the next for e^{itL} to be followed."""
    gaps = np.abs(np.diff(losses, append=losses[-1]))
    order = np.argsort(gaps)[::-1]
    reached = np.searchsorted(-gaps[order], -2.0 / frequencies)
    return np.asarray(np.append(0.0, np.cumsum(masses[order]))[reached])


def _sampled(
    losses: Array, masses: Array, frequencies: Array, blind: Array, guarded: bool
) -> Array:
    """|φ| at the frequencies with what is not seen; guarded, up to the next frequency too."""
    centred = losses - losses @ masses
    seen = np.ones_like(frequencies)
    useful = 2 * blind < 1
    seen[useful] = _modulus(frequencies[useful], centred, masses) + 2 * blind[useful]
    seen = np.minimum(seen, 1.0)
    if not guarded:
        return seen
    steps = np.diff(frequencies, append=2 * frequencies[-1] - frequencies[-2])
    near = np.maximum(_modulus(steps, centred, masses) - 2 * blind, 0.0)
    back = np.sqrt(np.maximum.accumulate(1 - near**2))
    apart = np.maximum(np.sqrt(1 - seen**2) - back, 0.0)
    return np.asarray(np.sqrt(1 - np.minimum(apart, 1.0) ** 2))


def _modulus(frequencies: Array, losses: Array, masses: Array) -> Array:
    def some(part: Array) -> Array:
        angle = part[:, None] * losses
        return np.asarray(np.hypot(dot(np.cos(angle), masses), dot(np.sin(angle), masses)))

    return in_blocks(some, frequencies, losses.size)

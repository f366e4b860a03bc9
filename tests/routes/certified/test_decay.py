"""Theorems 7 and 14: bounds of |φ| for every frequency, against |φ| itself on the real axis."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from hockeystick.loss.exact import Exact
from hockeystick.routes.certified.balls import of_bits
from hockeystick.routes.certified.branches import Branches
from hockeystick.routes.certified.laws import law_of
from hockeystick.routes.certified.line import grid
from hockeystick.routes.certified.split import SplitLine

Array = NDArray[np.float64]
PANELS, POINTS = 400, 16


def panels(start: float, stop: float) -> tuple[Array, Array]:
    """Points and weights on the real axis, close enough for a thousand turns."""
    x, w = np.polynomial.legendre.leggauss(POINTS)
    edges = np.linspace(start, stop, PANELS + 1)
    half = np.diff(edges)[:, None] / 2
    return (edges[:-1, None] + half * (1 + x)).ravel(), (half * w).ravel()


def losses_of(exact: Exact) -> tuple[Array, Array, Array, Array]:
    """Losses and P-masses: of the density, and of the atoms."""
    q, r = float(exact.rate), float(exact.numbers[0])
    if exact.kind == "normal":
        z, w = panels(r / 2, r / 2 + 14 + 3 * r)
        v = np.log(1 - q + q * np.exp(r * z - r * r / 2))
        mass = w * np.exp(-z * z / 2) / math.sqrt(2 * math.pi)
        middle = (1 - q) * math.erf(r / math.sqrt(8))
        return np.append(v, -v), np.append(mass * np.exp(v), mass), np.zeros(1), np.array([middle])
    edge = 0.5 if exact.kind == "laplace" else 0.0
    height = 0.25 if edge else 0.5 / -math.expm1(-r)
    start = 0.0 if exact.fixed else -r
    ell, w = panels(start, r)
    v = np.log(1 - q + q * np.exp(ell))
    mass = w * height * np.exp(-(ell + r) / 2)
    ends = np.array([r] if exact.fixed else [-r, r])
    v_ends, mass_ends = np.log(1 - q + q * np.exp(ends)), edge * np.exp(-(r + ends) / 2)
    if exact.fixed:
        rest = 1 - (mass * np.exp(v) + mass).sum() - (mass_ends * np.exp(v_ends) + mass_ends).sum()
        atoms = np.concatenate([v_ends, -v_ends, [0.0]])
        weights = np.concatenate([mass_ends * np.exp(v_ends), mass_ends, [rest]])
        return np.append(v, -v), np.append(mass * np.exp(v), mass), atoms, weights
    if exact.turned:
        return -v, mass, -v_ends, mass_ends
    return v, mass * np.exp(v), v_ends, mass_ends * np.exp(v_ends)


def random_exact(rng: np.random.Generator) -> Exact:
    rate = Fraction(float(10 ** rng.uniform(-3, -0.05)))
    size = Fraction(float(10 ** rng.uniform(-1, 0.5)))
    kind = ("normal", "laplace", "exponential", "laplace")[int(rng.integers(4))]
    if kind == "normal":
        return Exact("normal", (size, Fraction(0)), rate, fixed=True)
    fixed = bool(rng.integers(2)) and kind == "laplace"
    return Exact(kind, (size,), rate, turned=not fixed and bool(rng.integers(2)), fixed=fixed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [*range(6), pytest.param(6, marks=pytest.mark.slow)])
def test_no_frequency_is_above_its_bound(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(30 if seed == 6 else 1):
        exact, order = random_exact(rng), float(10 ** rng.uniform(-0.5, 0.9))
        loss, p, atom_loss, atom_p = losses_of(exact)
        with of_bits(192):
            law = law_of(exact)
            tilted = law.tilted(order, law.rule(order, 0.0, -60.0))
            assert isinstance(tilted, Branches)
            t = grid(float(10 ** rng.uniform(-1, 1)), 40)
            bound, rest = tilted.decay(t), tilted.rest(t)
            split = SplitLine.log_sizes([(tilted, 5)], t)
            mass = float(tilted.mass)
        between = t[:-1] + np.diff(t) * rng.uniform(0, 1, t.size - 1)
        turned = np.exp(1j * between[:, None] * loss) @ (p * np.exp(order * loss)) / mass
        flat = np.exp(1j * between[:, None] * atom_loss) @ (atom_p * np.exp(order * atom_loss))
        flat = flat / mass
        whole = turned + flat
        assert (np.abs(whole) <= np.exp(bound[:-1]) + 1e-11).all(), (exact, order)
        assert (np.abs(turned) <= rest[:-1] + 1e-11).all(), (exact, order)
        left = whole**5 - flat**5 - 5 * flat**4 * turned
        assert (np.abs(left) <= np.exp(split[:-1]) + 1e-10).all(), (exact, order)

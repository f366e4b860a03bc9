"""Laplace noise on a Poisson sample: cells against integrals, splines, the contour and the grid."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

import mpmath
import numpy as np
import pytest

import hockeystick as hs
from hockeystick import questions
from hockeystick.errors import NumericalError
from hockeystick.loss.measure import LaplaceLaw
from hockeystick.loss.sum import ComposedLoss
from hockeystick.routes.contour import route as contour
from hockeystick.routes.grid import route as grid
from hockeystick.routes.laplace import sampled
from hockeystick.routes.laplace.sampled import CellSum
from tests.oracles.laplace_sums import delta_of

ON = hs.Poisson
Profile = Callable[[mpmath.mpf], mpmath.mpf]


def directions(noise: float, rate: float, steps: int) -> list[ComposedLoss]:
    run = hs.Laplace(noise).on(ON(rate)) * steps
    return questions.dominating(questions.parts_of(run, hs.ADD_REMOVE))[0]


class OneStep:
    """The law of the loss of one step, its profile in closed form; all in mpmath."""

    def __init__(self, shift: float, rate: float, added: bool) -> None:
        self.shift, self.rate, self.added = mpmath.mpf(shift), mpmath.mpf(rate), added

    def loss(self, base: mpmath.mpf) -> mpmath.mpf:
        value = mpmath.log1p(self.rate * mpmath.expm1(base))
        return -value if self.added else value

    def mass(self, base: mpmath.mpf, q_mass: mpmath.mpf) -> mpmath.mpf:
        return q_mass if self.added else q_mass * mpmath.exp(self.loss(base))

    def delta(self, epsilon: mpmath.mpf) -> mpmath.mpf:
        """Atoms and segment of E_P[(1 − e^{ε−L})₊], the segment integrated by hand."""
        total = mpmath.mpf(0)
        for base, q_mass in self.atoms():
            loss = self.loss(base)
            if loss > epsilon:
                total -= self.mass(base, q_mass) * mpmath.expm1(epsilon - loss)
        low, high = self._above(epsilon)
        if low >= high:
            return total
        # Under Q the density is e^{−(ξ+θ)/2}/4; P/Q is v or, added, Q/P is 1/v.
        growth, half = mpmath.exp(epsilon), mpmath.exp(-self.shift / 2)
        plain = half / 2 * (mpmath.exp(-low / 2) - mpmath.exp(-high / 2))
        raised = half / 2 * (mpmath.exp(high / 2) - mpmath.exp(low / 2))
        mixed = (1 - self.rate) * plain + self.rate * raised
        return total + (plain - growth * mixed if self.added else mixed - growth * plain)

    def atoms(self) -> list[tuple[mpmath.mpf, mpmath.mpf]]:
        half = mpmath.mpf(1) / 2
        return [(-self.shift, half), (self.shift, half * mpmath.exp(-self.shift))]

    def _above(self, epsilon: mpmath.mpf) -> tuple[mpmath.mpf, mpmath.mpf]:
        """Between which base losses the loss is above ε."""
        level = -epsilon if self.added else epsilon
        inside = 1 + mpmath.expm1(level) / self.rate
        edge = mpmath.log(inside) if inside > 0 else -self.shift
        edge = min(max(edge, -self.shift), self.shift)
        return (-self.shift, edge) if self.added else (edge, self.shift)

    def then(self, profile: Profile, knots: list[mpmath.mpf]) -> Profile:
        """δ of this step and more, whose profile is known, with kinks at the knots."""

        def delta(epsilon: mpmath.mpf) -> mpmath.mpf:
            total = mpmath.fsum(
                self.mass(base, q) * profile(epsilon - self.loss(base)) for base, q in self.atoms()
            )
            breaks = {-self.shift, self.shift}
            for knot in knots:
                low, high = self._above(epsilon - knot)
                breaks |= {low, high}

            def inner(base: mpmath.mpf) -> mpmath.mpf:
                q_mass = mpmath.exp(-(base + self.shift) / 2) / 4
                return self.mass(base, q_mass) * profile(epsilon - self.loss(base))

            return total + mpmath.quad(inner, sorted(breaks))

        return delta


@pytest.mark.slow
@pytest.mark.parametrize("added", [False, True])
@pytest.mark.parametrize(
    ("noise", "rate"), [(1.0, 0.01), (1.0, 0.5), (0.25, 0.1), (12.0, 0.3), (0.5, 1e-4)]
)
def test_two_steps_by_quadrature(noise: float, rate: float, added: bool) -> None:
    loss = directions(noise, rate, 2)[added]
    with mpmath.workdps(25):
        one = OneStep(1 / noise, rate, added)
        exact = one.then(one.delta, [one.loss(-one.shift), one.loss(one.shift)])
        for part in (0.0, 0.02, 0.3, 0.6, 0.95):
            epsilon = part * loss.top
            answer, truth = sampled.delta(loss, epsilon), exact(mpmath.mpf(epsilon))
            assert answer.lower <= truth <= answer.upper
            assert answer.upper - answer.lower <= 1e-11 * answer.upper
            root = sampled.epsilon(loss, float(truth))
            assert root.lower <= epsilon * (1 + 1e-13) + 1e-15
            assert root.upper >= epsilon * (1 - 1e-13)
            assert root.upper - root.lower <= 1e-9 * loss.top


@pytest.mark.parametrize(("noise", "steps"), [(1.0, 8), (0.3, 5), (4.0, 30), (0.2, 20)])
def test_a_sample_of_all_records_is_no_sample(noise: float, steps: int) -> None:
    """The cells with rate 1 against residues."""
    shift = 1 / noise
    law = CellSum(LaplaceLaw(shift), steps, 0.2, int(18 + 6 * shift))
    assert law.defect() < 1e-12
    with mpmath.workdps(150):
        exact = delta_of(shift, steps)
        for part in (0.05, 0.31, 0.5, 0.77):
            epsilon = part * steps * shift
            truth = mpmath.log(exact(mpmath.mpf(epsilon)))
            assert law.at(epsilon)[0] == pytest.approx(float(truth), abs=2e-11)


@pytest.mark.parametrize("delta", [1e-2, 1e-6, 1e-12, 1e-30, 1e-100])
def test_around_the_mass_of_the_largest_loss(delta: float) -> None:
    for loss in directions(1.0, 0.05, 6):
        answer = sampled.epsilon(loss, delta)
        assert 0 <= answer.lower <= answer.upper <= loss.top
        assert answer.upper - answer.lower <= 1e-12
        if 0 < answer.upper < loss.top * (1 - 1e-9):
            assert sampled.delta(loss, answer.upper).lower <= delta
            assert sampled.delta(loss, answer.lower).upper >= delta


@pytest.mark.parametrize(
    ("noise", "rate", "steps"), [(1.0, 0.05, 170), (2.0, 0.3, 250), (0.4, 0.02, 125)]
)
def test_the_contour_says_the_same_where_it_takes_over(
    noise: float, rate: float, steps: int
) -> None:
    for loss in directions(noise, rate, steps):
        assert sampled.is_for(loss)
        cells, line = sampled.epsilon(loss, 1e-7), contour.epsilon(loss, 1e-7)
        assert cells.lower <= line.upper
        assert line.lower <= cells.upper
        assert cells.upper - cells.lower < 1e-11


@pytest.mark.slow
def test_the_grid_says_the_same() -> None:
    draw, compared = random.Random(1), 0
    for _ in range(60):
        noise, rate = 10 ** draw.uniform(-0.8, 1.3), 10 ** draw.uniform(-4, -0.05)
        steps, delta = draw.randint(2, 60), 10 ** draw.uniform(-15, -2)
        loss = draw.choice(directions(noise, rate, steps))
        try:
            one, other = sampled.epsilon(loss, delta), grid.epsilon(loss, delta)
        except NumericalError:
            continue
        compared += 1
        assert one.lower <= other.upper
        assert other.lower <= one.upper
        assert one.upper - one.lower <= 1e-9 * max(one.upper, 1e-6)
    assert compared > 40


@pytest.mark.slow
def test_more_steps_more_records_and_less_noise_cost_more() -> None:
    by_steps = [(hs.Laplace(1.0).on(ON(0.1)) * n).epsilon(1e-6) for n in range(1, 120, 9)]
    assert all(np.diff(by_steps) > 0)
    by_rate = [(hs.Laplace(1.0).on(ON(q)) * 10).epsilon(1e-6) for q in (0.01, 0.1, 0.5, 0.9, 1)]
    assert all(np.diff(by_rate) > 0)
    by_noise = [(hs.Laplace(b).on(ON(0.1)) * 10).epsilon(1e-6) for b in np.geomspace(0.1, 20, 12)]
    assert all(np.diff(by_noise) < 0)


def test_it_answers_in_the_name_of_the_lattice() -> None:
    answer = (hs.Laplace(1.0).on(ON(0.05)) * 30).epsilon(1e-5)
    assert answer.method == "lattice"
    assert answer == pytest.approx(1.013097714621, abs=1e-11)
    assert math.isclose(answer.lower, answer.upper, rel_tol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rate", "delta", "proven"),
    [
        (1.8197123400052836e-05, 5.459137020015849e-08, 0.000464981605682893),
        (1.8197123400052836e-05, 1.8197123400052833e-10, 0.0006790512818408695),
        (3.1e-06, 9.299999999999999e-09, 7.921135791512153e-05),
        (3.1e-06, 3.0999999999999996e-11, 0.0001156794727418657),
        (1e-07, 2.999999999999999e-10, 2.555196596504e-06),
        (1e-07, 9.999999999999998e-13, 3.7315869709702e-06),
    ],
)
def test_rare_records_at_a_tiny_delta(rate: float, delta: float, proven: float) -> None:
    """Orders of 1e4 to 1e6, and v so near to 1 that log v must keep its own digits: both ends were
    off, by up to 1e-9, and less than that apart from each other. Proven by certified answers, the
    last two within 1e-12."""
    found = (hs.Laplace(1.8657312559096664).on(ON(rate)) * 274).epsilon(delta, method="lattice")
    assert found.lower <= proven * (1 + 2e-12)
    assert proven * (1 - 2e-12) <= found.upper
    assert found.upper - found.lower <= 1e-11 * proven

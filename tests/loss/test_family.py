"""K of very many sampled Gaussians: interpolated, and the error that is stated is not exceeded."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hockeystick as hs
from hockeystick.loss.family import MANY, grouped
from hockeystick.loss.gaussian import GaussianLoss
from hockeystick.loss.mixed import Mixed, mixed
from hockeystick.loss.sum import ComposedLoss
from hockeystick.numerics.types import Array
from hockeystick.routes.contour import route, straight

ON_A_LINE = 3.0 + 1j * np.linspace(0.0, 60.0, 40)
REAL = 2.0 ** np.arange(-3.0, 6.0)


def sampled(shifts: Array, rate: float = 0.01, backwards: bool = False) -> ComposedLoss:
    loss = ComposedLoss((mixed(GaussianLoss(float(x)), rate), 3) for x in shifts)
    return loss.reverse() if backwards else loss


def one_by_one(loss: ComposedLoss, s: Array) -> Array:
    return np.asarray(np.sum([n * part.cgf(s) for part, n in loss.parts], axis=0))


@pytest.mark.slow
@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize(("low", "high"), [(0.5, 1.0), (0.3, 1.7), (0.9, 0.9 + 1e-9), (0.01, 0.02)])
def test_no_farther_off_than_is_said(low: float, high: float, backwards: bool) -> None:
    loss = sampled(np.linspace(low, high, 60), backwards=backwards)
    for s in (ON_A_LINE, REAL):
        together, error = loss.cgf_within(s)
        truth = one_by_one(loss, s)
        rounding = 1e-13 * np.abs(truth)
        assert (np.abs(together - truth) <= error + rounding).all()
        assert (error <= 1e-6 * np.abs(truth)).all()
    assert (loss.cgf(REAL).real >= one_by_one(loss, REAL).real * (1 - 1e-13)).all()


def test_one_order_far_out_does_not_take_the_others_with_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where K bends sharply with the shift its members are halved; elsewhere they are not."""
    loss = sampled(np.linspace(0.5, 1.0, 200), rate=0.005)
    near, far = np.array([1.0, 4.0]), np.array([1.0, 4.0, 128.0])
    asked: list[int] = []
    at = Mixed.cgf

    def counted(self: Mixed, s: Array) -> Array:
        asked.append(np.size(s))
        return at(self, s)

    monkeypatch.setattr(Mixed, "cgf", counted)
    together, error = loss.cgf_within(far)
    in_all = sum(asked)
    asked.clear()
    loss.cgf_within(near)
    assert sum(asked) < 100
    assert in_all < 3 * 200
    monkeypatch.undo()
    truth = one_by_one(loss, far)
    assert (np.abs(together - truth) <= error + 1e-13 * np.abs(truth)).all()
    assert (error <= 1e-6 * np.abs(truth)).all()


def test_uneven_members() -> None:
    """Most in one place, one far away, and each as often as it likes."""
    rng = np.random.default_rng(5)
    shifts = np.append(0.5 + 1e-3 * rng.random(80), 2.5)
    counts = rng.integers(1, 50, shifts.size)
    losses = (mixed(GaussianLoss(float(x)), 0.02) for x in shifts)
    parts = [(loss, int(n)) for loss, n in zip(losses, counts, strict=True)]
    loss = ComposedLoss(parts)
    together, error = loss.cgf_within(ON_A_LINE)
    truth = one_by_one(loss, ON_A_LINE)
    assert (np.abs(together - truth) <= error + 1e-13 * np.abs(truth)).all()


def test_families_are_told_apart() -> None:
    shifts = np.linspace(0.5, 1.0, MANY)
    here, there = sampled(shifts, 0.01), sampled(shifts, 0.02)
    few = sampled(shifts[:5], 0.03)
    families, rest = grouped([*here.parts, *there.parts, *few.parts])
    assert len(families) == 2
    assert len(rest) == 5
    assert grouped(here.reverse().parts)[0][0].family != grouped(here.parts)[0][0].family
    cut = [[(loss.truncated(mass), n) for loss, n in here.parts] for mass in (1e-9, 1e-10)]
    families, rest = grouped([*here.parts, *cut[0], *cut[1]])
    assert len({members.family for members in families}) == 3
    assert not rest


@pytest.mark.slow
@pytest.mark.parametrize("spread", [0.5, 1e-6])
def test_epsilon_of_many_is_between_that_of_the_extremes(spread: float) -> None:
    """And within the ends of a composition of so few parts that none is interpolated."""
    noises = np.linspace(2.0, 2.0 + spread, MANY)
    run = sum(hs.Gaussian(float(x)).on(hs.Poisson(0.05)) * 20 for x in noises)
    assert isinstance(run, hs.Mechanism)
    epsilon = run.epsilon(1e-6)
    most = (hs.Gaussian(2.0).on(hs.Poisson(0.05)) * (20 * MANY)).epsilon(1e-6)
    least = (hs.Gaussian(2.0 + spread).on(hs.Poisson(0.05)) * (20 * MANY)).epsilon(1e-6)
    assert least.lower <= epsilon.upper <= most.upper * (1 + 1e-12)
    assert epsilon.upper - epsilon.lower < 1e-9
    fewer = sum(hs.Gaussian(float(x)).on(hs.Poisson(0.05)) * 20 for x in noises[:-1])
    assert isinstance(fewer, hs.Mechanism)
    last = hs.Gaussian(float(noises[-1])).on(hs.Poisson(0.05)) * 20
    assert fewer.epsilon(1e-6) < epsilon < fewer.epsilon(1e-6) + last.epsilon(1e-12)


@pytest.mark.parametrize("mass", [1e-6, 1e-20])
def test_truncated_members_are_a_family_of_their_own(mass: float) -> None:
    """Each with its own ceiling, which follows from its shift and the mass that is cut off."""
    whole = sampled(np.linspace(0.5, 0.6, 60))
    loss = whole.truncated(mass)
    (members,), rest = grouped(loss.parts)
    assert not rest
    for part, _ in loss.parts[::20]:
        assert part.kin is not None
        assert members.family.at(part.kin[1]) == part
    for s in (ON_A_LINE, REAL):
        together, error = loss.cgf_within(s)
        truth = one_by_one(loss, s)
        assert (np.abs(together - truth) <= error + 1e-13 * np.abs(truth)).all()
        assert (error <= 1e-6 * np.abs(truth)).all()


@pytest.mark.slow
def test_very_many_different_single_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """The line that loses some digits will do: the careful one says the same, and takes longer."""
    steps = (hs.Gaussian(1 + 0.01 * i).on(hs.Poisson(0.01)) for i in range(60))
    run = sum(steps, start=hs.Composition())
    quick = run.epsilon(1e-6), run.delta(0.4)
    monkeypatch.setattr(route, "MODERATE", -np.inf)
    careful = run.epsilon(1e-6), run.delta(0.4)
    for one, other in zip(quick, careful, strict=True):
        assert one.lower <= other.upper
        assert other.lower <= one.upper
        assert one.upper - one.lower < 1e-8 * one.upper


@pytest.mark.slow
def test_a_few_of_many_points_tell_which_polynomial(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a hundred members K is asked on the whole line at fewer than fifty, as said no less well,
    and the line is planned once."""
    noises = 0.6 + 0.03 * np.arange(100)
    steps = (hs.Gaussian(float(noise)).on(hs.Poisson(0.005)) * 10 for noise in noises)
    run = sum(steps, start=hs.Composition())
    run.epsilon(1e-6)
    asked, lines = [], []
    at, plan = Mixed.cgf, straight.plan

    def counted(self: Mixed, s: Array) -> Array:
        asked.append(np.size(s))
        return at(self, s)

    def planned(*args: Any) -> Any:
        lines.append(1)
        return plan(*args)

    monkeypatch.setattr(Mixed, "cgf", counted)
    monkeypatch.setattr(straight, "plan", planned)
    found = run.epsilon(1e-6)
    assert sum(size > 100 for size in asked) <= 55
    assert len(lines) == 1
    # Every member by itself, its largest losses cut: between 2.69698885629 and 2.69698907686.
    assert found.lower <= 2.69698907686
    assert found.upper >= 2.69698885629
    assert found.upper - found.lower < 8e-10

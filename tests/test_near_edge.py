"""Quick answers save time, and no answer depends on them."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress

import pytest

import hockeystick as hs
from hockeystick.errors import NumericalError
from hockeystick.routes.contour.neighbours import Neighbours

NOISE = 2.1273754346
"""At which 10 000 steps have ε = 2."""


def run(noise: float) -> hs.Mechanism:
    return hs.Gaussian(noise).on(hs.Poisson(0.01)) * 10_000


def calibrated() -> float:
    """The noise that meets (2, 1e-5), after a look that it does."""
    made: dict[hs.Mechanism, float] = {}

    def family(noise: float) -> hs.Mechanism:
        made[run(noise)] = noise
        return run(noise)

    answer = hs.calibrate(family, epsilon=2, delta=1e-5)
    assert answer.delta(2) <= 1e-5
    assert 2 * (1 - 2e-9) < answer.epsilon(1e-5) <= 2
    return made[answer]


def test_only_the_answer_is_asked_for_with_both_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[hs.Mechanism] = []
    for name in ("epsilon", "delta"):
        plain = getattr(hs.Mechanism, name)

        def counted(
            self: hs.Mechanism, *given: float, plain: Callable[..., hs.Bound] = plain, **how: object
        ) -> hs.Bound:
            asked.append(self)
            return plain(self, *given, **how)

        monkeypatch.setattr(hs.Mechanism, name, counted)
    answer = hs.calibrate(run, epsilon=2, delta=1e-5)
    assert asked == [answer, answer]


@pytest.mark.parametrize("off", [-0.02, -1e-6, -1e-10, 1e-10, 1e-6, 0.02])
def test_lines_that_are_off_do_not_move_the_answer(
    monkeypatch: pytest.MonkeyPatch, off: float
) -> None:
    plain = Neighbours.by_line
    monkeypatch.setattr(Neighbours, "by_line", lambda self, loss: plain(self, loss) + off)
    assert calibrated() == pytest.approx(NOISE, rel=1e-9)


@pytest.mark.parametrize(
    "misled", [lambda over: over + 0.3, lambda over: 0.4 * over - 0.2, lambda over: -over]
)
def test_saddle_points_that_are_off_do_not_move_the_answer(
    monkeypatch: pytest.MonkeyPatch, misled: Callable[[float], float]
) -> None:
    plain = Neighbours.by_saddle
    monkeypatch.setattr(Neighbours, "by_saddle", lambda self, loss: misled(plain(self, loss)))
    assert calibrated() == pytest.approx(NOISE, rel=1e-9)


@pytest.mark.parametrize("name", ["by_saddle", "by_line"])
@pytest.mark.parametrize("error", [NumericalError("no digits"), OverflowError("too large")])
def test_without_quick_answers_the_others_do(
    monkeypatch: pytest.MonkeyPatch, name: str, error: Exception
) -> None:
    def fails(self: Neighbours, loss: object) -> float:
        raise error

    monkeypatch.setattr(Neighbours, name, fails)
    assert calibrated() == pytest.approx(NOISE, rel=1e-9)


def test_a_family_may_be_known_by_its_curve_alone_further_on() -> None:
    """Of all noise but the first nothing but a Rényi curve is known, which no line takes."""

    def family(noise: float) -> hs.Mechanism:
        curve = hs.RenyiDP(lambda order: order / (2 * noise * noise))
        return (hs.Gaussian(1.0) if noise == 1 else curve) * 20

    answer = hs.calibrate(family, epsilon=2, delta=1e-5)
    assert 2 * (1 - 2e-9) < answer.epsilon(1e-5) <= 2


def test_counts_are_asked_on_both_sides() -> None:
    step = hs.Gaussian(3.0).on(hs.Poisson(0.01))
    answer = hs.calibrate(lambda n: step * n, epsilon=1, delta=1e-6, integer=True)
    count = math.prod(answer.parts.values())
    assert (step * count).epsilon(1e-6) <= 1 < (step * (count + 1)).epsilon(1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [0.0, 5e-324, 1e-310, 1e308])
def test_a_target_at_the_ends_of_floats(epsilon: float) -> None:
    """An answer or an error of ours: a quotient of such numbers is 0 or infinite."""
    with suppress(hs.HockeystickError):
        found = hs.calibrate(
            lambda x: hs.Gaussian(x).on(hs.Poisson(0.01)) * 100, epsilon=epsilon, delta=1e-5
        )
        assert found.epsilon(1e-5) <= epsilon

"""Of pairs that all dominate the smallest answer counts, and not each is asked."""

from __future__ import annotations

import pytest

import hockeystick as hs
from hockeystick.questions import dominating, parts_of
from hockeystick.routes import auto
from hockeystick.routes.auto import smallest, worst
from hockeystick.routes.question import DeltaAt, EpsilonAt, Question


@pytest.mark.slow
@pytest.mark.parametrize(
    ("noise", "sampler", "steps", "question", "first"),
    [
        (1.0, hs.WithReplacement(2, 1000), 2, EpsilonAt(1e-6), 1),
        (3.0, hs.WithReplacement(4, 4), 2, DeltaAt(5.0), 0),
    ],
)
def test_no_smaller_answer_is_left_out(
    noise: float, sampler: hs.WithReplacement, steps: int, question: Question, first: int
) -> None:
    """Either pair may be the smaller, and a guess by the saddle point be wrong about it."""
    run = hs.Gaussian(noise).on(sampler) * steps
    choices = dominating(parts_of(run, hs.REPLACE_ONE))
    all_of_them = [worst(sides, question, "auto").upper for sides in choices]
    assert min(all_of_them) == all_of_them[first]
    assert min(answer.upper for answer in smallest(choices, question)) == min(all_of_them)


def test_one_step_is_answered_without_a_saddle(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its δ is a formula; K of two releases of one sample takes a quadrature of seconds."""

    def refused(*_: object) -> None:
        raise AssertionError("a saddle was asked for")

    monkeypatch.setattr(auto, "find_saddle", refused)
    monkeypatch.setattr(auto, "log_chernoff", refused)
    step = (hs.Gaussian(1) + hs.Laplace(1)).on(hs.Poisson(0.01))
    assert step.delta(step.epsilon(1e-6)) == pytest.approx(1e-6, rel=1e-9)

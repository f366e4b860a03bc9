"""What a few shapes tell of the envelope of all, and that it is not built where they say enough."""

from __future__ import annotations

import pytest

import hockeystick as hs
from hockeystick.errors import NumericalError
from hockeystick.loss.triples.gaussian import GaussianTriples
from hockeystick.loss.triples.roughly import roughly
from hockeystick.routes.game import route
from hockeystick.routes.question import EpsilonAt


@pytest.mark.slow
@pytest.mark.parametrize("zero_out", [False, True])
@pytest.mark.parametrize(
    ("rate", "near", "far"), [(1e-4, 0.5, 1.0), (0.02, 0.8, 1.4), (0.4, 0.3, 0.6)]
)
def test_near_the_envelope(rate: float, near: float, far: float, zero_out: bool) -> None:
    triples = GaussianTriples(rate, near, far, zero_out)
    rough, pair = roughly(triples), triples.pair(1e-14)
    assert rough is not None
    assert 0.85 * pair.variance < rough.variance < 1.02 * pair.variance
    assert 0.8 * pair.skew < rough.skew < 1.1 * pair.skew


def test_nothing_is_told_of_next_to_no_noise() -> None:
    assert roughly(GaussianTriples(0.01, 20.0, 40.0)) is None


def test_uneven_steps_are_refused_before_the_envelope(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few steps; of many, and of few with a large loss, the envelope is needed."""

    def no_envelope(*_: object) -> None:
        raise AssertionError("built")

    monkeypatch.setattr(route, "pair_for", no_envelope)
    game = GaussianTriples(0.01, 1.0, 2.0)
    with pytest.raises(NumericalError, match="too uneven"):
        route.upper_end(EpsilonAt(1e-6), game, 10)
    for triples, steps in ((game, 10_000), (GaussianTriples(0.001, 5.0, 10.0), 20_000)):
        with pytest.raises(AssertionError, match="built"):
            route.upper_end(EpsilonAt(1e-6), triples, steps)


@pytest.mark.slow
@pytest.mark.parametrize("steps", [30, 300])
def test_no_answer_is_lost(steps: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """On both sides of where it is refused."""
    run = hs.Gaussian(1.0).on(hs.WithoutReplacement(40, 1000)) * steps
    found = run.epsilon(1e-6, relation=hs.ZERO_OUT)
    monkeypatch.setattr(route, "CLEARLY", 1e300)
    again = (run * 1).epsilon(1.0000000001e-6, relation=hs.ZERO_OUT)
    assert found.lower == pytest.approx(again.lower, rel=1e-8)
    assert found.upper == pytest.approx(again.upper, rel=1e-8)

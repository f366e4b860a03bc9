"""`/api/curves` against closed forms, and against the library point by point."""

from __future__ import annotations

import math
from typing import Any

import pytest

import hockeystick as hs
from hockeystick.page.resources import curves as module
from hockeystick.page.resources.curves import curves

LAPLACE = {"expression": "Laplace(1)"}
SAMPLED = {"expression": "Gaussian(1.1).on(Poisson(0.01)) * 1000"}


def asked(kind: str, *runs: dict[str, Any], **more: Any) -> dict[str, Any]:
    return curves({"runs": list(runs), "kind": kind, "delta": 1e-5} | more)


def test_a_profile_that_has_a_closed_form() -> None:
    """δ(ε) = 1 − e^{(ε−1)/2} for Laplace noise of scale 1."""
    (series,) = asked("profile", LAPLACE)["series"]
    assert series["x"][0] == 0
    assert max(series["x"]) == pytest.approx(1, abs=1e-4)
    for x, lower, upper in zip(series["x"], series["lower"], series["upper"], strict=True):
        truth = max(0.0, -math.expm1((x - 1) / 2))
        assert lower <= truth * (1 + 1e-12)
        assert truth * (1 - 1e-12) <= upper <= truth + 1e-9


def test_a_trade_off_that_has_a_closed_form() -> None:
    """f(α) = Φ(Φ⁻¹(1 − α) − 1) for Gaussian noise of scale 1; the safe end is the lower."""
    from scipy.special import ndtr, ndtri

    (series,) = asked("tradeoff", {"expression": "Gaussian(1)"})["series"]
    assert (series["x"][0], series["x"][-1]) == (0, 1)
    for x, lower, upper in zip(series["x"], series["lower"], series["upper"], strict=True):
        truth = float(ndtr(ndtri(1 - x) - 1))
        assert truth - 1e-3 < lower <= truth + 1e-12
        assert truth - 1e-12 <= upper < truth + 1e-3


def test_steps_end_at_the_answer() -> None:
    (series,) = asked("steps", SAMPLED)["series"]
    assert (series["x"][0], series["x"][-1]) == (1, 1000)
    assert all(x == int(x) for x in series["x"])
    bound = hs.parse(SAMPLED["expression"]).epsilon(delta=1e-5)
    assert series["upper"][-1] == pytest.approx(bound.upper, rel=1e-9)
    assert series["lower"][-1] <= bound.upper
    assert series["upper"] == sorted(series["upper"])


def test_rényi_divergences() -> None:
    (series,) = asked("renyi", {"expression": "Gaussian(2)"})["series"]
    for x, upper in zip(series["x"], series["upper"], strict=True):
        assert upper == pytest.approx(x / 8, rel=1e-12)


def test_several_runs_share_their_places_and_keep_their_neighbours() -> None:
    other = {"expression": "Gaussian(2)", "relation": "replace-one"}
    answer = asked("profile", {"expression": "Gaussian(4)"}, other, points=20)
    first, second = answer["series"]
    assert first["x"] == second["x"]
    assert len(first["x"]) == 20
    assert (first["relation"], second["relation"]) == ("add-remove", "replace-one")
    end = hs.Gaussian(2).epsilon(delta=1e-8, relation=hs.REPLACE_ONE)
    assert first["x"][-1] == pytest.approx(float(end))


def test_what_is_infinite_is_null() -> None:
    steps = asked("steps", {"expression": "Gaussian(0) * 5"})
    assert steps["series"][0]["upper"] == [None] * 5
    assert asked("profile", {"expression": "Gaussian(0)"})["series"][0]["upper"][-1] == 1.0


def test_a_slow_curve_has_fewer_points(monkeypatch: pytest.MonkeyPatch) -> None:
    quick = asked("profile", SAMPLED, points=41)["series"][0]
    monkeypatch.setattr(module, "PATIENCE", 0.0)
    slow = asked("profile", SAMPLED, points=41)["series"][0]
    assert len(quick["x"]) == 41
    assert slow["x"] == quick["x"][::4]
    assert slow["upper"] == pytest.approx(quick["upper"][::4], rel=1e-9)


@pytest.mark.parametrize("kind", ["profile", "tradeoff", "steps", "renyi"])
def test_axes_are_labelled(kind: str) -> None:
    answer = asked(kind, LAPLACE, points=3)
    assert answer["x"]["label"]
    assert answer["y"]["unit"]
    assert (answer["y"]["scale"] == "log") == (kind in ("profile", "renyi"))

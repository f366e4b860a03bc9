"""`/api/calibrate`: the value meets the budget, and a little less noise would not."""

from __future__ import annotations

import hockeystick as hs
from hockeystick.page.resources.calibrate import calibrate


def test_noise() -> None:
    text = "Gaussian(?).on(Poisson(0.01)) * 100"
    found = calibrate({"expression": text, "epsilon": 1, "delta": 1e-5})
    run = hs.parse(found["expression"])
    assert text.replace("?", repr(found["value"])) == found["expression"]
    assert run.epsilon(delta=1e-5) == found["epsilon"] <= 1
    less = hs.parse(text.replace("?", repr(found["value"] * (1 - 1e-8))))
    assert less.epsilon(delta=1e-5).lower > 1


def test_a_count_is_whole() -> None:
    found = calibrate({"expression": "Laplace(4) * ?", "epsilon": "3/2", "delta": 0})
    assert (found["value"], found["shown"]) == (6, "1.5")


def test_the_relation_counts() -> None:
    asked = {"expression": "Laplace(?)", "epsilon": 1, "delta": 0, "relation": "replace-one"}
    assert abs(calibrate(asked)["value"] - 2) < 1e-8

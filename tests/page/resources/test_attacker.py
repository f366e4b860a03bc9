"""`/api/attacker`: Bayes' rule, and the words of `explain`."""

from __future__ import annotations

import math

import pytest

import hockeystick as hs
from hockeystick.page.resources.attacker import attacker


def test_bayes() -> None:
    rows = attacker({"run": {"expression": "PureDP(2)"}, "delta": 0})["rows"]
    assert [row["prior"] for row in rows] == [0.01, 0.1, 0.5]
    for row in rows:
        odds = math.exp(2) * row["prior"] / (1 - row["prior"])
        assert row["posterior"] == pytest.approx(odds / (1 + odds), rel=1e-12)
        assert "except" not in row["sentence"]
    assert rows[2]["sentence"] == (
        "Who thought it 50 % likely that the record is in the data is at most 88.08 % sure "
        "afterwards."
    )


def test_a_gaussian_by_its_law() -> None:
    """Pr[L > log odds] <= 2δ, where the loss L of Gaussian noise is normal: μ²/2 + μ·N(0, 1)."""
    found = attacker({"run": {"expression": "Gaussian(1)"}, "delta": 1e-3})
    tail = math.erfc((math.log(found["odds"]) - 0.5) / math.sqrt(2)) / 2
    assert tail <= found["chance_of_more"] == 2e-3
    assert tail > 1e-4  # and not absurdly far
    assert "except with probability 0.002" in found["rows"][0]["sentence"]


@pytest.mark.slow
def test_the_words_are_those_of_explain() -> None:
    run = "Gaussian(1.1).on(Poisson(0.01)) * 100"
    found = attacker({"run": {"expression": run, "relation": "zero-out"}, "delta": 1e-5})
    said = " ".join(hs.parse(run).explain(1e-5, relation=hs.ZERO_OUT).split())
    assert len(found["sentences"]) == 2
    assert all(sentence in said for sentence in found["sentences"])
    assert "the record contributed" in found["rows"][0]["sentence"]


def test_no_privacy_at_all() -> None:
    found = attacker({"run": {"expression": "Gaussian(0)"}, "delta": 1e-5})
    assert (found["odds"], found["rows"][0]["posterior"]) == ("inf", 1.0)

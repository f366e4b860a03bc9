"""The table of bounds: which theorem speaks of which run, and in which order they come."""

from __future__ import annotations

import math
from typing import Any

import pytest

import hockeystick as hs
from hockeystick import comparison
from hockeystick.classical import known_bases

POISSON = ["RDP Poisson factor 3", "RDP Poisson factor 1"]
FIXED = ["RDP Theorem 9", "RDP from the curve"]
MANY = ".on(WithoutReplacement(10, 1000)) * 5000"
COMPOSED = ["naive composition", "strong composition", "optimal composition"]


def names(text: str, **options: Any) -> set[str]:
    table = hs.compare(hs.parse(text), 1e-5, **options)
    assert [row.name for row in table[-2:]] == ["exact", "lower bound"]
    return {row.name for row in table[:-2]} - {"RDP exact curve"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Laplace(2)", ["zCDP"]),
        ("PureDP(0.1) * 10", [*COMPOSED, "zCDP"]),
        ("Gaussian(30) * 3", [*COMPOSED, "zCDP", "classical Gaussian"]),
        ("Gaussian(1)", ["zCDP"]),
        ("ApproximateDP(1, 1e-6)", []),
        ("Gaussian(2).on(Poisson(0.1))", POISSON),
        (f"RandomizedResponse(1){MANY}", [*COMPOSED, *FIXED, "RDP Theorem 19"]),
        (f"RandomizedResponse(1, 3){MANY}", [*COMPOSED, *FIXED]),
        ("Gaussian(1) + Laplace(1)", ["naive composition", "zCDP"]),
    ],
)
def test_the_theorems_that_speak_of_a_run(text: str, expected: list[str]) -> None:
    assert names(text) == set(expected)


def test_a_theorem_for_added_records_says_nothing_of_replaced_ones() -> None:
    assert names("Laplace(2).on(Poisson(0.1))", relation=hs.REPLACE_ONE) == set()


def test_the_bases_that_attain_theorem_19() -> None:
    """E|P/Q − 1|² is the χ² divergence, e^{ε(2)} − 1, of every pair."""
    for base in (hs.Gaussian(4.0), hs.Laplace(2.0), hs.RandomizedResponse(1.0)):
        moments = known_bases.log_moments(base, hs.REPLACE_ONE)
        assert moments is not None
        chi = math.expm1(float(base.rdp(2, relation=hs.REPLACE_ONE)))
        assert math.exp(moments(2)) == pytest.approx(chi, rel=1e-9)
    for other in (hs.PureDP(0.1), hs.RandomizedResponse(1.0, 3), hs.Laplace(0.0)):
        assert known_bases.log_moments(other, hs.REPLACE_ONE) is None


def test_the_bounds_of_ten_pure_steps() -> None:
    """Ten times 0.001 may be spent on the steps, of which p·(1 − e^{ε − 0.1}) is the profile."""
    found = {row.name: row.epsilon for row in hs.compare(hs.PureDP(0.1) * 10, 0.01)}
    step = 0.1 + math.log1p(-0.001 * (1 + math.exp(-0.1)))
    assert found["naive composition"] == pytest.approx(10 * step, rel=1e-3)
    assert found["exact"] <= found["optimal composition"] <= found["exact"] * (1 + 1e-3)
    slack = math.sqrt(20 * math.log(100)) * 0.1 + math.expm1(0.1)
    assert found["exact"] < found["strong composition"] <= slack * (1 + 1e-3)


@pytest.mark.slow
def test_the_tightest_come_last() -> None:
    table = hs.compare(hs.parse(f"RandomizedResponse(1){MANY}"), 1e-5)
    values = [row.epsilon for row in table]
    assert values == sorted(values, reverse=True)
    assert [row.kind for row in table] == ["upper"] * (len(table) - 1) + ["lower"]


def test_a_new_theorem_is_a_new_row(monkeypatch: pytest.MonkeyPatch) -> None:
    added = comparison.Theorem("sum of ε", "nobody", lambda run: float(run.count) or None)
    monkeypatch.setattr(comparison, "THEOREMS", (*comparison.THEOREMS, added))
    rows = {row.name: row for row in hs.compare(hs.Laplace(1.0) * 7, 0.0)}
    assert rows["sum of ε"] == comparison.Row("sum of ε", 7.0, "nobody")
    assert "sum of ε" not in names("Gaussian(1) + Laplace(1)")

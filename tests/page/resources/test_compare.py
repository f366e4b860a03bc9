"""`/api/compare`: the rows of `hs.compare`, and which of them are guarantees."""

from __future__ import annotations

import hockeystick as hs
from hockeystick.page.resources.compare import compare


def test_the_rows_are_the_library_s() -> None:
    rows = compare({"run": {"expression": "Gaussian(20) * 3"}, "delta": 1e-5})["rows"]
    bounds = hs.compare(hs.Gaussian(20) * 3, delta=1e-5)
    assert [(row["name"], row["epsilon"], row["note"]) for row in rows] == [
        (row.name, row.epsilon, row.source) for row in bounds
    ]
    valid = [row["epsilon"] for row in rows if row["valid"]]
    exact, lower = rows[-2:]
    assert min(valid) == exact["epsilon"]
    assert exact["lower"] == lower["epsilon"] <= exact["epsilon"]
    assert (exact["shown"], lower["shown"]) == ("0.29126732", "0.29126731")
    assert not lower["valid"]


def test_the_relation_is_the_one_that_is_asked() -> None:
    asked = {"run": {"expression": "Gaussian(20)", "relation": "replace-one"}, "delta": 1e-5}
    found = compare(asked)
    assert found["relation"] == "replace-one"
    exact = hs.Gaussian(10).epsilon(delta=1e-5)
    assert abs(found["rows"][-2]["epsilon"] - exact) < 1e-9

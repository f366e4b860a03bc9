"""`compare`: the table of the library, with its sources."""

from __future__ import annotations

import pytest

import hockeystick as hs
from tests.support.command import call, read_json, shape

RUN = "Gaussian(5.0) * 10"


def test_json_is_the_table_of_the_library() -> None:
    found = read_json("compare", RUN, "--delta", "1e-5")
    row = {"name": "text", "epsilon": "number", "source": "text", "kind": "text"}
    assert shape(found) == {"delta": "number", "relation": "text", "bounds": [row]}
    assert found["bounds"] == [vars(each) for each in hs.compare(hs.parse(RUN), 1e-5)]


def test_the_table_shows_every_bound_rounded_to_the_safe_side() -> None:
    printed = call("compare", RUN, "--delta", "1e-5").stdout.splitlines()
    assert printed.pop(0) == "epsilon at delta = 1e-05, add-remove"
    assert printed[0].split() == ["bound", "epsilon", "source"]
    rows = hs.compare(hs.parse(RUN), 1e-5)
    assert len(printed) == len(rows) + 2
    for line, row in zip(printed[2:], rows, strict=True):
        assert line.startswith(f"{row.name} ")
        assert line.endswith(row.source)
        shown = float(line[len(row.name) :].split()[0])
        assert shown == pytest.approx(row.epsilon, rel=1e-7)
        assert shown <= row.epsilon if row.kind == "lower" else shown >= row.epsilon


def test_method_is_the_route_of_the_last_rows() -> None:
    printed = call("compare", RUN, "--delta", "1e-5", "--method", "renyi").stdout
    answer = hs.parse(RUN).epsilon(1e-5, method="renyi")
    *_, exact, lower = printed.splitlines()
    assert exact.startswith("this library ")
    assert exact.endswith("method: renyi")
    assert float(exact.split()[2]) == pytest.approx(answer, rel=1e-7)
    assert float(lower.split()[2]) == answer.lower
    assert "\nexact" not in printed


def test_relation_is_handed_on() -> None:
    for relation, epsilon in (("add-remove", "0.5"), ("replace-one", "1")):
        printed = call("compare", "Laplace(2)", "--delta", "0", "--relation", relation).stdout
        exact = printed.splitlines()[-2]
        assert exact.split()[:2] == ["exact", epsilon]

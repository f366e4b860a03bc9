"""What holds for every resource: answers are as their schema says, wrong input names its field."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hockeystick.page import where
from hockeystick.page.catalogue import catalogue
from hockeystick.page.schema import check
from hockeystick.page.worker import answered
from tests.page.ledgers import a_ledger

RUN = {"expression": "Gaussian(1.1).on(Poisson(0.01)) * 100", "relation": None}
QUESTIONS: dict[str, dict[str, Any]] = {
    "attacker": {"run": RUN, "delta": 1e-5},
    "budgets": {},
    "budgets/{name}": {"name": "census"},
    "budgets/{name}/propose": {"name": "census", "expression": "Gaussian(20)"},
    "budgets/{name}/statement": {"name": "census"},
    "budgets/{name}/verify": {"name": "census"},
    "calibrate": {"expression": "Gaussian(?) * 10", "delta": "1e-5", "epsilon": 1},
    "code": {"runs": [RUN], "delta": 1e-5, "kind": "epsilon"},
    "compare": {"run": {"expression": "Gaussian(20) * 3"}, "delta": 1e-5},
    "curves": {"runs": [RUN, RUN], "kind": "renyi", "delta": 1e-5, "points": 9},
    "epsilon": {"run": RUN, "delta": "1/60000"},
    "names": {},
    "samplers": {"run": RUN, "delta": 1e-5, "sampler": "Poisson"},
}
"""One for each resource."""


@pytest.fixture(autouse=True)
def _ledger(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(where.LEDGER, "url", a_ledger(tmp_path))


def test_every_resource_has_a_question_here() -> None:
    assert catalogue().keys() == QUESTIONS.keys()


@pytest.mark.parametrize("name", QUESTIONS)
def test_an_answer_is_as_its_schema_says(name: str) -> None:
    status, body = answered(name, QUESTIONS[name])
    assert status == 200, body
    check(json.loads(json.dumps(body, allow_nan=False)), catalogue()[name].answered)


WRONG = [
    ("epsilon", {"run": {"expression": "Gausian(1)"}}, "run.expression", "did you mean Gaussian?"),
    ("epsilon", {"run": {"expression": "Gaussian(-1)"}}, "run.expression", "must be in [0, inf]"),
    ("epsilon", {"run": {"expression": "PureDP(-1)"}}, "run.expression", "epsilon must be in"),
    ("epsilon", {"run": {"expression": "ApproximateDP(1, 2)"}}, "run.expression", "delta must be"),
    ("epsilon", {"run": {"expression": 3}}, "run.expression", "must be a text, got 3"),
    ("epsilon", {"run": {}}, "run.expression", "expression is missing"),
    ("epsilon", {"run": RUN | {"relation": "twins"}}, "run.relation", "must be one of add-remove"),
    ("epsilon", {"delta": 1.5}, "delta", "delta must be in [0, 1], got 1.5"),
    ("epsilon", {"delta": "a"}, "delta", "must be a number such as 1e-5"),
    ("epsilon", {"delta": True}, "delta", "must be a number or a text, got True"),
    ("epsilon", {"delta": None}, "delta", "must be a number or a text, got None"),
    ("epsilon", {"more": 1}, "", "'more' is no field here: there are run, delta"),
    ("epsilon", {"run": {"expression": "Gaussian(1)" * 1000}}, "run.expression", "at most 10000"),
    (
        "epsilon",
        {"run": {"expression": "Gaussian(1).on(Shuffled(9))", "relation": "add-remove"}},
        "run.relation",
        "no guarantee under ADD_REMOVE",
    ),
    ("curves", {"runs": [RUN, {"expression": "x"}]}, "runs.1.expression", "not a known name"),
    ("curves", {"runs": []}, "runs", "runs must have 1 to 4 items, got 0"),
    ("curves", {"runs": [RUN] * 5}, "runs", "runs must have 1 to 4 items, got 5"),
    ("curves", {"points": 401}, "points", "points must be from 2 to 400, got 401"),
    ("curves", {"points": 2.5}, "points", "points must be an integer, got 2.5"),
    ("curves", {"kind": "pie"}, "kind", "kind must be one of profile, tradeoff, steps, renyi"),
    ("calibrate", {"expression": "Gaussian(1)"}, "expression", "must hold one ?"),
    ("calibrate", {"expression": "PureDP(3) * ?", "epsilon": 1}, "epsilon", "meets epsilon = 1.0"),
    ("calibrate", {"epsilon": -1}, "epsilon", "epsilon must be in [0, inf], got -1"),
    ("samplers", {"run": {"expression": "Gaussian(1)"}}, "run.expression", "write one step"),
    (
        "samplers",
        {"run": {"expression": "Gaussian(1).on(Shuffled(9))"}},
        "run.expression",
        "share of the records is not known from Shuffled(9)",
    ),
    ("budgets/{name}/propose", {"expression": "Gaussian("}, "expression", "not an expression"),
    ("budgets/{name}/propose", {"name": "nobody"}, "", "must be an opened one (census, pure)"),
    ("budgets/{name}", {"name": "../x"}, "", "budget must be a name"),
]


@pytest.mark.parametrize(("name", "change", "path", "words"), WRONG)
def test_what_is_wrong_is_said_with_its_field(
    name: str, change: dict[str, Any], path: str, words: str
) -> None:
    status, body = answered(name, QUESTIONS[name] | change)
    assert status == 422
    assert body["error"]["path"] == path
    assert body["error"]["field"] == (path.rpartition(".")[2] or None)
    assert words in body["error"]["message"]

"""`account`: what each release costs, and an exit code that guards a pipeline."""

from __future__ import annotations

from pathlib import Path

import pytest

import hockeystick as hs
from tests.support.command import BOUND, answered, call, read_json, refused, run, shape

PLAN = """
[budget]
epsilon = 1.6
delta = 1e-6

[releases.training]
expression = "Gaussian(20)"
count = 9

[releases."survey of 2025"]
expression = "Gaussian(8)"
count = 2
"""


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    path = tmp_path / "plan.toml"
    path.write_text(PLAN)
    return path


def test_the_costs_are_those_of_the_library(plan: Path) -> None:
    found = read_json("account", str(plan))
    row = {
        "name": "text", "expression": "text", "count": "number",
        "alone": "number", "marginal": "number",
    }  # fmt: skip
    assert shape(found) == {
        "releases": [row],
        "together": {"epsilon": "number", **BOUND},
        "budget": {"epsilon": "number", "delta": "number"},
        "relation": "text",
        "left": "number",
        "holds": "truth",
    }
    training, survey = hs.Gaussian(20) * 9, hs.Gaussian(8) * 2
    total = (training + survey).epsilon(1e-6)
    alone = [each.epsilon(1e-6).upper for each in (training, survey)]
    assert [each["alone"] for each in found["releases"]] == pytest.approx(alone, rel=1e-12)
    assert [each["marginal"] for each in found["releases"]] == pytest.approx(
        [total - alone[1], total - alone[0]], rel=1e-9
    )
    assert found["together"]["epsilon"] == pytest.approx(total, rel=1e-12)
    assert found["left"] == pytest.approx(1.6 - total, rel=1e-9)
    assert (found["holds"], found["relation"]) == (True, "add-remove")


def test_the_exit_code_says_whether_the_budget_holds(plan: Path) -> None:
    printed = answered("account", str(plan), "--relation", "replace-one", code=1)
    assert printed.startswith("release ")
    assert "survey of 2025" in printed
    assert printed.endswith("the budget epsilon = 1.6 does not hold\n")
    done = call("account", str(plan))
    assert done.returncode == 0
    assert done.stdout.endswith("the budget epsilon = 1.6 holds\n")


@pytest.mark.parametrize("epsilon", ["0.5", "0.4999999999"])
def test_the_budget_holds_to_the_last_digit(tmp_path: Path, epsilon: str) -> None:
    path = tmp_path / "plan.toml"
    budget = f"[budget]\nepsilon = {epsilon}\ndelta = 0\n"
    path.write_text(f'{budget}[releases.x]\nexpression = "Laplace(2)"\n')
    assert call("account", str(path)).returncode == (0 if epsilon == "0.5" else 1)


def test_the_plan_may_name_the_relation(plan: Path) -> None:
    plan.write_text('relation = "replace-one"\n' + PLAN)
    assert call("account", str(plan)).returncode == 1
    assert call("account", str(plan), "--relation", "add-remove").returncode == 0


@pytest.mark.slow
def test_a_long_plan_is_read_whole_from_standard_input() -> None:
    """What stands at its end counts."""
    done = run("account", "-", stdin="# a remark\n" * 20_000 + PLAN.replace("1.6", "0.1"))
    assert done.returncode == 1
    assert "survey of 2025" in done.stdout


def test_what_reveals_everything_has_no_margin_and_no_budget(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_text(
        "[budget]\nepsilon = 1\ndelta = 0.1\n"
        '[releases.x]\nexpression = "Gaussian(0)"\n[releases.y]\nexpression = "Gaussian(0)"\n'
    )
    done = call("account", str(path), "--json")
    assert done.returncode == 1
    assert '"marginal": 0.0' in done.stdout
    assert '"left": "-inf"' in done.stdout


BUDGET = "[budget]\nepsilon = 1\ndelta = 0\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "plan must have the keys budget, releases, relation (optional), got none"),
        ("[budget", "plan must be TOML: "),
        (BUDGET, "plan must have the keys budget, releases"),
        (BUDGET + "[releases]", "releases must be tables such as [releases.training], got none"),
        (BUDGET + "[releases.x]", "releases.x must have the keys expression, count (optional)"),
        (BUDGET + "[releases]\nx = 5", "releases.x must have the keys expression"),
        (BUDGET + '[releases.x]\nexpression = "Gausian(1)"', "releases.x: 'Gausian' at position 1"),
        (BUDGET + "[releases.x]\nexpression = 5", "releases.x: text must be a string, got 5"),
        (
            BUDGET + '[releases.x]\nexpression = "PureDP(1)"\ncount = 1.5',
            "releases.x: count must be an integer >= 0, got 1.5",
        ),
        (
            BUDGET + '[releases.x]\nexpression = "PureDP(1)"\ncuont = 2',
            "releases.x must have the keys expression, count (optional), got cuont, expression",
        ),
        (
            '[budget]\nepsilon = -1\ndelta = 0\n[releases.x]\nexpression = "PureDP(1)"',
            "budget.epsilon must be",
        ),
        (
            '[budget]\nepsilon = "1"\ndelta = 0\n[releases.x]\nexpression = "PureDP(1)"',
            "budget.epsilon must be a number",
        ),
        (
            'relation = "other"\n' + BUDGET + '[releases.x]\nexpression = "PureDP(1)"',
            "relation must be one of add-remove, replace-one, zero-out, got 'other'",
        ),
        ("relation = [1]\n" + BUDGET + "[releases.x]\nexpression = 'PureDP(1)'", "got [1]"),
        (
            BUDGET + '[releases.x]\nexpression = "Gaussian(1).on(Poisson(0.1))"\n[releases.y]\n'
            'expression = "Gaussian(1).on(WithoutReplacement(1, 2))"',
            "the parts speak of different neighbours",
        ),
    ],
)
def test_refuses(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "plan.toml"
    path.write_text(text)
    assert message in refused(call("account", str(path)))


def test_a_file_that_is_not_there_is_one_line() -> None:
    assert "nothing.toml: No such file or directory" in refused(run("account", "nothing.toml"))


def test_bytes_that_are_no_text_are_one_line(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_bytes(b"\xff\xfe")
    assert "must be UTF-8 text" in refused(call("account", str(path)))


def test_a_plan_may_be_json(tmp_path: Path) -> None:
    text = '{"budget": {"epsilon": 2, "delta": 1e-6}, "releases": {"a": {"expression": "%s"}}}'
    path = tmp_path / "plan.json"
    path.write_bytes(b"\xef\xbb\xbf" + (text % "Laplace(2) * 3").encode())
    found = read_json("account", str(path))
    assert found["together"]["epsilon"] == (hs.Laplace(2.0) * 3).epsilon(1e-6)
    path.write_text(text % "Laplace(2)" + "}")
    assert "plan must be JSON: Extra data" in refused(call("account", str(path)))
    path.write_text((text % "Laplace(2)").replace("1e-6", "1e-400"))
    assert "numbers must be 0 or at least 5e-324, got '1e-400'" in refused(
        call("account", str(path))
    )


def test_proven_costs_say_so(plan: Path) -> None:
    assert "; certified)" in call("account", str(plan), "--certify").stdout
    assert read_json("account", str(plan), "--certify")["together"]["certified"] is True


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("Gaussian(8)", "ZeroConcentratedDP(0.1)", "a Rényi curve is all that is known"),
        ("Gaussian(8)", "Gaussian(-8)", "must be"),
        ("1e-6", "2", "delta must be in [0, 1]"),
    ],
)
def test_what_cannot_be_proven_is_one_line(plan: Path, old: str, new: str, says: str) -> None:
    plan.write_text(PLAN.replace(old, new))
    assert says in refused(call("account", str(plan), "--certify"))


def test_a_proof_has_no_other_route(plan: Path) -> None:
    assert "method must be 'auto'" in refused(
        call("account", str(plan), "--certify", "--method", "contour")
    )

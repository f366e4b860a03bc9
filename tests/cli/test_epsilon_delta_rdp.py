"""`epsilon`, `delta` and `rdp`: the answers of the library, as lines and as JSON."""

from __future__ import annotations

import re

import pytest

import hockeystick as hs
from tests.support.command import BOUND, answered, call, parsed, read_json, refused, run, shape

STEP = "Gaussian(1.0).on(Poisson(0.001)) * 600_000"


def test_epsilon_is_one_readable_line() -> None:
    done = run("epsilon", STEP, "--delta", "1e-8")  # as people start it
    assert (done.returncode, done.stderr) == (0, "")
    line = re.fullmatch(
        r"epsilon = (\S+)  \(delta = 1e-08; at least (\S+); relation: add-remove; "
        r"method: contour\)\n",
        done.stdout,
    )
    assert line
    answer = hs.parse(STEP).epsilon(1e-8)
    assert float(line[1]) == pytest.approx(5.912238944, rel=1e-9)
    assert answer.upper <= float(line[1]) <= answer.upper * (1 + 1e-12)
    assert answer.lower * (1 - 1e-12) <= float(line[2]) <= answer.lower


def test_delta_is_one_readable_line() -> None:
    printed = call("delta", "Gaussian(2.0)", "--epsilon", "1").stdout
    assert printed.startswith("delta = 0.00682959")
    assert "(epsilon = 1.0; at least 0.0068295" in printed
    assert printed.count("\n") == 1


def test_json_is_the_whole_answer() -> None:
    answer = hs.Gaussian(2.0).delta(1.0)
    printed = answered("delta", "Gaussian(2.0)", "--epsilon", "1", "--json")
    assert parsed(printed) == {
        "delta": answer.upper,
        "lower": answer.lower,
        "upper": answer.upper,
        "epsilon": 1.0,
        "method": answer.method,
        "certified": answer.certified,
        "relation": "add-remove",
    }


def test_infinity_is_valid_json() -> None:
    found = read_json("epsilon", "Gaussian(0)", "--delta", "0.1")
    assert (found["epsilon"], found["upper"]) == ("inf", "inf")
    assert shape(found) == BOUND | {
        "epsilon": "text", "delta": "number", "lower": "text", "upper": "text"
    }  # fmt: skip


@pytest.mark.parametrize("method", ["contour", "lattice", "renyi"])
def test_method_is_handed_on(method: str) -> None:
    run_of = "Laplace(1.0).on(Poisson(0.1)) * 1000"
    found = call("epsilon", run_of, "--delta", "1e-6", "--method", method).stdout
    assert found.endswith(f"method: {method})\n")
    answer = hs.parse(run_of).epsilon(1e-6, method=method)
    assert float(found.split()[2]) == pytest.approx(answer, rel=1e-12)


def test_closed_form_is_handed_on() -> None:
    done = call("epsilon", "Gaussian(1.0)", "--delta", "1e-6", "--method", "closed-form")
    assert done.stdout.endswith("method: closed form)\n")


@pytest.mark.parametrize("relation", list(hs.Relation))
@pytest.mark.parametrize(("command", "option"), [("epsilon", "--delta"), ("delta", "--epsilon")])
def test_relation_is_handed_on(command: str, option: str, relation: hs.Relation) -> None:
    name = relation.value.lower().replace("_", "-")
    done = call(command, "Gaussian(3.0)", option, "0.1", "--relation", name)
    answer = getattr(hs.Gaussian(3.0), command)(0.1, relation=relation)
    assert float(done.stdout.split()[2]) == pytest.approx(answer, rel=1e-12)


def test_a_dash_reads_standard_input() -> None:
    typed = call("epsilon", "Gaussian(1.0) + Laplace(2.0)", "--delta", "1e-6").stdout
    piped = answered("epsilon", "-", "--delta", "1e-6", stdin="Gaussian(1.0)\n  + Laplace(2.0)\n")
    assert piped == typed


def test_rdp_has_a_line_for_each_order() -> None:
    printed = call("rdp", "Gaussian(2.0)", "--orders", "2,3:5:3,inf").stdout
    line = r"^rdp = (\S+)  \(order = (\S+); at least (\S+); relation: add-remove\)$"
    found = re.findall(line, printed, re.MULTILINE)
    assert [order for _, order, _ in found] == ["2.0", "3.0", "4.0", "5.0", "inf"]
    for upper, order, lower in found[:-1]:
        exact = float(order) / 8
        assert float(lower) <= exact <= float(upper)
        assert float(upper) == pytest.approx(exact, rel=1e-12)
    assert found[-1][0] == "inf"


def test_rdp_as_json() -> None:
    found = read_json("rdp", STEP, "--orders", "2,4.5", "--relation", "zero-out")
    row = {"order": "number", "rdp": "number", "lower": "number", "upper": "number"}
    assert shape(found) == {"rdp": [row], "method": "text", "relation": "text"}
    expected = hs.parse(STEP).rdp([2, 4.5], relation=hs.ZERO_OUT)
    assert [each["rdp"] for each in found["rdp"]] == pytest.approx(list(expected), rel=1e-12)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("epsilon", "Gausian(1)", "--delta", "1e-5"), "did you mean Gaussian?"),
        (("epsilon", "Gaussian(-1)", "--delta", "1e-5"), "noise_multiplier must be in [0, inf]"),
        (("epsilon", "Gaussian(1, 2, 3)", "--delta", "1e-5"), "wrong arguments"),
        (("epsilon", "__import__('os').system('true')", "--delta", "1e-5"), "unexpected"),
        (("epsilon", "Poisson(0.1)", "--delta", "1e-5"), "is a sampler"),
        (("epsilon", "", "--delta", "1e-5"), "text is empty"),
        (("epsilon", "Gaussian(1)", "--delta", "2"), "delta must be in [0, 1], got 2.0"),
        (("epsilon", "Gaussian(1)", "--delta", "nan"), "delta must be"),
        (("delta", "Gaussian(1)", "--epsilon", "-1"), "epsilon must be"),
        (
            ("delta", "Gaussian(1).on(Shuffled(10))", "--epsilon=1", "--relation", "add-remove"),
            "ADD_REMOVE",
        ),
        (("rdp", "Gaussian(1)", "--orders", "-0.5"), "order must be in [0, inf], got -0.5"),
        (("rdp", "Gaussian(1)", "--orders", "2,x"), "orders must be numbers such as"),
        (("rdp", "Gaussian(1)", "--orders", "2:3"), "orders must be a finite range"),
        (("rdp", "Gaussian(1)", "--orders", "2:3:1"), "count from 2 to 1000000, got '2:3:1'"),
        (("rdp", "Gaussian(1)", "--orders", "2:inf:3"), "orders must be a finite range"),
        (("rdp", "Gaussian(1)", "--orders", "2:3:900000,2:3:900000"), "at most 1000000 numbers"),
    ],
)
def test_bad_input_is_one_line_and_code_2(arguments: tuple[str, ...], message: str) -> None:
    assert message in refused(call(*arguments))


def test_hostile_standard_input_is_one_line_and_code_2() -> None:
    refused(run("epsilon", "-", "--delta", "1e-5", stdin=b"\xff\xfe"))


def test_too_long_standard_input_is_refused_unread() -> None:
    line = refused(run("epsilon", "-", "--delta", "1e-5", stdin=b"x" * 10**6))
    assert "at most 100000 characters, got 100001" in line


def test_proven_divergences_carry_their_certificates() -> None:
    done = call("rdp", "Gaussian(2) * 3", "--orders", "2,inf", "--certify")
    assert done.stdout.count("certified)") == 2
    said = read_json("rdp", "Gaussian(2) * 3", "--orders", "2", "--certify")
    assert said["lower"] <= 0.75 <= said["upper"]
    assert said["certificate"]["asked"] == "rdp"

"""`plot`: what it draws is what the library answers."""

from __future__ import annotations

import csv
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hockeystick as hs
from tests.support.command import PLAIN, answered, call, read_json, refused, shape

EXPRESSIONS = ("Gaussian(1.0)", "Gaussian(1.5).on(Poisson(0.1)) * 1000")


def table(path: Path) -> dict[str, list[list[float]]]:
    """The columns of numbers of each expression in a CSV file."""
    found: dict[str, list[list[float]]] = {}
    with path.open(newline="", encoding="utf-8") as file:
        for row in list(csv.reader(file))[1:]:
            found.setdefault(row[0], []).append([float(cell) for cell in row[1:5]])
    return found


def profile(mechanism: hs.Mechanism, x: Any) -> hs.Bounds:
    return mechanism.profile(x)


def epsilons(mechanism: hs.Mechanism, x: Any) -> hs.Bounds:
    return mechanism.epsilons(1e-6, x.astype(int))


def rdp(mechanism: hs.Mechanism, x: Any) -> Any:
    return mechanism.rdp(x)


def tradeoff(mechanism: hs.Mechanism, x: Any) -> hs.Bounds:
    return mechanism.tradeoff(x)


CURVES = {
    "profile": (profile, EXPRESSIONS, "epsilon,delta", 0.0),
    "epsilon-over-steps": (
        epsilons, ("Gaussian(1.0)", "Gaussian(1.5).on(Poisson(0.1))"), "steps,epsilon", 1.0
    ),
    "rdp": (rdp, EXPRESSIONS, "order,rdp", 1.1),
    "tradeoff": (tradeoff, EXPRESSIONS, "type_I_error,type_II_error", 0.0),
}  # fmt: skip
LAST = {"epsilon-over-steps": 1000.0, "rdp": 64.0, "tradeoff": 1.0}


@pytest.mark.parametrize("kind", CURVES)
def test_the_curves_are_those_of_the_library(kind: str, tmp_path: Path) -> None:
    query, labels, names, first = CURVES[kind]
    path = tmp_path / "curves.csv"
    asked = ("--kind", kind, "--points", "7", "--delta", "1e-6", "--data", str(path))
    assert call("plot", *EXPRESSIONS, *asked).returncode == 0
    head, *rows_in_text = path.read_text().splitlines()
    asked_at = ",delta" if kind == "epsilon-over-steps" else ""
    assert head == f"expression,{names},lower,upper,relation{asked_at}"
    end = ",add-remove,1e-06" if asked_at else ",add-remove"
    assert all(row.endswith(end) for row in rows_in_text)
    found = table(path)
    assert tuple(found) == labels
    for label, rows in found.items():
        x, y, lower, upper = np.array(rows).T
        assert (x[0], len(x)) == (first, 7)
        assert x[-1] == LAST.get(kind, x[-1])
        expected = query(hs.parse(label), x)
        np.testing.assert_allclose(y, np.asarray(expected), rtol=1e-9, atol=0)
        np.testing.assert_allclose(lower, expected.lower, rtol=1e-9, atol=0)
        np.testing.assert_allclose(upper, expected.upper, rtol=1e-9, atol=0)
        np.testing.assert_array_equal(y, lower if kind == "tradeoff" else upper)


def test_a_profile_ends_where_the_longest_is_small(tmp_path: Path) -> None:
    path = tmp_path / "curves.csv"
    call("plot", *EXPRESSIONS, "--points", "3", "--data", str(path))
    last = max(hs.parse(each).epsilon(1e-8) for each in EXPRESSIONS)
    assert [row[0] for row in table(path)[EXPRESSIONS[0]]] == pytest.approx([0, last / 2, last])


@pytest.mark.slow
def test_a_picture_holds_the_curves(tmp_path: Path) -> None:
    """An SVG is text: the drawn lines are read back from it and compared with the CSV."""
    picture, data = tmp_path / "curves.svg", tmp_path / "curves.csv"
    printed = answered(
        "plot", *EXPRESSIONS, "--kind", "tradeoff", "--points", "11", "-o", str(picture),
        "--data", str(data),
    )  # fmt: skip
    assert printed == ""
    lines = drawn_lines(picture)
    for label, rows in table(data).items():
        assert label in picture.read_text().replace("&#42;", "*")
        x, y = np.array(rows).T[:2]
        # The scale of the picture is told by its ends: (0, 1) is the first point, (1, 0) the last.
        fits = [
            np.allclose((px - px[0]) / (px[-1] - px[0]), x, atol=1e-5)
            and np.allclose((py - py[-1]) / (py[0] - py[-1]), y, atol=1e-5)
            for px, py in lines
            if len(px) == len(x)
        ]
        assert any(fits)


def drawn_lines(path: Path) -> list[tuple[Any, Any]]:
    found = []
    for element in ElementTree.parse(path).iter("{http://www.w3.org/2000/svg}path"):
        words = element.get("d", "").replace("M", "").replace("L", "").split()
        if len(words) >= 22 and "z" not in words and "Q" not in words:
            numbers = np.array(words, dtype=float).reshape(-1, 2)
            found.append((numbers[:, 0], numbers[:, 1]))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("kind", CURVES)
def test_every_kind_is_a_picture(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "picture.png"
    done = call("plot", "Laplace(1)", "--kind", kind, "--points", "5", "-o", str(path))
    assert (done.returncode, done.stdout) == (0, "")
    assert path.read_bytes().startswith(b"\x89PNG")
    assert path.stat().st_size > 4000


def test_without_a_file_it_is_drawn_in_the_terminal() -> None:
    printed = call("plot", "Gaussian(1)", "Gaussian(2)", "--to", "2").stdout.splitlines()
    assert printed[0] == "delta over epsilon, add-remove"
    top, bottom = (float(printed[row].split()[0]) for row in (1, 16))
    assert top == pytest.approx(hs.Gaussian(1).delta(0), rel=1e-4)
    assert bottom == pytest.approx(hs.Gaussian(2).delta(2), rel=1e-4)
    assert printed[18].split() == ["0", "2"]
    assert printed[-2:] == ["a  Gaussian(1.0)", "b  Gaussian(2.0)"]


def test_json_holds_the_curves() -> None:
    found = read_json("plot", "Laplace(1)", "--kind", "rdp", "--points", "4", "--to", "8")
    numbers = ["number"]
    curve = {
        "expression": "text", "order": numbers, "rdp": numbers, "lower": numbers, "upper": numbers
    }  # fmt: skip
    assert shape(found) == {"kind": "text", "relation": "text", "curves": [curve]}
    (only,) = found["curves"]
    assert only["rdp"] == pytest.approx(list(hs.Laplace(1).rdp(only["order"])), rel=1e-12)


def test_relation_and_method_are_handed_on(tmp_path: Path) -> None:
    path = tmp_path / "curves.csv"
    asked = ("--relation", "replace-one", "--method", "renyi", "--points", "2", "--to", "1")
    call("plot", "Gaussian(3)", *asked, "--data", str(path))
    expected = hs.Gaussian(3).delta(1, relation=hs.REPLACE_ONE, method="renyi")
    assert table(path)["Gaussian(3.0)"][-1][1] == pytest.approx(expected, rel=1e-12)


MIXED = ("Gaussian(1).on(Poisson(0.1))", "Gaussian(1).on(WithoutReplacement(10, 100))")


def test_other_neighbours_are_not_drawn_beside_each_other() -> None:
    message = (
        "different neighbours (add-remove, replace-one); name one with relation= or --relation"
    )
    assert message in refused(call("plot", *MIXED, "--points", "2"))
    found = read_json("plot", *MIXED, "--points", "2", "--relation", "replace-one")
    assert found["relation"] == "replace-one"
    for curve in found["curves"]:
        exact = hs.parse(curve["expression"]).profile(curve["epsilon"], relation=hs.REPLACE_ONE)
        assert curve["delta"] == pytest.approx(list(exact), rel=1e-9)


def test_steps_are_drawn_at_a_delta_that_is_named() -> None:
    asked = ("--kind", "epsilon-over-steps", "--points", "2", "--delta", "1e-6")
    printed = call("plot", "Gaussian(1) * 9", *asked).stdout
    assert printed.splitlines()[0] == "epsilon over steps at delta = 1e-06, add-remove"
    found = read_json("plot", "Gaussian(1) * 9", *asked)
    assert (found["delta"], found["relation"]) == (1e-6, "add-remove")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("Gaussian(x)",), "is not a known name"),
        (("Gaussian(1)", "--from", "2", "--to", "1"), "from must be below to"),
        (("Gaussian(1)", "--to", "inf"), "both finite, got 0.0 and inf"),
        (("Gaussian(1)", "--from", "-1"), "from must be >= 0 for this kind, got -1.0"),
        (
            ("Gaussian(1)", "--kind", "tradeoff", "--to", "2"),
            "from and to must be in [0, 1] for tradeoff",
        ),
        (("Gaussian(1)", "--kind", "rdp", "--from", "0"), "from must be > 0 for this kind"),
        (("Gaussian(1)", "--kind", "epsilon-over-steps", "--from", "0"), "from must be at least 1"),
        (("Gaussian(1)", "-o", "x.nonsense"), "picture must end in .png, .pdf or .svg"),
        (("Gaussian(1)", "-o", "x"), "got 'x'"),
        (("Gaussian(1)", "--data", "no/such/x.csv"), "there is no folder 'no/such'"),
        (("Gaussian(1)", "--data", "/"), "'/' is a directory"),
    ],
)
def test_refuses(arguments: tuple[str, ...], message: str) -> None:
    assert message in refused(call("plot", "--points", "2", *arguments))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("Gaussian(inf)",), "delta is 0 everywhere"),
        (("Gaussian(1)", "--kind", "epsilon-over-steps", "--delta", "0"), "epsilon is infinite"),
        (("Gaussian(1)", "--from", "20", "--to", "30"), "delta is nowhere above 1e-08"),
    ],
)
def test_an_empty_frame_is_not_drawn_but_explained(
    arguments: tuple[str, ...], reason: str, tmp_path: Path
) -> None:
    done = call("plot", *arguments)
    assert len(done.stdout.splitlines()) == 2
    assert f"(not drawn: {reason}" in done.stdout
    done = call("plot", *arguments, "-o", str(tmp_path / "empty.png"))
    assert (done.returncode, done.stdout) == (0, "")
    assert f"is not drawn: {reason}" in done.stderr


def test_the_title_says_delta_and_relation() -> None:
    asked = ("plot", "Gaussian(1)", "--kind", "epsilon-over-steps", "--delta", "1/1000")
    first = call(*asked, "--relation", "zero-out").stdout.splitlines()[0]
    assert first == "epsilon over steps at delta = 0.001, zero-out"


@pytest.mark.parametrize("columns", [20, 40, 60])
def test_a_narrow_terminal(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PLAIN, "COLUMNS", str(columns))
    lines = call("plot", "Gaussian(1)", "--points", "9").stdout.splitlines()
    assert max(map(len, lines[1:-1])) <= max(columns, 21)


def test_the_first_steps_have_points_of_their_own() -> None:
    """ε grows like the root of the steps: equal distances would draw a kink."""
    asked = ("plot", "Gaussian(10) * 1000000", "--kind", "epsilon-over-steps")
    (curve,) = read_json(*asked)["curves"]
    steps, epsilons = np.array(curve["steps"]), np.array(curve["epsilon"])
    assert (steps[0], steps[-1]) == (1, 1_000_000)
    assert (np.diff(epsilons) < 0.04 * epsilons[-1]).all()
    assert len(steps) == 101

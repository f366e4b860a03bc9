"""`sweep`: a table of the whole grid."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

import hockeystick as hs
from tests.support.command import answered, call, parsed, refused, shape

FAMILY = "Gaussian({sigma}).on(Poisson({q})) * {T}"


def test_the_table_is_that_of_the_library(tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    done = call(
        "sweep", FAMILY, "--sigma", "1:2:3", "--q", "0.01,0.1", "--T", "1000", "--delta", "1e-5",
        "-o", str(path), "--workers", "1",
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "")
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == [
        "sigma",
        "q",
        "T",
        "epsilon",
        "lower",
        "upper",
        "method",
        "delta",
        "relation",
    ]
    assert [(row["sigma"], row["q"], row["T"]) for row in rows] == [
        (sigma, q, "1000") for sigma in ("1", "1.5", "2") for q in ("0.01", "0.1")
    ]
    for row in rows:
        step = hs.Gaussian(float(row["sigma"])).on(hs.Poisson(float(row["q"])))
        answer = (step * 1000).epsilon(1e-5)
        assert float(row["epsilon"]) == pytest.approx(answer, rel=1e-12)
        assert float(row["lower"]) == pytest.approx(answer.lower, rel=1e-12)
        assert row["method"] == answer.method


def test_options_may_come_first_and_without_a_file_it_is_printed() -> None:
    done = call("sweep", "--b=1,2", "--epsilon", "0.5", "Laplace({b})", "--workers", "1")
    header, *rows = done.stdout.splitlines()
    assert header == "b,delta,lower,upper,method,epsilon,relation"
    found = [float(row.split(",")[1]) for row in rows]
    assert found == pytest.approx([hs.Laplace(b).delta(0.5) for b in (1, 2)], rel=1e-12, abs=1e-15)


def test_json() -> None:
    printed = answered(
        "sweep", "-", "--b", "1,2,3", "--delta", "0", "--relation", "replace-one", "--workers", "1",
        "--json", stdin="Laplace({b})",
    )  # fmt: skip
    found = parsed(printed)
    row = {
        "b": "number", "epsilon": "number", "lower": "number", "upper": "number",
        "method": "text", "delta": "number", "relation": "text",
    }  # fmt: skip
    assert shape(found) == {"rows": [row]}
    assert [each["epsilon"] for each in found["rows"]] == pytest.approx([2, 1, 2 / 3])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("Laplace({b})", "--delta", "0"), "values must be given for b, got nothing"),
        (("Laplace({b})", "--b", "1", "--c", "1", "--delta", "0"), "given for b, got b, c"),
        (("Laplace(1)", "--delta", "0", "--b", "1"), "values must be given for nothing, got b"),
        (("Laplace({b})", "--b", "1"), "one of delta and epsilon must be given"),
        (("Laplace({b})", "--b", "1", "--delta", "0", "--epsilon", "1"), "not both"),
        (("Laplace({b})", "--b", "x", "--delta", "0"), "--b must be numbers such as"),
        (("Laplace({b})", "--delta", "0", "--b"), "--b must be numbers such as"),
        (("Laplace({b})", "--b", "-1", "--delta", "0"), "noise_multiplier must be in [0, inf]"),
        (("--b", "1", "--delta", "0"), "EXPR must be given once, got 0 of them"),
        (("Laplace({b})", "PureDP({b})", "--b", "1", "--delta", "0"), "given once, got 2 of them"),
        (
            ("Laplace({b})", "--b", "0:1:1001,1:2:1000", "--c", "0:1:1000", "--delta", "0"),
            "values must be given for b",
        ),
        (
            ("Laplace({b}) * {c}", "--b", "0:1:1001", "--c", "0:1:1000", "--delta", "0"),
            "a sweep must have from 1 to 1000000 points, got 1001000",
        ),
        (
            ("RenyiDP.table(2, {e})", "--e", "1", "--delta", "1e-5", "--method", "contour"),
            "at e = 1.0: method must be 'auto' or 'renyi'",
        ),
    ],
)
def test_refuses(arguments: tuple[str, ...], message: str) -> None:
    assert message in refused(call("sweep", *arguments, "--workers", "1"))

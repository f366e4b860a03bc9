"""Figures as values and as tables."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import pytest

from hockeystick import ParameterError
from hockeystick.figures import Curve, write_csv
from tests.support.small_figure import SMALL


def test_a_table_holds_every_point_with_all_its_digits(tmp_path: Path) -> None:
    path = tmp_path / "small.csv"
    write_csv(SMALL, path)
    header, *rows = csv.reader(path.read_text(encoding="utf-8").splitlines())
    assert header == ["panel", "curve", "x", "y"]
    read = [(panel, curve, float(x), float(y)) for panel, curve, x, y in rows]
    assert read == [
        ("left, with a comma", "first", 1.0, 0.1),
        ("left, with a comma", "first", 10.0, 1.0),
        ("left, with a comma", "first", 100.0, 30.0),
        ("left, with a comma", "second", 1.0, 1e-3),
        ("left, with a comma", "second", 10.0, math.inf),
        ("left, with a comma", "second", 100.0, 2.0),
        ("right", "first", 0.0, 2 / 3),
        ("right", "first", 1.0, 0.0),
        ("right", "dots", 0.0, 1.0),
        ("right", "dots", 1.0, 2.0),
    ]
    assert rows[2][2] == "100"


def test_curves_hold_pairs_of_numbers() -> None:
    with pytest.raises(ParameterError, match="same length, got 2 and 1"):
        Curve("broken", [1, 2], [1])


def test_equal_curves_are_equal_whatever_they_were_made_of() -> None:
    assert Curve("a", (1, 2), [3, 4]) == Curve("a", [1.0, 2.0], (3.0, 4.0))

"""Which figures there are."""

from __future__ import annotations

import pytest

from hockeystick import ParameterError
from hockeystick.figures import compute, described, names

WANTED = {"balle-1", *(f"wang-{number}" for number in range(3, 11))}


def test_every_figure_is_found_and_ordered_by_number() -> None:
    assert set(names()) >= WANTED
    wang = [name for name in names() if name.startswith("wang-")]
    assert wang == [f"wang-{number}" for number in range(3, 11)]


def test_every_figure_is_described_in_one_line() -> None:
    found = described()
    assert list(found) == names()
    for line in found.values():
        assert 20 < len(line) < 100
        assert line.endswith(".")
        assert "\n" not in line
    assert len(set(found.values())) == len(found)


def test_a_name_that_is_none_is_refused_with_the_names() -> None:
    with pytest.raises(ParameterError, match=r"balle-1, .*wang-10, got 'wang-99'"):
        compute("wang-99")

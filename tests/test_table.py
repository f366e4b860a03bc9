"""Tables of answers: what pandas and polars make of them."""

from __future__ import annotations

import pytest

import hockeystick as hs
from hockeystick.table import Table

STEP = hs.Gaussian(1.0).on(hs.Poisson(0.01))


def swept() -> Table:
    return hs.sweep("Laplace({b}) * {n}", b=[1.0, 2.0], n=[1, 3], delta=0)


def test_columns_in_full() -> None:
    assert swept().to_dict() == {
        "b": [1.0, 1.0, 2.0, 2.0],
        "n": [1, 3, 1, 3],
        "epsilon": [1.0, 3.0, 0.5, 1.5],
        "lower": [1.0, 3.0, 0.5, 1.5],
        "upper": [1.0, 3.0, 0.5, 1.5],
        "method": ["closed form"] * 4,
        "delta": [0.0] * 4,
        "relation": ["add-remove"] * 4,
    }
    other = hs.sweep("Laplace({b})", b=[1.0], epsilon=0.5, relation=hs.REPLACE_ONE).to_dict()
    assert (other["epsilon"], other["relation"]) == ([0.5], ["replace-one"])
    assert other["delta"] == [hs.Laplace(1.0).delta(0.5, relation=hs.REPLACE_ONE).upper]


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_data_frames(library: str) -> None:
    frame = pytest.importorskip(library).DataFrame
    assert list(frame(swept()).columns) == ["b", "n", "epsilon"]
    assert list(frame(swept())["epsilon"]) == [1.0, 3.0, 0.5, 1.5]
    assert list(frame(swept().to_dict())["relation"]) == ["add-remove"] * 4
    compared = hs.compare(STEP * 10, delta=1e-6)
    assert list(frame(compared)["name"]) == [row.name for row in compared]
    full = frame(compared.to_dict())
    assert set(full["relation"]) == {"add-remove"}
    assert set(full["delta"]) == {1e-6}
    assert list(full["epsilon"]) == [row.epsilon for row in compared]

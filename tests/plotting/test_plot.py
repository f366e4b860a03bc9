"""`plot`: axes that hold the curves of the library, labelled with what they are about."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import hockeystick as hs
from hockeystick.errors import ParameterError, RelationError

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402

RUN = hs.Gaussian(1.5).on(hs.Poisson(0.1)) * 100
FIXED = hs.Gaussian(1.5).on(hs.WithoutReplacement(10, 100)) * 100


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    pyplot.close("all")


@pytest.mark.parametrize(
    ("kind", "title", "labels"),
    [
        ("profile", "δ over ε, add-remove", ("ε", "δ")),
        ("epsilon-over-steps", "ε over steps at δ = 1e-06, add-remove", ("steps", "ε")),
        ("rdp", "Rényi divergence over order α, add-remove", ("order α", "Rényi divergence")),
        (
            "tradeoff",
            "type II error over type I error, add-remove",
            ("type I error", "type II error"),
        ),
    ],
)
def test_axes_are_labelled(kind: str, title: str, labels: tuple[str, str]) -> None:
    axes = RUN.plot(kind, delta=1e-6, points=5)
    assert axes.get_title() == title
    assert (axes.get_xlabel(), axes.get_ylabel()) == labels
    assert len(axes.get_lines()) == 1


def test_the_curves_are_those_of_the_library() -> None:
    axes = hs.plot(RUN, hs.Laplace(1.0), stop=2.0, points=5)
    for line, mechanism in zip(axes.get_lines(), (RUN, hs.Laplace(1.0)), strict=True):
        x, y = line.get_data()
        np.testing.assert_allclose(y, mechanism.profile(x), rtol=1e-9)
    names = [text.get_text() for text in axes.get_legend().get_texts()]
    assert names == [repr(RUN), "Laplace(1.0)"]


def test_given_axes_are_drawn_into() -> None:
    mine = pyplot.subplots()[1]
    assert hs.plot(hs.Laplace(1.0), points=3, axes=mine) is mine
    accountant = hs.Accountant(hs.REPLACE_ONE)
    accountant.spend(hs.Laplace(4.0), 2)
    assert accountant.plot(points=3).get_title() == "δ over ε, replace-one"


@pytest.mark.slow
def test_other_neighbours_are_not_drawn_beside_each_other() -> None:
    with pytest.raises(RelationError, match=r"\(add-remove, replace-one\)"):
        hs.plot(RUN, FIXED)
    axes = hs.plot(RUN, FIXED, relation=hs.REPLACE_ONE, points=3, stop=2.0)
    assert axes.get_title() == "δ over ε, replace-one"
    for line, mechanism in zip(axes.get_lines(), (RUN, FIXED), strict=True):
        x, y = line.get_data()
        np.testing.assert_allclose(y, mechanism.profile(x, relation=hs.REPLACE_ONE), rtol=1e-9)


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(ParameterError, match="kind must be one of profile"):
        RUN.plot("pie")
    with pytest.raises(ParameterError, match="one or more mechanisms"):
        hs.plot()
    with pytest.raises(ParameterError, match="one or more mechanisms"):
        hs.plot("Gaussian(1)")  # type: ignore[arg-type]

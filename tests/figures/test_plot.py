"""Pictures."""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from hockeystick import ParameterError
from hockeystick.figures import Curve, Panel, draw, palette, plot
from hockeystick.figures.plot import _canvas
from hockeystick.random.generators import MissingExtra
from tests.support.small_figure import SMALL

BEGINNINGS = {".png": b"\x89PNG\r\n", ".pdf": b"%PDF-", ".svg": b"<?xml"}


@pytest.mark.slow
@pytest.mark.parametrize("suffix", BEGINNINGS)
def test_the_suffix_says_the_format_and_the_file_is_always_the_same(
    suffix: str, tmp_path: Path
) -> None:
    first, second = tmp_path / f"a{suffix}", tmp_path / f"b{suffix.upper()}"
    draw(SMALL, first)
    draw(SMALL, second)
    assert first.read_bytes().startswith(BEGINNINGS[suffix])
    assert len(first.read_bytes()) > 3000
    assert first.read_bytes() == second.read_bytes()


@pytest.mark.slow
def test_a_picture_is_not_blank(tmp_path: Path) -> None:
    from matplotlib.image import imread

    draw(SMALL, tmp_path / "small.png")
    pixels = imread(tmp_path / "small.png")
    assert pixels.shape[:2] == (440, 800)
    assert 0.01 < (pixels[:, :, :3].min(axis=2) < 0.9).mean() < 0.3


@pytest.mark.slow
def test_the_users_matplotlib_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import matplotlib

    monkeypatch.setitem(matplotlib.rcParams, "lines.linewidth", 17.0)
    before = dict.copy(matplotlib.rcParams)  # to look at the backend by its key would choose one
    draw(SMALL, tmp_path / "small.png")
    assert dict.copy(matplotlib.rcParams) == before
    monkeypatch.setitem(matplotlib.rcParams, "lines.linewidth", 1.0)
    draw(SMALL, tmp_path / "other.png")
    assert (tmp_path / "small.png").read_bytes() == (tmp_path / "other.png").read_bytes()


@pytest.mark.slow
def test_the_legend_lies_beside_the_axes_and_names_every_curve_once() -> None:
    canvas = _canvas(SMALL)
    canvas.draw_without_rendering()
    (legend,) = canvas.legends
    assert [text.get_text() for text in legend.get_texts()] == ["first", "second", "dots"]
    box = legend.get_window_extent()
    assert box.x0 >= 0
    assert box.x1 <= canvas.bbox.width
    for axes in canvas.axes:
        assert not box.overlaps(axes.get_tightbbox())


def test_panels_are_labelled_and_curves_are_drawn_as_asked() -> None:
    left, right = _canvas(SMALL).axes
    assert left.get_xlabel() == "order α"
    assert left.get_ylabel() == "ε (nats)"
    assert (left.get_xscale(), left.get_yscale()) == ("log", "log")
    assert right.get_xlim() == (-1.0, 2.0)
    dashed = left.get_lines()[1]
    assert dashed.get_linestyle() == "--"
    assert [math.isnan(y) for y in dashed.get_ydata()] == [False, True, False]
    dots = right.get_lines()[1]
    assert (dots.get_linestyle(), dots.get_marker()) == ("None", "o")


@pytest.mark.parametrize("high", [1.7, 50.0, 1e6])
def test_a_log_axis_has_a_few_labels_whatever_its_range(high: float) -> None:
    from matplotlib.figure import Figure

    figure = Figure()
    axes = figure.add_subplot()
    axes.set(yscale="log", ylim=(1.0, high))
    plot._log_ticks(axes.yaxis)
    figure.draw_without_rendering()
    places = [
        tick.get_loc()
        for minor in (False, True)
        for tick in (axes.yaxis.get_minor_ticks() if minor else axes.yaxis.get_major_ticks())
        if tick.label1.get_text() and 1.0 <= tick.get_loc() <= high
    ]
    assert 3 <= len(places) <= 8
    assert all(low < high for low, high in pairwise(places))


@pytest.mark.parametrize(
    ("name", "message"),
    [("a.jpg", r"must end in \.png, \.pdf or \.svg, got '.*a\.jpg'"), ("no/a.png", "folder")],
)
def test_what_cannot_be_written_is_refused(name: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=message):
        draw(SMALL, tmp_path / name)


def test_without_matplotlib_the_remedy_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtra, match=r"pip install 'hockeystick\[plots\]'"):
        draw(SMALL, tmp_path / "small.png")


@pytest.mark.slow
def test_a_picture_is_small_and_keeps_the_colours_of_thin_lines(tmp_path: Path) -> None:
    """Rare colours too, next to a legend and much white."""
    from matplotlib.colors import to_rgb
    from matplotlib.image import imread

    names = ["BLACK", "BLUE", "GREEN", "GREY", "ORANGE", "PURPLE", "SKY", "VERMILION"]
    colours = [getattr(palette, name) for name in names]
    curves = [Curve(c, [0, 1], [i, i + 0.5], c, ":") for i, c in enumerate(colours)]
    path = tmp_path / "thin.png"
    draw(replace(SMALL, panels=(Panel("thin", "x", "y", tuple(curves)),)), path)
    pixels = imread(path)[:, :, :3].reshape(-1, 3)
    for colour in colours:
        assert abs(pixels - to_rgb(colour)).max(axis=1).min() < 0.03
    assert path.stat().st_size < 30_000

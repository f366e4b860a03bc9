"""The plot in the terminal: every dot where its number is."""

from __future__ import annotations

import math

import click
import pytest

from hockeystick.cli.shared import canvas

WIDTH, HEIGHT = 20, 5


def dots(lines: list[str]) -> set[tuple[int, int]]:
    """Column and row, counted from the lower left corner, of each dot in the picture."""
    found = set()
    for row, line in enumerate(lines[:HEIGHT]):
        cells = click.unstyle(line)[canvas.MARGIN + 2 :]
        for column, cell in enumerate(cells):
            bits = ord(cell) - canvas.BLANK
            if 0 <= bits < 256:
                for y, pair in enumerate(canvas.DOTS):
                    for x, bit in enumerate(pair):
                        if bits & bit:
                            found.add((2 * column + x, 4 * HEIGHT - 1 - 4 * row - y))
    return found


def drawn(xs: list[float], ys: list[float], **options: bool) -> set[tuple[int, int]]:
    return dots(list(canvas.plot([(xs, ys)], width=WIDTH, height=HEIGHT, **options)))


def test_a_braille_cell_has_eight_dots() -> None:
    assert sum(bit for pair in canvas.DOTS for bit in pair) == 255


@pytest.mark.parametrize("log_x", [False, True])
@pytest.mark.parametrize("log_y", [False, True])
def test_dots_lie_on_the_line(log_x: bool, log_y: bool) -> None:
    xs = [math.exp(i / 10) for i in range(41)] if log_x else [float(i) for i in range(41)]
    ys = [math.exp(i / 10) for i in range(41)] if log_y else [float(i) for i in range(41)]
    found = drawn(xs, ys, log_x=log_x, log_y=log_y)
    assert len(found) > 30
    for column, row in found:
        assert abs(row - column * (4 * HEIGHT - 1) / (2 * WIDTH - 1)) <= 1


def test_what_has_no_place_leaves_a_gap() -> None:
    xs = [float(i) for i in range(40)]
    ys = [1.0] * 10 + [math.inf] * 10 + [10.0] * 10 + [0.0] * 10
    found = drawn(xs, ys, log_y=True)
    assert {row for _, row in found} == {0, 4 * HEIGHT - 1}
    assert {column for column, _ in found} <= {*range(10), *range(20, 30)}


@pytest.mark.parametrize(
    ("xs", "ys"),
    [([0.0], [0.0]), ([0.0, 1.0], [5.0, 5.0]), ([0.0, 1.0], [math.inf, math.inf]), ([], [])],
)
def test_poor_curves_are_drawn_somehow(xs: list[float], ys: list[float]) -> None:
    lines = list(canvas.plot([(xs, ys)], width=WIDTH, height=HEIGHT))
    assert len(lines) == HEIGHT + 2


def test_each_curve_has_its_letter_and_the_axes_their_ends() -> None:
    curves = [([1.0, 1000.0], [1e-8, 0.5]), ([1.0, 1000.0], [0.5, 1e-8])]
    lines = [click.unstyle(each) for each in canvas.plot(curves, log_x=True, log_y=True)]
    text = "\n".join(lines)
    assert (text.count("a"), text.count("b")) == (1, 1)
    assert lines[0].split()[0] == "0.5"
    assert lines[15].split()[0] == "1e-08"
    assert lines[-1].split() == ["1", "1000"]

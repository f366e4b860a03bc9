"""A plot in the terminal: Braille characters of 2 x 4 dots, and a letter on each curve."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import click

COLOURS = ("cyan", "magenta", "yellow", "green", "red", "blue")
DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""The bit of each dot of a Braille character, by row and column."""
BLANK = 0x2800
MARGIN = 10

Points = list[tuple[float, float]]


class Axis:
    """Numbers to places in [0, 1]; what has no place (infinity, a logarithm of 0) is None."""

    def __init__(self, values: Sequence[float], logarithmic: bool) -> None:
        self.logarithmic = logarithmic
        places = [p for p in map(self._scaled, values) if p is not None]
        self.first, self.last = min(places, default=0.0), max(places, default=1.0)

    def _scaled(self, value: float) -> float | None:
        if not math.isfinite(value) or (self.logarithmic and value <= 0):
            return None
        return math.log10(value) if self.logarithmic else value

    def place(self, value: float) -> float | None:
        """Where on the axis the value lies."""
        scaled = self._scaled(value)
        if scaled is None:
            return None
        width = self.last - self.first
        return (scaled - self.first) / width if width else 0.5

    def label(self, place: float) -> str:
        """The number at a place, in a few digits."""
        scaled = self.first + place * (self.last - self.first)
        return f"{10**scaled if self.logarithmic else scaled:.5g}"


def plot(
    curves: Sequence[tuple[Sequence[float], Sequence[float]]],
    *,
    log_x: bool = False,
    log_y: bool = False,
    width: int = 64,
    height: int = 16,
) -> Iterator[str]:
    """The lines of a picture of all curves (x, y), with the numbers at the ends of its axes.

    >>> for line in plot([([0, 1, 2], [0, 1, 2])], width=6, height=3):
    ...     print(click.unstyle(line))
             2 ┤    ⡠⠊
               │  ⡠a
             0 ┤⡠⠊
               └──────
                0    2
    """
    across = Axis([x for xs, _ in curves for x in xs], log_x)
    up = Axis([y for _, ys in curves for y in ys], log_y)
    cells: dict[tuple[int, int], tuple[int, int]] = {}
    letters: dict[tuple[int, int], int] = {}
    for number, (xs, ys) in enumerate(curves):
        dots = list(_dots(_placed(xs, ys, across, up), 2 * width - 1, 4 * height - 1))
        for column, row in dots:
            cell = column // 2, row // 4
            bits, owner = cells.get(cell, (0, number))
            cells[cell] = bits | DOTS[row % 4][column % 2], owner
        if dots:  # each curve's letter at a place of its own
            column, row = dots[(number + 1) * len(dots) // (len(curves) + 1)]
            letters[column // 2, row // 4] = number
    labels = {0: up.label(1.0), height - 1: up.label(0.0)}
    for row in range(height):
        line = "".join(_cell(cells, letters, column, row) for column in range(width))
        mark = "┤" if row in labels else "│"
        yield f"{labels.get(row, ''):>{MARGIN}} {mark}{line}".rstrip()
    yield f"{'':>{MARGIN}} └{'─' * width}"
    left, right = across.label(0.0), across.label(1.0)
    yield f"{'':>{MARGIN}}  {left}{right:>{max(width - len(left), len(right) + 1)}}"


def letter(number: int) -> str:
    """The letter of a curve, in its colour."""
    text = chr(ord("a") + number % 26)
    return click.style(text, fg=COLOURS[number % len(COLOURS)], bold=True)


def _cell(
    cells: dict[tuple[int, int], tuple[int, int]],
    letters: dict[tuple[int, int], int],
    column: int,
    row: int,
) -> str:
    if (column, row) in letters:
        return letter(letters[column, row])
    if (column, row) not in cells:
        return " "
    bits, owner = cells[column, row]
    return click.style(chr(BLANK + bits), fg=COLOURS[owner % len(COLOURS)])


def _placed(xs: Sequence[float], ys: Sequence[float], across: Axis, up: Axis) -> Iterator[Points]:
    """The points in the unit square, in pieces between values that have no place."""
    piece: Points = []
    for x, y in zip(xs, ys, strict=True):
        place = across.place(x), up.place(y)
        if place[0] is not None and place[1] is not None:
            piece.append((place[0], place[1]))
        else:
            yield piece
            piece = []
    yield piece


def _dots(pieces: Iterator[Points], right: int, bottom: int) -> Iterator[tuple[int, int]]:
    """The dots of the straight lines between the points; row 0 is the top."""
    for piece in pieces:
        for (x, y), (next_x, next_y) in zip(piece, piece[1:] or piece, strict=False):
            across, down = (next_x - x) * right, (next_y - y) * bottom
            steps = max(1, math.ceil(max(abs(across), abs(down))))
            for i in range(steps + 1):
                column = round(x * right + across * i / steps)
                yield column, bottom - round(y * bottom + down * i / steps)

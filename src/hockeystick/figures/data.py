"""The numbers of a figure as a table."""

from __future__ import annotations

from pathlib import Path

from hockeystick import saving
from hockeystick.errors import ParameterError
from hockeystick.figures.figure import Figure

COLUMNS = ("panel", "curve", "x", "y")


def check(path: str | Path) -> None:
    """Raise unless `path` is in a folder that exists."""
    if not Path(path).parent.is_dir():
        raise ParameterError(f"file must be in a folder that exists, got {str(path)!r}")


def write_csv(figure: Figure, path: str | Path) -> None:
    """One row for each point, columns panel, curve, x, y; numbers with all their digits."""
    rows = (
        (panel.title, curve.name, _digits(x), _digits(y))
        for panel in figure.panels
        for curve in panel.curves
        for x, y in zip(curve.x, curve.y, strict=True)
    )
    saving.write_csv(path, COLUMNS, rows)


def _digits(value: float) -> str:
    """The shortest text that reads back as the same float.

    >>> _digits(600000.0), _digits(0.1)
    ('600000', '0.1')
    """
    return repr(value).removesuffix(".0")

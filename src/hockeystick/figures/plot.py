"""Pictures of figures, by matplotlib (the extra `plots`)."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from hockeystick.errors import ParameterError
from hockeystick.figures import data
from hockeystick.figures.figure import Figure, Panel
from hockeystick.random.generators import MissingExtra

PANEL_SIZE = (4.0, 3.4)  # inches
LEAST_WIDTH = 7.2
DPI = 100
COLOURS = 256
"""Of a PNG: ten of lines and their blends with white."""
STYLE = {
    "font.size": 9.0,
    "axes.titlesize": 10.0,
    "axes.grid": True,
    "grid.alpha": 0.3,
    "grid.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
    "svg.hashsalt": "hockeystick",
}
UNDATED = {".png": {"Software": None}, ".pdf": {"CreationDate": None}, ".svg": {"Date": None}}
"""Formats by suffix. Without a date the same figure is the same file, whenever it is made."""


def check(path: str | Path) -> None:
    """Raise unless `draw` can write to `path`: its suffix, its folder, matplotlib."""
    if Path(path).suffix.lower() not in UNDATED:
        raise ParameterError(f"picture must end in .png, .pdf or .svg, got {str(path)!r}")
    data.check(path)
    _matplotlib()


def draw(figure: Figure, path: str | Path) -> None:
    """Write the picture as PNG, PDF or SVG, by the suffix of `path`.

    Does not change the user's matplotlib: no pyplot, settings only while it draws.
    """
    check(path)
    matplotlib = _matplotlib()
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(STYLE)
        suffix = Path(path).suffix.lower()
        _canvas(figure).savefig(path, dpi=DPI, metadata=UNDATED[suffix])
    if suffix == ".png":
        _shrink(path)


def _shrink(path: str | Path) -> None:
    """A palette in place of four channels: a fifth of the size, and lines look the same."""
    from PIL import Image  # matplotlib needs it too

    rare_too, plain = Image.Quantize.MAXCOVERAGE, Image.Dither.NONE
    with Image.open(path) as picture:
        few = picture.convert("RGB").quantize(COLOURS, rare_too, dither=plain)
    few.save(path, optimize=True)


def drawn_in(axes: Any, panel: Panel) -> Any:
    """The axes with a panel drawn into them; a figure of pyplot's where there are none.

    The settings are the user's own.
    """
    axes = new_axes() if axes is None else axes
    _panel(axes, panel)
    axes.legend()
    return axes


def new_axes() -> Any:
    """Axes of a figure of pyplot's."""
    _matplotlib()
    from matplotlib import pyplot

    return pyplot.subplots(figsize=(LEAST_WIDTH, PANEL_SIZE[1] + 1.0), layout="constrained")[1]


def _matplotlib() -> Any:
    try:
        import matplotlib
        import matplotlib.figure
    except ImportError as error:
        raise MissingExtra(
            "pictures need the package matplotlib: pip install 'hockeystick[plots]', "
            "or ask for the numbers alone with --data"
        ) from error
    return matplotlib


def _canvas(figure: Figure) -> Any:
    """The figure as matplotlib's, with one legend under all panels, where it hides nothing."""
    heights = figure.heights or (1.0,) * math.ceil(len(figure.panels) / figure.columns)
    size = (max(PANEL_SIZE[0] * figure.columns, LEAST_WIDTH), PANEL_SIZE[1] * sum(heights) + 1.0)
    canvas = _matplotlib().figure.Figure(figsize=size, layout="constrained")
    canvas.suptitle("\n".join(filter(None, (figure.title, figure.source))), fontsize=10.5)
    drawn: dict[str, Any] = {}
    grid = canvas.add_gridspec(len(heights), figure.columns, height_ratios=heights)
    for index, panel in enumerate(figure.panels):
        axes = canvas.add_subplot(grid[divmod(index, figure.columns)])
        lines = _panel(axes, panel)
        drawn |= {name: line for name, line in lines.items() if name not in drawn}
    columns = min(len(drawn), figure.columns)
    canvas.legend(drawn.values(), drawn.keys(), loc="outside lower center", ncols=columns)
    return canvas


def _panel(axes: Any, panel: Panel) -> dict[str, Any]:
    """Draw the curves and return the lines by name."""
    axes.set(title=panel.title, xlabel=panel.x_label, ylabel=panel.y_label)
    axes.set(xscale=panel.x_scale, yscale=panel.y_scale)
    lines = {}
    for curve in panel.curves:
        y = [value if math.isfinite(value) else math.nan for value in curve.y]
        (lines[curve.name],) = axes.plot(
            curve.x, y, color=curve.colour, linestyle=curve.line or "none",
            marker=curve.marker or None, markersize=4, linewidth=curve.width, label=curve.name,
        )  # fmt: skip
    if panel.x_limits:
        axes.set_xlim(panel.x_limits)
    if panel.y_limits:
        axes.set_ylim(panel.y_limits)
    for axis in (axes.xaxis, axes.yaxis):
        if axis.get_scale() == "log":
            _log_ticks(axis)
    return lines


def _log_ticks(axis: Any) -> None:
    """Plain numbers at a few places where an axis spans less than two powers of ten; else small
    ticks at 2 and 5, as those at all digits take half of the time of a picture."""
    from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter, NullLocator

    low, high = axis.get_view_interval()
    if high < 100 * low:
        few = MaxNLocator(5) if high < 10 * low else LogLocator(subs=(1.0, 2.0, 5.0))
        axis.set_major_locator(few)
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axis.set_minor_locator(NullLocator())
    else:
        axis.set_minor_locator(LogLocator(subs=(2.0, 5.0)))
    axis.set_minor_formatter(NullFormatter())

"""Curves as a picture in a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hockeystick.errors import ParameterError

if TYPE_CHECKING:
    from hockeystick.cli.shared.curves import Curve, Kind

SYMBOLS = {"epsilon": "ε", "delta": "δ", "rdp": "Rényi divergence", "order": "order α"}


def check(path: str) -> None:
    """Refuse what cannot be drawn before any work is done."""
    try:
        from matplotlib.backend_bases import FigureCanvasBase
    except ImportError:
        raise ParameterError(
            "a picture needs matplotlib: pip install 'hockeystick[plots]'"
        ) from None
    ending, known = Path(path).suffix[1:], FigureCanvasBase.get_supported_filetypes()
    if ending.lower() not in known:
        raise ParameterError(f"output must end with one of {', '.join(known)}, got {path!r}")


def draw(curves: Sequence[Curve], kind: Kind, path: str) -> None:
    """Write the curves to a file, in the format that its name ends with."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.2, 4.6), layout="constrained")
    axes = figure.add_subplot()
    for curve in curves:
        axes.plot(curve.x, curve.y, label=curve.label, linewidth=1.8)
    axes.set(xlabel=_words(kind.x), ylabel=_words(kind.y))
    axes.set(xscale="log" if kind.log_x else "linear", yscale="log" if kind.log_y else "linear")
    if min(y for curve in curves for y in curve.y) < kind.least:
        axes.set_ylim(bottom=kind.least)
    axes.grid(visible=True, which="major", alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside upper left", frameon=False, fontsize="small")
    figure.savefig(path, dpi=160)


def _words(name: str) -> str:
    return SYMBOLS.get(name, name.replace("_", " "))

"""The figures of the papers, drawn anew from this library's numbers.

A figure is a module named after its paper and number, such as `wang_4`: its docstring is the line
that lists it, and its function `figure(progress)` computes the curves. A new figure is a new file.
"""

from hockeystick.figures.catalogue import Progress, compute, described, names
from hockeystick.figures.data import write_csv
from hockeystick.figures.figure import Curve, Figure, Panel
from hockeystick.figures.plot import draw

__all__ = [
    "Curve",
    "Figure",
    "Panel",
    "Progress",
    "compute",
    "described",
    "draw",
    "names",
    "write_csv",
]

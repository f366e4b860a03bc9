"""The figures of the papers, drawn anew from this library's numbers.

A figure is a row of the table `FIGURES` in the file of its paper: `wang-4` is row 4 of
`papers/wang.py`, with its line in the list and the function that computes its curves. A new figure
is a new row, or the row of a new file.
"""

from hockeystick.figures.catalogue import compute, described, names
from hockeystick.figures.data import write_csv
from hockeystick.figures.figure import Curve, Figure, Panel, Progress
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

"""Which figures there are: the rows of every file in `hockeystick.figures.papers`."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from hockeystick.errors import ParameterError
from hockeystick.figures import papers
from hockeystick.figures.figure import Entry, Figure, Progress


def names() -> list[str]:
    """The names of all figures: `wang-4` is row 4 of the file `wang`.

    >>> "wang-4" in names()
    True
    """
    return list(_entries())


def described() -> dict[str, str]:
    """Every name with the line that says what the figure shows."""
    return {name: entry.shows for name, entry in _entries().items()}


def compute(name: str, progress: Progress = lambda fraction: None) -> Figure:
    """The curves of the figure `name`.

    Parameters
    ----------
    name: one of `names()`.
    progress: is called with the fraction of the work that is done.
    """
    if name not in names():
        raise ParameterError(f"figure must be one of {', '.join(names())}, got {name!r}")
    return _entries()[name].make(progress)


@cache
def _entries() -> dict[str, Entry]:
    """By paper, then by number."""
    entries: dict[str, Entry] = {}
    for paper in sorted(module.name for module in iter_modules(papers.__path__)):
        rows: dict[int, Entry] = import_module(f"{papers.__name__}.{paper}").FIGURES
        entries |= {f"{paper}-{number}": rows[number] for number in sorted(rows)}
    return entries

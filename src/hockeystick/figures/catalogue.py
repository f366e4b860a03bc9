"""Which figures there are, found by the names of their modules."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from hockeystick.errors import ParameterError
from hockeystick.figures.figure import Figure

Progress = Callable[[float], None]
"""Told the fraction of the work that is done, in [0, 1]."""

PACKAGE = "hockeystick.figures"


def names() -> list[str]:
    """The names of all figures: `wang-4` is the module `wang_4`.

    >>> "wang-4" in names()
    True
    """
    modules = [module.name for module in iter_modules(import_module(PACKAGE).__path__)]
    found = [re.fullmatch(r"([a-z]+)_(\d+)", module) for module in modules]
    pairs = sorted((match[1], int(match[2])) for match in found if match)
    return [f"{paper}-{number}" for paper, number in pairs]


def described() -> dict[str, str]:
    """Every name with the line that says what the figure shows."""
    return {name: (_module(name).__doc__ or "").strip() for name in names()}


def compute(name: str, progress: Progress = lambda fraction: None) -> Figure:
    """The curves of the figure `name`.

    Parameters
    ----------
    name: one of `names()`.
    progress: is called with the fraction of the work that is done.
    """
    if name not in names():
        raise ParameterError(f"figure must be one of {', '.join(names())}, got {name!r}")
    result: Figure = _module(name).figure(progress)
    return result


def _module(name: str) -> Any:
    return import_module(f"{PACKAGE}.{name.replace('-', '_')}")

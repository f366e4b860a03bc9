"""The classes that have a name in the text form: this package's own, and those of others.

Another package announces a mechanism or a sampler by an entry point with the name of the class:

    [project.entry-points."hockeystick.mechanisms"]
    Staircase = "staircase.mechanism:Staircase"

It is loaded when its name is first met. A name of this package is never looked up elsewhere.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias

from hockeystick import MECHANISMS, PATTERNS, SAMPLERS
from hockeystick.checks import shown
from hockeystick.errors import ParameterError
from hockeystick.matrix import FACTORIES
from hockeystick.matrix.participation.pattern import Pattern
from hockeystick.matrix.strategy import Strategy
from hockeystick.mechanism import Composition, Mechanism
from hockeystick.samplers.sampler import Sampler

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

Made: TypeAlias = Mechanism | Sampler | Pattern | Strategy
"""What a text makes."""
Kind = type[Mechanism] | type[Sampler] | type[Pattern]
FILES = MECHANISMS | SAMPLERS | PATTERNS
"""This package's own classes that have a file each, and its module; no other list is kept."""
ROOTS: dict[str, Kind] = {
    "hockeystick.mechanisms": Mechanism,
    "hockeystick.samplers": Sampler,
    "hockeystick.matrix.participation": Pattern,
}
"""The groups of entry points, which are this package's own folders, too, and what they hold."""


def kind_of(name: str) -> Kind | None:
    """The class of that name; None if there is none."""
    home = FILES.get(name)
    if home is not None:
        own: Kind = getattr(import_module(home), name)
        return None if inspect.isabstract(own) else own
    if name in own_kinds():
        return own_kinds()[name]
    entry = _entries().get(name)
    return None if entry is None else _loaded(entry)


def matrix_maker(name: str) -> Callable[..., Strategy]:
    """What `matrix.name` calls in a text."""
    if name not in FACTORIES:
        have = ", ".join(f"matrix.{each}" for each in FACTORIES)
        raise ParameterError(f"matrix must be one of {have}, got matrix.{shown(name)[1:-1]}")
    return FACTORIES[name]


def names() -> list[str]:
    """All names that people write, in order: what only a `repr` writes is read, but not listed."""
    written = {name for name in own_kinds() if name in FILES or name == "Composition"}
    return sorted({*written, *_entries()})


@cache
def own_kinds() -> dict[str, Kind]:
    """The classes of this package by name; all files are imported for it."""
    for home in FILES.values():
        import_module(home)
    kinds: dict[str, Kind] = {"Composition": Composition}
    for folder, root in ROOTS.items():
        for kind in _subclasses(root):
            if kind.__module__.startswith(f"{folder}.") and not inspect.isabstract(kind):
                kinds[kind.__name__] = kind
    return kinds


def _subclasses(kind: Kind) -> Iterator[Kind]:
    for child in kind.__subclasses__():
        yield child
        yield from _subclasses(child)


@cache
def _entries() -> dict[str, EntryPoint]:
    """The classes of other packages by name; a name that is taken is an error."""
    from importlib.metadata import entry_points

    entries: dict[str, EntryPoint] = {}
    for entry in (entry for group in ROOTS for entry in entry_points(group=group)):
        if entry.name in own_kinds():
            raise ParameterError(f"{_words(entry)} has the name of a class of hockeystick's own")
        if entries.setdefault(entry.name, entry) != entry:
            raise ParameterError(f"{_words(entry)} has the name of {_words(entries[entry.name])}")
    return entries


@cache
def _loaded(entry: EntryPoint) -> Kind:
    root = ROOTS[entry.group]
    try:
        kind: Any = entry.load()
    except Exception as error:
        raise ParameterError(
            f"{_words(entry)} cannot be loaded: {type(error).__name__}: {error}"
        ) from error
    if not (inspect.isclass(kind) and issubclass(kind, root)) or inspect.isabstract(kind):
        raise ParameterError(f"{_words(entry)} is not a {root.__name__}, got {kind!r}")
    if kind.__name__ != entry.name:
        raise ParameterError(f"{_words(entry)} must have the name of its class, {kind.__name__}")
    return kind


def _words(entry: EntryPoint) -> str:
    package = f" of the package {entry.dist.name}" if entry.dist else ""
    return f"entry point {entry.name} = {entry.value} in {entry.group}{package}"

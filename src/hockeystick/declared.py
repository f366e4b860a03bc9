"""Declared fields: a class says what each of its arguments may be, and one place sees to it.

A class with `@declared` is a frozen dataclass. Each field with a domain is checked and converted
when a value is made, in the order of the fields; then `check_together`, if the class has it, sees
to what they must be together:

    @declared
    class WithoutReplacement(Sampler):
        size: int = checked(Whole(0))
        population: int = checked(Whole(1))

        def check_together(self) -> None: ...

A domain is one of `hockeystick.checks`, or any function of a name and a value that returns the
value to keep. A field called `epsilon_`, beside the method `epsilon`, is `epsilon` in messages.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, ClassVar, TypeVar, dataclass_transform

Domain = Callable[[str, Any], Any]
T = TypeVar("T")


def checked(domain: Domain, *, default: Any = MISSING, kw_only: bool = False) -> Any:
    """A field with a domain; where its default is None, it may be None."""
    metadata = {"domain": domain}
    if default is MISSING:
        return field(kw_only=kw_only, metadata=metadata)
    return field(default=default, kw_only=kw_only, metadata=metadata)


@dataclass_transform(frozen_default=True, field_specifiers=(checked, field))
def declared(kind: type[T]) -> type[T]:
    """Make the class a frozen dataclass that checks its fields; a `repr` that it has stays.

    >>> from hockeystick.checks import probability
    >>> @declared
    ... class Coin:
    ...     chance: float = checked(probability, default=0.5)
    >>> Coin(1)
    Coin(chance=1.0)
    """
    made: Any = kind
    made.__post_init__ = _check_all if hasattr(made, "check_together") else _check_each
    dataclass(frozen=True, repr=kind.__repr__ is object.__repr__)(kind)
    made._arguments = tuple((one.name, one.default) for one in fields(made))
    made._domains = tuple(
        (one.name, one.name.rstrip("_"), one.metadata["domain"], one.default is None)
        for one in fields(made)
        if "domain" in one.metadata
    )
    return kind


def declare(value: Any, **given: Any) -> None:
    """Set and check the fields of a value whose class writes its own `__init__`."""
    vars(value).update(given)
    value.__post_init__()


def _check_each(self: Any) -> None:
    values = self.__dict__
    for name, said, domain, may_be_none in self._domains:
        value = values[name]
        if value is not None or not may_be_none:
            values[name] = domain(said, value)


def _check_all(self: Any) -> None:
    _check_each(self)
    self.check_together()


class CallText:
    """A value whose `repr` is the call that makes it, which `parse` reads back.

    Arguments that must be given come first, the others by name where they differ from the default.
    """

    text_constructors: ClassVar[tuple[str, ...]] = ()
    """Classmethods that `parse` may call."""
    _arguments: ClassVar[tuple[tuple[str, Any], ...] | None] = None
    """Name and default of each; None where the class is not `declared`."""

    def __repr__(self) -> str:
        if self._arguments is None:
            return super().__repr__()
        given, options = [], {}
        for name, default in self._arguments:
            value = getattr(self, name)
            if default is MISSING:
                given.append(value)
            elif value != default:
                options[name] = value
        return call_text(type(self).__name__, *given, **options)


def call_text(name: str, *values: object, **options: object) -> str:
    """`name(value, option=value)`, the text that `parse` reads back."""
    words = [repr(value) for value in values]
    words += [f"{key}={value!r}" for key, value in options.items()]
    return f"{name}({', '.join(words)})"

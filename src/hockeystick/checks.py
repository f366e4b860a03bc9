"""Domains of arguments, and values whose fields declare theirs.

A domain is called with a name and a value, and returns the value as a plain number or raises
`ParameterError`: the message names the parameter, its domain and the value, a long one abbreviated.

A class with `@declared` is a frozen dataclass. Each field with a domain is checked and converted
when a value is made, in the order of the fields; then `check_together`, if the class has it, sees
to what they must be together:

    @declared
    class WithoutReplacement(Sampler):
        size: int = checked(Whole(0))
        population: int = checked(Whole(1))

        def check_together(self) -> None: ...

A field called `epsilon_`, beside the method `epsilon`, is `epsilon` in messages.
"""

from __future__ import annotations

import math
import reprlib
from collections.abc import Callable, Iterable
from dataclasses import MISSING, dataclass, field, fields
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, dataclass_transform

from hockeystick.errors import ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

LARGEST_WHOLE = 2**62
"""No count of anything is larger: half of what an integer of 64 bits holds."""
LARGEST_FLOAT_INTEGER = 2**1024 - 2**970 - 1
"""Larger integers round to no float."""
MOST_DIGITS = 40
MOST_SHOWN = 60


class _Shown(reprlib.Repr):
    """`repr` in few characters and few levels, whatever it is given."""

    def __init__(self) -> None:
        super().__init__()
        self.maxstring = self.maxother = MOST_SHOWN

    def repr_int(self, x: int, level: int) -> str:
        """The digits; how many they are about, where they are too many (Python may refuse them)."""
        if abs(x) < 10**MOST_DIGITS:
            return repr(x)
        sign = "a negative" if x < 0 else "an"
        return f"{sign} integer of about {int(math.log10(abs(x))) + 1} digits"


_SHOWN = _Shown()


def shown(value: object) -> str:
    """A value as the messages show it.

    >>> shown("text"), shown(1.5), shown(10**400)
    ("'text'", '1.5', 'an integer of about 401 digits')
    """
    return _SHOWN.repr(value)


class Between:
    """A domain of numbers, as data: called with a name and a value, it checks.

    The domain is written as one reads it; a round bracket leaves the end out.

    >>> Between("[0, 1)")("momentum", 1)
    Traceback (most recent call last):
    ...
    hockeystick.errors.ParameterError: momentum must be in [0, 1), got 1
    """

    def __init__(self, written: str) -> None:
        low, high = map(float, written[1:-1].split(","))
        self.words = f"in {written}"
        self.least = low if written[0] == "[" else math.nextafter(low, math.inf)
        self.most = high if written[-1] == "]" else math.nextafter(high, -math.inf)

    def __call__(self, name: str, value: Any) -> float:
        """The value as a float, if it is in the domain (no NaN is)."""
        number = value if type(value) is float else self._number(name, value)
        if self.least <= number <= self.most:
            return number
        raise ParameterError(f"{name} must be {self.words}, got {shown(value)}")

    def _number(self, name: str, value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, (int, Real)):
            raise ParameterError(f"{name} must be a number {self.words}, got {shown(value)}")
        try:
            return float(value)
        except OverflowError:
            raise ParameterError(
                f"{name} must be a number {self.words} that a float can hold, got {shown(value)}"
            ) from None


class Whole:
    """The integers from `least` to 2^62: a domain, as `Between` is one of numbers."""

    def __init__(self, least: int) -> None:
        self.least = least

    def __call__(self, name: str, value: Any) -> int:
        """The value as an int, if it is in the domain."""
        return whole(name, value, self.least)


non_negative = Between("[0, inf]")
finite_non_negative = Between("[0, inf)")
finite_positive = Between("(0, inf)")
positive = Between("(0, inf]")
above_one = Between("(1, inf]")
order = Between("[1, inf]")
"""A Rényi order."""
probability = Between("[0, 1]")
_EVERY_NUMBER = Between("[-inf, inf]")


def real(name: str, value: Any) -> float:
    """Any number, even NaN."""
    return _EVERY_NUMBER._number(name, value)


def whole(name: str, value: Any, least: int) -> int:
    """An integer from `least` to 2^62."""
    if isinstance(value, bool) or not isinstance(value, (int, Integral)) or value < least:
        raise ParameterError(f"{name} must be an integer >= {least}, got {shown(value)}")
    if int(value) > LARGEST_WHOLE:
        raise ParameterError(f"{name} must be an integer in [{least}, 2^62], got {shown(value)}")
    return int(value)


def counted(counts: Iterable[Any] | None) -> list[Any]:
    """The counts, which must be given."""
    if counts is None:
        raise ParameterError("counts must be given: how often the mechanism runs, each time")
    return list(counts)


def wholes(name: str, values: Iterable[Any], least: int) -> list[int]:
    """Integers from `least` to 2^62, also those of numpy."""
    listed = list(values)
    if listed and set(map(type, listed)) == {int}:  # the smallest and the largest speak for all
        whole(name, min(listed), least)
        whole(name, max(listed), least)
        return listed
    return [whole(name, each, least) for each in listed]


def yes_or_no(name: str, value: Any) -> bool:
    """True or False."""
    if not isinstance(value, bool):
        raise ParameterError(f"{name} must be True or False, got {value!r}")
    return value


def numbers(name: str, values: Any) -> NDArray[Any]:
    """Numbers in any shape, as an array of floats."""
    import numpy as np

    try:
        return np.asarray(values, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise ParameterError(
            f"{name} must be numbers that floats can hold, got {shown(values)}"
        ) from None


def steps_in_all(number: int) -> int:
    """How many steps run in all: at most 2^62, as of any one of them."""
    if number > LARGEST_WHOLE:
        raise ParameterError(f"counts must add up to at most 2^62 steps, got {shown(number)}")
    return number


# declared fields ---------------------------------------------------------------------------------

Domain = Callable[[str, Any], Any]
"""A name and a value to the value to keep."""
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
    all_named: ClassVar[bool] = False
    """Whether arguments that must be given are named as well."""

    def __repr__(self) -> str:
        if self._arguments is None:
            return super().__repr__()
        given, options = [], {}
        for name, default in self._arguments:
            value = getattr(self, name)
            if default is MISSING and not self.all_named:
                given.append(value)
            elif value != default:
                options[name] = value
        return call_text(type(self).__name__, *given, **options)


def call_text(name: str, *values: object, **options: object) -> str:
    """`name(value, option=value)`, the text that `parse` reads back."""
    words = [repr(value) for value in values]
    words += [f"{key}={value!r}" for key, value in options.items()]
    return f"{name}({', '.join(words)})"

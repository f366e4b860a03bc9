"""Values of a class drawn from the declared domains of its fields, so that a new one is tried."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, TypeVar

from hypothesis import strategies as st

from hockeystick.checks import Between, Whole
from hockeystick.errors import ParameterError
from hockeystick.samplers.sampling import Batches

T = TypeVar("T")
LEAST, MOST = 0.3, 3.0
"""Where a domain reaches further, numbers of an ordinary size."""
MORE = 12
"""How far whole numbers go beyond their least."""


def drawn_from_fields(kind: Callable[..., T]) -> st.SearchStrategy[T]:
    """Any value whose fields are in their domains and agree; an error if a domain is no data."""
    fields = dataclasses.fields(kind)  # type: ignore[arg-type]
    needed = [_values(each) for each in fields if each.default is dataclasses.MISSING]
    options = {
        each.name.rstrip("_"): st.just(each.default) | _values(each)
        for each in fields
        if each.default is not dataclasses.MISSING
    }

    def made(values: tuple[Any, ...], given: dict[str, Any]) -> T | None:
        try:
            return kind(*values, **given)
        except ParameterError:  # in their domains, but they do not agree
            return None

    tried = st.builds(made, st.tuples(*needed), st.fixed_dictionaries(options))
    return tried.filter(lambda value: value is not None).map(_present)


def drawable(kind: type) -> bool:
    """Whether the domains of all fields are data."""
    try:
        drawn_from_fields(kind)
    except LookupError:
        return False
    return True


def _present(value: T | None) -> T:
    assert value is not None
    return value


def _values(field: dataclasses.Field[Any]) -> st.SearchStrategy[Any]:
    domain = field.metadata.get("domain")
    if isinstance(domain, Between):
        low = min(max(domain.least, LEAST), domain.most)
        return st.floats(low, min(domain.most, max(low, MOST)))
    if isinstance(domain, Batches):
        batches = st.frozensets(st.integers(0, 3), max_size=3).map(lambda some: tuple(sorted(some)))
        return st.dictionaries(batches, st.floats(LEAST, MOST), min_size=1, max_size=5)
    if isinstance(domain, Whole):
        return st.integers(domain.least, domain.least + MORE)
    raise LookupError(f"nothing is known of the values of {field.name}")

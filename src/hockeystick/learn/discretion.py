"""Discretion: private values do not belong in error messages."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from hockeystick.errors import ParameterError


@contextmanager
def without_values() -> Iterator[None]:
    """Errors of conversion quote what they could not convert; raise them without it.

    >>> with without_values():
    ...     float("a secret")
    Traceback (most recent call last):
    ...
    hockeystick.errors.ParameterError: X and y must be numbers: could not convert a string to float
    """
    try:
        yield
    except ValueError as error:
        if "could not convert" not in str(error):
            raise
        raise ParameterError(
            "X and y must be numbers: could not convert a string to float (it is not shown)"
        ) from None

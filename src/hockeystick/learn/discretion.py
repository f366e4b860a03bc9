"""Discretion: private values do not belong in error messages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from hockeystick.errors import ParameterError

SAFE = re.compile(
    r"Input [Xy] contains (NaN|infinity or a value too large for dtype\('\w+'\))"
    r"|X has \d+ features?, but \w+ is expecting \d+ features? as input"
    r"|Found array with \d+ (sample|feature)\(s\) \(shape=\([\d, ]*\)\) while a minimum of \d+ is "
    r"required"
    r"|Found array with dim \d+, while dim <= 2 is required"
    r"|Found input variables with inconsistent numbers of samples: \[[\d, ]*\]"
    r"|This \w+ estimator requires y to be passed, but the target y is None"
    r"|y should be a 1d array, got an array of shape \([\d, ]*\)"
    r"|Unknown label type: [a-z-]+"
    r"|Expected 2D array, got \w+ array instead"
    r"|Complex data not supported"
    r"|Sparse data was passed"
    # Of these two the names of columns are the rest.
    r"|(?s:The feature names should match those that were passed during fit.*)"
    r"|(?s:Feature names are only supported if all input features have string names.*)"
)
"""The beginnings of scikit-learn's messages that tell of shapes and kinds, and of no value."""

ADVICE = {"Expected 2D array": "Reshape your data to a row for each record"}


class NotNumbers(ParameterError, TypeError):
    """Data of a kind that has no numbers; scikit-learn expects a TypeError for it."""


@contextmanager
def without_values() -> Iterator[None]:
    """Errors of scikit-learn and numpy may quote the data; raise them without it.

    >>> with without_values():
    ...     float("a secret")
    Traceback (most recent call last):
    ...
    hockeystick.errors.ParameterError: X and y must be numbers: could not convert a string to fl...
    """
    try:
        yield
    except ParameterError:
        raise
    except (TypeError, ValueError) as error:
        raise _discreet(str(error)) from None


def _discreet(text: str) -> ParameterError:
    safe = SAFE.match(text)
    if safe:
        advice = [more for start, more in ADVICE.items() if text.startswith(start)]
        return ParameterError(". ".join([f"X and y must fit: {safe[0]}", *advice]) + ".")
    if "could not convert" in text:
        return ParameterError(
            "X and y must be numbers: could not convert a string to float (it is not shown)"
        )
    return NotNumbers(
        "X and y must be arrays of numbers: an argument must be a string or a real number, or is "
        "in rows of different length (it is not shown)"
    )

"""Labels: the declared names of categories, in place of the numbers 0, …, K − 1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hockeystick.checks import shown
from hockeystick.errors import ParameterError
from hockeystick.release.private import HIDDEN


def checked(labels: Sequence[Any], categories: int) -> tuple[Any, ...]:
    """As many different labels as there are categories.

    >>> checked(["yes", "no"], 2)
    ('yes', 'no')
    """
    names = () if isinstance(labels, str) else tuple(labels)
    if len(names) != categories or len(set(names)) != categories:
        raise ParameterError(
            f"labels must be {categories} different names, one for each category, "
            f"got {shown(labels)}"
        )
    return names


def numbered(name: str, values: Any, labels: Sequence[Any]) -> NDArray[np.int64]:
    """The number of each label; what is not among them is not shown.

    >>> numbered("answers", ["no", "yes"], ("yes", "no")).tolist()
    [1, 0]
    """
    numbers = {label: number for number, label in enumerate(labels)}
    array = np.asarray(values, dtype=object)
    try:
        flat = [numbers[value] for value in array.ravel()]
    except (KeyError, TypeError):
        raise ParameterError(f"{name} must be among the labels {shown(labels)} {HIDDEN}") from None
    return np.array(flat, dtype=np.int64).reshape(array.shape)


def named(numbers: NDArray[np.int64], labels: Sequence[Any]) -> NDArray[Any]:
    """The label of each number."""
    return np.asarray(np.array(labels)[numbers])

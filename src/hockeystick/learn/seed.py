"""A seed of an estimator, which copies and files of it may tell."""

from __future__ import annotations

from numbers import Integral
from typing import Any

from hockeystick.errors import ParameterError


def check_seed(random_state: Any) -> int | None:
    """None or a seed. A generator is refused.

    `sklearn.base.clone` copies it, so that every model of a search gets the same noise, which
    their differences are then free of; and it stays in the model, whose file would tell the noise.

    >>> check_seed(None), check_seed(7)
    (None, 7)
    """
    if random_state is None:
        return None
    seed = isinstance(random_state, Integral) and not isinstance(random_state, bool)
    if seed and random_state >= 0:
        return int(random_state)
    raise ParameterError(
        "random_state must be None, which is secure, or an integer >= 0 for experiments, as "
        "scikit-learn copies generators and their noise with them, got "
        f"{random_state if seed else type(random_state).__name__}"
    )

"""Scores: the runs of an audit on both inputs, by turns, and what must not be taken for a sample.

Runs on one input after the other would take a drift of the program, or of a clock, for a leak: they
are interleaved, in an order that a coin decides for each pair. An audit counts independent runs;
one number that stands for a whole batch, or noise that starts again with every call, would be
counted as many.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hockeystick.errors import ParameterError

Array = NDArray[np.float64]
Progress = Callable[[int, int], object]
"""Called with the number of runs so far and the number of all runs."""

BLOCKS = 50
"""About so many blocks of runs there are on each input."""
BATCH = 2**16
"""The largest block."""
SURELY_DIFFERENT = 20
"""Blocks with so many different scores are not the same by chance; fewer runs may all agree."""


def interleaved(
    mechanism: Callable[..., Any],
    inputs: tuple[Any, Any],
    runs: int,
    score: Callable[[Any], float],
    batched: bool,
    progress: Progress | None,
) -> list[Array]:
    """The scores of all runs on each input, run by turns."""
    both = [np.empty(runs), np.empty(runs)]
    step = min(BATCH, max(1, runs // BLOCKS))
    # The order is no secret: a fixed one lets an audit with a seed be repeated.
    order = np.random.default_rng(0)
    for start in range(0, runs, step):
        block = slice(start, min(start + step, runs))
        if batched:
            done = 2 * start
            for i in _turns(order):
                both[i][block] = _batch(mechanism, inputs[i], block.stop - start)
                done += block.stop - start
                _tell(progress, done, 2 * runs)
        else:
            for run in range(start, block.stop):
                for i in _turns(order):
                    both[i][run] = score(mechanism(inputs[i]))
            _tell(progress, 2 * block.stop, 2 * runs)
    for scores in both:
        check_scores(scores)
        _check_repeats(scores, step)
    check_random(both)
    return both


def _turns(order: np.random.Generator) -> tuple[int, int]:
    return (0, 1) if order.integers(2) else (1, 0)


def _tell(progress: Progress | None, done: int, runs: int) -> None:
    if progress is not None:
        progress(done, runs)


def _batch(mechanism: Callable[..., Any], data: Any, count: int) -> Array:
    """What a batched mechanism returns, which must be a score for each run and no fewer."""
    return one_each("a batched mechanism", mechanism(data, count), count, "run")


def one_each(name: str, returned: Any, count: int, thing: str) -> Array:
    """A score for each of `count` things; one score for all of them is refused.

    >>> one_each("a batched mechanism", 3.0, 2, "run")
    Traceback (most recent call last):
    ...
    hockeystick.errors.ParameterError: a batched mechanism must return 2 scores, one for each run...
    """
    try:
        scores = np.asarray(returned, dtype=float)
    except (TypeError, ValueError):
        raise ParameterError(f"{name} must return {count} scores, numbers all of them") from None
    if scores.shape != (count,):
        raise ParameterError(
            f"{name} must return {count} scores, one for each {thing}, in an array of the shape "
            f"({count},), got the shape {scores.shape}"
        )
    return scores


def check_scores(scores: Array) -> None:
    """Refuse NaN, which is never on any side of a threshold."""
    if np.isnan(scores).any():
        raise ParameterError("score must be a number for every output, but was NaN for some")


def check_random(parts: list[Array]) -> None:
    """Refuse scores that never change: a seed that is fixed, not a mechanism, repeats itself."""
    if len(parts[0]) >= SURELY_DIFFERENT and all((part == part[0]).all() for part in parts):
        raise ParameterError(
            "score must vary, but was one and the same number for each input: a random generator "
            "that is made anew in every call repeats its noise. If other scores are only rare, try "
            "more runs; a mechanism without any noise needs no audit"
        )


def _check_repeats(scores: Array, step: int) -> None:
    """Refuse a block of runs that repeats the one before it."""
    first, second = scores[:step], scores[step : 2 * step]
    if len(np.unique(first)) >= SURELY_DIFFERENT and np.array_equal(first, second):
        raise ParameterError(
            "a batched mechanism must draw fresh noise in every call, but two calls returned the "
            "same scores: make its random generator once, outside of it"
        )

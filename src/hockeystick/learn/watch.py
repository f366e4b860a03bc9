"""Watching a run: the loss and the ε spent so far, for a callback and for a progress bar.

The parameters are released at every step and accounted for, so a callback may see them. The loss
on the private records is not: it is shown only if asked for, and is then a leak that no ε covers.
The loss on public records of the same kind is free.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from hockeystick.bound import Bound
from hockeystick.checks import Whole, checked, declared, probability
from hockeystick.errors import ParameterError
from hockeystick.learn.records import Records
from hockeystick.numerics.types import Array
from hockeystick.progress import bar as lasting_bar

REPORTS = 20
"""How many reports a run makes unless told otherwise."""


@dataclass(frozen=True)
class Progress:
    """What a callback is told.

    step, steps: done and planned. epsilon: spent so far, earlier spending included, at the run's
    δ; None if none was named. It is what the run would have cost had it been planned to end here; a
    run that ends because of what was seen costs its whole plan. loss: the mean loss on the
    validation records, or on the private ones where that was asked for; else None.
    """

    step: int
    steps: int
    epsilon: Bound | None
    loss: float | None
    parameters: Array


Callback = Callable[[Progress], Any]
"""Called at each report; the run stops if it returns True."""


@declared
class Watch:
    """What is shown of a run, to whom and how often; see `private_sgd`."""

    delta: float | None = checked(probability, default=None)
    validation: Records | None = None
    training_loss: bool = False
    callback: Callback | None = None
    progress: bool = False
    every: int | None = checked(Whole(1), default=None)

    def check_together(self) -> None:
        if self.validation is not None and self.training_loss:
            raise ParameterError("validation and training_loss exclude each other: give one")

    @property
    def watched(self) -> bool:
        """Whether there is anybody to tell: what ε is so far can take a while to find out."""
        return self.progress or self.callback is not None

    def next_report(self, done: int, steps: int) -> int:
        """The number of steps after which to report next; always after the last.

        >>> watch = Watch(every=4)
        >>> watch.next_report(0, 10), watch.next_report(5, 10), watch.next_report(8, 10)
        (4, 8, 10)
        """
        every = self.every or math.ceil(steps / REPORTS)
        return min(steps, (done // every + 1) * every)

    def tell(self, progress: Progress) -> bool:
        """Call the callback; whether it wants the run to stop."""
        stop = None if self.callback is None else self.callback(progress)
        return isinstance(stop, bool | np.bool_) and bool(stop)


@contextmanager
def bar(steps: int, shown: bool) -> Iterator[Callable[[Progress], None]]:
    """A progress bar on standard error as a callback, or one that does nothing."""
    if not shown:
        yield lambda progress: None
        return
    with lasting_bar("", lasting=True) as show:
        show(0, steps)
        yield lambda progress: show(progress.step, steps, _words(progress))


def _words(progress: Progress) -> str:
    epsilon = "" if progress.epsilon is None else f"ε {progress.epsilon:.4f}"
    loss = "" if progress.loss is None else f"loss {progress.loss:.4f}"
    return "  ".join(filter(None, (epsilon, loss)))

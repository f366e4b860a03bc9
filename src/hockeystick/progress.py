"""A progress bar for what takes long."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

PATIENCE = 1.0
"""Seconds without a bar."""


class Show(Protocol):
    """Moves a bar."""

    def __call__(self, done: int, total: int, words: str = ...) -> None:
        """So much of so much is done; `words` in place of the name."""


@contextmanager
def bar(name: str, *, lasting: bool = False) -> Iterator[Show]:
    """A bar on stderr, where that is a terminal.

    It appears after a second and is gone at the end; one that is `lasting` appears at once and
    stays, in a notebook and at the end of a log, too.
    """
    from rich.console import Console
    from rich.progress import MofNCompleteColumn, Progress, TimeRemainingColumn

    console = Console(stderr=True)
    shown = Progress(
        *Progress.get_default_columns()[:2],
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=not lasting,
        disable=not (lasting or console.is_terminal),
    )
    task = shown.add_task(name, total=None)
    appears = time.monotonic() + (0.0 if lasting else PATIENCE)

    def progress(done: int, total: int, words: str = name) -> None:
        shown.update(task, completed=done, total=total, description=words)
        if not shown.live.is_started and time.monotonic() >= appears:
            shown.start()

    try:
        yield progress
    finally:
        shown.stop()

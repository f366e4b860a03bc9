"""A progress bar for what takes long."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

PATIENCE = 1.0
"""Seconds without a bar."""


@contextmanager
def bar(name: str) -> Iterator[Callable[[int, int], None]]:
    """A function of (done, all) that shows a bar on stderr, where that is a terminal."""
    from rich.console import Console
    from rich.progress import MofNCompleteColumn, Progress, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (*Progress.get_default_columns()[:2], MofNCompleteColumn(), TimeRemainingColumn())
    shown = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
    task = shown.add_task(name, total=None)
    began = time.monotonic()

    def progress(done: int, total: int) -> None:
        shown.update(task, completed=done, total=total)
        if not shown.live.is_started and time.monotonic() - began > PATIENCE:
            shown.start()

    try:
        yield progress
    finally:
        shown.stop()

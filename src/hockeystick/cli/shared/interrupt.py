"""Ctrl-C as an exception that lets a command choose its exit code."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Interrupted(KeyboardInterrupt):
    """Ctrl-C.

    Where a plain KeyboardInterrupt passes through an `exec`, as there are in imports, Python ends
    the process by the signal, whatever exit code is asked for later; it does not for a subclass.
    """


@contextmanager
def interruptible() -> Iterator[None]:
    """Have Ctrl-C raise `Interrupted` inside, unless somebody else handles or ignores it."""
    ours = (
        threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    )
    if not ours:
        yield
        return
    signal.signal(signal.SIGINT, _raise)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _raise(_number: int, _frame: object) -> None:
    raise Interrupted

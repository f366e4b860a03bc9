"""The option --timeout of every command: stop after so many seconds of wall time.

A thread waits. When the time is over it interrupts the main thread, much as Ctrl-C does, so that
what is half done is undone on the way out. A long call into numpy or scipy comes back to Python
only when it is done: if that takes longer than `GRACE` seconds, the thread ends the process itself.
(A call that keeps all other threads from running delays both; numpy and scipy have few.)
"""

from __future__ import annotations

import _thread
import functools
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from hockeystick.cli.shared.options import NUMBER

EXIT_CODE = 124
"""As of the command timeout of GNU."""
INTERRUPTED = 130
"""The exit code after Ctrl-C, as of a program that SIGINT ends."""
GRACE = 1.0
"""Seconds for the way out."""
STDERR = 2
SHOW_CURSOR = "\r\x1b[K\x1b[?25h"
"""What a progress bar has hidden."""


class TimedOut(click.ClickException):
    """One line on stderr and an exit code of its own."""

    exit_code = EXIT_CODE


def limited(command: click.Command) -> click.Command:
    """The command, or each of a group's, with the option --timeout."""
    if isinstance(command, click.Group):
        for each in command.commands.values():
            limited(each)
        return command
    run = command.callback
    if run is None or any("--timeout" in option.opts for option in command.params):
        return command

    @functools.wraps(run)
    def in_time(*values: Any, timeout: float | None, **options: Any) -> Any:
        with stopped_after(timeout):
            return run(*values, **options)

    command.callback = in_time
    command.params.append(
        click.Option(
            ["--timeout"],
            type=NUMBER,
            metavar="SECONDS",
            help=f"Give up after so long, with exit code {EXIT_CODE}.",
        )
    )
    return command


@contextmanager
def stopped_after(seconds: float | None) -> Iterator[None]:
    """End what runs inside after so many seconds, with `TimedOut`; None lets it run."""
    if seconds is None:
        yield
        return
    from hockeystick.checks import finite_positive

    watch = _Watch(min(finite_positive("timeout", seconds), threading.TIMEOUT_MAX / 2))
    try:
        with _interruptible():
            try:
                watch.start()
                yield
            finally:
                watch.stop()
    except (_TimeIsOver, KeyboardInterrupt):
        if not watch.expired:
            raise
        raise TimedOut(watch.message) from None
    finally:
        watch.gone.set()


class _Watch(threading.Thread):
    """Waits until the work is done or the time is over."""

    def __init__(self, seconds: float) -> None:
        super().__init__(daemon=True)
        self.seconds = seconds
        self.message = f"stopped after {seconds:g} seconds, as --timeout asks"
        self.turn = threading.Lock()
        self.done = threading.Event()
        """The work is done, or its time is over."""
        self.gone = threading.Event()
        """The way out is at its end."""
        self.expired = False

    def stop(self) -> None:
        """The work is done in time: no interrupt comes any more."""
        with self.turn:
            self.done.set()
        if self.expired:
            raise _TimeIsOver  # it may be on its way only

    def run(self) -> None:
        if self.done.wait(self.seconds):
            return
        with self.turn:
            if self.done.is_set():
                return
            self.expired = True
            _interrupt()
        if not self.gone.wait(GRACE):
            self._end()

    def _end(self) -> None:
        end_workers()
        cursor = SHOW_CURSOR if os.isatty(STDERR) else ""
        os.write(STDERR, f"{cursor}Error: {self.message}\n".encode())
        os._exit(EXIT_CODE)


class _TimeIsOver(BaseException):
    """Raised in the main thread, wherever it is; nothing that handles errors handles it.

    Not KeyboardInterrupt: where that passes through an `exec`, as there are in imports, Python ends
    the process by a signal in place of its exit code.
    """


def _raise(_number: int, _frame: object) -> None:
    raise _TimeIsOver


@contextmanager
def _interruptible() -> Iterator[None]:
    """Have SIGALRM interrupt the main thread; Windows has no such signal, but its Ctrl-C."""
    if sys.platform == "win32":
        yield
        return
    before = signal.signal(signal.SIGALRM, _raise)
    try:
        yield
    finally:
        signal.signal(signal.SIGALRM, before)


def _interrupt() -> None:
    """End what the main thread does, waiting included."""
    if sys.platform == "win32":
        _thread.interrupt_main()
    else:
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGALRM)


def end_workers() -> None:
    """End the processes that this one has started to compute for it."""
    if "multiprocessing" in sys.modules:
        from multiprocessing import active_children

        for child in active_children():
            child.kill()


@contextmanager
def ended_soon() -> Iterator[None]:
    """If what runs inside, after an interrupt, takes more than `GRACE` seconds, end the process."""
    last = threading.Timer(GRACE, os._exit, [INTERRUPTED])
    last.daemon = True
    last.start()
    try:
        yield
    finally:
        last.cancel()

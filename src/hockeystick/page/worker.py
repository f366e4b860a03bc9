"""A process that answers questions one after the other, until its standard input ends.

    python -m hockeystick.page.worker

The first value that it reads says where the ledger is, if there is one; each later one is a
question. Whatever a library prints goes to standard error: standard output is for answers.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import traceback
from collections.abc import Iterator
from queue import SimpleQueue
from typing import Any, BinaryIO

from hockeystick.errors import HockeystickError
from hockeystick.page import frames, where
from hockeystick.page.catalogue import catalogue
from hockeystick.page.errors import WRONG, Refused
from hockeystick.page.schema import check

MOST_MEMORY = 4 * 2**30
"""Bytes of address space, of which numpy reserves far more than it uses."""
RETIRED_FROM = 600 * 2**20
"""Bytes in use after an answer, from which on a fresh process takes over."""
FAILED = 500
"""Of HTTP: a defect of this program."""
WARM_UP: tuple[tuple[str, dict[str, Any]], ...] = (
    ("epsilon", {"run": {"expression": "Gaussian(1.1).on(Poisson(0.01)) * 1000"}, "delta": 1e-5}),
    ("names", {}),
)
"""Asked before the first question, so that what is loaded at first use is there."""


def answered(name: str, asked: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    """A status of HTTP and a body.

    >>> answered("epsilon", {"delta": 1})[0]
    422
    """
    resource = catalogue()[name]
    try:
        if resource.asked is not None:
            given = {
                key: value for key, value in asked.items() if f"{{{key}}}" not in resource.path
            }
            check(given, resource.asked)
        return 200, resource.answer(asked)
    except Exception as error:
        refused = _refusal(error)
        return refused.status, refused.to_json()


def _refusal(error: Exception) -> Refused:
    if isinstance(error, Refused):
        return error
    if isinstance(error, HockeystickError):
        return Refused(WRONG, str(error))
    if isinstance(error, MemoryError | RecursionError):
        return Refused(WRONG, "this takes more memory than the page may use")
    traceback.print_exception(error)
    return Refused(FAILED, "a defect of hockeystick: the standard error of serve says more")


def main() -> None:
    """Answer until nobody asks."""
    answers = _taken_output()
    with contextlib.suppress(EOFError):
        where.LEDGER.url = frames.read(sys.stdin.buffer)["ledger"]
        _bound_memory()
        for name, asked in WARM_UP:
            answered(name, asked)
        _send(answers, 200, {})
        for question in _questions(sys.stdin.buffer):
            _send(answers, *answered(question["name"], question["asked"]))


def _taken_output() -> BinaryIO:
    """Standard output, for answers alone."""
    sys.stdout.flush()
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return answers


def _send(answers: BinaryIO, status: int, body: dict[str, Any]) -> None:
    """What the server reads, and the body, which it hands on unread."""
    head = {"status": status, "retire": _memory() > RETIRED_FROM}
    answers.write(frames.framed(head) + frames.framed(body))
    answers.flush()


def _questions(stream: BinaryIO) -> Iterator[Any]:
    """Each question; a thread reads, so that a process whose server is gone ends at once."""
    waiting: SimpleQueue[Any] = SimpleQueue()

    def read() -> None:
        with contextlib.suppress(EOFError, OSError):
            while True:
                waiting.put(frames.read(stream))
        os._exit(0)

    threading.Thread(target=read, daemon=True).start()
    while True:
        yield waiting.get()


def _bound_memory() -> None:
    """Have what takes too much memory fail here, not elsewhere on the machine."""
    if sys.platform != "win32":
        import resource

        with contextlib.suppress(ValueError, OSError):
            hard = resource.getrlimit(resource.RLIMIT_AS)[1]
            resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, hard))


def _memory() -> int:
    """Bytes in use now; 0 where the system does not say."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return 0


if __name__ == "__main__":
    main()

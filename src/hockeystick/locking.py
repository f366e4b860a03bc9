"""A lock between processes, for as long as a file is read, changed and written again."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hockeystick.errors import SavingError

PATIENCE = 60.0
"""Seconds to wait for another process."""
PAUSE = 0.01


@contextmanager
def locked(path: str | os.PathLike[str], patience: float = PATIENCE) -> Iterator[None]:
    """Hold the lock of a file, which need not exist yet, against all others who ask for it.

    The lock is one of the operating system's on a hidden file beside it, so it ends with the
    process however that ends. It is not reentrant.
    """
    target = Path(os.path.realpath(path))
    lock = target.with_name(f".{target.name}.lock")
    deadline = time.monotonic() + patience
    while (handle := _acquired(lock)) is None:
        if time.monotonic() > deadline:
            raise SavingError(f"{target} is in use by somebody else; waited {patience:g} seconds")
        time.sleep(PAUSE)
    try:
        yield
    finally:
        _release(lock, handle)


def _acquired(lock: Path) -> int | None:
    """An open handle that holds the lock; None if another one does."""
    handle = os.open(lock, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        if _try(handle) and _is_there(lock, handle):
            return handle
    except BaseException:
        os.close(handle)
        raise
    os.close(handle)
    return None


def _is_there(lock: Path, handle: int) -> bool:
    """Whether the handle is of the file with that name, not of one that its holder removed."""
    try:
        return os.path.samestat(os.stat(lock), os.fstat(handle))
    except FileNotFoundError:
        return False


if sys.platform == "win32":
    import msvcrt

    def _try(handle: int) -> bool:
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _release(lock: Path, handle: int) -> None:
        os.lseek(handle, 0, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_UNLCK, 1)
        os.close(handle)  # the empty file stays: Windows removes none that another has open

else:
    import fcntl

    def _try(handle: int) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _release(lock: Path, handle: int) -> None:
        lock.unlink(missing_ok=True)  # while it is held: who waits for it sees that it is gone
        os.close(handle)

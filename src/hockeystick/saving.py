"""Writing a file whole or not at all, and reading what was written."""

from __future__ import annotations

import csv
import errno
import json
import os
import secrets
import stat
import sys
from collections.abc import Iterable, Iterator, Set
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, TextIO

from hockeystick.checks import shown
from hockeystick.errors import ParameterError

NO_SYNC = {errno.EINVAL, errno.ENOTSUP}
"""What file systems say that cannot sync a folder."""


@contextmanager
def whole(path: str | os.PathLike[str], private: bool = False) -> Iterator[Path]:
    """A draft to write, of the same ending: it takes the place of `path` once it is on the disk.

    A file that exists keeps its mode and, where that is allowed, its owner and group; a new one
    has the mode that the umask gives it. What is private is its owner's alone in either case. A
    pipe, such as /dev/stdout may be, is its own draft.
    """
    if os.path.exists(path) and not os.path.isfile(path):
        yield Path(path)
        return
    target, draft = _places(path)
    old = target.exists()
    try:
        open(draft, "x", opener=_private if old or private else None).close()
        yield draft
        with draft.open("r+b") as file:
            os.fsync(file.fileno())
        if old:
            _copy_rights(target, draft, private)
        os.replace(draft, target)
    finally:
        draft.unlink(missing_ok=True)
    _sync_folder(target.parent)


def write_whole(path: str | os.PathLike[str], text: str, private: bool = False) -> None:
    """Write text and a line end; the old file stays until the new one is on the disk."""
    target, _ = _places(path)
    with whole(target, private) as draft:
        draft.write_text(text + "\n", encoding="utf-8")


def check_private(path: Path) -> None:
    """Raise if anybody but its owner may read a file that tells the noise."""
    mode = stat.S_IMODE(path.stat().st_mode)
    if os.name != "nt" and mode & 0o077:
        raise ParameterError(
            f"{path} must be readable by its owner alone (mode 600), as it tells the noise, got "
            f"mode {mode:o}"
        )


def check_writable(path: str | os.PathLike[str]) -> None:
    """Raise the error that `write_whole` would, as far as it can be known before."""
    target, draft = _places(path)
    try:
        draft.open("x").close()
        draft.unlink()
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(target)) from None


def write_csv(
    path: str | os.PathLike[str] | None, heads: Iterable[str], rows: Iterable[Iterable[object]]
) -> None:
    """Write a table as CSV, to standard output where there is no path: heads, and then rows."""
    with ExitStack() as stack:
        file: TextIO = sys.stdout
        if path is not None:
            draft = stack.enter_context(whole(path))
            file = stack.enter_context(draft.open("w", newline="", encoding="utf-8"))
        table = csv.writer(file, lineterminator="\n")
        table.writerow(heads)
        table.writerows(rows)


def read_object(path: Path, kind: str, version: int) -> dict[str, Any]:
    """The JSON object in a file that says of itself to be of this kind and version."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError):  # no text, no JSON, or nested without end
        content = None
    if not isinstance(content, dict) or content.get("format") != kind:
        raise ParameterError(f"{path} is not a {kind}")
    if content.get("version") != version:
        raise ParameterError(f"{path} is not of version {version}")
    return content


def check_keys(place: str, entry: Any, needed: Set[str], allowed: Set[str] = frozenset()) -> None:
    """Raise unless an entry of a file is a table with the needed keys, and no others than allowed.

    >>> check_keys("budget", {"epsilon": 1}, {"epsilon"}, {"delta"})
    """
    got = set(entry) if isinstance(entry, dict) else set()
    if not isinstance(entry, dict) or needed - got or got - needed - allowed:
        keys = ", ".join([*sorted(needed), *(f"{key} (optional)" for key in sorted(allowed))])
        given = shown(", ".join(sorted(got)))[1:-1] if isinstance(entry, dict) else shown(entry)
        raise ParameterError(f"{place} must have the keys {keys}, got {given or 'none'}")


def _places(path: str | os.PathLike[str]) -> tuple[Path, Path]:
    """The file itself, behind any links, and a draft beside it."""
    target = Path(os.path.realpath(path))
    if target.exists():
        if not target.is_file():  # a folder, a pipe, a device: never to be replaced by a file
            raise OSError(errno.EINVAL, "is not a regular file", str(target))
        if not os.access(target, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(target))
    return target, target.with_name(f".{secrets.token_hex(8)}.{target.name}")


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _copy_rights(target: Path, draft: Path, private: bool) -> None:
    """The group may read the new file only if it is the old file's group; nobody a private one."""
    old, new = target.stat(), draft.stat()
    mode = stat.S_IMODE(old.st_mode) & (stat.S_IRWXU if private else 0o7777)
    if old.st_gid != new.st_gid:
        try:
            os.chown(draft, -1, old.st_gid)
        except PermissionError:
            mode &= ~stat.S_IRWXG
    if old.st_uid != new.st_uid:
        with suppress(PermissionError):
            os.chown(draft, old.st_uid, -1)
    draft.chmod(mode)


def _sync_folder(folder: Path) -> None:
    """Until its folder is on the disk, a renamed file is not."""
    if os.name == "nt":  # folders cannot be opened there
        return
    try:
        number = os.open(folder, os.O_RDONLY)
    except PermissionError:  # it may be written but not read
        return
    try:
        os.fsync(number)
    except OSError as error:
        if error.errno not in NO_SYNC:
            raise
    finally:
        os.close(number)

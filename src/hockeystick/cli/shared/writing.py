"""Files that the commands write: whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def whole(path: str) -> Iterator[str]:
    """A draft to write, of the same ending, that takes the place of `path` once it is complete."""
    if os.path.exists(path) and not os.path.isfile(path):  # a pipe, such as /dev/stdout may be
        yield path
        return
    target = Path(os.path.realpath(path))
    draft = target.with_name(f".{secrets.token_hex(8)}.{target.name}")
    try:
        yield str(draft)
        if target.exists():
            draft.chmod(target.stat().st_mode)
        os.replace(draft, target)
    finally:
        draft.unlink(missing_ok=True)

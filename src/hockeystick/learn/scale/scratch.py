"""Scratch: a folder for copies of the records, gone when nobody needs it any more."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from pathlib import Path


class Scratch:
    """A folder that only its owner can read, deleted with this object or when Python ends."""

    def __init__(self, inside: str | Path | None = None) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="hockeystick-", dir=inside))
        weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)

    def __truediv__(self, name: str) -> Path:
        return self.folder / name

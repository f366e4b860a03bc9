"""Checkpoint of a stream: the key of its noise and how many steps were handed out.

The file is written before a step is handed out. Whoever resumes gets the steps after it; noise that
was handed out is never handed out again, nor is a step that was lost on the way. The vectors that
later steps need are made again from the key, so that the file is small. The key is as secret as
they are: who has it can take the noise off again. Nobody but its owner may read the file.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hockeystick.errors import ParameterError, SavingError
from hockeystick.locking import locked
from hockeystick.numerics.types import Array
from hockeystick.saving import check_private, read_object, write_whole

FORMAT = "hockeystick stream"
VERSION = 1


@dataclass
class Checkpoint:
    """A file of one stream.

    path: of the file. about: what the stream is of; a file about anything else is refused.
    key: of the generator, an integer of 256 bits; seeded: whether it is an experiment's seed.
    handed: how many steps were handed out. digest: of the last of them.
    """

    path: Path
    about: dict[str, Any]
    key: int
    seeded: bool
    handed: int = 0
    digest: str = ""

    @classmethod
    def opened(cls, path: Path, about: dict[str, Any], key: int, seeded: bool) -> Checkpoint:
        """The checkpoint of a file: as it is where it exists, else made now."""
        new = cls(path, about, key, seeded)
        with locked(path):
            if path.exists():
                return new._read()
            new._write()
        return new

    def hand_out(self, noise: Array) -> None:
        """Write that one more step is handed out, before it is."""
        with locked(self.path):
            if self._read().handed != self.handed:
                raise SavingError(
                    f"{self.path} was used by somebody else: this stream's noise is theirs now"
                )
            self.handed, self.digest = self.handed + 1, _digest(noise)
            self._write()

    def check_replayed(self, noise: Array | None) -> None:
        """Raise unless the noise that was made again is what was handed out."""
        if noise is not None and _digest(noise) != self.digest:
            raise ParameterError(
                f"the noise of {self.path} cannot be made again: it was begun by another version "
                "of hockeystick or NumPy, or the file was changed"
            )

    def _write(self) -> None:
        content = {
            "format": FORMAT,
            "version": VERSION,
            "about": self.about,
            "key": hex(self.key),
            "seeded": self.seeded,
            "handed": self.handed,
            "digest": self.digest,
        }
        write_whole(self.path, json.dumps(content), private=True)

    def _read(self) -> Checkpoint:
        check_private(self.path)
        content = read_object(self.path, FORMAT, VERSION)
        if content.get("about") != self.about:
            raise ParameterError(
                f"{self.path} is of another stream: resume with the matrix, the noise, the clip "
                f"and the dimension it was begun with, {content.get('about')!r}"
            )
        if content.get("seeded") != self.seeded or (
            self.seeded and content.get("key") != hex(self.key)
        ):
            raise ParameterError(f"rng must be what it was when {self.path} was begun")
        try:
            key, handed = int(content["key"], 16), int(content["handed"])
            found = Checkpoint(
                self.path, self.about, key, self.seeded, handed, str(content["digest"])
            )
        except (KeyError, TypeError, ValueError):
            raise ParameterError(f"{self.path} is damaged") from None
        if not 0 <= found.handed <= int(self.about["steps"]):
            raise ParameterError(f"{self.path} is damaged")
        return found


def _digest(noise: Array) -> str:
    return hashlib.sha256(noise.tobytes()).hexdigest()

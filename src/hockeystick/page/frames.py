"""JSON values through a pipe: four bytes of length, then so many of text."""

from __future__ import annotations

import json
from asyncio import StreamReader
from typing import IO, Any

HEADER = 4


def framed(value: Any) -> bytes:
    """A value as it is sent.

    >>> framed([1])
    b'\\x00\\x00\\x00\\x03[1]'
    """
    body = json.dumps(value, separators=(",", ":"), allow_nan=False).encode()
    return len(body).to_bytes(HEADER, "big") + body


def read(stream: IO[bytes]) -> Any:
    """The next value; EOFError where there is none."""
    return json.loads(_exactly(stream, int.from_bytes(_exactly(stream, HEADER), "big")))


def _exactly(stream: IO[bytes], size: int) -> bytes:
    data = stream.read(size)
    if len(data) < size:
        raise EOFError
    return data


async def received(stream: StreamReader) -> bytes:
    """The text of the next value; IncompleteReadError where there is none."""
    header = await stream.readexactly(HEADER)
    return await stream.readexactly(int.from_bytes(header, "big"))

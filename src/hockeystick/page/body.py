"""The body of a request: JSON, not too long, not too slow, not too deep."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

from hockeystick.page.errors import WRONG, Refused

if TYPE_CHECKING:
    from starlette.requests import Request

MOST_BYTES = 100_000
TIME_LIMIT = 5.0
"""Seconds for a body to arrive."""
TOO_LONG, TOO_LATE, NOT_JSON = 413, 408, 415


async def read(request: Request) -> Any:
    """The value of the body, or `Refused`."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise Refused(NOT_JSON, "the body must be application/json")
    try:
        data = await asyncio.wait_for(_bytes(request), TIME_LIMIT)
    except TimeoutError:
        raise Refused(TOO_LATE, f"the body took more than {TIME_LIMIT:g} seconds") from None
    return value_of(data)


async def _bytes(request: Request) -> bytes:
    data = bytearray()
    async for some in request.stream():
        data += some
        if len(data) > MOST_BYTES:
            raise Refused(TOO_LONG, f"the body must have at most {MOST_BYTES} bytes")
    return bytes(data)


def value_of(data: bytes) -> Any:
    """The value of a JSON text; NaN and infinities are not in it, nor half characters.

    >>> value_of(b'{"delta": 1e-5}')
    {'delta': 1e-05}
    """
    try:
        value = json.loads(data.decode(), parse_constant=_no_constant)
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, RecursionError):
        raise Refused(WRONG, "the body must be JSON in UTF-8, of finite numbers") from None
    return value


def _no_constant(name: str) -> Any:
    raise ValueError(name)

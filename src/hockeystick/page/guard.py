"""What stands before every request: who may ask, how much at once, and the headers of an answer."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from hockeystick.page.errors import BUSY, Refused
from hockeystick.page.pool import TOO_MANY

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from hockeystick.page.access import Access

MOST_AT_ONCE = 200
"""Requests."""
POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data: blob:",
        "font-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    ]
)
"""Nothing from elsewhere, nothing inline."""
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}


class Guard:
    """An ASGI application around another."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self.app, self.access = app, access
        self.at_once = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or refuse it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        cache = b"no-store" if scope["path"].startswith("/api") else b"no-cache"

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                more = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
                message["headers"] = [*message["headers"], *more, (b"cache-control", cache)]
            await send(message)

        self.at_once += 1
        try:
            headers = {name.decode("latin-1"): v.decode("latin-1") for name, v in scope["headers"]}
            if self.at_once > MOST_AT_ONCE:
                raise Refused(BUSY, TOO_MANY)
            self.access.check(scope["path"], headers)
            await self.app(scope, receive, send_with_headers)
        except Refused as refused:
            await _refuse(refused, send_with_headers)
        finally:
            self.at_once -= 1


async def _refuse(refused: Refused, send: Send) -> None:
    body = json.dumps(refused.to_json()).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": refused.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})

"""Run the page on this machine."""

from __future__ import annotations

import asyncio
import socket
import webbrowser
from collections.abc import Callable

import uvicorn

from hockeystick.errors import ParameterError
from hockeystick.page.access import Access
from hockeystick.page.app import application
from hockeystick.page.pool import Pool
from hockeystick.page.protocol import PatientProtocol

MOST_CONNECTIONS = 500
BACKLOG = 128
KEPT_ALIVE = 15
"""Seconds that a connection without a request stays open."""
MOST_HEADER_BYTES = 16_384


def serve(
    ledger: str | None,
    *,
    host: str,
    port: int,
    show: bool,
    say: Callable[[str, str | None], None],
    seconds: float | None = None,
) -> bool:
    """Serve until interrupted, or for so many seconds; False when these are over.

    ledger: the address of a ledger, which is read and never written.
    host: where to listen; one that is not loopback makes a token.
    port: 0 takes a free one.
    show: open the page in a browser, unless a token is needed.
    say: told once, when the page can be opened, its address and the token, if one is needed.
    """
    access = Access.to(host)
    listening = listener(host, port)
    address = _address(host, listening.getsockname()[1])
    server = uvicorn.Server(configuration(application(Pool(ledger), access)))
    say(address, access.token)
    if show and access.token is None:  # else it would be an argument, which all users see
        webbrowser.open(f"{address}/")
    return asyncio.run(_serving(server, listening, seconds))


async def _serving(server: uvicorn.Server, listening: socket.socket, seconds: float | None) -> bool:
    over = False

    def stop() -> None:
        nonlocal over
        over = server.should_exit = True

    if seconds is not None:
        asyncio.get_running_loop().call_later(seconds, stop)
    await server.serve(sockets=[listening])
    return not over


def configuration(app: object) -> uvicorn.Config:
    """How uvicorn runs it: bounded connections, headers and patience; no websockets."""
    return uvicorn.Config(
        app,  # type: ignore[arg-type]
        http=PatientProtocol,
        ws="none",
        lifespan="on",
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=MOST_CONNECTIONS,
        backlog=BACKLOG,
        timeout_keep_alive=KEPT_ALIVE,
        timeout_graceful_shutdown=2,
        h11_max_incomplete_event_size=MOST_HEADER_BYTES,
    )


def listener(host: str, port: int) -> socket.socket:
    """A socket that listens, so that a browser may come before the server is ready."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # With the protocol named, asyncio sends what there is at once: else an answer takes 40 ms more.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen(BACKLOG)
    except (OSError, OverflowError) as error:
        listening.close()
        raise ParameterError(
            f"host and port must be free to listen at, got {host}:{port}"
        ) from error
    return listening


def _address(host: str, port: int) -> str:
    shown = socket.gethostname() if host in ("0.0.0.0", "::") else host
    return f"http://[{shown}]:{port}" if ":" in shown else f"http://{shown}:{port}"

"""Over a real socket: who sends a head byte by byte, or never ends it, is cut off."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable

import pytest
import uvicorn

from hockeystick.page.app import application
from hockeystick.page.protocol import PatientProtocol
from hockeystick.page.serve import configuration, listener
from tests.page.serving import Here

Connect = Callable[[], Awaitable[tuple[asyncio.StreamReader, asyncio.StreamWriter]]]


def with_server(work: Callable[[Connect], Awaitable[None]]) -> None:
    async def working() -> None:
        sock = listener("127.0.0.1", 0)
        port = sock.getsockname()[1]
        server = uvicorn.Server(configuration(application(Here())))
        serving = asyncio.ensure_future(server.serve(sockets=[sock]))
        try:
            await asyncio.wait_for(work(lambda: asyncio.open_connection("127.0.0.1", port)), 30)
        finally:
            server.should_exit = True
            await serving

    asyncio.run(working())


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PatientProtocol, "head_limit", 0.3)


GET = b"GET /api/budgets HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


async def answer(reader: asyncio.StreamReader) -> bytes:
    head = await reader.readuntil(b"\r\n\r\n")
    length = next(
        int(line.split(b":")[1])
        for line in head.split(b"\r\n")
        if line.startswith(b"content-length")
    )
    return head + await reader.readexactly(length)


def test_a_slow_head_is_cut_off_and_others_are_served() -> None:
    async def work(connect: Connect) -> None:
        slow_reader, slow = await connect()
        silent_reader, silent = await connect()
        for byte in GET[:5]:
            slow.write(bytes([byte]))
            await asyncio.sleep(0.01)
        reader, writer = await connect()
        writer.write(GET)
        assert b"200 OK" in await answer(reader)
        assert await asyncio.wait_for(slow_reader.read(), 5) == b""
        assert await asyncio.wait_for(silent_reader.read(), 5) == b""
        for each in (slow, silent, writer):
            each.close()

    with_server(work)


def test_answers_are_sent_at_once() -> None:
    """An accepted socket inherits its protocol: asyncio turns Nagle's algorithm off by it."""
    with listener("127.0.0.1", 0) as sock:
        assert sock.proto == socket.IPPROTO_TCP
        with socket.create_connection(sock.getsockname()):
            accepted, _ = sock.accept()
            with accepted:
                assert accepted.proto == socket.IPPROTO_TCP


@pytest.mark.slow
def test_a_connection_that_is_kept_is_served_again_but_not_slowly() -> None:
    async def work(connect: Connect) -> None:
        reader, writer = await connect()
        for _ in range(3):
            writer.write(GET)
            assert b"200 OK" in await answer(reader)
            await asyncio.sleep(0.4)  # longer than for a head: nothing was begun
        writer.write(GET[:10])
        assert await asyncio.wait_for(reader.read(), 5) == b""
        writer.close()

    with_server(work)


@pytest.mark.slow
@pytest.mark.parametrize(
    "data",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 200,
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " + b"a" * 100_000,
        b"POST /api/epsilon HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -5\r\n\r\n",
        b"POST /api/epsilon HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 3\r\n"
        b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"\n" * 1000,
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ],
)
def test_what_is_no_request_is_answered_or_cut_off(data: bytes) -> None:
    async def work(connect: Connect) -> None:
        reader, writer = await connect()
        writer.write(data)
        said = await asyncio.wait_for(reader.read(1000), 10)
        assert not said or said.startswith(b"HTTP/1.1 4")
        writer.close()
        reader, writer = await connect()
        writer.write(GET)
        assert b"200 OK" in await answer(reader)
        writer.close()

    with_server(work)

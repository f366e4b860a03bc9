"""A server of the page: in a process of its own, as people start it, or in this one, for speed."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

import httpx

from hockeystick.page.access import Access
from hockeystick.page.app import application
from hockeystick.page.pool import Answer, Pool
from hockeystick.page.worker import answered

T = TypeVar("T")
HOME = "http://127.0.0.1:8765"


@dataclass(frozen=True)
class Served:
    """A server in a process of its own."""

    address: str
    """As it was printed, with the token."""
    process: subprocess.Popen[str]


@contextmanager
def served(*arguments: str) -> Iterator[Served]:
    """`hockeystick serve` with these arguments, on a free port, until the block ends."""
    command = [sys.executable, "-m", "hockeystick.cli", "serve", "--no-open", "--port", "0"]
    process = subprocess.Popen(
        [*command, *arguments], stdout=subprocess.PIPE, text=True, env=os.environ | {"LANG": "C"}
    )
    try:
        assert process.stdout is not None
        yield Served(process.stdout.readline().split()[-1], process)
    finally:
        process.terminate()
        process.wait(20)
        if process.stdout is not None:
            process.stdout.close()


class Here(Pool):
    """A pool that answers in this process."""

    asked = 0
    """How often."""

    def start(self) -> None:
        """Nothing is started."""

    async def ask(self, name: str, asked: Mapping[str, Any]) -> Answer:
        """The answer, computed on the spot."""
        self.asked += 1
        status, body = answered(name, dict(asked))
        return Answer(status, httpx.Response(status, json=body).content)


@asynccontextmanager
async def client(pool: Pool, access: Access | None = None) -> AsyncIterator[httpx.AsyncClient]:
    """Asks the application in this process."""
    transport = httpx.ASGITransport(application(pool, access), raise_app_exceptions=True)
    async with httpx.AsyncClient(transport=transport, base_url=HOME) as asking:
        yield asking


def with_client(
    work: Callable[[httpx.AsyncClient], Awaitable[T]],
    pool: Pool | None = None,
    access: Access | None = None,
) -> T:
    """What `work` returns, which asks a server in this process."""

    async def asking() -> T:
        async with client(pool or Here(), access) as asker:
            return await work(asker)

    return asyncio.run(asking())


def asked(
    method: str, path: str, *, access: Access | None = None, pool: Pool | None = None, **how: Any
) -> httpx.Response:
    """One question."""
    return with_client(lambda asker: asker.request(method, path, **how), pool, access)

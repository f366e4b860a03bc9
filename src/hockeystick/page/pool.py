"""Processes that answer questions, each within a time limit: who takes longer is replaced."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from hockeystick.page import frames
from hockeystick.page.errors import BUSY, SLOW, Refused

TIME_LIMIT = 10.0
"""Seconds for one answer."""
GRACE = 1.0
"""Seconds that a question which nobody waits for any more may still take: about as long as it takes
to start a process again."""
MOST_WAITING = 100
"""Questions that wait for a process."""
START_LIMIT = 60.0
"""Seconds for a process to start, on a machine that does much else."""
BEFORE_ANOTHER = 1.0
"""Seconds to wait after one that did not start."""
MOST_AT_ONCE = 8
"""Processes, however many cores there are."""
SPARE = 1
"""More processes than cores: a slow question leaves room for quick ones."""

TOO_SLOW = (
    "this takes more than {seconds:g} seconds, and was stopped; the command line has no such limit"
)
TOO_MANY = "too many questions at once; ask again"
STARTING = "the page is still starting; ask again"
ENDED = "the process that computed this ended before it had an answer"


class Answer(NamedTuple):
    """What a process answered."""

    status: int
    """Of HTTP."""
    body: bytes
    retire: bool = False
    """Whether the process has grown too large to go on."""


@dataclass(eq=False)
class Worker:
    """One process."""

    process: Process

    async def ask(self, question: Mapping[str, Any]) -> Answer:
        """Its answer."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(frames.framed(question))
        await self.process.stdin.drain()
        head = json.loads(await frames.received(self.process.stdout))
        body = await frames.received(self.process.stdout)
        return Answer(head["status"], body, head["retire"])

    async def end(self) -> None:
        """Kill it, whatever it does."""
        with contextlib.suppress(ProcessLookupError):
            self.process.kill()
        await self.process.wait()


@dataclass(eq=False)
class Pool:
    """Processes and those who wait for them."""

    ledger: str | None = field(default=None, repr=False)
    """Its address, which may hold a password."""
    size: int = field(default_factory=lambda: min((os.cpu_count() or 1) + SPARE, MOST_AT_ONCE))
    time_limit: float = TIME_LIMIT
    replaced: int = 0
    """How many processes were killed."""
    _free: asyncio.Queue[Worker] = field(default_factory=asyncio.Queue)
    _workers: set[Worker] = field(default_factory=set)
    _tasks: set[asyncio.Task[Any]] = field(default_factory=set)
    _waiting: int = 0
    _ready: bool = False
    """Whether any process has ever started."""
    _closed: bool = False

    def start(self) -> None:
        """Start all processes; questions wait until one is ready."""
        for _ in range(self.size):
            self._later(self._new())

    async def close(self) -> None:
        """End all of them."""
        self._closed = True
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.gather(*(worker.end() for worker in self._workers))

    async def ask(self, name: str, asked: Mapping[str, Any]) -> Answer:
        """A process's answer, or `Refused`.

        Whoever waits may be cancelled: then the process is free again `GRACE` seconds later.
        """
        worker = await self._taken()
        asking = asyncio.ensure_future(worker.ask({"name": name, "asked": asked}))
        try:
            answer = await asyncio.wait_for(asyncio.shield(asking), self.time_limit)
        except TimeoutError:
            self._replace(worker, asking)
            raise Refused(SLOW, TOO_SLOW.format(seconds=self.time_limit)) from None
        except asyncio.CancelledError:
            self._later(self._given_up(worker, asking))
            raise
        except (asyncio.IncompleteReadError, OSError):
            self._replace(worker, asking)
            raise Refused(SLOW, ENDED) from None
        self._released(worker, answer)
        return answer

    async def _taken(self) -> Worker:
        if self._waiting >= MOST_WAITING:
            raise Refused(BUSY, TOO_MANY)
        self._waiting += 1
        try:
            return await asyncio.wait_for(self._free.get(), self.time_limit)
        except TimeoutError:
            raise Refused(BUSY, TOO_MANY if self._ready else STARTING) from None
        finally:
            self._waiting -= 1

    def _released(self, worker: Worker, answer: Answer) -> None:
        if answer.retire:
            self._replace(worker)
        else:
            self._free.put_nowait(worker)

    async def _given_up(self, worker: Worker, asking: asyncio.Future[Answer]) -> None:
        try:
            self._released(worker, await asyncio.wait_for(asyncio.shield(asking), GRACE))
        except (TimeoutError, asyncio.IncompleteReadError, OSError):
            self._replace(worker, asking)

    def _replace(self, worker: Worker, asking: asyncio.Future[Answer] | None = None) -> None:
        """Kill a process and start another in its place."""
        self.replaced += 1
        if asking is not None:
            asking.cancel()
        self._later(self._ended(worker))
        if not self._closed:
            self._later(self._new())

    async def _ended(self, worker: Worker) -> None:
        await worker.end()
        self._workers.discard(worker)

    async def _new(self) -> None:
        """Start a process, and another if that fails."""
        while True:
            worker = Worker(await self._started())
            self._workers.add(worker)
            try:
                await asyncio.wait_for(worker.ask({"ledger": self.ledger}), START_LIMIT)
            except (TimeoutError, asyncio.IncompleteReadError, OSError):
                await self._ended(worker)
                await asyncio.sleep(BEFORE_ANOTHER)
            else:
                self._ready = True
                self._free.put_nowait(worker)
                return

    async def _started(self) -> Process:
        # -P: no module of the folder where it is started takes the place of another.
        command = [sys.executable, "-P", "-m", "hockeystick.page.worker"]
        threads = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"), "1")
        return await asyncio.create_subprocess_exec(
            *command, stdin=PIPE, stdout=PIPE, env=os.environ | threads, start_new_session=True
        )

    def _later(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

"""``python -m benchmarks.page``: questions a second to the server of the page, and what each takes.

A server in a process of its own, with its workers, is asked over sockets from this process, on the
same cores: what is stated holds for both together. No question is asked twice, unless it says so.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.table import Table

RATE, SECONDS = 50, 20
"""Questions a second, as many as are promised, and for how long."""
AT_ONCE = 8
"""Connections that ask without a pause."""
TIMES = 15
"""Of each kind of question, whose median is stated."""
NUMBERS = itertools.count(1)
Question = Callable[[], tuple[str, dict[str, Any]]]


def run() -> dict[str, Any]:
    """A run that was not asked for before."""
    noise = 1 + next(NUMBERS) * 1e-4
    return {"expression": f"Gaussian({noise:.4f}).on(Poisson(0.01)) * 1000"}


def about_run(name: str, **more: Any) -> Question:
    """A question about one run."""
    return lambda: (name, {"run": run(), "delta": 1e-5, **more})


def curve(kind: str) -> Question:
    """A curve of one run."""
    return lambda: ("curves", {"runs": [run()], "kind": kind, "delta": 1e-5})


EPSILON = about_run("epsilon")
QUESTIONS: dict[str, Question] = {
    "epsilon": EPSILON,
    "epsilon, asked before": lambda: ("epsilon", {"run": {"expression": "Laplace(1)"}, "delta": 0}),
    "curves: profile": curve("profile"),
    "curves: tradeoff": curve("tradeoff"),
    "curves: steps": curve("steps"),
    "curves: renyi": curve("renyi"),
    "attacker": about_run("attacker"),
    "compare": about_run("compare"),
    "samplers: Poisson": about_run("samplers", sampler="Poisson"),
    "samplers: fixed size": about_run("samplers", sampler="WithoutReplacement"),
    "samplers: shuffled": about_run("samplers", sampler="Shuffled"),
    "samplers: allocation": about_run("samplers", sampler="RandomAllocation"),
}


class Asker:
    """One connection, kept open."""

    def __init__(self, port: int) -> None:
        self.port = port

    async def __aenter__(self) -> Asker:
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        return self

    async def __aexit__(self, *_: object) -> None:
        self.writer.close()

    async def ask(self, question: Question) -> float:
        """Seconds until the answer is there."""
        name, asked = question()
        body = json.dumps(asked)
        head = f"POST /api/{name} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        began = time.perf_counter()
        self.writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n{body}".encode())
        answer = await self.reader.readuntil(b"\r\n\r\n")
        length = next(line for line in answer.lower().split(b"\r\n") if b"content-length" in line)
        text = await self.reader.readexactly(int(length.split(b":")[1]))
        if b" 200 " not in answer[:20]:
            raise RuntimeError(text.decode())
        return time.perf_counter() - began


@contextmanager
def server() -> Iterator[int]:
    """The port of `hockeystick serve`."""
    command = [sys.executable, "-m", "hockeystick.cli", "serve", "--no-open", "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield int(process.stdout.readline().strip("/ \n").rpartition(":")[2])
    finally:
        process.terminate()
        process.wait(30)


async def one_by_one(port: int, question: Question) -> float:
    """Median seconds of a question that is alone."""
    async with Asker(port) as asker:
        await asker.ask(question)
        return statistics.median([await asker.ask(question) for _ in range(TIMES)])


async def at_rate(port: int, rate: float, seconds: float) -> list[float]:
    """Seconds of each ε, asked so often whether or not earlier ones are answered."""
    idle: asyncio.Queue[Asker] = asyncio.Queue()
    askers = [await Asker(port).__aenter__() for _ in range(4 * AT_ONCE)]
    for asker in askers:
        idle.put_nowait(asker)

    async def ask(at: float) -> float:
        await asyncio.sleep(at - time.perf_counter())
        began = time.perf_counter()
        asker = await idle.get()
        await asker.ask(EPSILON)
        idle.put_nowait(asker)
        return time.perf_counter() - began

    start = time.perf_counter() + 0.1
    taken = await asyncio.gather(*(ask(start + i / rate) for i in range(int(rate * seconds))))
    for asker in askers:
        await asker.__aexit__()
    return list(taken)


async def at_most(port: int, seconds: float) -> list[float]:
    """Seconds of each ε, asked as fast as `AT_ONCE` connections are answered."""
    end = time.perf_counter() + seconds

    async def ask() -> list[float]:
        async with Asker(port) as asker:
            taken = []
            while time.perf_counter() < end:
                taken.append(await asker.ask(EPSILON))
            return taken

    return [
        each for some in await asyncio.gather(*(ask() for _ in range(AT_ONCE))) for each in some
    ]


def percentile(values: list[float], share: float) -> float:
    """The value that so large a share does not exceed."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    seconds = parser.parse_args().seconds
    console = Console()
    with server() as port:
        alone = Table("question", "median, ms", title="One question at a time")
        for name, question in QUESTIONS.items():
            alone.add_row(name, f"{1000 * asyncio.run(one_by_one(port, question)):.1f}")
        console.print(alone)
        loads = Table(
            "load", "a second", "median, ms", "99 %, ms", "slowest, ms", title="ε, each a new one"
        )
        for words, taken in (
            (f"{RATE} a second", asyncio.run(at_rate(port, RATE, seconds))),
            (f"{AT_ONCE} connections", asyncio.run(at_most(port, seconds / 2))),
        ):
            often = RATE if "a second" in words else len(taken) / (seconds / 2)
            shown = [statistics.median(taken), percentile(taken, 0.99), max(taken)]
            loads.add_row(words, f"{often:.0f}", *(f"{1000 * each:.1f}" for each in shown))
        console.print(loads)


if __name__ == "__main__":
    main()

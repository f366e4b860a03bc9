"""``python -m benchmarks.hostile``: 10 000 hostile requests to a server of the page.

What it is sent: bytes that are no HTTP, paths that lead elsewhere, other names and origins, bodies
that are no JSON or too long, questions with one value changed, expressions at the edge of sense or
of the time limit, and questions that are given up. It must answer each with 200 or a refusal, and
an honest question afterwards; its memory, its workers' included, is looked at along the way.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

AT_ONCE = 20
TIME_LIMIT = 1.0
"""Seconds for one answer, in place of ten: what is slow is stopped as it would be, but sooner."""
PATIENCE = 60.0
"""Seconds for one request here."""
EXPECTED = {200, 400, 401, 403, 404, 405, 408, 413, 415, 421, 422, 503, 504}
"""Of HTTP; 500 would be a defect."""

RUN = {"expression": "Gaussian(1.1).on(Poisson(0.01)) * 1000", "relation": None}
QUESTIONS: dict[str, dict[str, Any]] = {
    "epsilon": {"run": RUN, "delta": 1e-5},
    "curves": {"runs": [RUN], "kind": "renyi", "delta": 1e-5, "points": 9},
    "attacker": {"run": RUN, "delta": 1e-5},
    "calibrate": {"expression": "Gaussian(?) * 9", "delta": 1e-5, "epsilon": 1},
    "samplers": {"run": RUN, "delta": 1e-5, "sampler": "Poisson"},
    "code": {"runs": [RUN], "delta": 1e-5, "kind": "epsilon"},
    "budgets/x/propose": {"expression": "Laplace(1)"},
}
VALUES: list[Any] = [
    None, True, 0, -1, 1.5, 1e308, 5e-324, 10**25, "", "inf", "nan", "1/0", "9" * 5000, "a" * 9999,
    "é\u0000\u202e", "<script>alert(1)</script>", "'; DROP TABLE x; --", "__import__('os')",
    [], {}, [[[[[]]]]], {"__proto__": 1}, ["x"] * 1000,
]  # fmt: skip
NUMBERS = ["0", "1", "-1", "0.5", "1e308", "5e-324", "1e400", "inf", "nan", "2**9", str(2**62)]
EXPRESSIONS = [
    "Gaussian({})", "Laplace({}) * {}", "Gaussian({}).on(Poisson({})) * {}", "PureDP({}) * {}",
    "Gaussian(1).on(WithoutReplacement({}, {})) * {}", "RandomizedResponse({}, {}) * {}",
    "RenyiDP.table({}, {})", "Gaussian(1).on(Shuffled({}))", "(((((({}))))))", "{}.__class__",
    "Gaussian(1)" + " + Laplace({})" * 300, "DiscreteGaussian({}, {}) * {}",
]  # fmt: skip
SLOW = "Gaussian(1.{}).on(RandomAllocation(9{})) * 7"
PATHS = [
    "/../../etc/passwd", "/..%2f..%2fetc/passwd", "/%00", "/api/" + "a" * 3000, "/api//epsilon",
    "/api/budgets/..%2f..", "/api/budgets/%27%20OR%201=1", "/static/../app.py", "/?x=" + "y" * 999,
]  # fmt: skip


def body_of(value: Any) -> bytes:
    """Some bytes that may be JSON."""
    return json.dumps(value).encode()


def request(
    method: str, path: str, data: bytes = b"", host: str = "127.0.0.1", more: str = ""
) -> bytes:
    """A request as it goes over the wire."""
    head = f"{method} {path} HTTP/1.1\r\nHost: {host}\r\nContent-Length: {len(data)}\r\n"
    kind = "Content-Type: application/json\r\nConnection: close\r\n"
    return f"{head}{kind}{more}\r\n".encode() + data


def changed(value: Any, dice: random.Random) -> Any:
    """A question with one thing in it changed."""
    if isinstance(value, dict) and value and dice.random() < 0.8:
        name = dice.choice(list(value))
        return value | {name: changed(value[name], dice)}
    if isinstance(value, list) and value and dice.random() < 0.5:
        return [changed(value[0], dice), *value[1:]] * dice.choice([1, 1, 5])
    if isinstance(value, str) and dice.random() < 0.6:
        text = dice.choice(EXPRESSIONS)
        return text.format(*(dice.choice(NUMBERS) for _ in range(text.count("{}"))))
    return dice.choice(VALUES)


def hostile(dice: random.Random) -> tuple[bytes, bool]:
    """The bytes to send, and whether to go away before the answer."""
    name = dice.choice(list(QUESTIONS))
    asked = QUESTIONS[name]
    match dice.randrange(12):
        case 0:
            return dice.randbytes(dice.randrange(1, 3000)), False
        case 1:
            method = dice.choice(["GET", "POST", "PUT", "TRACE", "A" * 99])
            return request(method, dice.choice(PATHS)), False
        case 2:
            host = dice.choice(
                ["evil.example", "", "127.0.0.1.evil.example", "\x80", "[::1", "a:b:c"]
            )
            return request("POST", f"/api/{name}", body_of(asked), host), False
        case 3:
            more = dice.choice(
                ["Origin: http://evil.example\r\n", "Sec-Fetch-Site: cross-site\r\n"]
            )
            return request("POST", f"/api/{name}", body_of(asked), more=more), False
        case 4:
            junk = dice.choice(
                [dice.randbytes(500), b"[" * 50_000, b"{" * 9, b'{"delta":NaN}', b" "]
            )
            return request("POST", f"/api/{name}", junk), False
        case 5:
            size = dice.choice([10**5, 10**6])
            return request("POST", f"/api/{name}", body_of({"delta": "9" * size})), False
        case 6:
            whole = request("POST", f"/api/{name}", body_of(asked))
            return whole[: dice.randrange(len(whole))], True
        case 7 if dice.random() < 0.1:
            text = SLOW.format(dice.randrange(99), dice.randrange(9, 99))
            slow = {"runs": [{"expression": text}] * 4, "kind": "tradeoff", "delta": 1e-5}
            return request("POST", "/api/curves", body_of(slow)), dice.random() < 0.5
        case _:
            return request("POST", f"/api/{name}", body_of(changed(asked, dice))), False


@dataclass
class Seen:
    """What came back."""

    statuses: Counter[int | None] = field(default_factory=Counter)
    """None where the connection was closed without an answer."""
    memory: list[int] = field(default_factory=list)
    """Bytes of the server and its workers, along the way."""


async def sent(port: int, data: bytes, leave: bool) -> int | None:
    """The status of the answer; None without one."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(data)
        await writer.drain()
        if leave:
            await asyncio.sleep(0.05)
            return None
        if not data.endswith(b"}") and b"Content-Length" not in data:
            writer.write_eof()
        line = await asyncio.wait_for(reader.readline(), PATIENCE)
        return int(line.split()[1]) if line.startswith(b"HTTP/1.1 ") else None
    except (ConnectionError, BrokenPipeError):
        return None
    finally:
        writer.close()


async def flood(port: int, count: int, process: int, seed: int = 0) -> Seen:
    """Send `count` hostile requests, some at once, then honest ones until one is answered."""
    seen, dice = Seen(), random.Random(seed)
    queue = [hostile(dice) for _ in range(count)]

    async def sender() -> None:
        while queue:
            seen.statuses[await sent(port, *queue.pop())] += 1
            if len(queue) % max(1, count // 20) == 0:
                seen.memory.append(memory_of(process))

    await asyncio.gather(*(sender() for _ in range(AT_ONCE)))
    honest = request("POST", "/api/epsilon", body_of(QUESTIONS["epsilon"]))
    began = time.monotonic()
    while await sent(port, honest, False) != 200:
        if time.monotonic() - began > PATIENCE:
            raise TimeoutError("the server does not answer any more")
    return seen


def memory_of(process: int) -> int:
    """Bytes that a process and its children have in use; 0 where the system does not say."""
    children = Path(f"/proc/{process}/task/{process}/children")
    try:
        pids = [str(process), *children.read_text().split()]
    except OSError:
        return 0
    total = 0
    for pid in pids:
        try:
            total += int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * 4096
        except (OSError, IndexError):
            continue
    return total


SERVER = """
import asyncio, sys, uvicorn
from hockeystick.page.app import application
from hockeystick.page.pool import Pool
from hockeystick.page.serve import configuration, listener
pool = Pool(size=2, time_limit={limit})
app = application(pool)
asyncio.run(uvicorn.Server(configuration(app)).serve(sockets=[listener("127.0.0.1", {port})]))
"""


@contextmanager
def server(errors: IO[bytes]) -> Iterator[tuple[int, int]]:
    """A port and a process that serves there, with a short time limit; what it says of defects goes
    into a file."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    code = SERVER.format(limit=TIME_LIMIT, port=port)
    process = subprocess.Popen([sys.executable, "-c", code], stderr=errors)
    try:
        asyncio.run(_ready(port))
        yield port, process.pid
    finally:
        process.terminate()
        process.wait(30)


def traces_in(errors: IO[bytes]) -> int:
    """How many errors were not expected."""
    errors.seek(0)
    return errors.read().count(b"Traceback")


async def _ready(port: int) -> None:
    began = time.monotonic()
    honest = request("POST", "/api/epsilon", body_of(QUESTIONS["epsilon"]))
    while time.monotonic() - began < PATIENCE:
        try:
            if await sent(port, honest, False) == 200:
                return
        except OSError:
            await asyncio.sleep(0.1)
    raise TimeoutError("the server does not start")


def main() -> None:
    """Print what came back, how long it took and how much memory was in use."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    with TemporaryFile() as errors, server(errors) as (port, process):
        began = time.monotonic()
        seen = asyncio.run(flood(port, given.requests, process, given.seed))
        seconds = time.monotonic() - began
        traces = traces_in(errors)
    print(f"{given.requests} hostile requests in {seconds:.0f} s, and it still answers")
    print(f"traces of defects on its standard error: {traces}")
    print("status  requests")
    for status, count in sorted(seen.statuses.items(), key=lambda item: item[0] or 0):
        print(f"{status or 'none':>6}  {count}")
    megabytes = [each / 2**20 for each in seen.memory if each]
    print(f"memory: {megabytes[0]:.0f} MB at first, {max(megabytes):.0f} MB at most")
    if unexpected := set(seen.statuses) - EXPECTED - {None}:
        sys.exit(f"statuses that no request should have: {unexpected}")


if __name__ == "__main__":
    main()

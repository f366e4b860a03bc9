"""The pool: a question that takes too long, or that nobody waits for, costs its process alone."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from hockeystick.page import pool as module
from hockeystick.page.errors import Refused
from hockeystick.page.pool import Pool

QUICK = {"run": {"expression": "Laplace(2)"}, "delta": 0}
ENDLESS = {
    "runs": [{"expression": f"Gaussian(1.{i}).on(RandomAllocation(99{i})) * 3"} for i in range(4)],
    "kind": "tradeoff",
    "delta": 1e-5,
    "points": 400,
}
"""Far more than a few seconds of work."""


def with_pool(work: Callable[[Pool], Awaitable[None]], **how: Any) -> None:
    async def working() -> None:
        pool = Pool(**how)
        pool.start()
        try:
            await work(pool)
        finally:
            await pool.close()

    asyncio.run(working())


async def epsilon(pool: Pool) -> float:
    answer = await pool.ask("epsilon", QUICK)
    assert answer.status == 200
    found: float = json.loads(answer.body)["epsilon"]
    return found


@pytest.mark.slow
def test_a_slow_question_is_stopped_and_the_others_are_answered() -> None:
    async def work(pool: Pool) -> None:
        assert await epsilon(pool) == 0.5
        pool.time_limit = 1.0
        began = time.monotonic()
        slow = asyncio.ensure_future(pool.ask("curves", ENDLESS))
        await asyncio.sleep(0.1)
        assert await epsilon(pool) == 0.5
        assert not slow.done()
        with pytest.raises(Refused, match="more than 1 seconds, and was stopped") as refused:
            await slow
        assert time.monotonic() - began < 30
        assert refused.value.status == 504
        pool.time_limit = 60.0
        assert pool.replaced == 1
        await asyncio.gather(*(epsilon(pool) for _ in range(4)))
        while len(pool._workers) > 2:  # the killed one is on its way out
            await asyncio.sleep(0.05)
            assert time.monotonic() - began < 30

    with_pool(work, size=2, time_limit=60.0)


@pytest.mark.slow
def test_a_question_that_is_given_up_frees_its_process() -> None:
    async def work(pool: Pool) -> None:
        assert await epsilon(pool) == 0.5
        (slow_process,) = (worker.process.pid for worker in pool._workers)
        slow = asyncio.ensure_future(pool.ask("curves", ENDLESS))
        waiting = asyncio.ensure_future(pool.ask("curves", ENDLESS))
        await asyncio.sleep(0.5)
        slow.cancel()
        waiting.cancel()  # it had no process yet, and costs none
        assert await epsilon(pool) == 0.5
        assert not [worker for worker in pool._workers if worker.process.pid == slow_process]
        assert pool.replaced == 1

    with_pool(work, size=1, time_limit=60.0)


@pytest.mark.slow
def test_quick_questions_that_are_given_up_cost_no_process() -> None:
    async def work(pool: Pool) -> None:
        assert await epsilon(pool) == 0.5
        for turn in range(100):
            asking = asyncio.ensure_future(pool.ask("epsilon", QUICK))
            await asyncio.sleep(0.0005 * (turn % 5))
            asking.cancel()
        await asyncio.sleep(2 * module.GRACE)
        assert pool.replaced <= 2  # on a machine that does much else one may be late
        assert await epsilon(pool) == 0.5

    with_pool(work, size=1, time_limit=60.0)


@pytest.mark.slow
def test_a_process_that_dies_is_replaced() -> None:
    async def work(pool: Pool) -> None:
        assert await epsilon(pool) == 0.5
        slow = asyncio.ensure_future(pool.ask("curves", ENDLESS))
        await asyncio.sleep(0.2)
        for worker in pool._workers:
            worker.process.kill()
        with pytest.raises(Refused, match="ended before it had an answer"):
            await slow
        assert await epsilon(pool) == 0.5

    with_pool(work, size=1, time_limit=60.0)


def test_a_pool_without_processes_says_so() -> None:
    """No process is started here: whoever asks waits for one in vain."""

    async def work() -> None:
        pool = Pool(size=0, time_limit=0.05)
        with pytest.raises(Refused, match="still starting") as refused:
            await epsilon(pool)
        assert refused.value.status == 503
        pool._ready = True
        with pytest.raises(Refused, match="too many questions"):
            await epsilon(pool)
        waiting = [asyncio.ensure_future(epsilon(pool)) for _ in range(module.MOST_WAITING)]
        await asyncio.sleep(0)
        began = time.monotonic()
        pool.time_limit = 60.0
        with pytest.raises(Refused, match="too many questions"):
            await epsilon(pool)
        assert time.monotonic() - began < 20
        assert len(await asyncio.gather(*waiting, return_exceptions=True)) == module.MOST_WAITING

    asyncio.run(work())

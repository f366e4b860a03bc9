"""Hostile requests leave the server answering, with no defect and bounded memory."""

from __future__ import annotations

import asyncio
import random
from tempfile import TemporaryFile

import pytest

from benchmarks import hostile
from tests.page.serving import Here, client

REQUESTS = 400
MOST_MEMORY = 1500 * 2**20
"""Bytes of a server and its two workers; each is replaced at 600 MB."""


@pytest.mark.slow
def test_over_a_socket() -> None:
    with TemporaryFile() as errors, hostile.server(errors) as (port, process):
        seen = asyncio.run(hostile.flood(port, REQUESTS, process, seed=1))
        assert hostile.traces_in(errors) == 0
    assert sum(seen.statuses.values()) == REQUESTS
    assert seen.statuses.keys() <= hostile.EXPECTED | {None}
    assert {403, 405, 413, 421, 422} <= seen.statuses.keys()
    assert max(seen.memory) < MOST_MEMORY


QUICK = ("epsilon", "code", "calibrate")


def test_questions_with_one_thing_changed() -> None:
    """In this process: every one is answered, or refused with a message, never a defect."""
    dice = random.Random(2)

    async def work() -> list[int]:
        async with client(Here()) as asker:
            codes = []
            for _ in range(60):
                name = dice.choice(QUICK)
                asked = hostile.changed(hostile.QUESTIONS[name], dice)
                answer = await asker.post(
                    f"/api/{name}", content=hostile.body_of(asked), headers=JSON
                )
                codes.append(answer.status_code)
                assert answer.status_code == 200 or answer.json()["error"]["message"]
        return codes

    codes = asyncio.run(work())
    assert set(codes) == {200, 422}


JSON = {"content-type": "application/json"}

"""The application: answers over HTTP, kept answers, and the same that the library gives."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any

import httpx
import pytest

import hockeystick as hs
from hockeystick.page.app import application
from hockeystick.page.catalogue import catalogue
from hockeystick.page.pool import Answer
from tests.page.serving import Here, asked, with_client

ASKED = {"run": {"expression": "Gaussian(1.1).on(Poisson(0.01)) * 1000"}, "delta": 1e-5}


def test_an_answer() -> None:
    answer = asked("POST", "/api/epsilon", json=ASKED)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json"
    bound = hs.parse(ASKED["run"]["expression"]).epsilon(1e-5)  # type: ignore[index]
    assert answer.json()["epsilon"] == bound.upper


def test_what_is_wrong_is_422_with_the_field() -> None:
    answer = asked("POST", "/api/epsilon", json=ASKED | {"delta": 7})
    assert answer.status_code == 422
    assert answer.json() == {
        "error": {"message": "delta must be in [0, 1], got 7", "field": "delta", "path": "delta"}
    }


def test_the_same_question_is_answered_once() -> None:
    pool = Here()

    async def work(asker: httpx.AsyncClient) -> list[bytes]:
        turned = {"delta": 1e-5, "run": dict(ASKED["run"])}  # type: ignore[call-overload]
        asked = [ASKED, ASKED, turned, ASKED | {"delta": 2e-5}]
        return [(await asker.post("/api/epsilon", json=each)).content for each in asked]

    answers = with_client(work, pool)
    assert pool.asked == 2
    assert answers[0] == answers[1] == answers[2] != answers[3]


def test_errors_and_budgets_are_asked_again() -> None:
    pool = Here()

    async def work(asker: httpx.AsyncClient) -> None:
        for _ in range(2):
            await asker.post("/api/epsilon", json=ASKED | {"delta": 7})
            await asker.get("/api/budgets")

    with_client(work, pool)
    assert pool.asked == 4
    assert not any(each.kept for name, each in catalogue().items() if "budget" in name)


def test_the_page_is_there() -> None:
    answer = asked("GET", "/")
    assert answer.headers["content-type"].startswith("text/html")
    assert "<script" in answer.text


class Endless(Here):
    """Never answers, and knows whether it was given up."""

    given_up = False

    async def ask(self, name: str, asked: Mapping[str, Any]) -> Answer:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            self.given_up = True
            raise
        return await super().ask(name, asked)


@pytest.mark.parametrize("whole", [True, False])
def test_a_question_that_the_browser_gives_up_is_given_up(whole: bool) -> None:
    """When its body is there, or before."""
    pool = Endless()
    body = {"type": "http.request", "body": json.dumps(ASKED).encode(), "more_body": not whole}
    messages = [body, {"type": "http.disconnect"}]
    headers = [(b"host", b"localhost"), (b"content-type", b"application/json")]
    scope = {
        "type": "http", "method": "POST", "path": "/api/epsilon", "headers": headers,
        "query_string": b"", "root_path": "",
    }  # fmt: skip

    async def receive() -> Any:
        await asyncio.sleep(0.01)
        return messages.pop(0)

    async def send(message: Any) -> None:
        assert message.get("status", 499) == 499

    async def asking() -> None:
        await asyncio.wait_for(application(pool)(scope, receive, send), 10)

    asyncio.run(asking())
    assert pool.given_up == whole

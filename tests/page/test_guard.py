"""The headers of every answer, whatever it is, and how many requests at once."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from hockeystick.page import guard
from hockeystick.page.pool import Answer
from tests.page.serving import Here, asked, client


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/", 200),
        ("GET", "/api/names", 200),
        ("GET", "/api/openapi.json", 200),
        ("GET", "/nothing.js", 404),
        ("GET", "/api/nothing", 404),
        ("GET", "/../../../pyproject.toml", 404),
        ("GET", "/..%2f..%2f__init__.py", 404),
        ("GET", "/api/epsilon", 405),
        ("DELETE", "/api/names", 405),
        ("OPTIONS", "/api/epsilon", 405),
        ("PUT", "/index.html", 405),
        ("POST", "/api/epsilon", 415),
    ],
)
def test_every_answer_has_the_headers(method: str, path: str, status: int) -> None:
    answer = asked(method, path)
    assert answer.status_code == status
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self';")
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert "set-cookie" not in answer.headers
    assert "access-control-allow-origin" not in answer.headers
    assert answer.headers["cache-control"] == (
        "no-store" if path.startswith("/api") else "no-cache"
    )
    if status >= 400:
        assert answer.json()["error"]["message"]


def test_a_refusal_has_them_too() -> None:
    answer = asked("GET", "/", headers={"host": "evil.example"})
    assert answer.status_code == 421
    assert answer.headers.keys() >= guard.HEADERS.keys()


class Patient(Here):
    """Answers when it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.go = asyncio.Event()

    async def ask(self, name: str, asked: Mapping[str, Any]) -> Answer:
        await self.go.wait()
        return await super().ask(name, asked)


def test_too_many_at_once_are_refused_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "MOST_AT_ONCE", 5)

    async def work() -> list[int]:
        pool = Patient()
        async with client(pool) as asker:
            asking = [asyncio.ensure_future(asker.get("/api/budgets")) for _ in range(8)]
            while sum(each.done() for each in asking) < 3:
                await asyncio.sleep(0.01)
            pool.go.set()
            codes = [(await each).status_code for each in asking]
            return [*codes, (await asker.get("/api/budgets")).status_code]

    codes = asyncio.run(work())
    assert sorted(codes) == [200] * 6 + [503] * 3
    assert codes[-1] == 200

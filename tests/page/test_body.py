"""Bodies that are too long, too slow, too deep or no JSON."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import httpx
import pytest

from hockeystick.page import body
from hockeystick.page.errors import Refused
from tests.page.serving import asked, with_client

JSON = {"content-type": "application/json"}


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"\xff\xfe{}",
        b'{"delta": NaN}',
        b'{"delta": Infinity}',
        b'{"delta": 1e999}',
        b"[" * 90_000,
        b'{"a":' * 15_000,
        b'"\\ud800"',
        b'{"delta": ' + b"9" * 5000 + b"}",
        b"null extra",
    ],
)
def test_what_is_no_json_of_finite_numbers(data: bytes) -> None:
    with pytest.raises(Refused, match="must be JSON in UTF-8"):
        body.value_of(data)
    answer = asked("POST", "/api/epsilon", content=data, headers=JSON)
    assert answer.status_code == 422


@pytest.mark.parametrize("data", [b"null", b"[]", b"3", b'"text"'])
def test_what_is_no_object(data: bytes) -> None:
    answer = asked("POST", "/api/epsilon", content=data, headers=JSON)
    assert (answer.status_code, "must be an object" in answer.text) == (422, True)


def test_a_field_of_the_path_is_not_taken_from_the_body() -> None:
    answer = asked("POST", "/api/budgets/a/propose", json={"name": "b", "expression": "Laplace(1)"})
    assert answer.status_code == 422


def test_a_body_that_is_too_long() -> None:
    long = b'{"delta": "' + b"1" * body.MOST_BYTES + b'"}'
    assert asked("POST", "/api/epsilon", content=long, headers=JSON).status_code == 413


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", ""])
def test_a_form_of_another_page_is_not_read(kind: str) -> None:
    """A browser sends JSON to another origin only after it has asked, and that is not answered."""
    headers = {"content-type": kind}
    assert asked("POST", "/api/epsilon", content=b"{}", headers=headers).status_code == 415


def test_a_body_that_never_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(body, "TIME_LIMIT", 0.05)

    async def drops() -> AsyncIterator[bytes]:
        while True:
            yield b" "
            await asyncio.sleep(0.01)

    async def work(asker: httpx.AsyncClient) -> int:
        asking = asker.post("/api/epsilon", content=drops(), headers=JSON)
        return (await asyncio.wait_for(asking, 5)).status_code

    assert with_client(work) == 408

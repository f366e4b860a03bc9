"""Who may ask: names of the server, pages, tokens."""

from __future__ import annotations

import pytest

from hockeystick.page.access import Access, is_loopback
from hockeystick.page.errors import Refused
from tests.page.serving import asked

REMOTE = Access("0.0.0.0", "secret-token")
HERE = "127.0.0.1:8765"


def status(access: Access, **headers: str) -> int:
    """Of a question with these headers; 200 where nothing is refused."""
    given = {"host": HERE} | {name.replace("_", "-"): value for name, value in headers.items()}
    try:
        access.check("/api/epsilon", given)
    except Refused as refused:
        return refused.status
    return 200


@pytest.mark.parametrize(
    ("host", "code"),
    [
        ("127.0.0.1:8765", 200),
        ("localhost", 200),
        ("LOCALHOST:9", 200),
        ("[::1]:8765", 200),
        ("evil.example", 421),
        ("evil.example:8765", 421),
        ("127.0.0.1.evil.example", 421),
        ("localhost.evil.example:8765", 421),
        ("127.0.0.1@evil.example", 421),
        ("10.0.0.1:8765", 421),
        ("", 421),
    ],
)
def test_another_name_that_leads_here_is_refused(host: str, code: int) -> None:
    assert status(Access(), host=host) == code


@pytest.mark.parametrize(
    ("headers", "code"),
    [
        ({}, 200),
        ({"origin": f"http://{HERE}"}, 200),
        ({"origin": "http://127.0.0.1:9999"}, 403),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": f"http://{HERE}.evil.example"}, 403),
        ({"sec_fetch_site": "same-origin"}, 200),
        ({"sec_fetch_site": "cross-site"}, 403),
        ({"sec_fetch_site": "same-site"}, 403),
    ],
)
def test_another_page_is_refused(headers: dict[str, str], code: int) -> None:
    assert status(Access(), **headers) == code


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ("Bearer secret-token", 200),
        ("bearer secret-token", 200),
        ("Bearer secret-toke", 401),
        ("Bearer secret-token2", 401),
        ("Bearer é", 401),
        ("Basic secret-token", 401),
        ("secret-token", 401),
        ("", 401),
    ],
)
def test_a_token(given: str, code: int) -> None:
    assert status(REMOTE, host="10.0.0.1:8765", authorization=given) == code
    assert status(REMOTE, host="evil.example", authorization=given) == 421


def test_a_host_that_others_reach_has_a_token_of_its_own() -> None:
    tokens = {Access.to(host).token for host in ("0.0.0.0", "10.0.0.1", "example.org", "::")}
    assert None not in tokens
    assert len(tokens) == 4
    assert all(len(token or "") >= 32 for token in tokens)
    assert [Access.to(host).token for host in ("127.0.0.1", "localhost", "::1")] == [None] * 3
    assert not any(token in repr(REMOTE) for token in ["secret-token"])


def test_loopback_is_the_whole_block() -> None:
    assert is_loopback("127.8.9.10")
    assert not is_loopback("128.0.0.1")
    assert not is_loopback("127.0.0.1.evil.example")


def test_the_page_itself_needs_no_token_and_every_question_does() -> None:
    host = {"host": "10.0.0.1"}
    assert asked("GET", "/api/names", access=REMOTE, headers=host).status_code == 401
    assert asked("GET", "/api/openapi.json", access=REMOTE, headers=host).status_code == 401
    assert asked("GET", "/%61pi/names", access=REMOTE, headers=host).status_code == 401
    assert asked("GET", "/", access=REMOTE, headers=host).status_code == 200
    given = host | {"authorization": "Bearer secret-token"}
    assert asked("GET", "/api/names", access=REMOTE, headers=given).status_code == 200

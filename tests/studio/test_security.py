"""Who is let in, and what every answer says about itself."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from starlette.types import Message, Receive, Scope, Send

from sherd.studio.metrics import Metrics
from sherd.studio.security import HEADERS, Guard
from sherd.studio.settings import Settings

LOCAL = Settings(folder=Path("unused"))
FAR = Settings(folder=Path("unused"), host="0.0.0.0", token="secret", names=("studio.example",))


def asked(
    settings: Settings, method: str = "GET", path: str = "/jobs", query: str = "", **headers: str
) -> tuple[int, dict[str, str]]:
    """The status and the headers of an answer, by an application that says 200 to all that it is asked."""
    sent: list[Message] = []

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        sent.append(message)

    given = {"host": "127.0.0.1:8437", **{name.replace("_", "-"): value for name, value in headers.items()}}
    scope: dict[str, Any] = {
        "type": "http",
        "method": method,
        "path": path,
        "query_string": query.encode(),
        "headers": [(name.encode(), value.encode()) for name, value in given.items()],
    }
    asyncio.run(Guard(application, settings, Metrics())(scope, receive, send))
    return sent[0]["status"], {name.decode(): value.decode() for name, value in sent[0]["headers"]}


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"host": "localhost:8437"}, 200),
        ({"host": "[::1]:8437"}, 200),
        ({"host": "evil.example:8437"}, 421),  # a name that was bent to this address
        ({"host": "127.0.0.1.evil.example"}, 421),
        ({"host": "192.168.1.7"}, 421),
        ({"host": "["}, 421),
        ({"host": ""}, 421),
        ({"origin": "http://127.0.0.1:8437", "x_sherd": "1"}, 200),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "http://127.0.0.1:9999"}, 403),  # another server on this machine
        ({"origin": "null"}, 403),
        ({"sec_fetch_site": "cross-site", "sec_fetch_mode": "no-cors"}, 403),
        ({"sec_fetch_site": "cross-site", "sec_fetch_mode": "navigate"}, 200),  # a link to here
        ({"sec_fetch_site": "same-origin"}, 200),
        ({"content_length": "999999999999"}, 413),
        ({"content_length": "many"}, 400),
    ],
)
def test_only_own_pages_and_programs_may_look(headers: dict[str, str], status: int) -> None:
    assert asked(LOCAL, **headers)[0] == status


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),  # a program
        ({"origin": "http://127.0.0.1:8437"}, 403),  # a form of a page that does not say the header
        ({"origin": "http://127.0.0.1:8437", "x_sherd": "1"}, 200),
        ({"cookie": "sherd_token=secret"}, 403),
        ({"sec_fetch_site": "same-origin"}, 403),
        ({"sec_fetch_site": "cross-site", "sec_fetch_mode": "navigate", "x_sherd": "1"}, 403),
    ],
)
def test_changes_need_more(headers: dict[str, str], status: int) -> None:
    assert asked(LOCAL, "POST", **headers)[0] == status


def test_a_token_is_needed_from_elsewhere() -> None:
    with pytest.raises(ValueError, match="that needs a token"):
        Settings(folder=Path("unused"), host="0.0.0.0")
    assert asked(FAR)[0] == 401
    assert asked(FAR, authorization="Bearer wrong")[0] == 401
    assert asked(FAR, authorization="Bearer secret")[0] == 200
    assert asked(FAR, cookie="other=1; sherd_token=secret")[0] == 200
    assert asked(FAR, path="/health")[0] == 200
    assert asked(FAR, authorization="Bearer secret", host="studio.example")[0] == 200
    assert asked(FAR, authorization="Bearer secret", host="192.168.1.7:8437")[0] == 200
    assert asked(FAR, authorization="Bearer secret", host="evil.example")[0] == 421
    status, headers = asked(FAR, path="/", query="token=secret&job=a")
    assert (status, headers["location"]) == (303, "/?job=a")
    assert headers["set-cookie"] == "sherd_token=secret; Path=/; HttpOnly; SameSite=Strict"
    assert asked(FAR, path="/", query="token=wrong")[0] == 401
    assert asked(FAR, "POST", query="token=secret")[0] == 401


def test_every_answer_says_what_pages_may_load() -> None:
    for status, headers in (asked(LOCAL), asked(LOCAL, host="evil.example")):
        assert status in (200, 421)
        assert HEADERS.items() <= headers.items()
    policy = HEADERS["content-security-policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy and "http" not in policy

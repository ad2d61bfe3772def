"""Who may ask what: names of the server, origins, the token, sizes of requests, and what pages may load.

A page of another site that this browser has open must not reach the server. Its requests carry another
Origin; one that has bent a name of its own to this address (DNS rebinding) carries that name as Host.
"""

from __future__ import annotations

import hmac
import ipaddress
import json
import socket
import time
from collections.abc import Mapping
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs, urlencode, urlsplit

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sherd.studio.metrics import Metrics
from sherd.studio.settings import LOCAL_NAMES, Settings

COOKIE = "sherd_token"
OWN_HEADER = "x-sherd"
SAFE = ("GET", "HEAD", "OPTIONS")
# What anybody may ask, so that a container can be watched.
OPEN = ("/health",)
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' blob: data:",
        "media-src 'self' blob:",
        "connect-src 'self'",
        "font-src 'self'",
        "manifest-src 'self'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
    )
)
HEADERS: Mapping[str, str] = {
    "content-security-policy": POLICY,
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(self), microphone=(), geolocation=()",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}


class Guard:
    """ASGI middleware that refuses what it must, counts what it sees, and adds headers to every answer."""

    def __init__(self, app: ASGIApp, settings: Settings, metrics: Metrics) -> None:
        self._app = app
        self._settings = settings
        self._metrics = metrics
        own = {*LOCAL_NAMES, *settings.names}
        if not settings.is_local:
            own |= {settings.host, socket.gethostname(), f"{socket.gethostname()}.local"}
        self._names = frozenset(name.casefold() for name in own)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started, status = time.perf_counter(), 500

        async def send_guarded(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                known = {name for name, _ in message.get("headers", ())}
                message["headers"] = [
                    *message.get("headers", ()),
                    *(
                        (name.encode(), value.encode())
                        for name, value in HEADERS.items()
                        if name.encode() not in known
                    ),
                ]
            await send(message)

        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        try:
            refusal = self._refusal(scope, headers)
            if refusal is not None:
                await _answer(send_guarded, *refusal)
            elif (entry := self._entry(scope)) is not None:
                await _answer(send_guarded, 303, "", entry)
            else:
                await self._app(scope, _counted(receive, self._settings.most_bytes), send_guarded)
        finally:
            self._metrics.saw(scope["method"], status, time.perf_counter() - started)

    def _refusal(self, scope: Scope, headers: Mapping[str, str]) -> tuple[int, str] | None:
        """The status and the sentence that a request is refused with; None if it is served."""
        host = headers.get("host", "")
        if not self._is_own(host):
            return 421, "this server is not reached by that name"
        origin = headers.get("origin")
        if origin is not None and not _is_same(origin, host):
            return 403, "pages of other sites may not use this server"
        site = headers.get("sec-fetch-site", "none")
        is_visit = headers.get("sec-fetch-mode") == "navigate" and scope["method"] in SAFE
        if site not in ("same-origin", "none") and not is_visit:
            return 403, "pages of other sites may not use this server"
        is_of_browser = origin is not None or "cookie" in headers or "sec-fetch-site" in headers
        if scope["method"] not in SAFE and is_of_browser and headers.get(OWN_HEADER) != "1":
            return 403, "a change asked for by a page needs the header X-Sherd: 1"
        try:
            length = int(headers.get("content-length", "0"))
        except ValueError:
            return 400, "the content's length is no number"
        if length > self._settings.most_bytes:
            return 413, _too_long(self._settings.most_bytes)
        if self._settings.token is not None and scope["path"] not in OPEN:
            given = (_bearer(headers), _cookie(headers), _in_query(scope))
            if not any(_is_equal(one, self._settings.token) for one in given if one):
                return 401, "a token is needed: open the address that sherd studio printed"
        return None

    def _entry(self, scope: Scope) -> Mapping[str, str] | None:
        """Where somebody goes who came with the token in the address: to the same without it."""
        if self._settings.token is None or not _in_query(scope):
            return None
        rest = {k: v for k, v in parse_qs(scope["query_string"].decode("latin-1")).items() if k != "token"}
        query = urlencode(rest, doseq=True)
        kept = "Path=/; HttpOnly; SameSite=Strict"
        return {
            "location": scope["path"] + (f"?{query}" if query else ""),
            "set-cookie": f"{COOKIE}={self._settings.token}; {kept}",
            "cache-control": "no-store",
        }

    def _is_own(self, host: str) -> bool:
        """Whether this is a name of this server; an address is no name that could be bent to it."""
        try:
            name = urlsplit(f"//{host}").hostname or ""
        except ValueError:
            return False
        if name.casefold() in self._names:
            return True
        if self._settings.is_local:
            return False
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True


class TooLongError(HTTPException):
    """A request is longer than is taken."""

    def __init__(self, most: int) -> None:
        super().__init__(413, _too_long(most))


def _counted(receive: Receive, most: int) -> Receive:
    """The same request, which is broken off where it becomes too long."""
    taken = 0

    async def counted() -> Message:
        nonlocal taken
        message = await receive()
        taken += len(message.get("body", b""))
        if taken > most:
            raise TooLongError(most)
        return message

    return counted


async def _answer(send: Send, status: int, sentence: str, headers: Mapping[str, str] | None = None) -> None:
    body = json.dumps({"detail": sentence}).encode() if sentence else b""
    every = {"content-type": "application/json", "content-length": str(len(body)), **(headers or {})}
    if status == 401:
        every["www-authenticate"] = "Bearer"
    await send(
        {
            "type": "http.response.start",
            "status": status,
            "headers": [(name.encode(), value.encode("latin-1")) for name, value in every.items()],
        }
    )
    await send({"type": "http.response.body", "body": body})


def _too_long(most: int) -> str:
    return f"longer than {most / 2**20:g} MiB, which is more than is taken here"


def _is_same(origin: str, host: str) -> bool:
    try:
        parts = urlsplit(origin)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and parts.netloc.casefold() == host.casefold()


def _is_equal(given: str, token: str) -> bool:
    return hmac.compare_digest(given.encode(errors="replace"), token.encode())


def _bearer(headers: Mapping[str, str]) -> str:
    kind, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() if kind.casefold() == "bearer" else ""


def _cookie(headers: Mapping[str, str]) -> str:
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        return ""
    return "" if found is None else found.value


def _in_query(scope: Scope) -> str:
    if scope["method"] not in SAFE:
        return ""
    return parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]

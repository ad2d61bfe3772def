"""Running the server: on a socket that is open before it says so, until it is told to end."""

from __future__ import annotations

import errno
import logging
import socket
from collections.abc import Callable
from dataclasses import replace

import uvicorn

from sherd.core.errors import ArgumentError
from sherd.studio.app import make_app
from sherd.studio.settings import Settings


def serve(settings: Settings, on_ready: Callable[[str], None]) -> None:
    """Serve until a signal ends it; ``on_ready`` is told the address as soon as it can be opened."""
    listening = _listen(settings.host, settings.port)
    settings = replace(settings, port=listening.getsockname()[1])
    config = uvicorn.Config(
        make_app(settings),
        log_config=None,
        log_level=logging.WARNING,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=3,
        limit_concurrency=1000,
    )
    on_ready(address_of(settings))
    uvicorn.Server(config).run(sockets=[listening])


def address_of(settings: Settings) -> str:
    """What to open in a browser; with the token, where there is one."""
    host = "127.0.0.1" if settings.host in ("0.0.0.0", "::", "") else settings.host
    name = f"[{host}]" if ":" in host else host
    return f"http://{name}:{settings.port}/" + (f"?token={settings.token}" if settings.token else "")


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((host, port))
        made.listen(2048)
    except OSError as error:
        made.close()
        if error.errno == errno.EADDRINUSE:
            raise ArgumentError(
                f"port {port} is taken: is a studio running already? Take another port"
            ) from None
        raise ArgumentError(f"{host} port {port} cannot be listened on: {error.strerror}") from None
    return made

"""``sherd studio``: the page where pieces are put together by hand and by search, and its service."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Annotated

import typer

from sherd.cli.console import say
from sherd.core.errors import ArgumentError

PORT = 8437
MISSING = "sherd studio needs more than is installed: pip install 'sherd[studio]'"


def studio(
    host: Annotated[
        str, typer.Option(help="The address to listen on; others than this machine's own need a token.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port; 0 takes any that is free.")] = PORT,
    folder: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Where jobs are kept.", show_default="~/.local/share/sherd"),
    ] = None,
    token: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT",
            envvar="SHERD_TOKEN",
            help="What those must know who use it.",
            show_default="made up where needed",
        ),
    ] = None,
    name: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A further name that it is reached by; can be repeated."),
    ] = None,
    open_: Annotated[bool, typer.Option("--open/--no-open", help="Open the page in the browser.")] = True,
    workers: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="Jobs that are solved at a time.", show_default="processors, 4 at most"
        ),
    ] = None,
    queue: Annotated[int, typer.Option(metavar="N", help="Jobs that may wait.")] = 100,
    most_bytes: Annotated[int, typer.Option(metavar="N", help="The longest upload.")] = 64 * 2**20,
    most_pieces: Annotated[int, typer.Option(metavar="N", help="The most pieces a job.")] = 1000,
    most_seconds: Annotated[
        float, typer.Option(metavar="S", help="The longest that a job is solved.")
    ] = 600.0,
    most_memory: Annotated[
        int, typer.Option(metavar="MIB", help="The memory of each worker process.")
    ] = 4096,
    most_jobs: Annotated[int, typer.Option(metavar="N", help="Jobs that are kept.")] = 10_000,
) -> None:
    """Open the studio: a page for the whole job, and a documented service behind it.

    \b
    Example:
      sherd studio
      sherd studio --host 0.0.0.0 --token "$(openssl rand -hex 16)" --no-open
    """
    needed = ("fastapi", "python_multipart", "uvicorn")
    if any(importlib.util.find_spec(one) is None for one in needed):
        raise ArgumentError(MISSING)
    from sherd.studio.serve import serve
    from sherd.studio.settings import Settings, is_loopback, usual_workers

    if token is None and not is_loopback(host):
        import secrets

        token = secrets.token_urlsafe(24)
    settings = Settings(
        folder=folder or _usual_folder(),
        host=host,
        port=port,
        token=token,
        names=tuple(name or ()),
        workers=usual_workers() if workers is None else workers,
        queue=queue,
        most_bytes=most_bytes,
        most_pieces=most_pieces,
        most_seconds=most_seconds,
        most_memory_mb=most_memory,
        most_jobs=most_jobs,
    )

    def ready(address: str) -> None:
        say(f"the studio is at {address} (Ctrl-C ends it); jobs are kept in {settings.folder}")
        if open_:
            import webbrowser

            webbrowser.open(address)

    serve(settings, ready)


def _usual_folder() -> Path:
    import os

    home = os.environ.get("XDG_DATA_HOME")
    return (Path(home) if home else Path.home() / ".local" / "share") / "sherd"

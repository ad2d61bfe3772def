"""Waiting for another process that writes into the same folder."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path

from sherd.cli.console import say_note


def alone_in(folder: Path) -> AbstractContextManager[None]:
    """Hold a folder while files are written; who has to wait says so."""
    from sherd.io.folder_lock import held

    return held(folder, lambda: say_note(f"another process of sherd writes into {folder}/: waiting for it"))

"""Waiting for other processes of this machine, so that what one of them makes is not made by all."""

from __future__ import annotations

import logging
from collections.abc import Generator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from threading import Timer
from typing import IO

from sherd.core.clock import working_seconds

try:
    import fcntl
except ImportError:  # not a Unix: all of them make it, as if there were no others
    fcntl = None

# How long another is waited for without a word.
SECONDS_IN_SILENCE = 3.0

logger = logging.getLogger(__name__)


@contextmanager
def one_at_a_time(path: Path) -> Generator[None]:
    """Within the block no other process is in a block of the same path; the clock stands still while waiting.

    Where the file cannot be made or locked, nobody waits.
    """
    try:
        if fcntl is None:
            raise OSError
        file = path.open("a")
    except OSError:
        yield
        return
    with file:
        working_seconds.pause()
        try:
            _lock(file)
        except OSError:
            pass
        finally:
            working_seconds.resume()
        yield


def _lock(file: IO[str]) -> None:
    """Lock a file, and log that another has it if that takes long."""
    assert fcntl is not None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        word = Timer(SECONDS_IN_SILENCE, _say_that_it_waits)
        word.daemon = True
        word.start()
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
        finally:
            word.cancel()


@cache
def _say_that_it_waits() -> None:
    """Once is enough."""
    logger.info("waiting for another process of sherd, which compiles; it may take half a minute")

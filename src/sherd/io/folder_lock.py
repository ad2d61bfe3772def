"""Two processes that write into one folder: the second waits, or is refused."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

from sherd.core.clock import working_seconds
from sherd.core.errors import UnsupportedError

try:
    import fcntl
except ImportError:  # on some systems a folder cannot be locked
    fcntl = None


@contextmanager
def held(folder: Path, on_wait: Callable[[], None] | None = None) -> Generator[None, None, None]:
    """Hold a folder, which is made if need be, while files are written that belong together.

    Another process that holds it is waited for after ``on_wait`` was called, and time limits stand still;
    `UnsupportedError` without it. The lock is on the folder itself, so that nothing is left behind however
    the process ends. Where a file system knows no locks, nobody waits.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if fcntl is None:
        yield
        return
    lock = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if on_wait is None:
                raise UnsupportedError(f"{folder}: another process of sherd writes there") from None
            on_wait()
            working_seconds.pause()
            try:
                fcntl.flock(lock, fcntl.LOCK_EX)
            finally:
                working_seconds.resume()
        except OSError:
            pass
        yield
    finally:
        os.close(lock)

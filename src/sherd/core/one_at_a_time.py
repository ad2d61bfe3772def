"""Waiting for other processes of this machine, so that what one of them makes is not made by all."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from sherd.core.clock import working_seconds

try:
    import fcntl
except ImportError:  # not a Unix: all of them make it, as if there were no others
    fcntl = None


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
            fcntl.flock(file, fcntl.LOCK_EX)
        except OSError:
            pass
        finally:
            working_seconds.resume()
        yield

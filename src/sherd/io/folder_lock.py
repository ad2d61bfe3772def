"""Two processes that write into one folder, or one file: the second waits, or is refused."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager, suppress
from hashlib import sha256
from pathlib import Path

from sherd.core.clock import working_seconds
from sherd.core.errors import UnsupportedError
from sherd.io.atomic import hidden, passing

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


@contextmanager
def claimed(path: Path) -> Generator[None, None, None]:
    """Claim a file that is written in the end, or again and again; `UnsupportedError` if another process has.

    A hidden file beside it says so as long as this process holds a lock on that, so that nobody is refused
    for one that was killed.
    """
    final = path.resolve()
    if fcntl is None or not final.parent.is_dir() or (final.exists() and not final.is_file()):
        yield
        return
    name = sha256(final.name.encode(errors="surrogateescape")).hexdigest()[:12]
    own = hidden(final.parent, f"claim{name}")
    with ExitStack() as stack:
        with suppress(OSError):  # a folder that cannot be written to, or knows no locks
            fcntl.flock(stack.enter_context(passing(own)), fcntl.LOCK_EX | fcntl.LOCK_NB)
        for other in final.parent.glob(f".sherd-*-claim{name}.tmp"):
            if other != own and _is_locked(other):
                raise UnsupportedError(f"{path}: another process of sherd writes it")
        yield


def _is_locked(path: Path) -> bool:
    assert fcntl is not None
    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:  # gone by now, or not to be asked
        return False
    return False

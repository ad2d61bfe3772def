"""Writing files whole or not at all.

Everything is written into a hidden file in the same folder, flushed to the disk and then renamed, so that
a reader never meets half a file and a failure leaves the old one as it was. What is not a plain file (a
pipe, /dev/stdout) cannot be renamed onto and is written directly.
"""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Generator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from socket import gethostname
from typing import BinaryIO

from sherd.core.errors import ArgumentError

# What the name of a file of lines of JSON ends in.
LINES = ".jsonl"
# Hidden files that are being written, for a process that must end at once.
_unfinished: set[Path] = set()
# Folders in which this process has looked for what killed ones left behind, and this machine in their names.
_swept: set[Path] = set()
_HOST = sha256(gethostname().encode()).hexdigest()[:8]


def remove_unfinished() -> None:
    """Take away what is half written, for a process that ends without leaving its blocks."""
    for path in tuple(_unfinished):
        with suppress(OSError):
            path.unlink(missing_ok=True)


def hidden(folder: Path, token: str) -> Path:
    """The name of a file of this process that is not to stay; the next one to write there may remove it."""
    return folder / f".sherd-{_HOST}-{os.getpid()}-{token}.tmp"


@contextmanager
def passing(path: Path) -> Generator[BinaryIO, None, None]:
    """A hidden file that is there while the block lasts, and goes with it however it ends."""
    _sweep(path.parent)
    _unfinished.add(path)
    try:
        with path.open("xb") as file:
            yield file
    finally:
        with suppress(OSError):
            path.unlink(missing_ok=True)
        _unfinished.discard(path)


def _sweep(folder: Path) -> None:
    """Remove what processes of this machine left half written when they were killed; once a folder."""
    if folder in _swept:
        return
    _swept.add(folder)
    for path in folder.glob(f".sherd-{_HOST}-*-*.tmp"):
        number = path.name.split("-")[2]
        with suppress(OSError):
            if number.isdecimal() and not _is_running(int(number)):
                path.unlink(missing_ok=True)


def _is_running(process: int) -> bool:
    if os.name != "posix":  # elsewhere asking would end it
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


def check_ending(path: Path, *endings: str) -> None:
    """Raise if a name does not say what is in the file; a pipe or a device may have any."""
    if path.suffix not in endings and (path.is_file() or not path.exists()):
        raise ArgumentError(f"{path}: the name of this file must end in {' or '.join(endings)}")


class LineWriter:
    """Lines on their way into a file; only whole ones count."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._finished_bytes = 0
        self.count = 0

    def write(self, line: str) -> None:
        """Add one line, given without its end."""
        data = line.encode() + b"\n"
        self._file.write(data)
        self._finished_bytes += len(data)
        self.count += 1

    def write_block(self, lines: bytes) -> None:
        """Add several lines, each with its end."""
        self._file.write(lines)
        self._finished_bytes += len(lines)
        self.count += lines.count(b"\n")

    def drop_unfinished(self) -> None:
        """Cut off what an interruption left of a line."""
        if self._file.seekable():
            self._file.flush()
            self._file.truncate(self._finished_bytes)


def write_atomically(path: str | os.PathLike[str], data: str | bytes) -> None:
    """Write the whole file, or raise `OSError` and leave no trace."""
    with replacing(Path(path)) as file:
        file.write(data.encode() if isinstance(data, str) else data)


@contextmanager
def writing_lines(path: str | os.PathLike[str]) -> Generator[LineWriter, None, None]:
    """A writer whose lines become the file when the block ends; if it raises, nothing is left.

    A caller that wants to keep the finished lines of an interrupted loop catches the interruption inside
    the block.
    """
    with replacing(Path(path)) as file:
        lines = LineWriter(file)
        yield lines
        lines.drop_unfinished()


@contextmanager
def replacing(path: Path) -> Generator[BinaryIO, None, None]:
    """A file to write into, which takes the place of the one that was there when the block ends."""
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, "is a folder, not a file", str(path))
    if path.exists() and not path.is_file():
        with _named_errors(path), path.open("wb") as file:
            yield file
        return
    final = path.resolve()  # through a link, so that the link stays one
    if not final.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, f"the folder {path.parent} does not exist", str(path))
    _sweep(final.parent)
    unfinished = hidden(final.parent, secrets.token_hex(8))
    _unfinished.add(unfinished)
    try:
        with _named_errors(path):
            with unfinished.open("xb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            unfinished.replace(final)
    except BaseException:
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)
        raise
    finally:
        _unfinished.discard(unfinished)


@contextmanager
def _named_errors(path: Path) -> Generator[None, None, None]:
    """Name the file that the caller asked for, not the hidden one."""
    try:
        yield
    except OSError as error:
        if error.errno is None or (error.filename is not None and ".sherd-" not in str(error.filename)):
            raise
        raise OSError(error.errno, error.strerror, str(path)) from None

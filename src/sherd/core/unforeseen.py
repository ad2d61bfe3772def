"""Errors that nobody foresaw: each is written down in a report, for whoever can mend it."""

from __future__ import annotations

import os
import traceback
from pathlib import Path
from tempfile import gettempdir

from sherd.core.about import versions
from sherd.core.errors import SherdError

# Names the folder that reports are written to, instead of that for temporary files.
REPORTS = "SHERD_REPORTS"


def is_foreseen(error: BaseException) -> bool:
    """Whether the line that an error says is meant for users, who can do something about it."""
    return isinstance(error, (SherdError, MemoryError)) or (
        isinstance(error, OSError) and error.errno is not None
    )


def told(error: BaseException, about: str) -> str:
    """What to say of an error that was not foreseen, after a report of it was written."""
    what = f"{type(error).__name__}, which is an error of sherd's own"
    report = f"{versions()}\n\n{about}\n\n{''.join(traceback.format_exception(error))}"
    try:
        # Not through the atomic writer: it may be what broke.
        path = Path(os.environ.get(REPORTS) or gettempdir()) / f"sherd-report-{os.getpid()}.txt"
        path.write_text(report, encoding="utf-8", errors="backslashreplace")
    except OSError as unwritten:
        return f"{what}; no report could be written: {unwritten.strerror}"
    return f"{what}: please send {path}, which tells where and with which versions"

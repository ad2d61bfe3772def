"""What nobody foresaw: told in one line, with a report to send, and never as a traceback."""

from __future__ import annotations

import os
import traceback
from collections.abc import Sequence
from pathlib import Path
from tempfile import gettempdir

from sherd.cli.about import versions
from sherd.cli.console import say_error

# The exit code of an error of sherd's own.
UNFORESEEN = 70
# Names the folder that reports are written to, instead of that for temporary files.
REPORTS = "SHERD_REPORTS"


def caught(error: Exception, arguments: Sequence[str]) -> int:
    """Write a report of an error that is sherd's own, say where it is, and return the exit code."""
    told = "".join(traceback.format_exception(error))
    report = f"{versions()}\n\nsherd {' '.join(map(repr, arguments))}\n\n{told}"
    what = f"{type(error).__name__}, which is an error of sherd's own"
    try:
        # Not through the atomic writer: it may be what broke.
        path = Path(os.environ.get(REPORTS) or gettempdir()) / f"sherd-report-{os.getpid()}.txt"
        path.write_text(report, encoding="utf-8", errors="backslashreplace")
    except OSError as unwritten:
        say_error(f"{what}; no report could be written: {unwritten.strerror}")
    else:
        say_error(f"{what}: please send {path}, which tells where and with which versions")
    return UNFORESEEN

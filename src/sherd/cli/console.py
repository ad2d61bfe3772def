"""What commands say: answers on stdout, errors and progress on stderr."""

from __future__ import annotations

import logging
import os
import shutil
import sys
import textwrap
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from rich.progress import Progress
    from rich.table import Table

# Exit codes, beside 0: all is well.
UNSOLVED = 1
BAD_INPUT = 2
UNFORESEEN = 70  # an error of sherd's own
INTERRUPTED = 130
# Where there is no terminal to ask for its width, tables may be this wide.
PLAIN_WIDTH = 110
# Those of pieces, which are pasted into mails and reports, may be this wide.
PIECES_WIDTH = 80


def printable(text: str) -> str:
    """The text on one line, with what a terminal would act on, or could not show, spelt out.

    >>> printable("a\\nb\\x1b[31m")
    'a\\\\nb\\\\x1b[31m'
    """
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    return shown.encode(encoding, "backslashreplace").decode(encoding)


def say(text: str) -> None:
    """One line on stdout."""
    typer.echo(printable(text))


def say_note(text: str, indent: str = "") -> None:
    """The same, on a terminal broken between words: for prose, not for what is copied or read by programs."""
    line = f"{indent}{printable(text)}"
    if sys.stdout.isatty():
        width = shutil.get_terminal_size().columns
        lines = textwrap.wrap(
            line, width, subsequent_indent=f"{indent}  ", break_long_words=False, break_on_hyphens=False
        )
        line = "\n".join(lines)
    typer.echo(line)


def say_error(text: str) -> None:
    """One line on stderr, after the program's name."""
    typer.echo(printable(f"sherd: {text}"), err=True)


class Terminals:
    """The standard streams that are terminals, any of which may go away while there is work to do."""

    def __init__(self) -> None:
        self._streams = [stream for stream in (1, 2) if os.isatty(stream)]

    def leave_gone(self) -> None:
        """From now on, what would be said to those that have gone away is said to nobody."""
        for stream in self._streams:
            if not os.isatty(stream):
                nowhere = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nowhere, stream)
                os.close(nowhere)


class SaysRecords(logging.Handler):
    """Says what the library logs, a line on stderr each."""

    def emit(self, record: logging.LogRecord) -> None:
        say_error(record.getMessage())


def say_table(table: Table, width: int = PLAIN_WIDTH) -> None:
    """A table on stdout, as wide as the terminal, or else this wide."""
    from rich.console import Console

    console = Console(highlight=False, markup=False)
    if not console.is_terminal:
        console = Console(highlight=False, markup=False, width=width)
    console.print(table)


@contextmanager
def telling(what: str) -> Generator[Callable[[str], None], None, None]:
    """A function that says how far long work has come, on one line that goes away; on a terminal only."""
    if not sys.stderr.isatty():
        yield lambda text: None
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as line:
        task = line.add_task(what, total=None)
        yield lambda text: line.update(task, description=text)


@dataclass(frozen=True)
class Advance:
    """To be called after each finished item: it moves a bar, if there is one."""

    bar: Progress | None = None

    def __call__(self) -> None:
        if self.bar is not None:
            self.bar.advance(self.bar.task_ids[0])

    @contextmanager
    def aside(self) -> Generator[None, None, None]:
        """Within the block there is no bar, so that another may be shown."""
        if self.bar is not None:
            self.bar.stop()
        try:
            yield
        finally:
            if self.bar is not None:
                self.bar.start()


@contextmanager
def progress(what: str, total: int) -> Generator[Advance, None, None]:
    """A function to call after each finished item: it moves a bar with the time left, on a terminal only."""
    if not sys.stderr.isatty():
        yield Advance()
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        bar.add_task(what, total=total)
        yield Advance(bar)

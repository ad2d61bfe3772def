"""What is said while a network trains, and how it is told to stop."""

from __future__ import annotations

import contextlib
import math
import os
import signal
import sys
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from sherd.cli.console import Terminals, say_error

if TYPE_CHECKING:
    from sherd.learn.training.interruption import Work
    from sherd.learn.training.train import Report

# Where there is no terminal, a line that often.
SECONDS_A_LINE = 10.0
# Only where there are terminals that can go away.
HANG_UP: signal.Signals | None = getattr(signal, "SIGHUP", None)
STOPPING = b"sherd: stopping, to save the state; once more ends at once without saving\n"


@contextmanager
def interruptions(terminals: Terminals, *, speaks: bool) -> Generator[Callable[[], bool], None, None]:
    """Whether Ctrl-C was pressed or the process told to end, which then only is noted; twice ends at once.

    Until it is asked for the first time there is nothing to save, and once ends at once. A terminal that
    goes away may say so several times: that counts as once.
    """
    heard: list[int] = []
    is_asked = False

    def note(number: int, frame: object) -> None:
        again = bool(heard)
        heard.append(number)
        if number == HANG_UP:
            terminals.leave_gone()
            if again:
                return
        if again or not is_asked:
            raise KeyboardInterrupt
        if speaks and number != HANG_UP:
            with contextlib.suppress(OSError):  # not through sys.stderr, which may be in the midst of a line
                os.write(2, (b"\n" if os.isatty(2) else b"") + STOPPING)

    def ask() -> bool:
        nonlocal is_asked
        is_asked = True
        return bool(heard)

    numbers = [signal.SIGINT, signal.SIGTERM]
    if HANG_UP is not None and signal.getsignal(HANG_UP) is not signal.SIG_IGN:  # as nohup asks for
        numbers.append(HANG_UP)
    before = {number: signal.signal(number, note) for number in numbers}
    try:
        yield ask
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def display(speaks: bool, terminals: Terminals) -> Generator[Callable[[Report | Work], None], None, None]:
    """A function that shows reports: a bar with the time left on a terminal, else a line now and then."""
    if not speaks:
        yield lambda report: None
    elif sys.stderr.isatty():
        with _bar() as show:

            def show_if_seen(report: Report | Work) -> None:
                try:
                    show(report)
                except OSError:
                    terminals.leave_gone()

            yield show_if_seen
    else:
        yield _lines()


def _lines() -> Callable[[Report | Work], None]:
    from sherd.learn.training.interruption import Work

    last = -math.inf  # the first at once

    def show(report: Report | Work) -> None:
        nonlocal last
        now = time.monotonic()
        urgent = not report.total if isinstance(report, Work) else report.validation is not None
        if not urgent and now - last < SECONDS_A_LINE:
            return
        last = now
        say_error(_line(report))

    return show


@contextmanager
def _bar() -> Generator[Callable[[Report | Work], None], None, None]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    from sherd.learn.training.interruption import Work

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("training", total=1.0)

        def show(report: Report | Work) -> None:
            if isinstance(report, Work):
                bar.update(task, description=_line(report))
                return
            if report.validation is not None:
                bar.console.print(_line(report), markup=False, highlight=False)
                return
            loss = f"loss {report.losses['loss']:.3f}, {report.puzzles / report.seconds:,.0f} puzzles/s"
            bar.update(task, completed=report.progress, description=loss)

        yield show


def _line(report: Report | Work) -> str:
    from sherd.learn.training.interruption import Work

    if isinstance(report, Work):
        return f"{report.what}, {report.done:,} of {report.total:,}" if report.total else report.what
    left = report.seconds / report.progress - report.seconds if report.progress > 0.0 else 0.0
    figures = in_words(report.losses if report.validation is None else report.validation)
    what = "training" if report.validation is None else "validation"
    return f"step {report.step:,}, {report.seconds:.0f} s, {max(0.0, left):.0f} s left: {what} {figures}"


def in_words(figures: Mapping[str, float]) -> str:
    """Losses, or the figures of a validation, as a line has them."""
    return ", ".join(f"{name} {value:.3f}" for name, value in figures.items())

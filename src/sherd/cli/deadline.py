"""The time limit of what asks nobody whether to go on: libraries that read files, verdicts, pictures."""

from __future__ import annotations

import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import TYPE_CHECKING, Protocol

from sherd.cli.console import say_note
from sherd.core.errors import UnsupportedError

if TYPE_CHECKING:
    from sherd.solvers import MaxSeconds

# An error that was lost, as in the finalizer of an object, is raised again after so many seconds.
AGAIN_S = 0.2
LEAST_S = 1e-3
# What these packages are in the midst of, or an import, cannot be done by halves. It is waited for,
# and looked again after so many seconds.
UNBROKEN = frozenset(("numba", "llvmlite"))
IMPORTING = "<frozen importlib"
MIDST_S = 0.02
# An alarm cannot be set for later than this; it then is set again.
LONGEST_S = 1e6
# A limit may be passed by this share of it and so many seconds more. Of the share, solving has a third,
# should it not end when asked to, and what is written as much again; the rest is for what is written bare.
# Of the seconds, most of it where the limit is short, solving has half, so that it comes to a verdict.
OVER_SHARE, OVER_S = 0.1, 1.0
SOLVED_SHARE, WRITTEN_SHARE = 0.3, 0.6
SOLVED_S, WRITTEN_S = 0.5, 0.7


class Limit(Protocol):
    """A rule that tells how many seconds are left, 0 once they are over."""

    @property
    def seconds_left(self) -> float: ...


class TimeIsUp(BaseException):
    """Raised by the alarm wherever the program is."""


class LateError(UnsupportedError):
    """What takes longer than its limit; nothing of it is left."""


@dataclass(frozen=True)
class Times:
    """The limit of a command, and when solving and writing are ended that did not heed it."""

    limit: MaxSeconds
    solved: MaxSeconds
    written: MaxSeconds

    @classmethod
    def within(cls, seconds: float, spent: float = 0.0) -> Times:
        """Beginning now, some seconds ``spent`` before: of those no more than half of all count."""
        from sherd.solvers import MaxSeconds

        share, left = OVER_SHARE * seconds, seconds - min(spent, seconds / 2.0)
        return cls(
            MaxSeconds(left),
            MaxSeconds(left + SOLVED_SHARE * share + SOLVED_S * OVER_S),
            MaxSeconds(left + WRITTEN_SHARE * share + WRITTEN_S * OVER_S),
        )


@contextmanager
def ending_when_over(limit: Limit, what: str) -> Generator[None, None, None]:
    """End the block with `LateError` once the limit is over, whether or not anything in it asks.

    What runs in compiled code of a library ends when that comes back. Where there are no alarms, off the
    main thread and on some systems, the block goes on.
    """
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield
        return
    is_inside = True

    def ring(number: int, frame: FrameType | None) -> None:
        if not is_inside:
            return
        # The clock may have stood still while code was compiled.
        left = limit.seconds_left
        waits = left <= 0.0 and _is_in_the_midst(frame)
        _ring_in(max(left, MIDST_S if waits else AGAIN_S if left <= 0.0 else LEAST_S))
        if left <= 0.0 and not waits:
            raise TimeIsUp

    before = signal.signal(signal.SIGALRM, ring)
    try:
        _ring_in(max(limit.seconds_left, LEAST_S))
        yield
    except TimeIsUp:
        raise LateError(f"{what} takes longer than the time limit") from None
    finally:
        is_inside = False
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def _is_in_the_midst(frame: FrameType | None) -> bool:
    """Whether machine code is being made or loaded, or a module, which would stay half done for good."""
    while frame is not None:
        package = str(frame.f_globals.get("__name__", "")).partition(".")[0]
        if package in UNBROKEN or frame.f_code.co_filename.startswith(IMPORTING):
            return True
        frame = frame.f_back
    return False


def _ring_in(seconds: float) -> None:
    signal.setitimer(signal.ITIMER_REAL, min(seconds, LONGEST_S))


@contextmanager
def left_out_when_over(limit: Limit, what: str) -> Generator[None, None, None]:
    """Do what is in the block in time, or leave it out and say so."""
    try:
        with ending_when_over(limit, what):
            yield
    except LateError:
        say_note(f"left out for want of time: {what}")

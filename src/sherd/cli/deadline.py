"""The time limit of what asks nobody whether to go on: libraries that read files, above all."""

from __future__ import annotations

import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType
from typing import Protocol

from sherd.core.errors import UnsupportedError

# An error that was lost, as in the finalizer of an object, is raised again after so many seconds.
AGAIN_S = 0.2
LEAST_S = 1e-3


class Limit(Protocol):
    """A rule that tells how many seconds are left, 0 once they are over."""

    @property
    def seconds_left(self) -> float: ...


class TimeIsUp(BaseException):  # noqa: N818  (a signal, as KeyboardInterrupt is: no reader may catch it)
    """Raised by the alarm wherever the program is."""


@contextmanager
def ending_when_over(limit: Limit, what: str) -> Generator[None, None, None]:
    """End the block with `UnsupportedError` once the limit is over, whether or not anything in it asks.

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
        signal.setitimer(signal.ITIMER_REAL, max(left, AGAIN_S if left <= 0.0 else LEAST_S))
        if left <= 0.0:
            raise TimeIsUp

    before = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, max(limit.seconds_left, LEAST_S))
        yield
    except TimeIsUp:
        raise UnsupportedError(f"{what} takes longer than the time limit") from None
    finally:
        is_inside = False
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)

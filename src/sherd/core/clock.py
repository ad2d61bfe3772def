"""The clock of time limits: it stands still while code is compiled, which happens once on a machine."""

from __future__ import annotations

import time
from collections.abc import Callable


class Clock:
    """Seconds of work since it was made, not counting those between `pause` and `resume`.

    >>> clock = Clock()
    >>> clock.pause()
    >>> clock() == clock()
    True
    """

    def __init__(self) -> None:
        self.now: Callable[[], float] = time.perf_counter  # what the seconds are taken from
        self._paused_for, self._paused_at, self._pauses = 0.0, 0.0, 0

    def __call__(self) -> float:
        now = self._paused_at if self._pauses else self.now()
        return now - self._paused_for

    def pause(self) -> None:
        """Stand still until resumed as often as paused."""
        if self._pauses == 0:
            self._paused_at = self.now()
        self._pauses += 1

    def resume(self) -> None:
        """Go on after the last of several pauses."""
        self._pauses -= 1
        if self._pauses == 0:
            self._paused_for += self.now() - self._paused_at


# Of this process; solvers are timed by it, and nothing else is.
working_seconds = Clock()

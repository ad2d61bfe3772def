"""Progress of a search, on its way from a worker process to whoever watches."""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from sherd.core.assembly import Assembly
from sherd.core.clock import working_seconds
from sherd.solvers.base import Progress
from sherd.solvers.stop import Stop
from sherd.studio.job_documents import progress_document
from sherd.studio.store import write_document
from sherd.workshop import Job

# Seconds between two tellings of progress, at least.
BETWEEN = 0.2

Tell = Callable[[dict[str, Any]], None]


class Telling:
    """Progress on its way to the server, and into the folder; not more often than can be looked at."""

    def __init__(self, tell: Tell, folder: Path, job: Job, task: Mapping[str, Any]) -> None:
        self._tell, self._folder, self._job = tell, folder, job
        self._limit, self._method = float(task["seconds"]), str(task["solver"])
        self._started = working_seconds()
        self._last = -BETWEEN
        self._waiting: Progress | None = None
        self._told: Progress | None = None

    def __call__(self, so_far: Progress) -> None:
        self._waiting = so_far
        self.flush()

    def flush(self) -> None:
        """Tell what waits, if it is time to."""
        now = working_seconds() - self._started
        if self._waiting is None or now - self._last < BETWEEN:
            return
        document = progress_document(
            self._waiting, self._job, seconds=now, limit=self._limit, method=self._method
        )
        self._told, self._waiting, self._last = self._waiting, None, now
        write_document(self._folder, "progress", document)
        self._tell(document)

    @contextmanager
    def heard(self) -> Generator[None, None, None]:
        """Tell what is logged meanwhile too, such as that code is being compiled."""
        handler = logging.Handler()
        handler.emit = lambda record: self._say(record.getMessage())
        log = logging.getLogger("sherd")
        before = log.level
        log.addHandler(handler)
        log.setLevel(logging.INFO)
        try:
            yield
        finally:
            log.removeHandler(handler)
            log.setLevel(before)

    def _say(self, what: str) -> None:
        nothing = Progress(assembly=Assembly(), objective=0.0, evaluations=0, trying=what)
        self._waiting = nothing if self._told is None else replace(self._told, trying=what)
        self._last = -BETWEEN
        self.flush()

    def asked(self, is_stopped: Callable[[], bool]) -> Stop:
        """A rule that stops when somebody says so; solvers ask it often, so what waits is told then."""

        def stop(evaluations: int) -> bool:
            self.flush()
            return is_stopped()

        return stop

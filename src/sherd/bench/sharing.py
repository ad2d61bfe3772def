"""Sharing puzzles among processes: outcomes in the order of the jobs, and a quick end if interrupted."""

from __future__ import annotations

import multiprocessing
import signal
from collections import deque
from collections.abc import Generator, Iterable
from concurrent.futures import Future, ProcessPoolExecutor
from ctypes import c_bool
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from sherd.core.orphans import end_with_parent
from sherd.solvers import Stop

# Jobs handed out beforehand to each process, so that none waits for work.
AHEAD = 4

Job = TypeVar("Job", contravariant=True)
Outcome = TypeVar("Outcome", covariant=True)


class SharedWork(Protocol[Job, Outcome]):
    """What is done with each job, until ``cancelled`` says that nobody waits for it any more."""

    def __call__(self, job: Job, cancelled: Stop) -> Outcome:
        """What came of the job."""
        ...


def share(work: SharedWork[Job, Outcome], jobs: Iterable[Job], workers: int) -> Generator[Outcome]:
    """The outcome of every job in turn, by this process or by several others."""
    if workers == 1:
        for job in jobs:
            yield work(job, _never)
        return
    context = multiprocessing.get_context("spawn")  # a forked process may inherit locked threads
    cancelled = context.RawValue(c_bool, False)
    pool = ProcessPoolExecutor(workers, context, _start_worker, (work, cancelled))
    try:
        waiting: deque[Future[Outcome]] = deque()
        for job in jobs:
            waiting.append(pool.submit(_work, job))
            if len(waiting) >= AHEAD * workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        cancelled.value = True  # solvers at work stop soon, so that the pool can be left
        pool.shutdown(cancel_futures=True)


def _never(evaluations: int) -> bool:
    return False


@dataclass(frozen=True)
class _Cancelled:
    """Stop when the parent process says so."""

    flag: Any  # a c_bool shared between the processes

    def __call__(self, evaluations: int) -> bool:
        return self.flag.value


_worker: tuple[SharedWork[Any, Any], Stop] | None = None  # in a worker process: what it does


def _start_worker(work: SharedWork[Any, Any], cancelled: Any) -> None:
    global _worker
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent to answer
    end_with_parent()
    _worker = work, _Cancelled(cancelled)


def _work(job: Any) -> Any:
    assert _worker is not None
    work, cancelled = _worker
    return work(job, cancelled)

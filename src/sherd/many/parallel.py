"""Chunks done by `joblib.Parallel`, with whichever backend is active; workers that die cost a second try."""

from __future__ import annotations

import logging
import os
import signal
import threading
import time
import warnings
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Any, Protocol, TypeVar

from joblib import Parallel, delayed
from joblib.parallel import BACKENDS, DEFAULT_BACKEND, get_active_backend

from sherd.core.errors import UnsupportedError
from sherd.many.chunks import Chunk, Chunks
from sherd.many.installed import differences, installed

logger = logging.getLogger(__name__)

Job = TypeVar("Job", contravariant=True)
Outcome = TypeVar("Outcome", covariant=True)

# What backends raise where a worker has died, by name, so that none of them needs to be installed.
DEATHS = frozenset(("BrokenExecutor", "KilledWorker", "RayActorError", "WorkerCrashedError"))
DIED_TWICE = "the worker died twice over it, perhaps for want of memory"
# Of a backend that gives back only all outcomes at once: how many chunks a worker is given at a time.
ROUND = 4
# How often a process looks whether its parent is still there.
ORPHAN_SECONDS = 0.5


class SharedWork(Protocol[Job, Outcome]):
    """What is done with each job; it travels to the workers."""

    def __call__(self, job: Job) -> Outcome:
        """What came of the job."""
        ...

    def lost(self, job: Job, reason: str) -> Outcome:
        """What is said of a job that no worker lives through."""
        ...


@dataclass(frozen=True)
class Done:
    """A chunk's outcomes, and how long they took."""

    first: int
    outcomes: list[Any]
    seconds: float


@dataclass(frozen=True)
class Workers:
    """The workers of the backend that is active.

    ``most_out`` is how many chunks are handed out at a time, as joblib takes it; ``streams`` says whether
    outcomes come as they are finished. ``backend`` is what joblib is told of it.
    """

    count: int
    most_out: int | str
    streams: bool
    backend: dict[str, Any]

    def done(self, work: SharedWork[Any, Any], chunks: Chunks) -> Generator[Done]:
        """Chunks as they are finished, in any order."""
        waiting = iter(chunks)
        for following in waiting:
            more = waiting if self.streams else islice(waiting, ROUND * self.count - 1)
            out = _HandedOut(chain([following], more))
            try:
                with closing(self._run(work, out)) as arriving:
                    for one in arriving:
                        if isinstance(one, BaseException):  # as Ray gives them
                            raise one
                        chunks.learn(len(out.back(one).jobs), one.seconds)
                        yield one
            except Exception as error:
                if not _is_death(error):
                    raise
                suspects = out.stop()
                logger.warning("a worker died; %d chunks are tried a second time", len(suspects))
                for chunk in suspects:
                    yield self._one_by_one(work, chunk)
            out.raise_failure()

    def _run(self, work: SharedWork[Any, Any], chunks: Iterable[Chunk]) -> Generator[Any]:
        run: Any = Parallel(
            n_jobs=self.count,
            batch_size=1,  # pyright: ignore[reportArgumentType]
            pre_dispatch=self.most_out,  # pyright: ignore[reportArgumentType]
            return_as="generator_unordered" if self.streams else "list",
            **self.backend,
        )
        arriving = run(delayed(do_chunk)(work, chunk, installed()) for chunk in chunks)
        try:
            for one in arriving:  # noqa: UP028 - so that closing is done here
                yield one
        finally:
            with warnings.catch_warnings():  # joblib warns of chunks that nobody waits for
                warnings.simplefilter("ignore", UserWarning)
                if self.streams:
                    arriving.close()

    def _one_by_one(self, work: SharedWork[Any, Any], chunk: Chunk) -> Done:
        """Each job of a chunk with no other beside it, so that what ends a worker is known."""
        outcomes: list[Any] = []
        for number, job in enumerate(chunk.jobs, start=chunk.first):
            try:
                for one in self._run(work, [Chunk(number, (job,))]):
                    if isinstance(one, BaseException):
                        raise one
                    outcomes += one.outcomes
            except Exception as error:
                if not _is_death(error):
                    raise
                outcomes.append(work.lost(job, DIED_TWICE))
        return Done(chunk.first, outcomes, 0.0)


def active_workers(workers: int | None) -> Workers | None:
    """Those of the active backend; None where this process is to do the work itself."""
    active: Any = get_active_backend()
    backend, asked = active
    if type(backend) is not BACKENDS[DEFAULT_BACKEND]:
        if type(backend).__name__ == "DaskDistributedBackend":
            from sherd.many.dask_backend import DaskBackend

            backend = DaskBackend(client=backend.client)
        count = backend.effective_n_jobs(asked or -1)
        return Workers(count, workers or "2*n_jobs", backend.supports_return_generator, {"backend": backend})
    count = backend.effective_n_jobs(workers or asked or 1)
    if count == 1:
        return None
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # processes that share the cores need no threads
    begin = {"initializer": start_worker, "initargs": (os.getpid(),)}
    return Workers(count, "2*n_jobs", True, {"backend": DEFAULT_BACKEND, **begin})


def do_chunk(work: SharedWork[Any, Any], chunk: Chunk, expected: dict[str, str]) -> Done:
    """Do the jobs of a chunk, in a worker that runs the same code as whoever sent it."""
    if other := differences(expected, installed()):
        raise UnsupportedError(f"the workers run other versions: {other}")
    started = time.perf_counter()
    outcomes = [work(job) for job in chunk.jobs]
    return Done(chunk.first, outcomes, time.perf_counter() - started)


def start_worker(parent: int) -> None:
    """Leave Ctrl-C to the parent, and end soon after it, which may be killed before it can say so."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(ORPHAN_SECONDS)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@dataclass
class _HandedOut:
    """Chunks on their way to workers, taken by joblib's threads, and which are not back yet."""

    waiting: Iterator[Chunk]
    chunks: dict[int, Chunk] = field(default_factory=dict[int, Chunk])
    lock: threading.Lock = field(default_factory=threading.Lock)
    failure: Exception | None = None
    stopped: bool = False

    def __iter__(self) -> Iterator[Chunk]:
        while True:
            with self.lock:
                if self.stopped:
                    return
                try:
                    chunk = next(self.waiting, None)
                except Exception as error:  # joblib would wait for ever
                    self.failure, chunk = error, None
                if chunk is None:
                    return
                self.chunks[chunk.first] = chunk
            yield chunk

    def back(self, one: Done) -> Chunk:
        """The chunk of these outcomes, which is out no longer."""
        with self.lock:
            return self.chunks.pop(one.first)

    def stop(self) -> list[Chunk]:
        """Hand out no more; those that are still out."""
        with self.lock:
            self.stopped = True
            return list(self.chunks.values())

    def raise_failure(self) -> None:
        """What kept the jobs from being read, if anything did."""
        if self.failure is not None:
            raise self.failure


def _is_death(error: Exception) -> bool:
    return any(base.__name__ in DEATHS for base in type(error).__mro__)

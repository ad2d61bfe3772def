"""Sharing jobs: the outcome of each in turn, whoever did it and whenever, kept in shards where that is asked.

Without a backend of joblib's choosing, processes of this machine (loky) do the jobs, or this one if there is
to be one worker; within ``joblib.parallel_config(backend="dask")``, or `sherd.many.engine.using`, others do.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Any, TypeVar

from sherd.many.chunks import LEAST_SECONDS, Chunks

if TYPE_CHECKING:
    from sherd.many.parallel import Done, SharedWork
    from sherd.many.shards import Shards

Job = TypeVar("Job")
Outcome = TypeVar("Outcome")


def share(
    work: SharedWork[Job, Outcome],
    jobs: Iterable[Job],
    *,
    workers: int | None = None,
    shards: Shards[Outcome] | None = None,
) -> Generator[Outcome]:
    """The outcome of every job, in the order of the jobs.

    With ``shards`` each finished chunk is kept there, and jobs whose outcomes are kept are not done again. A
    worker that dies costs the jobs it had a second try, each by itself; those that end it again are `lost`.
    """
    from sherd.many.parallel import active_workers  # joblib takes a while to load

    found = active_workers(workers)
    if found is None:
        chunks = Chunks(jobs, () if shards is None else shards.done())
        finished = _here(work, chunks)
        with closing(finished):
            yield from _in_order(finished) if shards is None else _kept_here(finished, shards)
        return
    chunks = Chunks(jobs, () if shards is None else shards.done(), found.count)
    with closing(found.done(work, chunks)) as finished:
        yield from _in_order(finished) if shards is None else _kept(finished, shards)


def _here(work: SharedWork[Any, Any], chunks: Chunks) -> Generator[Done]:
    """Job by job, as they are asked for."""
    from sherd.many.parallel import Done

    for chunk in chunks:
        started = time.perf_counter()
        outcomes = [work(job) for job in chunk.jobs]
        yield Done(chunk.first, outcomes, time.perf_counter() - started)


def _in_order(finished: Iterable[Done]) -> Iterator[Any]:
    position, waiting = 0, dict[int, list[Any]]()
    for done in finished:
        waiting[done.first] = done.outcomes
        while position in waiting:
            outcomes = waiting.pop(position)
            position += len(outcomes)
            yield from outcomes


def _kept(finished: Iterable[Done], shards: Shards[Any]) -> Iterator[Any]:
    """The same, each chunk written as it comes and read when it is its turn: little is held in memory."""
    position = shards.part.start
    for done in finished:
        shards.keep(done.first, done.outcomes)
        for outcomes in shards.following(position):
            position += len(outcomes)
            yield from outcomes
    for outcomes in shards.following(position):
        yield from outcomes


def _kept_here(finished: Iterable[Done], shards: Shards[Any]) -> Iterator[Any]:
    """Outcomes of this process, one by one; those that follow each other become a shard after a while."""
    position, first, seconds = shards.part.start, 0, 0.0
    pending: list[Any] = []

    def keep() -> None:
        if pending:
            outcomes = [*pending]
            pending.clear()
            shards.keep(first, outcomes)

    try:
        for done in finished:
            if seconds >= LEAST_SECONDS or first + len(pending) != done.first:
                keep()
            if not pending:
                for outcomes in shards.following(position):
                    position += len(outcomes)
                    yield from outcomes
                first, seconds = done.first, 0.0
            pending += done.outcomes
            seconds += done.seconds
            position += len(done.outcomes)
            yield from done.outcomes
    except GeneratorExit:  # nobody waits any more, perhaps since the disk is full, which was told
        with suppress(OSError):
            keep()
        raise
    finally:
        keep()
    for outcomes in shards.following(position):
        yield from outcomes

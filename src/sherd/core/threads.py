"""Threads for compiled loops: parts of the work side by side, to the same bits as in one go.

Compiled code lets other threads run meanwhile, so that loops over things that do not depend on each other
take half the time on two cores, without other processes to start.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

Made = TypeVar("Made")


@dataclass(frozen=True)
class _Threads:
    count: int
    pool: ThreadPoolExecutor


_threads: ContextVar[_Threads | None] = ContextVar("threads", default=None)


@contextmanager
def using_threads(count: int) -> Generator[None]:
    """Within the block `in_parts` has so many threads; otherwise the one that calls it."""
    if count < 2:
        yield
        return
    with ThreadPoolExecutor(count, thread_name_prefix="sherd-part") as pool:
        before = _threads.set(_Threads(count, pool))
        try:
            yield
        finally:
            _threads.reset(before)


def in_parts(numbers: range, make: Callable[[slice], Made], *, least: int = 1) -> list[Made]:
    """What is made of parts of consecutive numbers, in order; a part has at least so many, or is the whole.

    What comes of a number must not depend on the others in its part.

    >>> with using_threads(2):
    ...     in_parts(range(10, 15), lambda part: (part.start, part.stop))
    [(10, 13), (13, 15)]
    >>> in_parts(range(10, 15), lambda part: (part.start, part.stop))
    [(10, 15)]
    """
    threads, count = _threads.get(), len(numbers)
    parts = 1 if threads is None else min(threads.count, count // least)
    if threads is None or parts < 2:
        return [make(slice(numbers.start, numbers.stop))]
    borders = [numbers.start - (-count * part // parts) for part in range(parts + 1)]
    slices = [slice(low, high) for low, high in pairwise(borders)]
    waiting = [threads.pool.submit(make, part) for part in slices[1:]]
    first = make(slices[0])
    return [first, *(part.result() for part in waiting)]

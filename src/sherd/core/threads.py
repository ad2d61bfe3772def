"""Threads for compiled loops: parts of the work side by side, to the same bits as in one go.

Compiled code lets other threads run meanwhile, so that loops over things that do not depend on each other
take half the time on two cores, without other processes to start.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

Thing = TypeVar("Thing")
Made = TypeVar("Made")

# Parts for each thread, which may take one longer than another.
PARTS = 4


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
    ...     in_parts(range(10, 15), lambda part: (part.start, part.stop), least=2)
    [(10, 13), (13, 15)]
    >>> in_parts(range(10, 15), lambda part: (part.start, part.stop))
    [(10, 15)]
    """
    threads, count = _threads.get(), len(numbers)
    parts = 1 if threads is None else min(PARTS * threads.count, count // least)
    if threads is None or parts < 2:
        return [make(slice(numbers.start, numbers.stop))]
    borders = [numbers.start - (-count * part // parts) for part in range(parts + 1)]
    return [*threads.pool.map(make, (slice(low, high) for low, high in pairwise(borders)))]


def made_ahead(make: Callable[[Thing], Made], things: Iterable[Thing]) -> Iterator[tuple[Thing, Made]]:
    """Each thing and what is made of it; where there are threads the next is made while one is looked at.

    >>> with using_threads(2):
    ...     list(made_ahead(abs, [-1, 2, -3]))
    [(-1, 1), (2, 2), (-3, 3)]
    """
    threads = _threads.get()
    if threads is None:
        yield from ((thing, make(thing)) for thing in things)
        return
    begun: list[tuple[Thing, Future[Made]]] = []
    for thing in things:
        begun.append((thing, threads.pool.submit(make, thing)))
        if len(begun) > 1:
            yield begun[0][0], begun.pop(0)[1].result()
    yield from ((thing, made.result()) for thing, made in begun)

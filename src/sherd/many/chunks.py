"""Chunks: jobs that follow each other and take half a second together, so that handing out costs little."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

# A chunk should take this long at least.
LEAST_SECONDS = 0.5
# What handing out one chunk and keeping its rows costs the process that does it; with many workers chunks
# are longer, so that it keeps up with them (docs/scale.md).
SEAM_SECONDS = 0.005
# No chunk has more jobs, whatever they seem to take.
MOST_JOBS = 100_000


@dataclass(frozen=True)
class Chunk:
    """Jobs that are done by one worker; ``first`` is the number of the first of them in the run."""

    first: int
    jobs: tuple[Any, ...]


def chunk_seconds(workers: int) -> float:
    """How long a chunk should take with so many workers.

    >>> chunk_seconds(2), chunk_seconds(1000)
    (0.5, 5.0)
    """
    return max(LEAST_SECONDS, workers * SEAM_SECONDS)


class Chunks:
    """Chunks cut from jobs as they are asked for, sized by what those before them took.

    Their borders come from a clock, so nothing that is kept of a run depends on where they are. The first
    ones are of one job; later ones are at most twice as long as any before.
    """

    def __init__(self, jobs: Iterable[Any], done: Iterable[range] = (), workers: int = 1) -> None:
        self._jobs = enumerate(jobs)
        self._done = iter(sorted(done, key=lambda numbers: numbers.start))
        self._seconds = chunk_seconds(workers)
        self._size = 1

    def __iter__(self) -> Iterator[Chunk]:
        for gap in self._gaps():
            while True:
                left = self._size if gap.stop is None else min(self._size, gap.stop - gap.start)
                taken = list(islice(self._jobs, max(left, 0)))
                if not taken:
                    break
                gap.start = taken[-1][0] + 1
                yield Chunk(taken[0][0], tuple(job for _, job in taken))

    def _gaps(self) -> Iterator[_Gap]:
        """The stretches that are not done; what is done is passed over."""
        position = 0
        for numbers in self._done:
            yield _Gap(position, numbers.start)
            skipped = numbers.stop - max(numbers.start, position)
            for _ in islice(self._jobs, max(0, skipped)):
                pass
            position = max(position, numbers.stop)
        yield _Gap(position, None)

    def learn(self, jobs: int, seconds: float) -> None:
        """Note how long a chunk of so many jobs took."""
        wanted = jobs * self._seconds / max(seconds, 1e-9)
        self._size = max(1, min(round(wanted), 2 * max(jobs, self._size), MOST_JOBS))


@dataclass
class _Gap:
    start: int
    stop: int | None

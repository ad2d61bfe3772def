"""Sets of puzzles made by many workers: blocks of lines or of Arrow rows, the same whoever makes them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sherd.core.errors import UnsupportedError
from sherd.core.puzzle import Puzzle, Sample
from sherd.generation.dataset import CUTS, PuzzleKind, make_observed, make_samples
from sherd.generation.fragmentation import BLOCK, generate_arrays
from sherd.io.puzzle_files import puzzle_to_line
from sherd.io.puzzle_sets import block_of_arrays, block_of_lines

EXACT = "exact"
# Puzzles of a job, where they are made one by one; and where they are kept as they are, to be drawn.
ONE_BY_ONE = 10
TO_BE_DRAWN = 50


@dataclass(frozen=True)
class MakePuzzles:
    """Puzzles of one kind as they are seen; ``compact`` gives Arrow rows, else lines of JSON."""

    kind: PuzzleKind
    seed: int
    seen: str = EXACT
    compact: bool = False

    def jobs(self, part: range) -> list[range]:
        """The puzzles of a part in blocks, as they are cut at once."""
        size = BLOCK if self.kind.dissection == CUTS else ONE_BY_ONE
        first = part.start - part.start % size
        return [
            range(max(start, part.start), min(start + size, part.stop))
            for start in range(first, part.stop, size)
        ]

    def __call__(self, job: range) -> bytes:
        """The block."""
        kind = self.kind
        if self.compact and self.seen == EXACT and kind.is_plain and kind.dissection == CUTS:
            cut = generate_arrays(
                kind.shape, kind.fragmentation, seed=self.seed, start=job.start, stop=job.stop
            )
            return block_of_arrays(cut)
        lines = [puzzle_to_line(item) for item in self._puzzles(job)]
        if self.compact:
            return block_of_lines(lines, kind.shape.outline, kind.rotations)
        return "".join(f"{line}\n" for line in lines).encode()

    def lost(self, job: range, reason: str) -> bytes:
        """No line can stand for puzzles that are not there."""
        raise UnsupportedError(f"puzzles {job.start} to {job.stop - 1} cannot be made: {reason}")

    def _puzzles(self, job: range) -> Iterator[Sample | Puzzle]:
        """The puzzles with their answers, but for those with pieces that belong nowhere."""
        if self.seen == EXACT:
            yield from make_samples(self.kind, seed=self.seed, start=job.start, stop=job.stop)
            return
        for found in make_observed(self.kind, self.seen, seed=self.seed, start=job.start, stop=job.stop):
            yield found.puzzle if found.foreign else Sample(found.puzzle, found.truth)


@dataclass(frozen=True)
class MakeSamples:
    """Puzzles of one kind with their answers, as they are: what networks are taught on."""

    kind: PuzzleKind
    seed: int

    def jobs(self, part: range) -> list[range]:
        """The puzzles of a part, some at a time."""
        starts = range(part.start, part.stop, TO_BE_DRAWN)
        return [range(start, min(start + TO_BE_DRAWN, part.stop)) for start in starts]

    def __call__(self, job: range) -> list[Sample]:
        """Some of the puzzles."""
        return list(make_samples(self.kind, seed=self.seed, start=job.start, stop=job.stop))

    def lost(self, job: range, reason: str) -> list[Sample]:
        """There is nothing to learn from in the place of puzzles that cannot be made."""
        raise UnsupportedError(f"puzzles {job.start} to {job.stop - 1} cannot be made: {reason}")

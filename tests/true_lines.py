"""The lines that edges of cut pieces lie on, told from the exact puzzle, for tests of other ways."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sherd.core.arrays import Floats
from sherd.core.geometry import Pose, Rotations
from sherd.core.puzzle import Sample
from sherd.generation.dataset import PuzzleKind, make_samples
from sherd.generation.shapes import named_shape
from sherd.solvers.search.beliefs.edge_lines import Lines
from sherd.solvers.search.corner_outline import ring_of


def noisy_and_lines(
    shape: str, pieces: int, noise: float, seed: int, number: int = 0
) -> tuple[Sample, Lines]:
    """A puzzle whose corners were moved, and the lines of its edges before that."""
    kind = PuzzleKind(shape=named_shape(shape), pieces=pieces, rotations=Rotations(None), noise=noise)
    (noisy,) = make_samples(kind, seed=seed, start=number, stop=number + 1)
    (exact,) = make_samples(replace(kind, noise=0.0), seed=seed, start=number, stop=number + 1)
    return noisy, true_lines(exact)


def true_lines(exact: Sample) -> Lines:
    """The line of each edge of exact pieces: first the target's sides, then the cuts."""
    target, poses = ring_of(exact.puzzle.target), poses_of(exact)
    ends = list(zip(target, np.roll(target, -1, axis=0), strict=True))
    lines: list[tuple[int, ...]] = []
    for number, outline in enumerate(rings_of(exact)):
        ring = poses[number].points(outline)
        own: list[int] = []
        for begin, end in zip(ring, np.roll(ring, -1, axis=0), strict=True):
            on = [k for k, (a, b) in enumerate(ends) if _is_on(a, b, begin) and _is_on(a, b, end)]
            if not on:
                on = [len(ends)]
                ends.append((begin, end))
            own.append(on[0])
        lines.append(tuple(own))
    return tuple(lines)


def poses_of(sample: Sample) -> dict[int, Pose]:
    """The true poses by the numbers of pieces."""
    return {number: sample.truth[piece.id] for number, piece in enumerate(sample.puzzle.fragments)}


def rings_of(sample: Sample) -> list[Floats]:
    """The outlines by the numbers of pieces."""
    return [ring_of(piece.polygon) for piece in sample.puzzle.fragments]


def numbered(lines: Lines, sides: int) -> Lines:
    """The lines with cuts numbered as they come, so that the same lines are equal."""
    numbers = {side: side for side in range(sides)}
    return tuple(tuple(numbers.setdefault(line, len(numbers)) for line in edges) for edges in lines)


def _is_on(begin: Floats, end: Floats, point: Floats) -> bool:
    along, off = end - begin, point - begin
    return bool(abs(along[0] * off[1] - along[1] * off[0]) < 1e-7)

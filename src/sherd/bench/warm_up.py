"""Compiling ahead what most puzzles need, so that nobody waits: python -m sherd.bench.warm_up."""

from __future__ import annotations

import os

from sherd.core import plain_at_first
from sherd.core.geometry import Rotations
from sherd.generation.dataset import PuzzleKind, make_samples, target_shape
from sherd.many.share import share
from sherd.solvers import assemble

FREE = Rotations(None)

TORN = PuzzleKind(pieces=6, dissection="broken")
ON_A_GRID = PuzzleKind(
    shape=target_shape("frame", "lattice"), pieces=12, dissection="lattice", rotations=FREE
)
# Puzzles that take about equally long to compile for, in two lots that share little.
LOTS: tuple[tuple[PuzzleKind, ...], ...] = (
    (
        PuzzleKind(pieces=8),
        PuzzleKind(pieces=8, rotations=FREE),
        PuzzleKind(pieces=6, degradation="eroded"),
        PuzzleKind(pieces=6, degradation="distorted"),
    ),
    (TORN, ON_A_GRID),
)


def warm_up() -> int:
    """Solve a puzzle of each kind, in two processes if there are as many cores; how many were solved."""
    return sum(share(SolveLot(), LOTS, workers=min(len(LOTS), os.cpu_count() or 1)))


class SolveLot:
    """Solve a puzzle of each kind by compiled code, be it quicker without; how many were solved."""

    def __call__(self, job: tuple[PuzzleKind, ...]) -> int:
        """How many of a lot were solved."""
        return solve_lot(job)

    def lost(self, job: tuple[PuzzleKind, ...], reason: str) -> int:
        """None of it: what was compiled before is kept."""
        return 0


def solve_lot(job: tuple[PuzzleKind, ...]) -> int:
    """Solve a puzzle of each kind by compiled code, be it quicker without; how many were solved."""
    before, plain_at_first.spent.seconds = plain_at_first.spent.seconds, plain_at_first.MOST_SECONDS
    try:
        return sum(
            assemble(sample.puzzle).solved for kind in job for sample in make_samples(kind, seed=0, stop=1)
        )
    finally:
        plain_at_first.spent.seconds = before


if __name__ == "__main__":
    warm_up()

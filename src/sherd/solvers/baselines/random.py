"""The floor that every other solver must beat: pieces dropped anywhere inside the target."""

from __future__ import annotations

import numpy as np
import shapely

from sherd.core.assembly import Assembly
from sherd.core.geometry import TAU, Pose
from sherd.core.puzzle import Puzzle
from sherd.solvers.base import OnProgress, Progress, Proposal
from sherd.solvers.stop import Stop


class RandomSolver:
    """Places every fragment with its centre at a random point of the target, at a random allowed angle."""

    def solve(
        self, puzzle: Puzzle, *, stop: Stop, rng: np.random.Generator, on_progress: OnProgress | None = None
    ) -> Proposal:
        """One random assembly, complete unless ``stop`` cuts it short."""
        trace = [Assembly()]
        for fragment in puzzle.fragments:
            if stop(len(trace) - 1):
                break
            trace.append(trace[-1].place(fragment.id, _random_pose(puzzle, fragment.id, rng)))
            if on_progress is not None:
                on_progress(Progress(assembly=trace[-1], objective=0.0, evaluations=len(trace) - 1))
        return Proposal(
            assembly=trace[-1],
            objective=0.0,
            evaluations=len(trace) - 1,
            trace=tuple(trace[1:]),
            remark="pieces are placed at random",
        )


def _random_pose(puzzle: Puzzle, fragment_id: str, rng: np.random.Generator) -> Pose:
    low_x, low_y, high_x, high_y = puzzle.target.bounds
    while True:
        x, y = rng.uniform((low_x, low_y), (high_x, high_y)).tolist()
        if shapely.contains_xy(puzzle.target, x, y):
            break
    mirrored = puzzle.may_mirror(fragment_id) and bool(rng.integers(2))
    return Pose(x, y, puzzle.rotations.nearest(float(rng.uniform(0.0, TAU))), mirrored)

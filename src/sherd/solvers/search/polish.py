"""Polishing: refining on area what was found from outlines that are not exact."""

from __future__ import annotations

import math
from collections.abc import Mapping

from sherd.core.geometry import Pose
from sherd.core.in_target import misplaced_shares
from sherd.core.puzzle import Puzzle
from sherd.solvers.refine import RefineParams, refine
from sherd.solvers.search.arrangement import assembly_of
from sherd.solvers.search.constants.beliefs import (
    MOST_HIDDEN,
    MOST_POLISH,
    POLISH_FIRST_STEP,
    POLISH_LAST_STEP,
)
from sherd.solvers.search.constants.completing import LAST_POLISH
from sherd.solvers.stop import AnyOf, MaxEvaluations, Stop

# Beliefs say where pieces are to about the first step; refinement goes on from there.
POLISH = RefineParams(first_step=POLISH_FIRST_STEP, last_step=POLISH_LAST_STEP, reach=math.inf)


def polish(puzzle: Puzzle, poses: Mapping[int, Pose], stop: Stop) -> dict[int, Pose]:
    """The poses refined on area."""
    limited = AnyOf((stop, MaxEvaluations(MOST_POLISH)))
    refined = refine(puzzle, assembly_of(puzzle, poses), stop=limited, params=POLISH)
    numbers = {fragment.id: number for number, fragment in enumerate(puzzle.fragments)}
    return {numbers[placement.id]: placement.pose for placement in refined}


def polish_in_sight(puzzle: Puzzle, poses: dict[int, Pose]) -> dict[int, Pose]:
    """The poses refined on area for a while; as they are, if that hides much of a piece behind others.

    Where pieces have more area than the target, one that is hidden covers as much as before.
    """
    refined = polish(puzzle, poses, MaxEvaluations(LAST_POLISH))
    is_hidden = max(misplaced_shares(puzzle, refined).values(), default=0.0) > MOST_HIDDEN
    return poses if is_hidden else refined

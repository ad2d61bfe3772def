"""Polishing: refining on area what was found from outlines that are not exact."""

from __future__ import annotations

import math
from collections.abc import Mapping

from sherd.core.geometry import Pose
from sherd.core.puzzle import Puzzle
from sherd.solvers.refine import RefineParams, refine
from sherd.solvers.search.arrangement import assembly_of
from sherd.solvers.stop import AnyOf, MaxEvaluations, Stop

# Beliefs say where pieces are to about this, as a share of the target's size; refinement goes on from there.
POLISH = RefineParams(first_step=4e-3, last_step=5e-4, reach=math.inf)
# Many pieces would take seconds to refine to the end, for next to nothing.
MOST_POLISH = 5000


def polished(puzzle: Puzzle, poses: Mapping[int, Pose], stop: Stop) -> dict[int, Pose]:
    """The poses refined on area."""
    limited = AnyOf((stop, MaxEvaluations(MOST_POLISH)))
    refined = refine(puzzle, assembly_of(puzzle, poses), stop=limited, params=POLISH)
    numbers = {fragment.id: number for number, fragment in enumerate(puzzle.fragments)}
    return {numbers[placement.id]: placement.pose for placement in refined}

"""Pieces that must lie in certain places, where those part the rest of the target.

Solvers fill one region. So the whole is assembled as if nothing were known, in as many ways as are found, and
the one is taken that has the pinned pieces in their places.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import shapely

from sherd.core.assembly import Assembly, Placement
from sherd.core.puzzle import Puzzle
from sherd.core.symmetry import allowed_symmetries
from sherd.solvers.base import OnProgress
from sherd.solvers.run import Assembler
from sherd.solvers.stop import Stop
from sherd.workshop.proposal import JobProposal

# So many assemblies are looked through.
MOST_AROUND_PINS = 200


def assemble_pinned(
    assembler: Assembler,
    puzzle: Puzzle,
    pinned: Assembly,
    tolerance: float,
    *,
    seconds: float,
    rng: np.random.Generator,
    stop: Stop | None = None,
    on_progress: OnProgress | None = None,
) -> JobProposal:
    """An assembly of all pieces that has the pinned ones within the tolerance of their places, without those.

    If there is none it is empty.
    """
    solver, result = assembler(
        puzzle, seconds=seconds, rng=rng, most=MOST_AROUND_PINS, stop=stop, on_progress=on_progress
    )
    fitting: list[Assembly] = []
    for assembly in (result.assembly, *result.alternatives) if result.solved else ():
        for symmetry in allowed_symmetries(puzzle):
            turned = Assembly(tuple(Placement(p.id, symmetry @ p.pose) for p in assembly))
            if _agree(turned, pinned, puzzle, tolerance):
                fitting.append(Assembly(tuple(p for p in turned if p.id not in pinned)))
                break
    if not fitting:
        why = result.reason or "no assembly that was found has the pinned pieces in their places"
        empty = replace(result, assembly=Assembly(), alternatives=(), all_found=False, remark=why)
        return JobProposal(solver, empty)
    return JobProposal(solver, replace(result, assembly=fitting[0], alternatives=tuple(fitting[1:])))


def _agree(assembly: Assembly, pinned: Assembly, puzzle: Puzzle, tolerance: float) -> bool:
    return all(
        shapely.hausdorff_distance(pose.apply(outline), assembly[name].apply(outline)) <= tolerance
        for name, pose, outline in ((p.id, p.pose, puzzle[p.id].polygon) for p in pinned)
    )

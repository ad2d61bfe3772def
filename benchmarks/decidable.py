"""Whether the truth of a rough puzzle could be told at all: weighed as the search weighs what it finds.

The lines that edges of the undamaged pieces lie on are the true arrangement of the damaged ones. It is
decidable if cuts that are fitted to it leave nothing that is as likely among what comes of it by exchanging
parts, and nothing likelier.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from sherd.bench.cell import Cell
from sherd.core.arrays import Floats
from sherd.core.geometry import Pose
from sherd.core.puzzle import Puzzle, Sample
from sherd.generation.dataset import make_samples
from sherd.solvers.search.beliefs.eroded import take
from sherd.solvers.search.beliefs.likeliest import Arranged
from sherd.solvers.search.beliefs.roughness import Roughness
from sherd.solvers.search.beliefs.seen_lines import seen_lines
from sherd.solvers.search.beliefs.weigh_cuts import Weighed, weigh_by_cuts
from sherd.solvers.search.case import Case
from sherd.solvers.search.constants.rough_outlines import NEARLY_STRAIGHT, SURE
from sherd.solvers.search.corner_outline import CornerOutline, ring_of
from sherd.solvers.stop import MaxEvaluations


def weigh_truth(cell: Cell, sample: Sample, seed: int, number: int) -> Weighed | None:
    """The likeliest arrangement that comes of the true one; None if it cannot be told by cuts."""
    kind = replace(cell.kind, degradation="none", strength=1.0, noise=0.0)
    (whole,) = make_samples(kind, seed=seed, start=number, stop=number + 1)
    if cell.input != "polygons" or len(whole.puzzle.fragments) != len(sample.puzzle.fragments):
        return None
    arranged = _arranged(whole, sample)
    return None if arranged is None else weigh_by_cuts(Case(sample.puzzle), [arranged], MaxEvaluations(1))


def _arranged(whole: Sample, sample: Sample) -> Arranged | None:
    """The true arrangement of damaged pieces; None if what they are taken for has other corners."""
    exact = [_corners(whole.puzzle, number) for number in range(len(whole.puzzle.fragments))]
    poses, moved = _poses(whole), _poses(sample)
    lines = seen_lines(exact, poses, CornerOutline.of(ring_of(whole.puzzle.target), NEARLY_STRAIGHT).corners)
    if lines is None:
        return None
    case, outlines = Case(sample.puzzle), list[Floats]()
    for number, corners in enumerate(exact):
        near = _begun_alike(poses[number].points(corners), moved[number], _taken_for(case, number))
        if near is None:
            return None
        outlines.append(near[0])
        own = lines[number]
        # Outlines are left as they are, for what is known of them goes by that; lines are turned on instead.
        lines = (*lines[:number], own[-near[1] :] + own[: -near[1]] if near[1] else own, *lines[number + 1 :])
    return Arranged(lines, tuple(outlines), moved)


def _taken_for(case: Case, number: int) -> list[Floats]:
    """What a piece may be taken for."""
    taken = take(case, number, Roughness(size=SURE, traced=False), lambda: False)
    if taken is None:
        return []
    if taken.guesses:
        return [belief.corners for belief, _ in taken.guesses]
    return [CornerOutline.of(taken.ring, NEARLY_STRAIGHT).corners]


def _begun_alike(place: Floats, pose: Pose, outlines: Sequence[Floats]) -> tuple[Floats, int] | None:
    """The outline with as many corners as a place, and which of its corners lies on the place's first."""
    for outline in outlines:
        if len(outline) == len(place):
            laid = pose.points(outline)
            off = [np.hypot(*(place - np.roll(laid, -first, axis=0)).T).sum() for first in range(len(laid))]
            return outline, int(np.argmin(off))
    return None


def _corners(puzzle: Puzzle, number: int) -> Floats:
    return CornerOutline.of(ring_of(puzzle.fragments[number].polygon), NEARLY_STRAIGHT).corners


def _poses(sample: Sample) -> dict[int, Pose]:
    return {number: sample.truth[piece.id] for number, piece in enumerate(sample.puzzle.fragments)}

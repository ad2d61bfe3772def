"""Weighing what was glued: of several assemblies, the one that covers most is taken."""

from __future__ import annotations

from functools import partial

from sherd.core.geometry import Pose, angle_between, size_of
from sherd.core.puzzle import Puzzle
from sherd.core.verdict import Tolerance, lies_tightly
from sherd.solvers.search.arrangement import Arrangement, arrangement_of
from sherd.solvers.search.beliefs.roughness import Roughness, assemble_rough
from sherd.solvers.search.case import any_bends_inward, has_holes
from sherd.solvers.search.corner_outline import outlines_of
from sherd.solvers.search.gluing.glue_exactly import Beam, glue
from sherd.solvers.search.polish import polished
from sherd.solvers.stop import Resumed, Stop

# Where pieces overlap more than they should by chance, so many assemblies of a guess are refined and weighed,
# if they cost no more than this above the likeliest. Assemblies that differ by less than this share of the
# target's size, and this angle in radians, are weighed once.
MOST_WEIGHED = 3
DEAREST = 5.0
REFINED_ALIKE = 0.006
REFINED_ALIKE_ANGLE = 0.1


def glued(
    puzzle: Puzzle, rung: float, stop: Stop, *, beam: Beam | None = None
) -> tuple[dict[int, Pose], int]:
    """Poses by gluing, none where it leads nowhere; each way that is weighed is an evaluation."""
    if has_holes(puzzle):
        return {}, 0
    pieces, target = outlines_of(puzzle, rung)
    best, ways = Arrangement({}, 0.0), 0
    uncertainty = rung * size_of(puzzle.target)
    for poses in glue(
        pieces, target, puzzle.rotations, uncertainty, beam=beam or Beam(), stop=lambda: stop(1)
    ):
        answer, ways = arrangement_of(puzzle, poses), ways + 1
        best = max(best, answer, key=lambda one: one.coverage)
        if best.fits(puzzle, Tolerance.of_corners(rung)) or stop(ways):
            break
    return best.poses, max(1, ways)


def glued_roughly(
    puzzle: Puzzle, rung: float, stop: Stop, *, roughness: Roughness, looser: tuple[Roughness, ...] = ()
) -> tuple[dict[int, Pose], int]:
    """Poses by gluing rough outlines: of the likeliest assemblies, each refined, the one that covers most.

    Where it is solved but pieces overlap more than they should by chance, what ``looser`` guesses find is
    weighed against it.
    """
    if has_holes(puzzle) or any_bends_inward(puzzle):
        return {}, 0
    best, joints, weighed = Arrangement({}, 0.0), 0, list[dict[int, Pose]]()
    for guess in (roughness, *looser):
        found = assemble_rough(puzzle, guess, Resumed(stop, joints))
        joints += found.joints
        if not found.wholes and guess is roughness:
            return found.some, joints
        likely = [whole.poses for whole in found.wholes if whole.cost <= found.wholes[0].cost + DEAREST]
        for poses in likely[:MOST_WEIGHED]:
            if any(_are_alike(puzzle, poses, others) for others in weighed):
                continue
            weighed.append(poses)
            answer = arrangement_of(puzzle, polished(puzzle, poses, partial(_stops_after, stop, joints)))
            best = max(best, answer, key=lambda one: one.coverage)
            if lies_tightly(puzzle, best.coverage) or stop(joints):
                return best.poses, joints
        if not best.fits(puzzle, Tolerance(rung, roughness.depth)):
            break
    return best.poses, joints


def _stops_after(stop: Stop, spent: int, evaluations: int) -> bool:
    """Whether to stop, when refinement's own evaluations are not counted."""
    return stop(spent)


def _are_alike(puzzle: Puzzle, poses: dict[int, Pose], others: dict[int, Pose]) -> bool:
    """Whether refinement would make the same of two assemblies."""
    farthest = REFINED_ALIKE * size_of(puzzle.target)
    return all(
        abs(pose.x - others[number].x) <= farthest
        and abs(pose.y - others[number].y) <= farthest
        and angle_between(pose.theta, others[number].theta) <= REFINED_ALIKE_ANGLE
        for number, pose in poses.items()
    )

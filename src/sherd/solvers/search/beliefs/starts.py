"""What a chart begins with: the pieces as they are believed to be before any is glued by likelihood."""

from __future__ import annotations

from sherd.core.geometry import Pose
from sherd.solvers.search.beliefs.chart import Start
from sherd.solvers.search.beliefs.edge_lines import seen_in
from sherd.solvers.search.beliefs.eroded import take
from sherd.solvers.search.beliefs.roughness import Roughness
from sherd.solvers.search.beliefs.traced_tips import other_tips
from sherd.solvers.search.beliefs.uncertain_outline import with_moved_corners
from sherd.solvers.search.case import Case
from sherd.solvers.search.constants.rough_outlines import (
    EXACT_DOUBT,
    FITS_EXACTLY,
    NEARLY_STRAIGHT,
    ON_ONE_LINE,
)
from sherd.solvers.search.corner_outline import CornerOutline, ring_of
from sherd.solvers.search.gluing.glue_exactly import GluedPart, glue_some
from sherd.solvers.stop import Stop


def find_starts(case: Case, roughness: Roughness, stop: Stop) -> list[Start]:
    """The pieces as they are believed to be, those glued already that fit each other exactly.

    There are none if some piece is eroded beyond repair.
    """
    size = case.size
    starts: list[Start] = []
    sound: list[int] = []
    outlines: list[CornerOutline] = []
    for number in range(case.pieces):
        taken = take(case, number, roughness, lambda: stop(0))
        if taken is None:
            return []
        starts += (Start(belief, ((number, Pose()),), cost) for belief, cost in taken.guesses)
        if not taken.guesses:
            sound.append(number)
            outlines.append(CornerOutline.of(taken.ring, NEARLY_STRAIGHT))
    for part in _exact_parts(case, outlines, roughness, stop):
        members = tuple((sound[number], pose) for number, pose in part.members)
        alone, corners = len(members) == 1, part.outline.corners
        doubt = EXACT_DOUBT * roughness.size * size
        belief = roughness.belief(corners, size) if alone else with_moved_corners(corners, doubt)
        outlines_in = tuple(outlines[number].corners for number, _ in part.members)
        laid = [
            (number, pose.points(outline))
            for (number, pose), outline in zip(members, outlines_in, strict=True)
        ]
        lines = None if alone else seen_in(corners, laid, ON_ONE_LINE * size)
        starts.append(Start(belief, members, lines=lines, outlines=outlines_in))
        if alone and roughness.traced:
            for changed, cost in other_tips(corners, roughness.size * size):
                starts.append(Start(roughness.belief(changed, size), members, cost))
    return starts


def _exact_parts(
    case: Case, outlines: list[CornerOutline], roughness: Roughness, stop: Stop
) -> list[GluedPart]:
    """The pieces, those glued that fit each other exactly; edges along pixels do so by chance."""
    if roughness.traced:
        return [GluedPart(outline, ((number, Pose()),)) for number, outline in enumerate(outlines)]
    target = CornerOutline.of(ring_of(case.puzzle.target), NEARLY_STRAIGHT)
    exact = FITS_EXACTLY * case.size
    return glue_some(outlines, target, case.puzzle.rotations, exact, stop=lambda: stop(0))

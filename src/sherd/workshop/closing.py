"""The last pieces: an assembly leaves a gap of the very shape of a piece that found no place.

Rough outlines may miss each other at the last corner by more than a search allows, though nothing else
could lie there. Such a piece is laid centroid on centroid, turned to where it covers most, and refined. If
the gap can be filled about as well in another way, or by another piece, that is said.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import shapely
from shapely import Polygon

from sherd.core.assembly import Assembly, Placement
from sherd.core.geometry import Pose, Rotations, angle_between, intersection, size_of
from sherd.core.overlaps import listed
from sherd.core.puzzle import Fragment, Puzzle
from sherd.core.tolerance import Tolerance
from sherd.layout.gaps import find_gaps
from sherd.layout.layout import lay_out
from sherd.solvers.base import Proposal
from sherd.solvers.refine import refine
from sherd.solvers.stop import AnyOf, MaxEvaluations, Stop

# A piece and a gap whose areas differ by more than this share are not compared.
PIECE_AREA_SLACK = 0.04
# How much of a gap and a piece must be common to both, as a share of all that either covers.
LEAST_IOU = 0.94
# Another way to fill the gap that has no less in common with it than this much less is as good.
AS_GOOD = 0.01
# Angles that are looked at where rotation is free; the best 3 that differ by 20 degrees are refined, for
# 2,000 evaluations at most.
ANGLES = 180
STARTS = 3
OTHERWISE = np.radians(20.0)
MOST_REFINED = 2000
# How far outlines may be off where a piece was put into a gap of its shape.
CLOSING = Tolerance.of_corners(0.005)


@dataclass(frozen=True)
class GapFit:
    """A piece in a gap, the outline that it then has, and how well that fills it."""

    gap: int
    placement: Placement
    outline: Polygon
    iou: float


def close_gaps(puzzle: Puzzle, proposal: Proposal, stop: Stop | None = None) -> Proposal:
    """The proposal with pieces that have no place put into gaps of their own shape, if there are such."""
    waiting = [fragment for fragment in puzzle.fragments if fragment.id not in proposal.assembly]
    if not waiting or not len(proposal.assembly):
        return proposal
    limit = MaxEvaluations(MOST_REFINED)
    limit = limit if stop is None else AnyOf((limit, stop))
    gaps = [gap.polygon for gap in find_gaps(lay_out(puzzle, proposal.assembly))]
    fits = [
        fit for k, gap in enumerate(gaps) for piece in waiting for fit in _fits(k, gap, piece, puzzle, limit)
    ]
    # Pieces that are named only for want of firm joints are held by all that closes around them.
    is_doubted = bool(proposal.doubt or proposal.alternatives)
    assembly, closed, unsure = proposal.assembly, set[int](), list(proposal.elsewhere if is_doubted else ())
    far = CLOSING.depth * size_of(puzzle.target)
    for fit in sorted(fits, key=lambda one: -one.iou):
        if fit.gap not in closed and fit.placement.id not in assembly:
            assembly = Assembly((*assembly, fit.placement))
            closed.add(fit.gap)
            if any(_is_rival(other, fit, far) for other in fits):
                unsure.append(fit.placement.id)
    if not closed:
        return proposal
    # What the solver remarked is about fewer pieces; what else it doubts, it still does.
    before = "" if proposal.doubt == proposal.remark else proposal.doubt
    doubt = f"ambiguous: {listed(unsure)} may lie elsewhere" if unsure else before
    return replace(
        proposal, assembly=assembly, tolerance=CLOSING, remark="", doubt=doubt, elsewhere=tuple(unsure)
    )


def _is_rival(other: GapFit, fit: GapFit, far: float) -> bool:
    """Whether something else in the gap of a piece is about as good and does not look the same."""
    return (
        other.gap == fit.gap
        and other.iou >= fit.iou - AS_GOOD
        and bool(shapely.hausdorff_distance(other.outline, fit.outline) > far)
    )


def _fits(number: int, gap: Polygon, piece: Fragment, puzzle: Puzzle, stop: Stop) -> Iterator[GapFit]:
    """Ways to lie in a gap that are good."""
    if abs(piece.polygon.area / gap.area - 1.0) > PIECE_AREA_SLACK:
        return
    alone = Puzzle(gap, (piece,), puzzle.rotations_of(piece.id), puzzle.may_mirror(piece.id))
    for start in _starts(gap, piece, alone):
        pose = refine(alone, Assembly((Placement(piece.id, start),)), stop=stop)[piece.id]
        common = _common(pose, piece, gap)
        iou = common / (piece.polygon.area + gap.area - common)
        if iou >= LEAST_IOU:
            yield GapFit(number, Placement(piece.id, pose), pose.apply(piece.polygon), iou)


def _starts(gap: Polygon, piece: Fragment, alone: Puzzle) -> list[Pose]:
    """The best few ways to lay a piece centroid on centroid, no two of which are nearly the same."""
    centre, chosen = gap.centroid, list[Pose]()
    rotations = Rotations(ANGLES) if alone.rotations.bins is None else alone.rotations
    every = (
        Pose(centre.x, centre.y, theta, mirrored)
        for theta in rotations.angles.tolist()
        for mirrored in ((False, True) if alone.may_mirror(piece.id) else (False,))
    )
    for pose in sorted(every, key=lambda pose: -_common(pose, piece, gap)):
        if len(chosen) < STARTS and all(
            other.mirrored != pose.mirrored or angle_between(other.theta, pose.theta) >= OTHERWISE
            for other in chosen
        ):
            chosen.append(pose)
    return chosen


def _common(pose: Pose, piece: Fragment, gap: Polygon) -> float:
    return intersection(pose.apply(piece.polygon), gap).area

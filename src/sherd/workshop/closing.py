"""The last pieces: an assembly leaves a gap of the very shape of a piece that found no place.

Rough outlines may miss each other at the last corner by more than a search allows, though nothing else
could lie there. Such a piece is laid centroid on centroid, turned to where it covers most, and refined.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from shapely import Polygon

from sherd.core.assembly import Assembly, Placement
from sherd.core.geometry import Pose, Rotations, intersection
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
# Angles that are looked at where rotation is free; the best 3 are refined, for 2,000 evaluations at most.
ANGLES = 180
STARTS = 3
MOST_REFINED = 2000
# How far outlines may be off where a piece was put into a gap of its shape.
CLOSING = Tolerance.of_corners(0.005)


@dataclass(frozen=True)
class GapFit:
    """A piece in a gap, and how well it fills it."""

    gap: int
    placement: Placement
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
    assembly, closed = proposal.assembly, set[int]()
    for fit in sorted(fits, key=lambda one: -one.iou):
        if fit.gap not in closed and fit.placement.id not in assembly:
            assembly = Assembly((*assembly, fit.placement))
            closed.add(fit.gap)
    if not closed:
        return proposal
    # What the solver remarked is about fewer pieces.
    return replace(proposal, assembly=assembly, tolerance=CLOSING, remark="", doubt="")


def _fits(number: int, gap: Polygon, piece: Fragment, puzzle: Puzzle, stop: Stop) -> Iterator[GapFit]:
    """The best way to lie in a gap, if it is good."""
    if abs(piece.polygon.area / gap.area - 1.0) > PIECE_AREA_SLACK:
        return
    alone = Puzzle(gap, (piece,), puzzle.rotations_of(piece.id), puzzle.may_mirror(piece.id))
    starts = sorted(_starts(gap, piece, alone), key=lambda pose: -_common(pose, piece, gap))
    laid = [
        refine(alone, Assembly((Placement(piece.id, pose),)), stop=stop)[piece.id] for pose in starts[:STARTS]
    ]
    best = max(laid, key=lambda pose: _common(pose, piece, gap))
    common = _common(best, piece, gap)
    iou = common / (piece.polygon.area + gap.area - common)
    if iou >= LEAST_IOU:
        yield GapFit(number, Placement(piece.id, best), iou)


def _starts(gap: Polygon, piece: Fragment, alone: Puzzle) -> Iterator[Pose]:
    centre = gap.centroid
    rotations = Rotations(ANGLES) if alone.rotations.bins is None else alone.rotations
    for theta in rotations.angles.tolist():
        for mirrored in (False, True) if alone.may_mirror(piece.id) else (False,):
            yield Pose(centre.x, centre.y, theta, mirrored)


def _common(pose: Pose, piece: Fragment, gap: Polygon) -> float:
    return intersection(pose.apply(piece.polygon), gap).area

"""The verdict on an answer to a whole job, pinned pieces included."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import shapely

from sherd.core.assembly import Assembly
from sherd.core.in_target import looseness
from sherd.core.overlaps import listed
from sherd.core.puzzle import Puzzle
from sherd.core.tolerance import Tolerance
from sherd.core.verdict import Verdict, judge
from sherd.workshop.job import Job

# Pieces with less than this share of the target's area lie in it in endless ways.
NESTING = 0.5
# Pins are off by as much, as a share of the target's size: people measure them, or write fewer digits.
PINS = Tolerance.of_corners(0.005)
# Outlines that are off by no more than this share of the target's size fit exactly.
EXACTLY = 1e-4
# A corner nearer than this share of the target's size to another outline lies along it.
ALONG = 1e-3
# A piece is convex that has this share of its hull.
CONVEX = 0.999


def judge_job(
    job: Job, assembly: Assembly, tolerance: Tolerance, excused: Mapping[str, str], doubt: str = ""
) -> Verdict:
    """Whether the answer solves the job, by the tolerance of what was proposed; no finer than pins are."""
    if not doubt and job.is_one_piece:
        doubt = "the only piece is the target itself: were the cuts read?"
    if not doubt and job.share < NESTING:
        doubt = f"the pieces have only {job.share:.0%} of the target's area: this is nesting, not reassembly"
    if len(job.pinned):
        tolerance = replace(
            tolerance, seam=max(tolerance.seam, PINS.seam), depth=max(tolerance.depth, PINS.depth)
        )
    verdict = judge(
        job.puzzle,
        assembly,
        tolerance,
        pinned=job.pinned,
        forbidden=job.forbidden,
        excused=excused,
        doubt=doubt,
    )
    if verdict.is_solved and job.puzzle.has_target and job.tolerance is None and tolerance.seam <= EXACTLY:
        # How loosely pieces might fit says nothing where these do exactly: a strange one must be held so too.
        exact = replace(job.puzzle, tolerance=None)
        pinned = [pin.id for pin in job.pinned]
        said = looseness(exact, assembly, tolerance, pinned) or _jutting(exact, assembly, tolerance, pinned)
        if said:
            verdict = replace(verdict, state="partly", against=tuple(said))
    return verdict


def _jutting(puzzle: Puzzle, assembly: Assembly, tolerance: Tolerance, pinned: Sequence[str]) -> list[str]:
    """Pieces with a corner in the middle of what is open, which no convex piece that is lost leaves so."""
    laid = puzzle.placed(assembly)
    if any(piece.area < CONVEX * piece.convex_hull.area for piece in laid):
        return []
    near = max(2.0 * tolerance.depth, ALONG) * puzzle.size
    found: list[str] = []
    # Each by itself: a union of what nearly touches may lose whole pieces.
    around = shapely.STRtree([*laid, puzzle.target.boundary])
    for number, (placement, piece) in enumerate(zip(assembly, laid, strict=True)):
        if placement.id in pinned:
            continue
        corners = np.asarray(shapely.points(shapely.get_coordinates(piece.simplify(near / 4.0))))
        corner, other = around.query(corners, predicate="dwithin", distance=near)
        if len(np.unique(corner[other != number])) < len(corners):
            found.append(placement.id)
    if not found:
        return []
    how = "has a corner" if len(found) == 1 else "have corners"
    return [f"{listed(found)} {how} in the middle of what is open"]

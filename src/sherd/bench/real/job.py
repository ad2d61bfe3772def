"""A job of somebody's own, what would be right about it, and whether an answer is right, honest or wrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import shapely
from shapely import Polygon
from shapely.geometry.base import BaseGeometry

from sherd.core.geometry import difference, intersection, union
from sherd.core.symmetry import allowed_symmetries
from sherd.io.drawings import read_drawing
from sherd.workshop import JobParams, JobResult, assemble_job, make_job

Outcome = Literal["right", "honest", "wrong"]

# A piece lies right if its outline is no farther from its place than this share of the target's size.
PLACE_SHARE = 0.02
# A photographed one does if its middle is no farther, and so much of the two together is in both.
MOSTLY = 0.85
# Where places differ, another assembly is right if it leaves open, doubles and spills no more than that.
OTHER_SHARE = 2e-3


@dataclass(frozen=True, kw_only=True)
class RealJob:
    """A file and what is said about it; ``places`` are where its pieces truly lie, by id, in the drawing.

    Pieces without a place do not belong. Where nothing can be solved ``is_solvable`` is false: then it is
    right to say so. Outlines that are photographed lack what has the colour of the table, wherever they lie.
    """

    path: Path
    params: JobParams = field(default_factory=JobParams)
    places: Mapping[str, Polygon] = field(default_factory=dict[str, Polygon])
    is_solvable: bool = True
    is_photographed: bool = False


def run_job(job: RealJob, seconds: float) -> tuple[Outcome, JobResult]:
    """What comes of a job as the command line would do it."""
    made = make_job(read_drawing(job.path, job.params), job.params)
    found = assemble_job(made, seconds=seconds)
    return judge_answer(job, found), found


def judge_answer(job: RealJob, found: JobResult) -> Outcome:
    """Right, honestly not solved, or wrong and called solved; by outlines alone, whatever was said."""
    if not job.is_solvable:
        return "wrong" if found.solved else "right"
    if not found.solved:
        return "honest"
    placed = {one.id: found.job.placed_figure(one) for one in found.result.assembly}
    # What is photographed has the names that its reader gives it, and a piece may be read as two.
    are_all = len(placed) >= len(job.places) if job.is_photographed else set(placed) == set(job.places)
    if are_all and (_lie_right(job, found, placed) or _fill(found, list(placed.values()))):
        return "right"
    return "wrong"


def _lie_right(job: RealJob, found: JobResult, placed: Mapping[str, Polygon]) -> bool:
    """Whether there is a piece at each place, up to turns of the target onto itself."""
    far = PLACE_SHARE * found.job.puzzle.size
    origin = found.job.origin
    for symmetry in allowed_symmetries(found.job.puzzle):
        turn = origin @ symmetry @ origin.inverse()
        places = [turn.apply(place) for place in job.places.values()]
        if (_are_mostly_there if job.is_photographed else _are_near)(list(placed.values()), places, far):
            return True
    return False


def _are_near(outlines: list[Polygon], places: list[Polygon], far: float) -> bool:
    """Whether each outline lies at a place of its own."""
    waiting = list(places)
    for outline in outlines:
        near = next((k for k, one in enumerate(waiting) if _is_near(outline, one, far)), None)
        if near is None:
            return False
        del waiting[near]
    return not waiting


def _are_mostly_there(outlines: list[Polygon], places: list[Polygon], far: float) -> bool:
    """Whether at each place lies what mostly fills it: one outline, or the parts of it that were read."""
    shares = [[intersection(one, place).area / one.area for place in places] for one in outlines]
    if min(max(own) for own in shares) < MOSTLY:
        return False
    there = [own.index(max(own)) for own in shares]
    parts = [
        [one for one, k in zip(outlines, there, strict=True) if k == place] for place in range(len(places))
    ]
    return all(
        own and _is_mostly_there(union(own), place, far) for own, place in zip(parts, places, strict=True)
    )


def _is_near(first: Polygon, second: Polygon, far: float) -> bool:
    return bool(
        first.centroid.distance(second.centroid) <= far and shapely.hausdorff_distance(first, second) <= far
    )


def _is_mostly_there(first: BaseGeometry, second: Polygon, far: float) -> bool:
    shared = intersection(first, second).area / union([first, second]).area
    return first.centroid.distance(second.centroid) <= far and shared >= MOSTLY


def _fill(found: JobResult, placed: list[Polygon]) -> bool:
    """Whether pieces cover the target once and nothing else, as any other assembly does."""
    target = found.job.target
    together = union(placed)
    doubled = sum(piece.area for piece in placed) - together.area
    open_ = target.area - intersection(together, target).area
    return doubled + open_ + difference(together, target).area <= OTHER_SHARE * target.area

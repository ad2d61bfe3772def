"""Pieces of a thing whose shape is known, a rectangle or something convex, but not its size.

They are put together without a target first. The outline that this implies becomes the target: pieces that
found no place are tried in it, and the verdict holds the answer against it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import Polygon

from sherd.core.assembly import Assembly, Group, Placement
from sherd.core.geometry import Pose, size_of, union
from sherd.solvers.base import OnProgress, Proposal
from sherd.solvers.run import Assembler, with_verdict
from sherd.solvers.stop import Stop
from sherd.workshop.judging import judge_job
from sherd.workshop.kept import Kept, assemble_kept
from sherd.workshop.proposal import JobProposal
from sherd.workshop.result import JobResult

# An outline is implied by a group with this share of the pieces' area or more.
LEAST_GROUPED = 0.5
# All pieces that fill less than this share of the outline that they imply have come together wrongly.
LEAST_FILLED = 0.97
# A side of a rectangle is where most of the outline lies that is within this share of the size from it.
BESIDE = 0.02
NOTHING_IMPLIED = "no group is large enough to imply an outline"


@dataclass(frozen=True)
class Implied:
    """An outline that a group of pieces implies, and what moves the group into its frame."""

    kind: str
    target: Polygon
    motion: Pose

    def in_words(self, unit: str, filled: float) -> str:
        """How large it is, and how much of it the pieces fill."""
        low_x, low_y, high_x, high_y = self.target.bounds
        what = "a rectangle of" if self.kind == "rectangle" else "convex,"
        size = f"{high_x - low_x:.4g} x {high_y - low_y:.4g}{unit}"
        return f"the outline implied is {what} {size}; the pieces fill {filled:.1%} of it"


def implied_outline(kind: str, placed: list[Polygon]) -> Implied:
    """The rectangle, or the convex hull, about pieces that lie together.

    >>> found = implied_outline("rectangle", [shapely.box(3, 1, 4, 5), shapely.box(4, 1, 6, 5)])
    >>> found.target.bounds
    (0.0, 0.0, 4.0, 3.0)
    """
    whole = union(placed)
    if kind != "rectangle":
        return Implied(
            kind, whole.convex_hull if isinstance(whole.convex_hull, Polygon) else Polygon(), Pose()
        )
    corners = shapely.get_coordinates(shapely.oriented_envelope(whole))
    sides = np.diff(corners, axis=0)[:2]
    along = sides[np.argmax(np.hypot(sides[:, 0], sides[:, 1]))]  # the longer side lies level
    turn = Pose(theta=-float(np.arctan2(along[1], along[0])))
    hull = turn.apply(whole.convex_hull)
    step = size_of(hull) / 1000.0
    points = shapely.get_coordinates(shapely.segmentize(shapely.boundary(turn.apply(whole)), step))
    near = BESIDE * size_of(hull)
    low_x, high_x = _sides(points[:, 0], near)
    low_y, high_y = _sides(points[:, 1], near)
    target = shapely.box(0.0, 0.0, high_x - low_x, high_y - low_y)
    return Implied(kind, target, Pose(-low_x, -low_y) @ turn)


def _sides(values: NDArray[np.float64], near: float) -> tuple[float, float]:
    """Where two opposite sides lie, each the median of what is near it: a stray corner moves it little."""
    low, high = values.min(), values.max()
    return float(np.median(values[values <= low + near])), float(np.median(values[values >= high - near]))


def in_implied_outline(
    found: JobResult,
    assembler: Assembler,
    *,
    seconds: float,
    rng: np.random.Generator,
    stop: Stop | None = None,
    on_progress: OnProgress | None = None,
) -> JobResult:
    """Groups found without a target as an answer in the outline that the largest one implies."""
    job, result = found.job, found.result
    placed = job.puzzle.placed(result.assembly)
    area = sum(fragment.polygon.area for fragment in job.puzzle.fragments)
    if sum(piece.area for piece in placed) < LEAST_GROUPED * area:
        return replace(found, remark=NOTHING_IMPLIED)
    implied = implied_outline(job.outline, placed)
    aimed = replace(job, puzzle=replace(job.puzzle, target=implied.target), outline="")
    assembly = Assembly(tuple(Placement(one.id, implied.motion @ one.pose) for one in result.assembly))
    is_whole = len(assembly) == len(job.puzzle.fragments)
    if is_whole and (doubt := _strays(implied, aimed.puzzle.placed(assembly))):
        verdict = judge_job(job, result.assembly, result.tolerance, {}, doubt)
        return replace(found, result=replace(result, verdict=verdict, remark=""))
    others = tuple(group for group in result.groups if group.assembly != result.assembly)
    best = JobProposal(found.solver, replace(result, assembly=assembly, groups=others))
    if not is_whole:
        kept = Kept((Group(assembly),), in_target=True)
        again = assemble_kept(
            assembler, aimed.puzzle, kept, seconds=seconds, rng=rng, stop=stop, on_progress=on_progress
        )
        if len(again.proposal.assembly) > len(assembly):
            best = again
    laid = aimed.puzzle.placed(best.proposal.assembly)
    filled = sum(piece.area for piece in laid) / implied.target.area
    verdict = judge_job(
        aimed,
        best.proposal.assembly,
        best.proposal.tolerance,
        best.excused,
        _doubt(implied, laid, filled, best.proposal),
    )
    unit = "" if job.unit == "unknown" else f" {job.unit}"
    answer = replace(best.proposal, remark="" if verdict.is_solved else best.proposal.remark)
    return replace(
        found,
        job=aimed,
        solver=best.solver,
        result=with_verdict(answer, verdict, result.seconds),
        remark=implied.in_words(unit, filled),
    )


def _doubt(implied: Implied, laid: list[Polygon], filled: float, found: Proposal) -> str:
    """What stands against the pieces making up the outline that they imply, "" if nothing does."""
    if strays := _strays(implied, laid):
        return strays
    if filled < LEAST_FILLED:
        return f"the pieces fill only {filled:.1%} of the outline that they imply"
    return found.doubt


def _strays(implied: Implied, laid: list[Polygon]) -> str:
    """That the hull of the pieces is not the outline, if it is not."""
    far = float(shapely.hausdorff_distance(union(laid).convex_hull, implied.target))
    if far <= BESIDE * size_of(implied.target):
        return ""
    return f"what came together is no {implied.kind}: it strays by up to {far:.3g}"

"""What the page and other programs are told of a job, as JSON: its reading, its puzzle and its answers.

Lengths are in the drawing's unit, y is up. A pose moves a piece's own outline: turned over left to right
first if ``flipped``, then turned by ``angle_deg`` counter-clockwise about the origin, then shifted.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import shapely
from shapely import Polygon

from sherd.core.assembly import Assembly, Placement
from sherd.core.errors import ArgumentError
from sherd.core.geometry import Pose, polygons_in
from sherd.core.hold import Hold
from sherd.core.texture import Texture
from sherd.layout.layout import NO_PLACE
from sherd.layout.side_by_side import side_by_side
from sherd.plan.table import measured
from sherd.solvers.base import Progress, Result
from sherd.workshop import Job, JobResult


def puzzle_document(job: Job, pictures: Mapping[str, Any]) -> dict[str, Any]:
    """The pieces as they are fitted, each in a frame of its own, and the target where it is drawn."""
    puzzle = job.puzzle
    return {
        "target": _target(job),
        "pieces": [
            {
                "id": fragment.id,
                **outline_document(fragment.polygon),
                "may_flip": puzzle.may_mirror(fragment.id),
                "picture": pictures.get(fragment.id),
            }
            for fragment in puzzle.fragments
        ],
        "rotations": {None: "free", 1: "fixed"}.get(puzzle.rotations.bins, str(puzzle.rotations)),
        "unit": job.unit,
    }


def answer_document(found: JobResult, number: int, of: int) -> dict[str, Any]:
    """An answer with how each piece is held; the ``number``-th of so many."""
    job, result = found.job, found.result
    has_target = job.puzzle.has_target
    shown = result.assembly if has_target else side_by_side(job.puzzle, result.groups)
    placements = [
        {**placement_document(one, job), "pinned": one.id in job.pinned}
        | (_held(found.plan.holds.get(one.id), job.unit) if has_target else _joined(one.id, result))
        for one in shown
    ]
    return {
        "number": number,
        "of": of,
        "alternatives": max(of - 1, 0),
        "solver": found.solver,
        "seconds": result.seconds,
        "coverage": found.measures.coverage if has_target else None,
        "verdict": {
            "word": result.verdict.state,
            "why": _reasons(result),
            "certain": result.solved and result.all_found,
        },
        "said": found.remark,
        "placements": placements,
        "groups": [{"ids": [one.id for one in group.assembly]} for group in result.groups],
        "left": [{"id": name, "reason": reason} for name, reason in _left(found, shown).items()],
        "gaps": [outline_document(gap.polygon) for gap in found.plan.gaps] if has_target else [],
        "target": _target(job),
    }


def _reasons(result: Result) -> list[str]:
    if result.solved:
        return []
    return list(dict.fromkeys(one for one in (result.remark, *result.verdict.against) if one))


def _left(found: JobResult, shown: Assembly) -> dict[str, str]:
    """Every piece without a place, and why."""
    job = found.job
    excused = found.result.verdict.excused
    left = {one.id: excused.get(one.id, NO_PLACE) for one in job.puzzle.fragments if one.id not in shown}
    return {
        **left,
        **dict.fromkeys((*job.puzzle.set_aside, *found.result.set_aside), "hardly any area"),
        **{one.figure.id: one.reason for one in job.set_aside},
    }


def _held(hold: Hold | None, unit: str) -> dict[str, Any]:
    """How a piece is held in a target, in figures and in words."""
    if hold is None:
        return {"sure": None, "band": None, "slides": False, "held": "", "gap": None, "overlap": None}
    of = "" if unit == "unknown" else f" {unit}"
    said = [f"held along {hold.share:.0%} of its outline"]
    if hold.edge > 0.0:
        said.append(f"{measured(hold.edge)}{of} of it the target's edge")
    if hold.slides:
        said.append("it could be pushed along what holds it")
    if hold.elsewhere:
        said.append("another assembly has it elsewhere")
    return {
        "sure": hold.share,
        "band": hold.band,
        "slides": hold.slides,
        "held": "; ".join(said),
        "gap": hold.gap,
        "overlap": hold.overlap,
        "elsewhere": bool(hold.elsewhere),
    }


def _joined(name: str, result: Result) -> dict[str, Any]:
    """By which joints a piece lies in its group, where there is no target."""
    joints = [
        joint for group in result.groups for joint in group.joints if name in (joint.first, joint.second)
    ]
    others = [joint.second if joint.first == name else joint.first or "the edge" for joint in joints]
    return {
        "sure": max((joint.likelihood for joint in joints), default=None),
        "band": None,
        "slides": False,
        "held": f"joined to {', '.join(others)}" if others else "",
        "gap": max((joint.residual for joint in joints), default=None),
        "overlap": None,
        "elsewhere": False,
    }


def progress_document(
    so_far: Progress, job: Job, *, seconds: float, limit: float, method: str
) -> dict[str, Any]:
    """How far a solver has come, pinned pieces included."""
    known = {fragment.id for fragment in job.puzzle.fragments}
    placed = [one for one in so_far.assembly if one.id in known and one.id not in job.pinned]
    whole = Assembly((*job.pinned, *placed))
    area = sum(job.puzzle[one.id].polygon.area for one in whole)
    return {
        "placements": [placement_document(one, job) for one in whole],
        "coverage": min(area / job.puzzle.target.area, 1.0) if job.puzzle.has_target else None,
        "placed": len(whole),
        "of": len(job.puzzle.fragments),
        "seconds": round(seconds, 2),
        "limit": limit,
        "method": method,
        "trying": so_far.trying,
    }


def placement_document(placement: Placement, job: Job) -> dict[str, Any]:
    """A piece and its pose in the drawing's frame."""
    pose = job.origin @ placement.pose
    return {
        "id": placement.id,
        "pose": {
            "x": pose.x,
            "y": pose.y,
            "angle_deg": math.degrees(pose.theta) % 360.0,
            "flipped": pose.mirrored,
        },
    }


def placements_from(rows: Iterable[Mapping[str, Any]], job: Job) -> Assembly:
    """Placements from documents, in the puzzle's frame; `ValueError` if a piece is unknown or there twice."""
    known = {fragment.id for fragment in job.puzzle.fragments}
    back = job.origin.inverse()
    placements: list[Placement] = []
    for row in rows:
        if row["id"] not in known:
            raise ArgumentError(f"there is no piece {row['id']!r}")
        at = row["pose"]
        pose = Pose(at["x"], at["y"], math.radians(at["angle_deg"]), at["flipped"])
        placements.append(Placement(row["id"], back @ pose))
    return Assembly(tuple(placements))


def frame_of(texture: Texture) -> dict[str, float]:
    """Where a square picture lies: its top left corner, and how wide and high it is."""
    grid = texture.grid
    return {"left": grid.left, "top": grid.top, "size": grid.size_px * grid.pixel}


def _target(job: Job) -> dict[str, Any] | None:
    if not job.puzzle.has_target:
        return None
    return {"parts": [outline_document(part) for part in polygons_in(job.target)]}


def outline_document(polygon: Polygon) -> dict[str, Any]:
    """An outline and its holes, without the corner that closes each."""
    return {
        "ring": shapely.get_coordinates(polygon.exterior)[:-1].tolist(),
        "holes": [shapely.get_coordinates(hole)[:-1].tolist() for hole in polygon.interiors],
    }

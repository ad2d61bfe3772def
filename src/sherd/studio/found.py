"""Answers as a job's folder keeps them: all that is needed to make plans and pictures of them again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, cast

import shapely

from sherd.core.assembly import Assembly, Group, Joint, Placement
from sherd.core.geometry import Pose, Region
from sherd.core.tolerance import Tolerance
from sherd.core.verdict import Verdict
from sherd.solvers.base import Result
from sherd.workshop import Job, JobResult


def found_to_json(found: JobResult, asked: Job) -> dict[str, Any]:
    """An answer with its alternatives; the target only where it is not that of the job that was asked."""
    result, verdict = found.result, found.result.verdict
    return {
        "solver": found.solver,
        "seconds": result.seconds,
        "said": found.remark,
        "remark": result.remark,
        "doubt": result.doubt,
        "tolerance": [result.tolerance.seam, result.tolerance.depth, result.tolerance.widest],
        "verdict": {
            "state": verdict.state,
            "against": list(verdict.against),
            "left_over": list(verdict.left_over),
            "excused": dict(verdict.excused),
            "within": verdict.within,
        },
        "assemblies": [poses_to_json(one) for one in (result.assembly, *result.alternatives)],
        "all_found": result.all_found,
        "all_on_grid": result.all_on_grid,
        "set_aside": list(result.set_aside),
        "groups": [
            {"placements": poses_to_json(group.assembly), "joints": list(map(_joint_to_json, group.joints))}
            for group in result.groups
        ],
        "pinned": poses_to_json(found.job.pinned),
        "target": None if found.job.puzzle.target is asked.puzzle.target else found.job.puzzle.target.wkt,
    }


def found_from_json(document: Mapping[str, Any], job: Job) -> JobResult:
    """The answer to a job that a folder keeps."""
    job = replace(job, pinned=poses_from_json(document["pinned"]))
    if document["target"] is not None:
        puzzle = replace(job.puzzle, target=cast(Region, shapely.from_wkt(document["target"])))
        job = replace(job, puzzle=puzzle, outline="")
    first, *others = map(poses_from_json, document["assemblies"])
    verdict = document["verdict"]
    result = Result(
        assembly=first,
        objective=0.0,
        evaluations=0,
        tolerance=Tolerance(*document["tolerance"]),
        remark=document["remark"],
        doubt=document["doubt"],
        set_aside=tuple(document["set_aside"]),
        alternatives=tuple(others),
        all_found=document["all_found"],
        all_on_grid=document.get("all_on_grid", 0),
        groups=tuple(
            Group(poses_from_json(group["placements"]), tuple(map(_joint_from_json, group["joints"])))
            for group in document["groups"]
        ),
        verdict=Verdict(
            state=verdict["state"],
            against=tuple(verdict["against"]),
            left_over=tuple(verdict["left_over"]),
            excused=verdict["excused"],
            within=verdict.get("within", 0.0),  # older folders have none
        ),
        seconds=document["seconds"],
        puzzle=job.puzzle,
    )
    return JobResult(job, document["solver"], result, job.name, document["said"])


def poses_to_json(assembly: Iterable[Placement]) -> list[dict[str, Any]]:
    """Placements to the last bit, angles in radians as `Pose` has them."""
    return [{"id": one.id, "pose": _pose_to_json(one.pose)} for one in assembly]


def poses_from_json(rows: Iterable[Mapping[str, Any]]) -> Assembly:
    """The same back."""
    return Assembly(tuple(Placement(row["id"], Pose(*row["pose"])) for row in rows))


def _pose_to_json(pose: Pose) -> list[Any]:
    return [pose.x, pose.y, pose.theta, pose.mirrored]


def _joint_to_json(joint: Joint) -> list[Any]:
    about = [joint.length, joint.residual, joint.likelihood]
    return [joint.first, joint.second, _pose_to_json(joint.pose), *about]


def _joint_from_json(row: list[Any]) -> Joint:
    first, second, pose, *about = row
    return Joint(first, second, Pose(*pose), *about)

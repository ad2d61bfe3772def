"""A part of an answer kept, and the rest tried again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import shapely

from sherd.core.assembly import Assembly, Placement
from sherd.core.geometry import FREE, Pose
from sherd.generation.dataset import PuzzleKind, make_samples
from sherd.io import SavedAssembly, read_assembly
from sherd.io.drawings import Drawing, Figure
from sherd.solvers.stop import MaxEvaluations
from sherd.workshop import Job, JobParams, JobResult, assemble_job, export_plan, make_job
from sherd.workshop.kept import kept_of

from .conftest import HALVES

TORN = PuzzleKind(pieces=6, dissection="broken", rotations=FREE)


def torn_job(params: JobParams) -> Job:
    """A torn square of 100 mm, its scraps apart."""
    (sample,) = make_samples(TORN, seed=2, stop=1)
    figures = [
        Figure(f"s{k}", Pose(150.0 * k).apply(shapely.transform(fragment.polygon, lambda xy: 100.0 * xy)))
        for k, fragment in enumerate(sample.puzzle.fragments)
    ]
    return make_job(Drawing("torn.svg", tuple(figures), "mm"), params)


def saved(found: JobResult, folder: Path) -> SavedAssembly:
    return read_assembly(export_plan(found, folder, "json")[0])


def solved(job: Job, start: SavedAssembly | None = None, keep: tuple[str, ...] = ()) -> JobResult:
    return assemble_job(job, seconds=600.0, start=start, keep=keep, stop=MaxEvaluations(200))


def test_what_is_kept_stays_and_the_rest_is_found_again(tmp_path: Path) -> None:
    job = torn_job(JobParams(target="square:100"))
    first = solved(job)
    assert first.solved
    # The same answer upside down, one piece of it astray.
    turn = Pose(100.0, 100.0, 3.141592653589793)
    whole = saved(first, tmp_path)
    turned = {one.id: turn @ one.pose for one in whole.assembly}
    turned["s1"] = Pose(40.0) @ turned["s1"]
    wrong = replace(whole, assembly=Assembly(tuple(Placement(*item) for item in turned.items())))
    keep = ("s0", "s2", "s3")
    again = solved(job, wrong, keep)
    assert again.solved, again.result.reason
    assert len(again.result.assembly) == 6
    for name in keep:
        drawn = job.figure(name).polygon
        lies = job.placed_figure(Placement(name, again.result.assembly[name]))
        assert shapely.hausdorff_distance(lies, turned[name].apply(drawn)) < 0.5


def test_a_group_is_kept_without_a_target(tmp_path: Path) -> None:
    job = torn_job(JobParams(no_target=True))
    first = solved(job)
    again = solved(job, saved(first, tmp_path), ("s0", "s1", "s2", "s3", "s4"))
    assert again.solved, again.result.reason
    assert [len(group) for group in again.result.groups] == [6]
    poses = (first.result.assembly, again.result.assembly)
    before, after = (one["s0"].inverse() @ one["s4"] for one in poses)
    assert (after.x, after.y) == pytest.approx((before.x, before.y), abs=1e-6)
    names = {name for joint in again.result.groups[0].joints for name in (joint.first, joint.second)}
    assert names == {f"s{k}" for k in range(6)}
    assert all(joint.first != joint.second for joint in again.result.joints)


def test_straight_pieces_are_kept_as_pinned_ones(tmp_path: Path) -> None:
    job = make_job(HALVES, JobParams())
    first = assemble_job(job)
    again = assemble_job(job, start=saved(first, tmp_path), keep=["left"])
    assert again.solved
    assert again.result.assembly["left"] == first.result.assembly["left"]


def test_what_cannot_be_kept_is_said(tmp_path: Path) -> None:
    job = make_job(HALVES, JobParams())
    start = saved(assemble_job(job), tmp_path)
    with pytest.raises(ValueError, match=r"^all pieces would be kept, and none is left to try"):
        kept_of(job, start)
    with pytest.raises(ValueError, match=r"no place for middle; it has (left, right|right, left)"):
        kept_of(job, start, ["middle"])
    with pytest.raises(ValueError, match=r"places (left, right|right, left), not among the pieces here"):
        kept_of(torn_job(JobParams(no_target=True)), start)
    with pytest.raises(ValueError, match="there is none"):
        assemble_job(job, keep=["left"])

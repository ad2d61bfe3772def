"""The suite of real drawings: every kind can be made, and nothing wrong is called solved."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import shapely

from sherd.bench.real import (
    DRAWINGS,
    KINDS,
    PHOTOGRAPHS,
    RealJob,
    RealRequest,
    counts_of,
    judge_answer,
    run_job,
    try_jobs,
)
from sherd.core.assembly import Assembly
from sherd.core.verdict import judge
from sherd.io.drawings import read_drawing
from sherd.workshop import JobParams

# Those that are not solved yet, or only sometimes: what is said of them has to be honest.
SOLVED_PHOTOGRAPHS = ("photo, dark tile",)
HONEST = ("lost piece", "lost and strange")


@pytest.mark.parametrize("kind", [*DRAWINGS, *SOLVED_PHOTOGRAPHS])
def test_jobs_are_right_or_honest(kind: str, tmp_path: Path) -> None:
    rng = np.random.default_rng([3, list(KINDS).index(kind)])
    outcome, found = run_job(KINDS[kind](rng, tmp_path), 1.0 if kind in HONEST else 10.0)
    assert outcome in (("right", "honest") if kind in HONEST else ("right",)), found.verdict


def strips(tmp_path: Path) -> RealJob:
    widths = {"a": 30.0, "b": 70.0}
    rows = [f'{name},"{shapely.box(200, 0, 200 + width, 100).wkt}"' for name, width in widths.items()]
    path = tmp_path / "strips.csv"
    path.write_text("\n".join(["name,wkt", *rows]))
    places = {"a": shapely.box(0, 0, 30, 100), "b": shapely.box(30, 0, 100, 100)}
    return RealJob(path=path, params=JobParams(target="square:100"), places=places)


def test_answers_are_judged_by_where_pieces_lie(tmp_path: Path) -> None:
    job = strips(tmp_path)
    outcome, found = run_job(job, 5.0)
    assert (outcome, found.solved) == ("right", True)
    first, second = found.result.assembly
    moved = replace(second, pose=replace(second.pose, x=second.pose.x + 5.0))
    wrong = replace(found, result=replace(found.result, assembly=Assembly((first, moved))))
    assert judge_answer(job, wrong) == "wrong"
    one_missing = replace(found, result=replace(found.result, assembly=Assembly((first,))))
    assert judge_answer(job, one_missing) == "wrong"
    assert judge_answer(replace(job, is_solvable=False), found) == "wrong"


def test_what_is_photographed_may_have_any_names(tmp_path: Path) -> None:
    job = strips(tmp_path)
    _, found = run_job(job, 5.0)
    renamed = replace(job, places={name.upper(): place for name, place in job.places.items()})
    assert judge_answer(renamed, found) == "wrong"
    assert judge_answer(replace(renamed, is_photographed=True), found) == "right"


def test_a_photograph_is_solved_though_outlines_are_off_in_places(tmp_path: Path) -> None:
    kind = "photo, edge of the table"
    job = PHOTOGRAPHS[kind](np.random.default_rng([301, list(KINDS).index(kind)]), tmp_path)
    outcome, found = run_job(job, 20.0)
    assert outcome == "right", found.verdict
    puzzle, tolerance = found.job.puzzle, found.result.tolerance
    first, second, *others = found.result.assembly
    exchanged = Assembly((replace(first, pose=second.pose), replace(second, pose=first.pose), *others))
    assert judge(puzzle, exchanged, tolerance).state == "not solved"
    moved = replace(first, pose=replace(first.pose, x=first.pose.x + 3.0 * tolerance.depth * puzzle.size))
    assert judge(puzzle, Assembly((moved, second, *others)), tolerance).state == "not solved"


@pytest.mark.parametrize("kind", ["photo, jigsaw", "photo, one a piece"])
def test_photographs_have_all_pieces_in_their_size(kind: str, tmp_path: Path) -> None:
    job = PHOTOGRAPHS[kind](np.random.default_rng([3, list(KINDS).index(kind)]), tmp_path)
    found = read_drawing(job.path, job.params)
    assert sorted(figure.id for figure in found.figures) == sorted(job.places)
    assert found.unit == "mm"
    areas = sorted(figure.polygon.area for figure in found.figures)
    assert areas == pytest.approx(sorted(place.area for place in job.places.values()), rel=0.03)


def test_many_jobs_are_counted_by_kind() -> None:
    request = RealRequest(kinds=("nesting", "border alone"), count=2, seed=3, time_limit=1.0)
    tried = list(try_jobs(request))
    assert [(one.kind, one.seed) for one in tried] == [
        (kind, seed) for kind in request.kinds for seed in (3, 4)
    ]
    assert counts_of(tried) == {kind: {"right": 2, "honest": 0, "wrong": 0} for kind in request.kinds}
    wrong = replace(tried[0], outcome="wrong")
    assert counts_of([wrong])["nesting"] == {"right": 0, "honest": 0, "wrong": 1}
    with pytest.raises(ValueError, match="unknown kinds"):
        RealRequest(kinds=("windows of the sea",))

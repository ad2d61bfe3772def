"""Things whose shape is known, but not their size."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import shapely
from shapely import Polygon

from sherd.core.assembly import Assembly, Group
from sherd.core.geometry import Pose
from sherd.generation.broken import BrokenParams
from sherd.generation.fracture import fractured
from sherd.generation.shapes import named_shape
from sherd.io.drawings import Drawing, Figure
from sherd.solvers.run import Assembler
from sherd.solvers.stop import MaxEvaluations
from sherd.workshop import JobParams, JobResult, assemble_job, export_plan, make_job, read_settings
from sherd.workshop.roughly import NOTHING_IMPLIED, implied_outline, in_implied_outline

SHEET = shapely.box(0.0, 0.0, 100.0, 70.0)


def torn(whole: Polygon, pieces: int = 6) -> Drawing:
    """A whole torn along jagged lines, its scraps apart."""
    sample = fractured(whole, BrokenParams(pieces=pieces), np.random.default_rng(3))
    scraps = [fragment.polygon for fragment in sample.puzzle.fragments]
    figures = [Figure(f"s{k}", Pose(150.0 * k).apply(scrap)) for k, scrap in enumerate(scraps)]
    return Drawing("torn.svg", tuple(figures), "mm")


def assembled(drawing: Drawing, outline: str) -> JobResult:
    return assemble_job(
        make_job(drawing, JobParams(outline=outline)), seconds=600.0, stop=MaxEvaluations(200)
    )


@pytest.fixture(scope="module")
def sheet() -> JobResult:
    return assembled(torn(SHEET), "rectangle")


def test_a_rectangle_is_implied_and_filled(sheet: JobResult, tmp_path: Path) -> None:
    assert sheet.solved, sheet.result.reason
    assert sheet.job.puzzle.target.bounds == pytest.approx((0.0, 0.0, 100.0, 70.0), abs=0.3)
    assert sheet.remark.startswith("the outline implied is a rectangle of 100 x ")
    assert sheet.remark.endswith(" mm; the pieces fill 100.0% of it")
    assert sheet.measures.coverage > 0.995
    assert (tmp_path / "torn.plan.pdf") in export_plan(sheet, tmp_path)


def test_the_last_pieces_are_tried_in_the_outline_that_the_others_imply(sheet: JobResult) -> None:
    def without(name: str) -> Assembly:
        return Assembly(tuple(one for one in sheet.result.assembly if one.id != name))

    every = sheet.job.puzzle
    about = {
        one.id: shapely.oriented_envelope(shapely.union_all(every.placed(without(one.id)))).area
        for one in sheet.result.assembly
    }
    lost = max(about, key=lambda name: about[name])
    assert about[lost] == pytest.approx(7000.0, rel=0.01)
    groups = replace(sheet.result, assembly=without(lost), groups=(Group(without(lost)),))
    job = replace(sheet.job, puzzle=every.without_target(), outline="rectangle")
    found = in_implied_outline(
        replace(sheet, job=job, result=groups),
        Assembler(),
        seconds=600.0,
        rng=np.random.default_rng(0),
        stop=MaxEvaluations(200),
    )
    assert found.solved, found.result.reason
    assert lost in found.result.assembly


def test_something_round_is_no_rectangle_but_convex() -> None:
    disc = shapely.transform(named_shape("disc").outline, lambda points: 100.0 * points)
    found = assembled(torn(disc), "rectangle")
    assert not found.solved
    assert found.result.reason.startswith("what came together is no rectangle: it strays by up to")
    round_one = assembled(torn(disc), "convex")
    assert round_one.solved, round_one.result.reason
    assert round_one.job.puzzle.target.area == pytest.approx(disc.area, rel=0.01)


def test_a_drawn_outline_is_made_as_large_as_the_pieces() -> None:
    job = make_job(torn(SHEET), JobParams(outline="rect:99.4x69.58"))
    assert job.puzzle.target.area == pytest.approx(7000.0)
    assert job.notes == ("the outline is taken 1.006 times as large as it is drawn, by the pieces' area",)
    found = assemble_job(job, seconds=600.0, stop=MaxEvaluations(200))
    assert found.solved, found.result.reason


def test_pieces_that_stay_apart_imply_nothing(sheet: JobResult) -> None:
    job = replace(sheet.job, puzzle=sheet.job.puzzle.without_target(), outline="rectangle")
    apart = replace(sheet, job=job, result=replace(sheet.result, assembly=Assembly(), groups=()))
    found = in_implied_outline(apart, Assembler(), seconds=1.0, rng=np.random.default_rng(0))
    assert found.remark == NOTHING_IMPLIED
    assert not found.job.puzzle.has_target


def test_a_stray_corner_moves_no_side() -> None:
    nick = Polygon([(0, 0), (40, 0), (40, 30), (20.5, 30), (20, 30.4), (19.5, 30), (0, 30)])
    assert implied_outline("rectangle", [nick]).target.bounds == pytest.approx((0, 0, 40, 30), abs=0.05)


def test_what_does_not_go_with_an_outline_is_said(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="choose one"):
        JobParams(outline="convex", target="square:3")
    with pytest.raises(ValueError, match="its size is not known"):
        JobParams(outline="rectangle", pins={"a": None})
    (tmp_path / "a.toml").write_text('outline = "convex"\n')
    assert read_settings(tmp_path / "a.toml") == JobParams(outline="convex")

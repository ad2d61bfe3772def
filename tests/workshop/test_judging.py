"""The verdict on a whole job, pins and all."""

from __future__ import annotations

from dataclasses import replace

import pytest
import shapely

from sherd.core.assembly import Assembly, Placement
from sherd.core.geometry import Pose
from sherd.core.tolerance import EXACT, Tolerance
from sherd.io.drawings import Drawing, Figure
from sherd.workshop.assembling import assemble_job
from sherd.workshop.job import make_job
from sherd.workshop.judging import judge_job
from sherd.workshop.params import JobParams
from sherd.workshop.summary import warnings_of

from .conftest import HALVES


def halves(gap: float) -> Assembly:
    return Assembly((Placement("left", Pose(20, 50)), Placement("right", Pose(70 - gap, 50))))


@pytest.mark.parametrize(("off", "solved"), [(0.0, True), (0.3, True), (3.0, False)])
def test_pins_may_be_off_as_far_as_people_measure(off: float, solved: bool) -> None:
    job = make_job(HALVES)
    pinned = replace(job, pinned=Assembly().place("right", Pose(70 - off, 50)))
    assert judge_job(pinned, halves(off), EXACT, {}).is_solved == solved
    assert judge_job(job, halves(off), EXACT, {}).is_solved == (off == 0.0)


def test_a_pinned_piece_that_lies_elsewhere_is_named() -> None:
    pinned = replace(make_job(HALVES), pinned=Assembly().place("left", Pose(80, 50)))
    assert judge_job(pinned, halves(0.0), EXACT, {}).why == "left not where pinned"


def test_what_is_asked_for_is_never_taken_more_loosely() -> None:
    strict = make_job(HALVES, JobParams(tolerance=0.01))
    pinned = replace(strict, pinned=Assembly().place("right", Pose(69.7, 50)))
    assert judge_job(pinned, halves(0.3), EXACT, {}).why == "left, right overlap by up to 0.3"


def test_pieces_that_are_far_too_small_are_for_nesting() -> None:
    few = Drawing(
        "a", (Figure("target", shapely.box(0, 0, 100, 100)), Figure("a", shapely.box(0, 0, 60, 60)))
    )
    job = make_job(few)
    assert any("laying them out is nesting" in line for line in warnings_of(job))
    found = assemble_job(job)
    assert found.verdict.state == "partly"
    assert "only 36 % of the target" in found.verdict.why


def test_a_strange_piece_in_a_gap_is_loose_where_the_others_fit_exactly() -> None:
    outlines = {
        "top": [(0, 200), (0, 173), (200, 163), (200, 200)],
        "strange": [(0, 172.9), (0, 146), (200, 146), (200, 161)],
        "below": [(0, 140), (0, 0), (200, 0), (200, 127)],
    }
    figures = [Figure(name, shapely.Polygon(points)) for name, points in outlines.items()]
    job = make_job(Drawing("tile.svg", tuple(figures), "mm"), JobParams(target="square:200"))
    exact, rough = Tolerance.of_corners(1e-6), Tolerance.of_corners(5e-3)
    verdict = judge_job(job, job.as_drawn, exact, {})
    assert verdict.state == "partly" and "strange" in verdict.why
    assert judge_job(job, job.as_drawn, rough, {}).state == "solved"  # worn pieces leave such gaps


def test_a_strange_piece_with_a_corner_in_the_gap_is_doubted() -> None:
    outlines = {
        "left": [(0, 0), (60, 0), (60, 200), (0, 200)],
        "below": [(60, 0), (200, 0), (200, 100), (60, 100)],
        "strange": [(60, 200), (60, 130), (135, 135), (140, 200)],
    }
    figures = [Figure(name, shapely.Polygon(points)) for name, points in outlines.items()]
    params = JobParams(target="square:200")
    job = make_job(Drawing("tile.svg", tuple(figures), "mm"), params)
    verdict = judge_job(job, job.as_drawn, Tolerance.of_corners(1e-6), {})
    assert verdict.state == "partly"
    assert verdict.why == "strange has a corner in the middle of what is open"
    own = make_job(Drawing("tile.svg", tuple(figures[:2]), "mm"), params)
    assert judge_job(own, own.as_drawn, Tolerance.of_corners(1e-6), {}).is_solved  # a piece is lost

"""Answers to jobs as files: what they are called, and which are written."""

from __future__ import annotations

from pathlib import Path

import pytest

from sherd.core.assembly import Assembly, Placement
from sherd.core.geometry import Pose
from sherd.draw.colours import OVERLAP
from sherd.draw.scene import Area, Picture, Text
from sherd.io import read_assembly
from sherd.plan.pages import draw_plan
from sherd.solvers.base import Proposal
from sherd.solvers.run import with_verdict
from sherd.workshop import JobResult, export_plan, make_job
from sherd.workshop.judging import judge_job

from .conftest import HALVES

ANSWER = Assembly((Placement("left", Pose(20, 50)), Placement("right", Pose(70, 50))))
TURNED = Assembly((Placement("left", Pose(80, 50)), Placement("right", Pose(30, 50))))


def result(*assemblies: Assembly) -> JobResult:
    job = make_job(HALVES)
    proposal = Proposal(
        assembly=assemblies[0], alternatives=assemblies[1:], all_found=True, objective=1.0, evaluations=1
    )
    verdict = judge_job(job, proposal.assembly, proposal.tolerance, {})
    return JobResult(job, "by hand", with_verdict(proposal, verdict, 0.5), job.name)


def test_files_are_called_after_the_drawing_or_by_another_name(tmp_path: Path) -> None:
    found = result(ANSWER)
    assert [path.name for path in found.export(tmp_path / "new", "csv")] == ["halves.pieces.csv"]
    (path,) = export_plan(found, tmp_path, "json", name="other")
    assert path == tmp_path / "other.assembly.json"
    saved = read_assembly(path)
    assert (saved.solver, saved.seconds, saved.solved) == ("by hand", 0.5, True)
    assert saved.verdict == found.verdict


def test_nothing_is_written_if_nothing_is_asked_for(tmp_path: Path) -> None:
    assert export_plan(result(ANSWER), tmp_path / "none", "none") == ()
    assert not (tmp_path / "none").exists()


def test_bad_kinds_are_refused_before_a_folder_is_made(tmp_path: Path) -> None:
    for formats, paper, said in (("stl", "a4", "unknown format 'stl'"), ("pdf", "b5", "must be one of a4")):
        with pytest.raises(ValueError, match=said):
            export_plan(result(ANSWER), tmp_path / "none", formats, paper)
    assert not (tmp_path / "none").exists()


def test_every_other_assembly_is_an_answer_of_its_own() -> None:
    found = result(ANSWER, TURNED)
    (other,) = found.others
    assert other.name == "halves.2"
    assert other.solved
    assert other.result.assembly == TURNED
    assert other.result.alternatives == (ANSWER,)
    assert other.plan.layout.name == "halves.2"


def test_a_plan_says_what_is_not_to_be_built_from() -> None:
    assert result(ANSWER).plan.warning == ""
    partly = result(Assembly(ANSWER.placements[:1]))
    assert partly.plan.title == "PARTLY SOLVED: halves"
    assert partly.measures.coverage == pytest.approx(0.4)
    wrong = result(Assembly((Placement("left", Pose(20, 50)), Placement("right", Pose(60, 50)))))
    assert wrong.plan.title == "NOT SOLVED: halves"
    assert wrong.verdict.why == "left, right overlap by up to 10"


def test_the_first_page_says_why_and_overlaps_are_marked_on_every_page() -> None:
    wrong = result(Assembly((Placement("left", Pose(20, 50)), Placement("right", Pose(60, 50)))))
    pages = draw_plan(wrong.plan)
    said = [item.text for layer in pages[0].layers for item in layer.items if isinstance(item, Text)]
    assert "Not to be built from as it is: left, right overlap by up to 10." in said
    assert not any(line.startswith("Lay them") for line in said)
    assert _red(pages[0])
    assert _red(pages[-1])
    assert not any(map(_red, draw_plan(result(ANSWER).plan)))


def _red(page: Picture) -> list[Area]:
    areas = [item for layer in page.layers for item in layer.items if isinstance(item, Area)]
    return [area for area in areas if OVERLAP.fill in (area.paint.fill, area.paint.stroke)]

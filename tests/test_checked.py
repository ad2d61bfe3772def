"""What tests call solved is checked from its file, by a checker that can disagree."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest

from sherd.cli import run
from sherd.cli.console import UNFORESEEN
from sherd.core.assembly import Assembly, Placement
from sherd.core.geometry import Pose, Rotations
from sherd.core.puzzle import Sample
from sherd.core.verdict import Verdict
from sherd.io import write_samples
from sherd.io.drawings import read_drawing
from sherd.workshop import JobParams, JobResult, assemble_job, export_plan, make_job

DRAWING = (
    '<svg width="100mm" height="100mm" viewBox="0 0 100 100"><rect id="target" width="20" height="10"/>'
    '<rect id="a" x="30" width="8" height="10"/><rect id="b" x="50" width="12" height="10"/></svg>'
)
SOLVED = Verdict(state="solved")


@pytest.fixture
def found(tmp_path: Path) -> JobResult:
    path = tmp_path / "a.svg"
    path.write_text(DRAWING)
    return assemble_job(make_job(read_drawing(path), JobParams(rotations=Rotations(4))), seconds=2.0)


def test_a_right_answer_is_written(found: JobResult, tmp_path: Path) -> None:
    assert found.solved
    assert export_plan(found, tmp_path, "json") == (tmp_path / "a.assembly.json",)


@pytest.mark.parametrize(
    ("move", "said"),
    [
        (Pose(3.0, 0.0, 0.0), "stick out|overlap"),
        (Pose(0.0, 0.0, 1.0), "stick out|overlap"),
        (Pose(0.0, 0.0, 0.0, mirrored=True), "turned over"),
    ],
)
def test_a_verdict_that_lies_is_found_out(found: JobResult, tmp_path: Path, move: Pose, said: str) -> None:
    first, second = found.result.assembly
    moved = Assembly((first, Placement(second.id, second.pose @ move)))
    lie = replace(found, result=replace(found.result, assembly=moved, verdict=SOLVED))
    with pytest.raises(AssertionError, match=f"called solved: .*({said})"):
        export_plan(lie, tmp_path, "json")


def test_a_piece_less_is_found_out(found: JobResult, tmp_path: Path) -> None:
    less = Assembly(tuple(found.result.assembly)[:1])
    lie = replace(found, result=replace(found.result, assembly=less, verdict=SOLVED))
    with pytest.raises(AssertionError, match="1 of 2 pieces not placed"):
        export_plan(lie, tmp_path, "json")


def test_a_pin_that_was_moved_is_found_out(found: JobResult, tmp_path: Path) -> None:
    first = next(iter(found.result.assembly))
    pinned = Assembly((Placement(first.id, first.pose @ Pose(3.0, 0.0)),))
    lie = replace(found, job=replace(found.job, pinned=pinned))
    with pytest.raises(AssertionError, match="not where pinned"):
        export_plan(lie, tmp_path, "json")


def test_a_lie_about_a_puzzle_is_found_out(
    two_halves: Sample, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_unforeseen_errors: Path
) -> None:
    write_samples(tmp_path / "a.jsonl", [two_halves])

    def lying(*given: object, **named: object) -> Verdict:
        return SOLVED

    monkeypatch.setattr(import_module("sherd.solvers.run"), "judge", lying)
    command = ["assemble", str(tmp_path / "a.jsonl"), "--solver", "random", "--out", str(tmp_path / "o")]
    assert run(command) == UNFORESEEN  # which fails any other test
    (report,) = no_unforeseen_errors.iterdir()
    assert "called solved: " in report.read_text()
    report.unlink()

"""What hands lay is judged as every answer is."""

from __future__ import annotations

from pathlib import Path

from sherd.core.assembly import Assembly
from sherd.core.geometry import Pose
from sherd.workshop import JobParams, make_job
from sherd.workshop.by_hand import laid_by_hand

from .conftest import HALVES


def test_hands_solve_a_job_or_do_not(tmp_path: Path) -> None:
    job = make_job(HALVES)
    right = Assembly().place("left", Pose(20, 50)).place("right", Pose(70, 50))
    found = laid_by_hand(job, right)
    assert found.solved and found.solver == "by hand"
    assert found.save(tmp_path / "plan.pdf").read_bytes().startswith(b"%PDF")
    near = Assembly().place("left", Pose(20.1, 50)).place("right", Pose(70, 50))
    assert laid_by_hand(job, near).solved  # within what hands can do
    wrong = Assembly().place("left", Pose(30, 50)).place("right", Pose(70, 50))
    assert laid_by_hand(job, wrong).verdict.state == "not solved"
    some = laid_by_hand(job, Assembly().place("left", Pose(20, 50)), remark="stopped")
    assert some.verdict.state == "partly" and some.result.reason == "stopped"
    assert not laid_by_hand(job, Assembly()).solved


def test_without_a_target_what_lies_there_is_a_group() -> None:
    job = make_job(HALVES, JobParams(no_target=True, forbid=frozenset({"outline"})))
    together = Assembly().place("left", Pose(20, 50)).place("right", Pose(70, 50))
    found = laid_by_hand(job, together)
    assert found.solved and len(found.result.groups) == 1
    apart = Assembly().place("left", Pose(0, 50)).place("right", Pose(90, 50))
    assert not laid_by_hand(job, apart).solved

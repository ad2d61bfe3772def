"""What hands lay is judged as every answer is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from shapely import box

from sherd.core.assembly import Assembly, Group, Joint
from sherd.core.geometry import Pose
from sherd.core.puzzle import Fragment, Puzzle
from sherd.core.tolerance import Tolerance
from sherd.core.verdict import judge
from sherd.solvers.base import Progress, Proposal
from sherd.solvers.run import judged
from sherd.workshop import JobParams, make_job
from sherd.workshop.by_hand import (
    SoFar,
    job_judged_before,
    job_that_lies_exactly,
    judged_before,
    judged_late,
    laid_by_hand,
    left_unjudged,
    lies_exactly,
    unjudged,
)

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


def told(assembly: Assembly, *groups: Assembly) -> Progress:
    joints = tuple(Joint("left", "right", Pose(50, 0), 100.0, 0.0, 0.9) for _ in groups)
    return Progress(
        assembly=assembly, objective=0.0, evaluations=0, groups=tuple(map(Group, groups)), joints=joints
    )


def test_what_a_search_had_found_is_kept_when_it_is_ended() -> None:
    job = make_job(HALVES)
    one, pair = (
        Assembly().place("left", Pose(20, 50)),
        Assembly().place("left", Pose()).place("right", Pose()),
    )
    heard = SoFar()
    for progress in (told(one), told(Assembly(), pair), told(Assembly())):
        heard(progress)
    found = left_unjudged(job, heard, solver="auto", seconds=1.0)
    assert found.result.assembly == one
    assert [group.assembly for group in found.result.groups] == [pair]
    assert [joint.likelihood for joint in found.result.joints] == [0.9]
    assert found.verdict.state == "not solved" and found.verdict.left_over == ("right",)


def test_without_a_target_the_largest_group_is_kept() -> None:
    puzzle = make_job(HALVES, JobParams(no_target=True, forbid=frozenset({"outline"}))).puzzle
    pair = Assembly().place("left", Pose()).place("right", Pose(50, 0))
    heard = SoFar()
    heard(told(Assembly(), pair))
    found = unjudged(puzzle, heard, seconds=1.0)
    assert found.assembly == pair and len(found.groups) == 1
    heard = SoFar(pair)
    assert [group.assembly for group in unjudged(puzzle, heard, seconds=1.0).groups] == [pair]
    assert unjudged(puzzle, SoFar(), seconds=1.0).groups == ()


def test_a_whole_that_lies_exactly_is_solved_though_time_was_up() -> None:
    job = make_job(HALVES)
    whole = Assembly().place("left", Pose(20, 50)).place("right", Pose(70, 50))
    found = job_that_lies_exactly(job, SoFar(whole), solver="search", seconds=3.0)
    assert found is not None and found.solved and found.result.seconds == 3.0
    near = Assembly().place("left", Pose(20.1, 50)).place("right", Pose(70, 50))
    for other in (near, Assembly().place("left", Pose(20, 50))):
        assert job_that_lies_exactly(job, SoFar(other), solver="search", seconds=3.0) is None
        assert not left_unjudged(job, SoFar(other), solver="search", seconds=3.0).solved


def test_beside_the_gap_of_a_lost_piece_to_lie_exactly_is_not_enough() -> None:
    hole = box(1, 1, 2, 2)
    halves = (box(0, 0, 1.5, 3).difference(hole), box(1.5, 0, 3, 3).difference(hole))
    lost = Puzzle(box(0, 0, 3, 3), tuple(Fragment(f"half {k}", half) for k, half in enumerate(halves)))
    whole = Puzzle(lost.target.difference(hole), lost.fragments)
    laid = Assembly().place("half 0", Pose()).place("half 1", Pose())
    assert judge(lost, laid).is_solved and lies_exactly(lost, SoFar(laid), seconds=1.0) is None
    found = lies_exactly(whole, SoFar(laid), seconds=1.0)
    assert found is not None and found.solved


def test_what_is_judged_late_names_all_that_is_doubtful_and_is_not_empty() -> None:
    puzzle = make_job(HALVES).puzzle
    over = Assembly().place("left", Pose(20, 50)).place("right", Pose(50, 50))
    found = judged_late(puzzle, SoFar(over), seconds=1.0)
    assert found.assembly == over and found.elsewhere == ("left", "right") and not found.solved
    assert found.reason.startswith("time was up before the answer was judged; left, right overlap")
    laid = judged_late(puzzle, SoFar(), seconds=1.0)
    assert len(laid.assembly) and not laid.solved
    assert set(laid.elsewhere) == {one.id for one in laid.assembly}


def test_where_nothing_was_found_one_piece_is_laid_and_named() -> None:
    puzzle = make_job(HALVES).puzzle
    found = unjudged(puzzle, SoFar(), seconds=1.0)
    (piece,) = found.assembly
    assert found.elsewhere == (piece.id,) and not found.solved
    (laid,) = puzzle.placed(found.assembly)
    assert laid.intersects(puzzle.target)


def test_what_a_solver_ended_with_stays_where_others_are_cut_off() -> None:
    job = make_job(HALVES)
    whole = Assembly().place("left", Pose(20.1, 50)).place("right", Pose(70, 50))
    proposal = Proposal(
        assembly=whole,
        objective=1.0,
        evaluations=9,
        tolerance=Tolerance.of_corners(0.02),
        elsewhere=("left",),
        doubt="left may lie elsewhere",
        remark="stopped",
    )
    heard = SoFar()
    heard(replace(told(whole), judged=judged(job.puzzle, proposal, 1.0)))
    heard(told(whole))  # of another solver, which is cut off
    kept = judged_before(job.puzzle, heard, seconds=3.0)
    of_job = job_judged_before(job, heard, solver="auto", seconds=3.0)
    assert kept is not None and of_job is not None
    for result in (kept, of_job.result):
        assert result.verdict.state == "partly" and result.elsewhere == ("left",)
        assert result.seconds == 3.0 and result.reason == "left may lie elsewhere"


def test_what_no_solver_ended_with_is_not_kept_as_judged() -> None:
    job = make_job(HALVES)
    few = Proposal(assembly=Assembly().place("left", Pose(20, 50)), objective=1.0, evaluations=9)
    for heard in (SoFar(few.assembly), SoFar(judged=judged(job.puzzle, few, 1.0))):
        assert judged_before(job.puzzle, heard, seconds=3.0) is None
        assert job_judged_before(job, heard, solver="auto", seconds=3.0) is None

"""A job is put together and judged once: pins, foreign pieces, what is forbidden, and the limits."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import shapely

from sherd.core.assembly import Assembly
from sherd.core.clock import working_seconds
from sherd.core.geometry import Pose
from sherd.core.puzzle import Puzzle
from sherd.core.verdict import judge
from sherd.io.drawings import Drawing, Figure
from sherd.solvers.base import Proposal, Result
from sherd.solvers.run import Assembler, judged
from sherd.workshop import Job, JobParams, assemble_job, assembling, make_job
from sherd.workshop.assembling import NO_ROOM
from sherd.workshop.foreign import SURPLUS, assemble_own

TARGET = Figure("target", shapely.box(0, 0, 100, 100))


def strips(*widths: float, **params: Any) -> Job:
    """Strips of a square, drawn beside it, each named by its width."""
    figures = [
        Figure(f"s{width:g}", shapely.box(120.0 * (k + 1), 0, 120.0 * (k + 1) + width, 100))
        for k, width in enumerate(widths)
    ]
    return make_job(Drawing("strips.svg", (TARGET, *figures), "mm"), JobParams(**params))


def placed(assembly: Assembly) -> set[str]:
    return {placement.id for placement in assembly}


def test_pins_are_in_the_answer_and_in_every_other_one() -> None:
    found = assemble_job(strips(10, 20, 30, 40, pins={"s40": None}, target="square:100"), seconds=5.0)
    assert not found.solved  # it is pinned where it is drawn, beside the target
    pinned = strips(10, 20, 30, 40)
    pins = Assembly().place("s40", Pose(80.0, 50.0))
    found = assemble_job(
        Job(pinned.source, pinned.puzzle, pinned.figures, pinned.unit, pinned=pins), seconds=5.0
    )
    assert found.solved
    assert placed(found.result.assembly) == {"s10", "s20", "s30", "s40"}
    for other in (found, *found.others):
        assert other.verdict.is_solved
        assert other.result.assembly["s40"].is_close(Pose(80.0, 50.0), 1e-9)
    # Six orders of three strips, and each may be turned round as a whole.
    assert len(found.others) == len(found.result.alternatives) == 2


@pytest.mark.parametrize("x", [35.0, 45.0, 65.0, 35.05])
def test_a_pinned_piece_may_part_the_rest(x: float) -> None:
    job = strips(10, 20, 30, 40)
    pins = Assembly().place("s30", Pose(x, 50.0))
    found = assemble_job(Job(job.source, job.puzzle, job.figures, job.unit, pinned=pins))
    assert found.solved
    assert placed(found.result.assembly) == {"s10", "s20", "s30", "s40"}
    assert found.result.assembly["s30"] == Pose(x, 50.0)
    assert found.measures.iou > 0.998


def test_a_pin_that_leaves_no_way_is_not_called_solved() -> None:
    job = strips(10, 20, 30, 40, tolerance=0.1)
    pins = Assembly().place("s30", Pose(28.0, 50.0))
    found = assemble_job(
        Job(job.source, job.puzzle, job.figures, job.unit, tolerance=0.1, pinned=pins), seconds=1.0
    )
    assert found.verdict.state == "partly"


def test_pins_that_leave_no_room_excuse_the_rest() -> None:
    whole = strips(100, 40)
    pins = Assembly().place("s100", Pose(50.0, 50.0))
    found = assemble_job(Job(whole.source, whole.puzzle, whole.figures, whole.unit, pinned=pins))
    assert (found.solver, found.verdict.state) == ("pins", "solved")
    assert found.verdict.excused == {"s40": NO_ROOM}
    assert found.plan.layout.set_aside == {"s40": NO_ROOM}


def test_foreign_pieces_are_set_aside_with_the_reason() -> None:
    found = assemble_job(strips(10, 33, 57, 71), seconds=5.0)
    assert found.solved
    assert found.verdict.excused == {"s71": SURPLUS}
    assert found.plan.layout.set_aside == {"s71": SURPLUS}


def test_what_is_forbidden_is_neither_used_nor_missed() -> None:
    found = assemble_job(strips(30, 70, 20, forbid=frozenset(["s20"])), seconds=5.0)
    assert found.solved
    assert found.job.forbidden == ("s20",)
    assert found.verdict.left_over == ()
    assert found.plan.layout.set_aside == {"s20": "forbidden"}


def test_a_job_is_judged_once_with_all_that_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Puzzle] = []

    def counting(puzzle: Puzzle, *given: Any, **named: Any) -> Any:
        asked.append(puzzle)
        assert set(named) == {"pinned", "forbidden", "excused", "doubt"}
        return judge(puzzle, *given, **named)

    monkeypatch.setattr("sherd.workshop.judging.judge", counting)
    job = strips(10, 33, 57, 71)
    assert assemble_job(job, seconds=5.0).solved
    assert asked == [job.puzzle]


def test_what_was_stopped_says_so() -> None:
    found = assemble_job(strips(10, 20, 30, 40), stop=lambda evaluations: True)
    assert not found.solved
    assert found.result.reason.startswith("interrupted with ")


def test_a_solver_that_gives_one_assembly_is_asked_for_one() -> None:
    found = assemble_job(strips(100), solver="random", seconds=1.0)
    assert found.solver == "random"
    assert not found.others


def test_refined_pieces_are_judged_as_they_then_lie(monkeypatch: pytest.MonkeyPatch) -> None:
    job = strips(100)

    def a_little_off(puzzle: Puzzle, proposal: Proposal, **named: Any) -> Proposal:
        return replace(proposal, assembly=Assembly().place("s100", Pose(53.0, 50.0)))

    monkeypatch.setattr(assembling, "refined", a_little_off)
    found = assemble_job(job, refine=True, seconds=1.0)
    assert found.verdict.why == "s100 sticks out of the target by up to 3"


def test_the_same_seed_gives_the_same_answer() -> None:
    first, second = (assemble_job(strips(10, 33, 57, 71), seconds=5.0, seed=3) for _ in range(2))
    assert first.result.assembly == second.result.assembly
    assert first.result.alternatives == second.result.alternatives


class Slow(Assembler):
    """Solves nothing, and takes all the time that it is given; the clock is set forward for it."""

    def __init__(self) -> None:
        super().__init__("search")
        self.given: list[float] = []

    def __call__(self, puzzle: Puzzle, *, seconds: float, **named: Any) -> tuple[str, Result]:
        self.given.append(seconds)
        working_seconds._paused_for -= seconds  # pyright: ignore[reportPrivateUsage]
        return "slow", judged(puzzle, Proposal(assembly=Assembly(), objective=0.0, evaluations=1), seconds)


@pytest.mark.parametrize("widths", [(10, 33, 57, 71), (10, 33, 40), (29, 30, 40)])
def test_all_that_is_tried_shares_one_limit(
    widths: tuple[float, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(working_seconds, "_paused_for", working_seconds._paused_for)  # pyright: ignore[reportPrivateUsage]
    slow = Slow()
    assemble_own(slow, strips(*widths).puzzle, seconds=8.0, rng=np.random.default_rng(0))
    assert len(slow.given) > 1
    assert sum(slow.given) <= 8.0 + 1e-6

"""Hints: groups without a place, and the likeliest joints, drawn."""

from __future__ import annotations

from pathlib import Path

import shapely

from sherd.core.assembly import Assembly, Group, Joint
from sherd.core.geometry import Pose
from sherd.core.puzzle import Fragment, Puzzle
from sherd.core.verdict import Verdict
from sherd.solvers.base import Result
from sherd.workshop.hints import unplaced_groups, write_hints

BOX = shapely.box(-1.0, -1.0, 1.0, 1.0)
BOXES = Puzzle(shapely.box(0.0, 0.0, 6.0, 2.0), tuple(Fragment(name, BOX) for name in "abc"))
JOINT = Joint("b", "c", Pose(2.0, 0.0), 2.0, 0.0, 0.5)
PLACED = Assembly().place("a", Pose(1.0, 1.0))
BESIDE = Group(Assembly().place("b", Pose()).place("c", Pose(2.0, 0.0)), (JOINT,))


def result(*joints: Joint) -> Result:
    return Result(
        assembly=PLACED,
        objective=0.0,
        evaluations=1,
        groups=(Group(PLACED), BESIDE),
        joints=joints,
        verdict=Verdict(state="partly"),
    )


def test_groups_in_the_target_are_no_hints() -> None:
    assert unplaced_groups(result()) == [BESIDE]


def test_joints_are_drawn_twice_and_none_where_there_are_none(tmp_path: Path) -> None:
    files = write_hints(BOXES, result(JOINT), 5, tmp_path / "new", "a/b")
    assert [path.name for path in files] == ["a_b.hints.svg", "a_b.hints.png"]
    svg = files[0].read_text()
    assert "the likeliest joint, one a pair" in svg
    assert "50%  b + c" in svg
    assert "group 1: 2 pieces" in svg
    assert write_hints(BOXES, result(), 5, tmp_path, "a") == ()

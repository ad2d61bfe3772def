"""What is said of groups and joints."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sherd.cli.groups import hints_in_words, right_in_words, say_groups, say_hints, say_unplaced
from sherd.core.assembly import Assembly, Group, Joint
from sherd.core.geometry import Pose
from sherd.core.puzzle import Sample
from sherd.core.verdict import judge
from sherd.solvers.base import Result


def joint(first: str | None, second: str, likelihood: float) -> Joint:
    return Joint(first, second, Pose(), length=0.5, residual=0.01, likelihood=likelihood)


JOINTS = (joint("left", "right", 0.9), joint("left", "right", 0.5), joint(None, "left", 0.4))


def result_of(sample: Sample, groups: tuple[Group, ...]) -> Result:
    assembly = groups[0].assembly if groups else Assembly()
    verdict = judge(sample.puzzle.without_target(), assembly)
    return Result(
        assembly=assembly, objective=1.0, evaluations=1, verdict=verdict, groups=groups, joints=JOINTS
    )


def test_hints_have_the_likeliest_joint_of_each_pair(
    two_halves: Sample, capsys: pytest.CaptureFixture[str]
) -> None:
    found = result_of(two_halves, ())
    assert len(hints_in_words(found, 9)) == 2
    assert hints_in_words(found, 1) == ["90%: left and right along 0.5"]
    assert hints_in_words(found, 2)[1] == "40%: the target and left along 0.5"
    say_hints(found, 1)
    out = capsys.readouterr().out
    assert "the likeliest joint:" in out
    assert "group" not in out
    say_hints(found, 2, "mm")
    out = capsys.readouterr().out
    assert "the 2 likeliest joints:" in out
    assert "along, mm" in out


def test_groups_name_their_pieces_and_those_alone(
    two_halves: Sample, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = Group(two_halves.truth, (JOINTS[0],))
    say_groups(two_halves.puzzle.without_target(), result_of(two_halves, (whole,)))
    out = capsys.readouterr().out
    assert "group 1: left, right" in out
    assert "90%" in out
    assert "alone:" not in out
    part = Group(Assembly(two_halves.truth.placements[:1]))
    say_groups(two_halves.puzzle.without_target(), result_of(two_halves, (part,)))
    assert "alone: right" in capsys.readouterr().out


def test_pieces_are_right_among_each_other_wherever_the_group_lies(two_halves: Sample) -> None:
    turned = Pose(5.0, 2.0, 1.0)
    moved = Assembly()
    for placement in two_halves.truth:
        moved = moved.place(placement.id, turned @ placement.pose)
    assert right_in_words(two_halves, result_of(two_halves, (Group(moved),))) == "all pieces are right"
    wrong = Assembly().place("left", Pose()).place("right", Pose(0.0, 3.0))
    assert right_in_words(two_halves, result_of(two_halves, (Group(wrong),))).startswith("1 of 2 pieces")


def test_a_group_without_a_place_in_the_target_is_named(
    two_halves: Sample, capsys: pytest.CaptureFixture[str]
) -> None:
    found = replace(result_of(two_halves, (Group(two_halves.truth),)), assembly=Assembly())
    say_unplaced(found)
    assert "together, but without a place: left, right" in capsys.readouterr().out
    say_unplaced(replace(found, assembly=two_halves.truth))
    assert capsys.readouterr().out == ""

"""Assemblies that differ by a symmetry of the target, or by an exchange of like pieces, are the same."""

from __future__ import annotations

from dataclasses import replace

import shapely

from sherd.core.assembly import Assembly, Placement
from sherd.core.geometry import Pose, Rotations
from sherd.core.puzzle import Fragment, Puzzle, Sample
from sherd.core.symmetry import allowed_symmetries, are_same

CLOSE = 1e-9


def test_turns_count_only_where_pieces_may_turn(square_of_four: Sample) -> None:
    puzzle = square_of_four.puzzle
    assert len(allowed_symmetries(puzzle)) == 4
    assert len(allowed_symmetries(replace(puzzle, rotations=Rotations(2)))) == 2
    assert len(allowed_symmetries(replace(puzzle, mirror=True))) == 8


def test_a_turned_assembly_is_the_same(square_of_four: Sample) -> None:
    puzzle, truth = square_of_four.puzzle, square_of_four.truth
    for symmetry in allowed_symmetries(puzzle):
        turned = Assembly(tuple(Placement(p.id, symmetry @ p.pose) for p in truth))
        assert are_same(truth, turned, puzzle, CLOSE)
    half = Pose(0.5, 0.5) @ Pose(theta=1.0) @ Pose(-0.5, -0.5)
    assert not are_same(truth, Assembly(tuple(Placement(p.id, half @ p.pose) for p in truth)), puzzle, CLOSE)


def test_a_reflection_is_the_same_only_where_pieces_may_be_mirrored() -> None:
    puzzle = Puzzle(
        shapely.box(0, 0, 3, 1),
        (
            Fragment("long", shapely.box(-1, -0.5, 1, 0.5)),
            Fragment("short", shapely.box(-0.5, -0.5, 0.5, 0.5)),
        ),
    )
    left = Assembly((Placement("long", Pose(1, 0.5)), Placement("short", Pose(2.5, 0.5))))
    right = Assembly((Placement("long", Pose(2, 0.5)), Placement("short", Pose(0.5, 0.5))))
    assert not are_same(left, right, puzzle, CLOSE)
    assert are_same(left, right, replace(puzzle, mirror=True, rotations=Rotations(None)), CLOSE)


def test_like_pieces_may_be_exchanged(two_halves: Sample) -> None:
    exchanged = Assembly(
        tuple(
            Placement(other.id, placement.pose)
            for placement, other in zip(two_halves.truth, reversed(two_halves.truth.placements), strict=True)
        )
    )
    assert are_same(two_halves.truth, exchanged, two_halves.puzzle, CLOSE)
    fewer = Assembly(two_halves.truth.placements[:1])
    assert not are_same(two_halves.truth, fewer, two_halves.puzzle, CLOSE)

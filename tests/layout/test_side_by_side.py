"""Groups beside each other."""

from __future__ import annotations

from itertools import combinations

import shapely

from sherd.core.assembly import Assembly, Group
from sherd.core.puzzle import Puzzle, Sample
from sherd.layout.side_by_side import side_by_side


def test_groups_keep_their_shape_and_do_not_touch(square_of_four: Sample) -> None:
    puzzle, truth = square_of_four.puzzle.without_target(), square_of_four.truth
    groups = [Group(Assembly(truth.placements[:2])), *(Group(Assembly((p,))) for p in truth.placements[2:])]
    laid = side_by_side(puzzle, groups)
    wholes = [
        shapely.union_all(puzzle.placed(Assembly(tuple(p for p in laid if p.id in g.assembly))))
        for g in groups
    ]
    assert all(one.distance(other) > 0.01 for one, other in combinations(wholes, 2))
    first, second = truth.placements[:2]
    assert (first.pose.inverse() @ second.pose).is_close(laid[first.id].inverse() @ laid[second.id])


def test_no_groups_are_an_empty_assembly(square_of_four: Sample) -> None:
    assert side_by_side(Puzzle.of_pieces(square_of_four.puzzle.fragments), []) == Assembly()

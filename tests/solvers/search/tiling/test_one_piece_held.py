"""A piece is held that tells assemblies apart which are the same but for a symmetry, and none is missed."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import pi

import numpy as np
import pytest
import shapely
from shapely import Polygon

from sherd.core.geometry import Pose, Rotations
from sherd.core.puzzle import Fragment, Puzzle
from sherd.generation.lattice import LatticeParams, lattice
from sherd.solvers import MaxEvaluations
from sherd.solvers.search.arrangement import assembly_of
from sherd.solvers.search.case import Case
from sherd.solvers.search.tiling import alternatives
from sherd.solvers.search.tiling.alternatives import Further, find_all
from sherd.solvers.search.tiling.exact import End
from sherd.solvers.search.tiling.one_piece_held import Held, hold_one
from sherd.solvers.search.tiling.slots import TURNED_FROM
from sherd.solvers.search.tiling.tile_corners import make_tiler

FREE = Rotations(None)
# A square in four: a lopsided piece, one like its own mirror image, and two that are alike.
LOPSIDED = [(0, 0), (3, 0), (3, 1), (0, 3)]
LIKE_ITS_IMAGE = [(3, 0), (4, 0), (4, 1), (3, 1)]


def centred(name: str, corners: Sequence[tuple[float, float]]) -> Fragment:
    outline = Polygon(corners)
    return Fragment(name, Pose(-outline.centroid.x, -outline.centroid.y).apply(outline))


def square_in_four() -> Puzzle:
    upper = [(0, 3), (3, 1), (4, 1), (4, 4), (0, 4)]
    pieces = (centred("lopsided", LOPSIDED), centred("square", LIKE_ITS_IMAGE), centred("upper", upper))
    return Puzzle(shapely.box(0, 0, 4, 4), pieces, FREE, mirror=True)


def hold_none(_case: Case, _off: float) -> None:
    return None


def raw(case: Case, held: Held | None) -> int:
    """How many assemblies the search meets, each as often as it lies in the target."""
    tiler, count = make_tiler(case, 1e-8, held=held), 0
    while tiler.run(MaxEvaluations(1_000_000)) is End.FILLED:
        count += 1
    return count


def test_of_eight_assemblies_that_are_the_same_one_is_met() -> None:
    case = Case(square_in_four())
    held = hold_one(case, 1e-8)
    assert held == Held(2, pi / 2, face_up=True)
    assert raw(case, None) == 8
    assert raw(case, held) == 1


@pytest.mark.parametrize("turn", [0.0, 0.3, pi / 2, 2.0, pi, 5.0])
def test_one_is_met_however_the_pieces_are_given(turn: float) -> None:
    puzzle = square_in_four()
    turned = tuple(Fragment(one.id, Pose(theta=turn).apply(one.polygon)) for one in puzzle.fragments)
    case = Case(Puzzle(puzzle.target, turned, FREE, mirror=True))
    assert raw(case, hold_one(case, 1e-8)) == 1


def test_at_the_ends_of_its_turns_rounding_loses_none() -> None:
    puzzle = square_in_four()
    turned = tuple(Fragment(one.id, Pose(theta=-TURNED_FROM).apply(one.polygon)) for one in puzzle.fragments)
    case = Case(Puzzle(puzzle.target, turned, FREE, mirror=True))
    assert raw(case, hold_one(case, 1e-8)) in (1, 2)


def test_where_pieces_may_not_be_turned_over_they_are_held_by_turns_alone() -> None:
    puzzle = square_in_four()
    case = Case(Puzzle(puzzle.target, puzzle.fragments, FREE))
    assert hold_one(case, 1e-8) == Held(2, pi / 2, face_up=False)
    assert raw(case, None) == 4
    assert raw(case, hold_one(case, 1e-8)) == 1


def test_nothing_is_held_in_a_target_without_symmetry_nor_of_pieces_that_are_alike() -> None:
    lopsided = centred("all", LOPSIDED)
    assert hold_one(Case(Puzzle(Polygon(LOPSIDED), (lopsided,), FREE, mirror=True)), 1e-8) is None
    halves = tuple(centred(name, [(0, 0), (2, 0), (2, 3), (0, 1)]) for name in "ab")
    assert hold_one(Case(Puzzle(shapely.box(0, 0, 4, 4), halves, FREE, mirror=True)), 1e-8) is None
    square = centred("square", LIKE_ITS_IMAGE)
    assert hold_one(Case(Puzzle(shapely.box(0, 0, 1, 1), (square,), FREE, mirror=True)), 1e-8) is None


def test_as_many_are_found_as_without_holding(monkeypatch: pytest.MonkeyPatch) -> None:
    sample = lattice(LatticeParams(name="polyomino", pieces=7, mirror=True), np.random.default_rng(4))
    case = Case(sample.puzzle)
    make = partial(assembly_of, case.puzzle)
    find = partial(find_all, case, (sample.truth,), 1e-8, make, most=1000, stop=MaxEvaluations(1_000_000))
    held, further, tried = find()
    assert further is Further.NONE
    monkeypatch.setattr(alternatives, "hold_one", hold_none)
    free, further, all_tried = find()
    assert further is Further.NONE
    assert len(held) == len(free) == 102
    assert tried < all_tried / 2

"""Pieces that may be turned in fewer ways than the others: what is allowed, and how answers are turned."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import shapely

from sherd.core.assembly import Assembly
from sherd.core.geometry import FIXED, FREE, Pose, Rotations
from sherd.core.puzzle import Fragment, Puzzle
from sherd.core.symmetry import allowed_symmetries
from sherd.core.turning import turned_as_told, turned_otherwise
from sherd.core.verdict import judge
from sherd.solvers import MaxSeconds, assemble, make_solver, run
from sherd.solvers.run import run_thoroughly

QUARTER = math.pi / 2.0
PLANK, LONG, SQUARE = shapely.box(-0.5, -1, 0.5, 1), shapely.box(-1, -0.5, 1, 0.5), shapely.box(-1, -1, 1, 1)


def planks(**turns: Rotations) -> Puzzle:
    """A square of two upright planks side by side."""
    fragments = (Fragment("a", PLANK), Fragment("b", PLANK))
    return Puzzle(SQUARE, fragments, FREE, turns=turns)


def test_there_is_one_way_to_say_how_pieces_may_be_turned() -> None:
    assert planks(a=FREE, c=FIXED) == planks()
    assert planks(a=Rotations(2)).rotations_of("a") == Rotations(2)
    assert planks(a=Rotations(2)).rotations_of("b") == FREE
    # What one piece may do beyond all others is a rule for these.
    looser = Puzzle(SQUARE, (Fragment("a", PLANK), Fragment("b", PLANK)), FIXED, turns={"a": FREE})
    assert looser.rotations == FREE
    assert looser.turns == {"b": FIXED}
    assert replace(looser, fragments=looser.fragments[:1]).turns == {}


def test_pieces_like_themselves_are_turned_in_their_places() -> None:
    lying = Assembly().place("a", Pose(-0.5, 0.0, math.pi)).place("b", Pose(0.5, 0.0))
    assert turned_otherwise(planks(a=FIXED), lying) == ["a"]
    assert turned_otherwise(planks(a=Rotations(2)), lying) == []
    (told,) = turned_as_told(planks(a=FIXED), [lying])
    assert turned_otherwise(planks(a=FIXED), told) == []
    assert (told["a"].x, told["a"].y) == (-0.5, 0.0)


def test_the_whole_is_turned_with_its_target_and_the_best_comes_first() -> None:
    across = Assembly().place("a", Pose(0.0, 0.5, QUARTER)).place("b", Pose(0.0, -0.5, QUARTER))
    puzzle = planks(a=FIXED, b=FIXED)
    assert "a, b turned as not allowed" in judge(puzzle, across).why
    (told,) = turned_as_told(puzzle, [across])
    assert judge(puzzle, told).is_solved
    bare = puzzle.without_target()
    (told,) = turned_as_told(bare, [Assembly().place("a", Pose(0, 0, 0.3)).place("b", Pose(0, 1, 0.3))])
    assert turned_otherwise(bare, told) == []


def test_symmetries_are_those_that_every_piece_may_take() -> None:
    assert len(allowed_symmetries(planks())) == 4
    assert len(allowed_symmetries(planks(a=Rotations(2)))) == 2
    assert len(allowed_symmetries(planks(a=FIXED))) == 2  # a plank is like itself after half a turn
    mixed = Puzzle(SQUARE, (Fragment("a", PLANK), Fragment("b", shapely.box(-0.5, -0.5, 0.5, 0.5))), FREE)
    assert len(allowed_symmetries(replace(mixed, turns={"b": FIXED}))) == 4


@pytest.mark.parametrize("grid", [True, False])
def test_the_search_goes_by_each_piece_s_own_rule(grid: bool) -> None:
    """Of the ways to fill a box of 3 x 2 with three dominoes, one has the first two lying and b upright."""
    unit = 1.0 if grid else math.pi / 3.0
    shear = [1.0, 0.0, 0.0, 1.0, 0.0, 0.0] if grid else [1.0, 0.37, 0.0, 1.0, 0.0, 0.0]
    slant = shapely.affinity.affine_transform  # a grid that is no grid of squares
    domino, pole = (slant(shapely.box(-x, -y, x, y), shear) for x, y in ((unit, unit / 2), (unit / 2, unit)))
    target = slant(shapely.box(0.0, 0.0, 3.0 * unit, 2.0 * unit), shear)
    fragments = (Fragment("a", domino), Fragment("b", pole), Fragment("c", domino))
    puzzle = Puzzle(target, fragments, FREE, turns=dict.fromkeys("abc", Rotations(2)))
    found = run_thoroughly(
        make_solver("search"), puzzle, most=20, stop=MaxSeconds(20), rng=np.random.default_rng(0)
    )
    assert found.solved
    # b stands to the left or to the right, which half a turn makes the same.
    assert len(found.alternatives) == 0
    for one in (found.assembly, *found.alternatives):
        assert turned_otherwise(puzzle, one) == []
    impossible = replace(
        puzzle,
        turns={**puzzle.turns, "b": Rotations(2)},
        fragments=(*fragments[:1], Fragment("b", Pose(theta=QUARTER).apply(pole)), *fragments[2:]),
    )
    if grid:  # now all three lie
        assert not run(
            make_solver("search"), impossible, stop=MaxSeconds(1), rng=np.random.default_rng(0)
        ).solved


def test_a_worn_puzzle_is_turned_so_that_its_pieces_lie_as_told() -> None:
    rng = np.random.default_rng(3)
    cut = [(-1, -1), (0.3, -1), (-0.2, 1), (-1, 1)]
    rest = [(0.3, -1), (1, -1), (1, 1), (-0.2, 1)]
    moved = [shapely.Polygon(np.array(one) + rng.normal(0.0, 2e-3, (4, 2))) for one in (cut, rest)]
    fragments = tuple(
        Fragment(name, Pose(theta=turn).apply(Pose(-one.centroid.x, -one.centroid.y).apply(one)))
        for name, turn, one in zip("ab", (0.0, 1.0), moved, strict=True)
    )
    for bins in (1, 2, 4):
        puzzle = Puzzle(SQUARE, fragments, FREE, turns={"a": Rotations(bins)})
        found = assemble(puzzle, "search", seconds=5.0)
        assert found.solved
        assert turned_otherwise(puzzle, found.assembly) == []

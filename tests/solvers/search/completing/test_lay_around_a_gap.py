"""Where a piece is lost, the others are laid around one gap."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sherd.core.geometry import Rotations
from sherd.core.puzzle import Puzzle
from sherd.generation.dataset import PuzzleKind, make_samples
from sherd.generation.shapes import named_shape
from sherd.solvers.search.arrangement import arrangement_of
from sherd.solvers.search.case import Case
from sherd.solvers.search.completing.lay_around_a_gap import (
    fill_piece_by_piece,
    fill_with_parts,
    lay_around_a_gap,
)
from sherd.solvers.stop import MaxEvaluations

STOP = MaxEvaluations(2000)


def without(lost: int, shape: str, seed: int) -> Puzzle:
    kind = PuzzleKind(shape=named_shape(shape), pieces=8, rotations=Rotations(None))
    puzzle = next(iter(make_samples(kind, seed=seed, stop=1))).puzzle
    fragments = tuple(one for number, one in enumerate(puzzle.fragments) if number != lost)
    return replace(puzzle, fragments=fragments)


@pytest.mark.parametrize("verb", [lay_around_a_gap, fill_with_parts, fill_piece_by_piece])
@pytest.mark.parametrize("shape", ["square", "hexagon"])
def test_all_others_are_laid_without_overlap(verb: object, shape: str) -> None:
    puzzle = without(2, shape, seed=4)
    found = verb(Case(puzzle), 1e-6, STOP)  # type: ignore[operator]
    assert found.poses.keys() == set(range(7))
    area = sum(fragment.polygon.area for fragment in puzzle.fragments)
    covered = arrangement_of(puzzle, found.poses).coverage
    assert covered == pytest.approx(area / puzzle.target.area, abs=1e-5)


def test_few_placements_that_were_enough_are_all_there_were() -> None:
    case = Case(without(2, "square", seed=4))
    few = fill_with_parts(case, 1e-6, STOP, most_placements=30)
    assert few.exhausted
    assert few.poses == fill_with_parts(case, 1e-6, STOP).poses
    assert not fill_with_parts(case, 1e-6, MaxEvaluations(1), most_placements=30).exhausted

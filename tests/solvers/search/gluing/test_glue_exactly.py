"""Gluing undoes the cuts of a binary space partition, from the last to the first."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sherd.core.geometry import Rotations
from sherd.core.puzzle import Puzzle
from sherd.generation.dataset import PuzzleKind, make_samples
from sherd.generation.shapes import named_shape
from sherd.solvers.search.arrangement import arrangement_of
from sherd.solvers.search.case import Case
from sherd.solvers.search.corner_outline import outlines_of
from sherd.solvers.search.gluing.glue_exactly import GluingBeam, glue_exactly, glue_some
from sherd.solvers.stop import MaxEvaluations


def puzzle_of(shape: str, pieces: int, seed: int, rotations: Rotations | None = None) -> Puzzle:
    kind = PuzzleKind(shape=named_shape(shape), pieces=pieces, rotations=rotations or Rotations(None))
    return next(iter(make_samples(kind, seed=seed, stop=1))).puzzle


@given(st.sampled_from(["square", "pentagon", "hexagon"]), st.integers(2, 24), st.integers(0, 999))
@settings(max_examples=20)
def test_what_was_cut_is_glued_exactly(shape: str, pieces: int, seed: int) -> None:
    case = Case(puzzle_of(shape, pieces, seed))
    found = glue_exactly(case, 1e-9, MaxEvaluations(100))
    assert arrangement_of(case.puzzle, found.poses).coverage == pytest.approx(1.0, abs=1e-9)


def test_turned_pieces_end_at_allowed_angles() -> None:
    rotations = Rotations(20)
    case = Case(puzzle_of("square", 8, 5, rotations))
    found = glue_exactly(case, 1e-9, MaxEvaluations(100))
    assert len(found.poses) == 8
    assert all(rotations.allows(pose.theta) for pose in found.poses.values())


def test_a_lost_piece_leaves_parts_that_hold_all_others_once() -> None:
    puzzle = puzzle_of("hexagon", 12, 7)
    pieces, target = outlines_of(puzzle, 1e-6)
    parts = glue_some(pieces[1:], target, puzzle.rotations, 1e-6, stop=lambda: False)
    assert 1 < len(parts) < 11
    assert sorted(number for part in parts for number in part.numbers) == list(range(11))
    areas = [puzzle.fragments[number + 1].polygon.area for number in range(11)]
    for part in parts:
        x, y = part.outline.corners.T
        enclosed = 0.5 * float(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)))
        assert enclosed == pytest.approx(sum(areas[number] for number in part.numbers), abs=1e-9)


def test_a_wide_beam_finds_what_the_best_fit_finds() -> None:
    case = Case(puzzle_of("square", 8, 5))
    narrow = glue_exactly(case, 1e-6, MaxEvaluations(100))
    wide = glue_exactly(case, 1e-6, MaxEvaluations(100), beam=GluingBeam(width=4, ways=2))
    assert wide.poses.keys() == narrow.poses.keys()
    assert arrangement_of(case.puzzle, wide.poses).coverage == pytest.approx(1.0, abs=1e-6)


def test_nothing_is_glued_when_it_is_time_to_stop() -> None:
    assert glue_exactly(Case(puzzle_of("square", 8, 5)), 1e-9, MaxEvaluations(0)).poses == {}

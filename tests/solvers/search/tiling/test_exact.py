"""A run of the compiled search can be paused anywhere, gone on with, and tells how it ended."""

from __future__ import annotations

import numpy as np
import pytest
import shapely

from sherd.core.geometry import FIXED, Pose, Rotations
from sherd.core.puzzle import Puzzle
from sherd.generation.merged_parts import DissectionParams, dissect
from sherd.generation.shapes import regular
from sherd.solvers.search.constants.tiling import MOST_WORK
from sherd.solvers.search.tiling.exact import End, Tiler
from sherd.solvers.search.tiling.tile_corners import ANY
from sherd.solvers.stop import MaxEvaluations, MaxQuestions

ARROW = shapely.Polygon([(0, 0), (3, 0), (3, -1), (5, 1), (3, 3), (3, 2), (0, 2), (1, 1)])
TARGETS = {"square": regular(4), "arrow": ARROW}


def make(name: str, pieces: int, seed: int) -> Puzzle:
    params = DissectionParams(pieces=pieces, rotations=Rotations(None))
    return dissect(TARGETS[name], params, np.random.default_rng(seed)).puzzle


@pytest.mark.parametrize("most", [1, 2, ANY])
@pytest.mark.parametrize("seed", range(3))
def test_pauses_change_nothing(most: int, seed: int) -> None:
    puzzle = make("arrow", 12, seed)
    outlines = [fragment.polygon for fragment in puzzle.fragments]
    ends: list[tuple[End, int, dict[int, Pose]]] = []
    for most_work in (MOST_WORK, 1):
        tiler = Tiler(
            outlines,
            puzzle.target,
            [puzzle.rotations] * len(outlines),
            1e-8,
            mirror=[False] * len(outlines),
            most=most,
            most_work=most_work,
        )
        end = tiler.run(MaxQuestions(100_000))
        ends.append((end, tiler.tried, tiler.best().poses))
    assert ends[0] == ends[1]


@pytest.mark.parametrize("most", [1, 2, ANY])
def test_choosing_one_slot_can_be_put_off_candidate_by_candidate(most: int) -> None:
    puzzle = make("square", 12, 0)
    outlines = [fragment.polygon for fragment in puzzle.fragments]
    mirror = [False] * len(outlines)
    tiler = Tiler(
        outlines,
        puzzle.target,
        [puzzle.rotations] * len(outlines),
        1e-8,
        mirror=mirror,
        most=most,
        most_work=1,
    )
    before_the_first = 0

    def stop(evaluations: int) -> bool:
        nonlocal before_the_first
        before_the_first += evaluations == 0
        return evaluations > 0

    tiler.run(stop)
    # The square has eight slots, each of them listed and looked at twice at most; the rest is within slots.
    assert before_the_first > 3 * 8


def test_two_halves_are_laid_in_all_their_ways_and_then_nothing_is_left() -> None:
    half = shapely.box(-0.25, -0.5, 0.25, 0.5)
    tiler = Tiler([half, half], shapely.box(0, 0, 1, 1), [FIXED] * 2, 1e-8, mirror=[False, False], most=ANY)
    assert tiler.run(MaxEvaluations(100)) is End.FILLED
    assert {round(pose.x, 6) for pose in tiler.placed().poses.values()} == {0.25, 0.75}
    assert tiler.run(MaxEvaluations(100)) is End.EXHAUSTED


def test_a_corner_that_no_piece_fits_is_named() -> None:
    needle = shapely.Polygon([(0, 0), (1, 0), (0.5, 0.3)])
    tiler = Tiler([needle], shapely.box(0, 0, 1, 1), [Rotations(None)], 1e-8, mirror=[False], most=1)
    assert tiler.hopeless_corner() in {(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)}

"""Tiling: exact pieces of any shape are put together exactly, whatever their frame."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from shapely import LineString, Polygon
from shapely.ops import split

from sherd.core.geometry import Pose, Rotations
from sherd.core.metrics import measure
from sherd.core.puzzle import Fragment, Puzzle
from sherd.generation.merged_parts import DissectionParams, dissect
from sherd.generation.shapes import regular
from sherd.generation.tangram import tangram
from sherd.solvers.base import Result
from sherd.solvers.run import run
from sherd.solvers.search import SearchSolver
from sherd.solvers.stop import MaxEvaluations, MaxQuestions

ARROW = Polygon([(0, 0), (3, 0), (3, -1), (5, 1), (3, 3), (3, 2), (0, 2), (1, 1)])
ELL = Polygon([(0, 0), (5, 0), (5, 2), (2, 2), (2, 5), (0, 5)])
TARGETS = {"square": regular(4), "pentagon": regular(5), "arrow": ARROW, "ell": ELL}
EXACT = 1e-6


def solve(puzzle: Puzzle, evaluations: int = 3000) -> Result:
    return run(SearchSolver(), puzzle, stop=MaxEvaluations(evaluations), rng=np.random.default_rng(0))


def make(name: str, pieces: int, seed: int, *, mirror: bool = False, rotations: object = "free") -> Puzzle:
    params = DissectionParams(pieces=pieces, mirror=mirror, rotations=Rotations.parse(rotations))
    return dissect(TARGETS[name], params, np.random.default_rng(seed)).puzzle


@given(
    st.sampled_from(sorted(TARGETS)),
    st.integers(1, 50),
    st.sampled_from([1, 4, "free"]),
    st.booleans(),
    st.integers(0, 999),
)
@settings(max_examples=80)
def test_a_dissection_is_assembled_exactly(
    name: str, pieces: int, rotations: object, mirror: bool, seed: int
) -> None:
    puzzle = make(name, pieces, seed, mirror=mirror, rotations=rotations)
    result = solve(puzzle)
    assert result.solved
    found = measure(result.assembly, puzzle)
    assert found.coverage >= 1.0 - EXACT
    assert found.overlap <= EXACT
    assert all(puzzle.rotations.allows(placement.pose.theta) for placement in result.assembly)
    assert mirror or not any(placement.pose.mirrored for placement in result.assembly)


@given(st.floats(-10.0, 10.0), st.floats(-3.0, 3.0), st.booleans(), st.randoms(use_true_random=False))
@settings(max_examples=20)
def test_a_moved_turned_and_shuffled_copy_is_solved_alike(
    shift: float, turn: float, flipped: bool, random: object
) -> None:
    puzzle = make("arrow", 12, 11, mirror=True)
    turned = Pose(theta=turn, mirrored=flipped)
    fragments = [replace(f, polygon=turned.apply(f.polygon)) for f in puzzle.fragments]
    random.shuffle(fragments)  # type: ignore[attr-defined]
    target = Pose(shift, -shift, turn).apply(puzzle.target)
    copy = replace(puzzle, target=target, fragments=tuple(fragments))
    assert measure(solve(copy).assembly, copy).coverage >= 1.0 - EXACT


@pytest.mark.parametrize("seed", range(5))
def test_coordinates_with_six_decimals_are_good_enough(seed: int) -> None:
    def cut(polygon: Polygon) -> Polygon:
        return shapely.transform(polygon, lambda points: np.round(points, 6))

    exact = make("square", 30, seed)
    fragments = tuple(replace(f, polygon=cut(f.polygon)) for f in exact.fragments)
    puzzle = replace(exact, fragments=fragments)
    result = solve(puzzle)
    assert result.solved
    assert measure(result.assembly, puzzle).coverage >= 1.0 - 1e-3


@pytest.mark.parametrize("decimals", [4, 6])
@pytest.mark.parametrize("name", ["square", "triangle"])
def test_a_rounded_tangram_is_laid_as_exactly_as_its_rounding_allows(name: str, decimals: int) -> None:
    exact = tangram(name, np.random.default_rng(3)).puzzle

    def cut(polygon: Polygon) -> Polygon:
        return shapely.transform(polygon, lambda points: np.round(points, decimals))

    fragments = tuple(replace(f, polygon=cut(f.polygon)) for f in exact.fragments)
    puzzle = replace(exact, fragments=fragments, target=cut(exact.target))
    result = solve(puzzle)
    assert result.solved
    assert measure(result.assembly, puzzle).coverage >= 1.0 - 10.0 * 10.0**-decimals


def round_table(corners: int) -> Puzzle:
    """A disc with so many corners, cut by three lines."""
    table = shapely.Point(0, 0).buffer(1.0, quad_segs=corners // 4)
    parts = [table]
    for line in ([(-2, 0.1), (2, -0.3)], [(-1.7, -2), (1.9, 2)], [(0.3, -2), (-0.6, 2)]):
        cut = (part for whole in parts for part in split(whole, LineString(line)).geoms)
        parts = [part for part in cut if isinstance(part, Polygon)]
    fragments = tuple(
        Fragment(str(k), Pose(-part.centroid.x, -part.centroid.y).apply(part)) for k, part in enumerate(parts)
    )
    return Puzzle(target=table, fragments=fragments, rotations=Rotations(None))


def test_what_glues_at_once_does_not_wait_for_tiling_of_many_corners() -> None:
    puzzle = round_table(400)
    questions = 0

    def stop(evaluations: int) -> bool:
        nonlocal questions
        questions += 1
        return questions > 200  # some ten seconds

    result = run(SearchSolver(), puzzle, stop=stop, rng=np.random.default_rng(0))
    assert result.solved
    assert measure(result.assembly, puzzle).coverage >= 1.0 - EXACT


def test_time_that_passed_before_the_first_placement_is_not_for_nothing() -> None:
    puzzle = make("square", 12, 0)
    result = run(SearchSolver(), puzzle, stop=MaxQuestions(1), rng=np.random.default_rng(0))
    assert result.evaluations == 0
    assert len(result.assembly) > 0
    assert len(run(SearchSolver(), puzzle, stop=MaxQuestions(0), rng=np.random.default_rng(0)).assembly) == 0

"""The geometric search: exact puzzles are assembled exactly, whatever their frame."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from sherd.bench.sight import observe
from sherd.core.geometry import Pose, Rotations
from sherd.core.metrics import measure, score
from sherd.core.puzzle import Fragment, Puzzle, Sample
from sherd.core.symmetry import are_same
from sherd.generation.dataset import PuzzleKind, make_samples
from sherd.generation.shapes import SHAPES, named_shape
from sherd.solvers.base import Result
from sherd.solvers.run import run
from sherd.solvers.search import TOO_ROUGH, SearchSolver
from sherd.solvers.search.corner_outline import CornerOutline, ring_of
from sherd.solvers.stop import MaxEvaluations

EXACT = 1e-6


def solve(puzzle: Puzzle, evaluations: int = 3000) -> Result:
    return run(SearchSolver(), puzzle, stop=MaxEvaluations(evaluations), rng=np.random.default_rng(0))


def sample_of(shape: str, pieces: int, rotations: Rotations, seed: int, **kind: str) -> Sample:
    of = PuzzleKind(shape=named_shape(shape), pieces=pieces, rotations=rotations, **kind)  # pyright: ignore
    return next(iter(make_samples(of, seed=seed, stop=1)))


@given(
    st.sampled_from(sorted(SHAPES)),
    st.integers(1, 24),
    st.sampled_from([Rotations(1), Rotations(4), Rotations(20), Rotations(None)]),
    st.integers(0, 999),
)
@settings(max_examples=60)
def test_an_exact_puzzle_is_assembled_exactly(
    shape: str, pieces: int, rotations: Rotations, seed: int
) -> None:
    puzzle = sample_of(shape, pieces, rotations, seed).puzzle
    result = solve(puzzle)
    assert result.solved
    measures = measure(result.assembly, puzzle)
    assert measures.coverage >= 1.0 - EXACT
    assert measures.overlap <= EXACT
    assert all(rotations.allows(placement.pose.theta) for placement in result.assembly)


@pytest.mark.parametrize("pieces", [64, 100])
def test_many_pieces_are_no_harder(pieces: int) -> None:
    sample = sample_of("hexagon", pieces, Rotations(None), seed=3)
    assert score(solve(sample.puzzle).assembly, sample).posed_right == 1.0


@given(st.floats(-10.0, 10.0), st.floats(-3.0, 3.0), st.randoms(use_true_random=False))
@settings(max_examples=20)
def test_a_moved_turned_and_shuffled_copy_is_solved_alike(shift: float, turn: float, random: object) -> None:
    puzzle = sample_of("pentagon", 8, Rotations(None), seed=11).puzzle
    fragments = [replace(f, polygon=Pose(theta=turn).apply(f.polygon)) for f in puzzle.fragments]
    random.shuffle(fragments)  # type: ignore[attr-defined]
    copy = replace(puzzle, target=Pose(shift, -shift, turn).apply(puzzle.target), fragments=tuple(fragments))
    assert measure(solve(copy).assembly, copy).coverage >= 1.0 - EXACT


@pytest.mark.parametrize("shape", sorted(SHAPES))
def test_outlines_traced_from_grey_masks_are_good_enough(shape: str) -> None:
    sample = sample_of(shape, 8, Rotations(None), seed=21)
    seen = observe(sample, "masks", np.random.default_rng(0))
    result = solve(seen.puzzle)
    # Rectangles may lie in another order, and are said to.
    assert result.solved == (shape != "mondrian")
    assert score(seen.meant(result.assembly), sample).coverage >= 0.99


def test_a_lost_piece_leaves_its_gap() -> None:
    sample = sample_of("square", 8, Rotations(1), seed=5, degradation="missing")
    result = solve(sample.puzzle)
    assert result.solved
    assert score(result.assembly, sample).coverage >= 1.0 - EXACT


def tangram(mirror: bool = False) -> Puzzle:
    """The seven classic pieces and the square that they make."""
    pieces = {
        "large 1": [(0, 0), (4, 0), (2, 2)],
        "large 2": [(0, 0), (2, 2), (0, 4)],
        "small 1": [(4, 0), (4, 2), (3, 1)],
        "square": [(2, 2), (3, 1), (4, 2), (3, 3)],
        "small 2": [(2, 2), (3, 3), (1, 3)],
        "slanted": [(0, 4), (1, 3), (3, 3), (2, 4)],
        "medium": [(4, 2), (4, 4), (2, 4)],
    }
    fragments: list[Fragment] = []
    for turn, (name, ring) in enumerate(pieces.items()):
        polygon = shapely.Polygon(ring)
        centre = Pose(polygon.centroid.x, polygon.centroid.y)
        fragments.append(Fragment(name, Pose(theta=turn).apply(centre.inverse().apply(polygon))))
    return Puzzle(shapely.box(0, 0, 4, 4), tuple(fragments), Rotations(None), mirror)


def test_a_tangram_which_cannot_be_glued_is_filled() -> None:
    result = solve(tangram())
    assert result.solved
    assert measure(result.assembly, tangram()).coverage >= 1.0 - EXACT


def test_what_does_not_fit_is_said_and_the_best_is_kept() -> None:
    puzzle = tangram()
    wide = replace(puzzle, target=shapely.box(0, 0, 16, 1))
    result = solve(wide, evaluations=50)
    assert not result.solved
    assert "not placed" in result.reason or result.reason.startswith("stopped")
    assert measure(result.assembly, wide).overlap <= EXACT


def test_stopping_at_once_places_nothing() -> None:
    result = solve(tangram(), evaluations=0)
    assert not result.solved
    assert len(result.assembly) == 0
    assert result.reason.startswith("stopped")


def test_pieces_with_holes_are_filled_not_glued() -> None:
    ring = shapely.Polygon(
        shapely.box(-2, -2, 2, 2).exterior.coords, [shapely.box(-1, -1, 1, 1).exterior.coords]
    )
    puzzle = Puzzle(
        shapely.box(0, 0, 4, 4), (Fragment("ring", ring), Fragment("core", shapely.box(-1, -1, 1, 1)))
    )
    result = solve(puzzle)
    assert result.solved
    assert measure(result.assembly, puzzle).coverage >= 1.0 - EXACT


def test_an_outline_knows_its_angles_and_forgets_straight_corners() -> None:
    ring = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]])
    outline = CornerOutline.of(ring, straight=1e-9)
    assert outline.corners.tolist() == [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]]
    assert np.allclose(outline.angles, np.pi / 2)
    assert ring_of(shapely.Polygon(ring[::-1])).tolist() != ring[::-1].tolist()


def test_many_rough_pieces_are_told_by_those_that_lie_exactly() -> None:
    """Six of sixteen distorted pieces lay elsewhere, and no chart holds the true arrangement."""
    kind = PuzzleKind(
        shape=named_shape("pentagon"), pieces=16, rotations=Rotations(20), degradation="distorted"
    )
    (sample,) = make_samples(kind, seed=9430, start=2, stop=3)
    result = run(SearchSolver(), sample.puzzle, stop=MaxEvaluations(3000), rng=np.random.default_rng(0))
    assert result.solved
    assert are_same(result.assembly, sample.truth, sample.puzzle, 0.06 * sample.puzzle.size)


def test_many_pieces_that_are_all_rough_are_doubted() -> None:
    """Others than the charts hold may be meant as well."""
    kind = PuzzleKind(shape=named_shape("pentagon"), pieces=10, rotations=Rotations(1), noise=0.03)
    (sample,) = make_samples(kind, seed=807, start=2, stop=3)
    result = run(SearchSolver(), sample.puzzle, stop=MaxEvaluations(4000), rng=np.random.default_rng(0))
    assert len(result.assembly) == len(sample.puzzle.fragments)
    assert result.verdict.why == TOO_ROUGH

"""A lost piece: the others are laid back around one convex gap."""

from __future__ import annotations

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from sherd.core.geometry import Pose, Rotations
from sherd.core.metrics import measure, score
from sherd.generation.dataset import PuzzleKind, make_samples
from sherd.generation.shapes import named_shape
from sherd.solvers.run import run
from sherd.solvers.search import SearchSolver
from sherd.solvers.search.completing.convex_gap import ConvexGap, leave_gap
from sherd.solvers.search.corner_outline import CornerOutline
from sherd.solvers.stop import MaxEvaluations

SQUARE = CornerOutline(np.array([[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [0.0, 4.0]]))
# The left side of a slanted cut, and the lower part of what is right of it.
LEFT = CornerOutline(np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 4.0], [0.0, 4.0]]))
LOWER = CornerOutline(np.array([[1.0, 0.0], [4.0, 0.0], [4.0, 1.0], [1.5, 2.0]]))
SLACK = 1e-6
EXACT = 1e-6


def gaps(
    *parts: CornerOutline, target: CornerOutline = SQUARE, rotations: Rotations | None = None
) -> list[ConvexGap]:
    return leave_gap(parts, target, rotations or Rotations(1), SLACK, MaxEvaluations(1000))[0]


def test_the_gap_is_what_the_parts_leave() -> None:
    (gap,) = gaps(LEFT, LOWER)
    open_area = shapely.Polygon([(1.5, 2.0), (4.0, 1.0), (4.0, 4.0), (2.0, 4.0)])
    assert shapely.Polygon(gap.outline.corners).symmetric_difference(open_area).area < EXACT
    assert gap.around == pytest.approx(open_area.length)
    assert all(pose.is_close(Pose(), SLACK) for pose in gap.poses.values())


def test_a_part_that_may_turn_is_laid_along_every_side() -> None:
    assert len(gaps(LEFT, rotations=Rotations(4))) == 4
    assert len(gaps(LEFT)) == 1


def test_pieces_that_no_cut_has_left_are_not_laid() -> None:
    island = CornerOutline(np.array([[1.0, 1.0], [2.0, 1.0], [2.0, 2.0], [1.0, 2.0]]))
    assert gaps(island) == []


def test_a_target_that_is_not_convex_is_left_alone() -> None:
    ell = CornerOutline(np.array([[0.0, 0.0], [4.0, 0.0], [4.0, 1.0], [1.0, 1.0], [1.0, 4.0], [0.0, 4.0]]))
    assert gaps(CornerOutline(np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 4.0], [0.0, 4.0]])), target=ell) == []


def test_it_stops_when_it_is_told_to() -> None:
    assert leave_gap([LEFT, LOWER], SQUARE, Rotations(1), SLACK, MaxEvaluations(0)) == ([], 0)


@given(
    st.sampled_from(["square", "pentagon", "hexagon"]),
    st.integers(4, 16),
    st.sampled_from([Rotations(1), Rotations(4), Rotations(None)]),
    st.integers(0, 999),
)
@settings(max_examples=30)
def test_all_pieces_but_the_lost_one_are_placed_without_overlap(
    shape: str, pieces: int, rotations: Rotations, seed: int
) -> None:
    kind = PuzzleKind(shape=named_shape(shape), pieces=pieces, rotations=rotations, degradation="missing")
    sample = next(iter(make_samples(kind, seed=seed, stop=1)))
    stop = MaxEvaluations(3000)
    result = run(SearchSolver(), sample.puzzle, stop=stop, rng=np.random.default_rng(0))
    assert result.solved
    measures = measure(result.assembly, sample.puzzle)
    assert measures.overlap <= EXACT
    assert measures.coverage == pytest.approx(
        sum(f.polygon.area for f in sample.puzzle.fragments) / sample.puzzle.target.area, abs=EXACT
    )
    if shape == "square" and rotations.bins == 1:  # elsewhere the same parts may fit in several ways
        assert score(result.assembly, sample).coverage >= 1.0 - EXACT


@pytest.mark.parametrize("seed", range(6))
def test_of_rectangles_but_a_lost_one_none_is_laid_elsewhere_untold(seed: int) -> None:
    """Off the grid, too, many arrangements of right angles are flush."""
    kind = PuzzleKind(shape=named_shape("mondrian"), pieces=4, rotations=Rotations(1), degradation="missing")
    sample = next(iter(make_samples(kind, seed=seed, stop=1)))
    result = run(SearchSolver(), sample.puzzle, stop=MaxEvaluations(1500), rng=np.random.default_rng(0))
    lies_right = score(result.assembly, sample).coverage >= 1.0 - EXACT
    every = {fragment.id for fragment in sample.puzzle.fragments}
    assert lies_right or (not result.solved and set(result.elsewhere) == every)

"""Filling silhouettes drawn by hand: slivers and several parts do no harm, like pieces are tried once."""

from __future__ import annotations

import numpy as np
import pytest
import shapely
from shapely import MultiPolygon

from sherd.core.geometry import Pose, Region, Rotations, union
from sherd.core.puzzle import Fragment, Puzzle
from sherd.generation.drawn_tangram import drawn_tangram
from sherd.generation.tangram import tangram
from sherd.solvers import MaxEvaluations, run
from sherd.solvers.search import SearchSolver
from sherd.solvers.search.completing.fill_silhouette import fill_silhouette

FREE = Rotations(None)
QUARTER = shapely.box(-0.25, -0.25, 0.25, 0.25)


def filled(
    pieces: list[shapely.Polygon], target: Region, *, fits: bool = True, tries: int = 99
) -> tuple[dict[int, Pose], int, bool]:
    return fill_silhouette(
        pieces,
        target,
        FREE,
        mirror=[True] * len(pieces),
        slack=1e-3,
        angle=0.02,
        tip=0.035,
        fits=lambda poses: fits,
        stop=MaxEvaluations(tries),
    )


def test_quarters_of_a_square_are_laid_at_the_first_try_each() -> None:
    poses, tried, exhausted = filled([QUARTER] * 4, shapely.box(0, 0, 1, 1))
    assert (tried, exhausted) == (4, True)
    laid = [pose.apply(QUARTER) for pose in poses.values()]
    assert union(laid).symmetric_difference(shapely.box(0, 0, 1, 1)).area < 1e-9


def test_parts_of_a_target_are_filled_each() -> None:
    apart = MultiPolygon([shapely.box(0, 0, 0.5, 1), shapely.box(2, 0, 2.5, 1)])
    poses, tried, _ = filled([QUARTER] * 4, apart)
    assert tried == 4
    assert union([pose.apply(QUARTER) for pose in poses.values()]).symmetric_difference(apart).area < 1e-9


def test_all_is_tried_where_nothing_fits() -> None:
    """Like pieces and like corners count once; the last two may be laid in either order."""
    poses, tried, exhausted = filled([QUARTER] * 4, shapely.box(0, 0, 1, 1), fits=False)
    assert exhausted
    assert len(poses) == 4
    assert tried == 6


def test_it_ends_when_it_should_stop() -> None:
    poses, tried, exhausted = filled([QUARTER] * 4, shapely.box(0, 0, 1, 1), tries=2)
    assert (len(poses), tried, exhausted) == (2, 2, False)


def test_a_part_that_no_pieces_have_the_area_of_is_not_gone_on_with() -> None:
    apart = MultiPolygon([shapely.box(0, 0, 0.5, 0.75), shapely.box(2, 0, 2.5, 1.25)])
    poses, tried, exhausted = filled([QUARTER] * 4, apart)
    assert exhausted
    assert len(poses) < 4
    assert tried <= 4


def solved(puzzle: Puzzle) -> bool:
    return run(SearchSolver(), puzzle, stop=MaxEvaluations(5000), rng=np.random.default_rng(0)).solved


# Of these a tip lies deep in another piece (77, 357), wedges were closed (318, 525), corners are many
# (340), or what a hand leaves of them (868).
@pytest.mark.parametrize("seed", [77, 318, 340, 357, 525, 868])
def test_drawn_tangrams_that_were_left_open_are_solved(seed: int) -> None:
    assert solved(drawn_tangram(np.random.default_rng(seed), closing=4e-3).puzzle)


@pytest.mark.parametrize("seed", [765, 768, 770])
def test_a_hand_may_be_off_by_nearly_half_of_the_closing(seed: int) -> None:
    assert solved(drawn_tangram(np.random.default_rng(seed), closing=4e-3, most_off=2e-3).puzzle)


@pytest.mark.parametrize("closing", [3e-4, 4e-3])
def test_silhouettes_in_parts_and_with_holes_are_solved(closing: float) -> None:
    for seed in range(6):
        assert solved(drawn_tangram(np.random.default_rng(seed), closing=closing, loosely=True).puzzle)


def test_a_square_that_seems_to_fill_a_larger_rectangle_is_told_with_its_tolerance() -> None:
    """Two triangles and two trapezoids of a square of 8, with 64 of the 65 cells of 5 x 13."""
    triangle = shapely.Polygon([(0, 0), (8, 0), (0, 3)])
    trapezoid = shapely.Polygon([(0, 0), (5, 0), (5, 3), (0, 5)])
    fragments = tuple(
        Fragment(f"f{k}", shapely.transform(one, lambda points, one=one: points - one.centroid.coords[0]))
        for k, one in enumerate((triangle, triangle, trapezoid, trapezoid))
    )
    within: list[float] = []
    for width, height in ((8, 8), (5, 13)):
        puzzle = Puzzle(shapely.box(0, 0, width, height), fragments, FREE, mirror=True)
        result = run(SearchSolver(), puzzle, stop=MaxEvaluations(5000), rng=np.random.default_rng(0))
        within.append(result.verdict.within)
    assert within == [0.0, pytest.approx(2e-3)]


def test_the_tolerance_rises_until_pieces_fit() -> None:
    deep = drawn_tangram(np.random.default_rng(77), closing=4e-3).puzzle
    result = run(SearchSolver(), deep, stop=MaxEvaluations(5000), rng=np.random.default_rng(0))
    assert result.verdict.within == pytest.approx(4e-3)
    exact = tangram("cat", np.random.default_rng(1)).puzzle
    result = run(SearchSolver(), exact, stop=MaxEvaluations(5000), rng=np.random.default_rng(0))
    assert result.solved and result.verdict.within == 0.0


def test_among_very_many_ways_into_a_corner_it_is_asked_whether_time_is_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Traced outlines have hundreds of corners, nearly all of which lie in every corner of a round target."""
    compared, questions = 0, list[int]()

    def is_like(*_: object) -> bool:
        nonlocal compared
        compared += 1
        return False

    def stop(evaluations: int) -> bool:
        questions.append(compared)
        return len(questions) > 200

    monkeypatch.setattr("sherd.solvers.search.completing.fill_silhouette._Lying.is_like", is_like)
    disc = shapely.Point(0, 0).buffer(1.0, quad_segs=30)
    small = [shapely.Point(0, 0).buffer(radius, quad_segs=30) for radius in (0.3, 0.31, 0.32, 0.33)]
    fill_silhouette(
        small,
        disc,
        FREE,
        mirror=[False] * 4,
        slack=1e-3,
        angle=0.06,
        tip=0.035,
        fits=lambda poses: False,
        stop=stop,
    )
    assert compared > 100
    assert np.diff(questions).max() <= 200  # each way is compared with those before it, at most

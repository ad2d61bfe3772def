"""What is seen of the pieces before any is laid."""

from __future__ import annotations

from dataclasses import replace

import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st
from shapely import Polygon

from sherd.core.geometry import Pose
from sherd.core.puzzle import Fragment, Puzzle
from sherd.generation.dataset import PuzzleKind, make_samples
from sherd.solvers.search.case import Bend, Case, bend_of

SQUARE = shapely.box(0, 0, 1, 1)
ELL = Polygon([(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)])
DENTED = Polygon([(0, 0), (0.5, 0.02), (1, 0), (1, 1), (0, 1)])
RING = Polygon([(0, 0), (1, 0), (1, 1), (0, 1)], [[(0.2, 0.2), (0.2, 0.8), (0.8, 0.8), (0.8, 0.2)]])


def case_of(target: Polygon, *pieces: Polygon, tolerance: float | None = None) -> Case:
    fragments = tuple(Fragment(str(number), piece) for number, piece in enumerate(pieces))
    return Case(Puzzle(target, fragments, tolerance=tolerance))


@given(st.floats(-3.0, 3.0), st.floats(0.01, 100.0))
def test_how_bent_a_piece_is_does_not_depend_on_where_and_how_large_it_is(turn: float, size: float) -> None:
    for piece, bend in ((SQUARE, Bend.NONE), (DENTED, Bend.SLIGHT), (ELL, Bend.CUT), (RING, Bend.CUT)):
        scaled = shapely.transform(Pose(1.0, 2.0, turn).apply(piece), lambda points: size * points)
        assert bend_of(scaled) is bend


def test_a_corner_of_a_small_piece_may_have_been_moved_inward() -> None:
    """Of a piece with four corners, if it is small beside the target; one with more was cut so."""
    dart = Polygon([(0, 0), (0.1, 0), (0.04, 0.04), (0, 0.1)])
    assert bend_of(dart) is Bend.CUT
    assert case_of(SQUARE, dart).bends == (Bend.SLIGHT,)
    assert case_of(Polygon(0.2 * shapely.get_coordinates(SQUARE)), dart).bends == (Bend.CUT,)
    small_ell = Polygon(0.05 * shapely.get_coordinates(ELL))
    assert case_of(SQUARE, small_ell).bends == (Bend.CUT,)


def test_a_case_knows_its_worst_piece() -> None:
    convex, worn, cut = (case_of(ELL, SQUARE, piece) for piece in (SQUARE, DENTED, ELL))
    assert [one.any_bends_inward for one in (convex, worn, cut)] == [False, True, True]
    assert [one.any_cut_bent for one in (convex, worn, cut)] == [False, False, True]
    assert not convex.has_convex_target
    assert case_of(SQUARE, RING).has_holes and not convex.has_holes


@pytest.mark.parametrize("degradation", ["eroded", "distorted", "none"])
def test_damage_does_not_look_like_a_bent_cut(degradation: str) -> None:
    kind = PuzzleKind(pieces=8, degradation=degradation)  # pyright: ignore[reportArgumentType]
    cases = [Case(sample.puzzle) for sample in make_samples(kind, seed=3, stop=10)]
    assert not any(case.any_cut_bent for case in cases)
    assert all(case.any_bends_inward for case in cases) == (degradation == "eroded")


def test_eroded_pieces_look_worn_and_distorted_ones_do_not() -> None:
    worn, distorted = (
        [Case(sample.puzzle).worn for sample in make_samples(kind, seed=3, stop=10)]
        for kind in (
            PuzzleKind(pieces=8, degradation="eroded"),
            PuzzleKind(pieces=8, degradation="distorted"),
        )
    )
    # Four pieces of each puzzle are damaged; wear that leaves a piece convex cannot be seen.
    assert sum(map(sum, worn)) == 40
    assert not any(map(any, distorted))


def test_the_puzzle_says_how_large_pixels_are_if_it_says_anything() -> None:
    silent = case_of(ELL, SQUARE)
    assert silent.pixel is None
    assert Case(replace(silent.puzzle, pixel=0.01)).pixel == 0.005  # the target's size is 2


def test_areas_add_up_or_lack_a_piece() -> None:
    half = shapely.box(0, 0, 0.5, 1)
    whole, lost = case_of(SQUARE, half, half), case_of(SQUARE, half)
    assert whole.areas_add_up(1e-12) and not whole.lacks_area
    assert lost.lacks_area and not lost.areas_add_up(0.1)
    wide = case_of(SQUARE, half, shapely.box(0, 0, 0.503, 1))
    # The area is off by 0.003; the outlines are 6.006 long.
    assert wide.areas_add_up(0.003 / 6.0) and not wide.areas_add_up(0.003 / 6.1)


def test_the_puzzle_says_what_is_tolerated_if_it_says_anything() -> None:
    silent, strict = case_of(ELL, SQUARE), case_of(ELL, SQUARE, tolerance=0.01)
    assert silent.tolerates(2e-3) and not silent.tolerates(3e-3)
    assert strict.tolerates(0.005) and not strict.tolerates(0.0051)  # the target's size is 2


def test_turning_over_is_known_by_number() -> None:
    puzzle = case_of(SQUARE, SQUARE, SQUARE).puzzle
    assert Case(replace(puzzle, mirror=frozenset({"1"}))).may_mirror == [False, True]

"""How pieces fit a target: what is deep, far out or loose is said, and nothing else is."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

from sherd.core.assembly import Assembly, Placement
from sherd.core.geometry import Pose
from sherd.core.in_target import (
    LEAST_COVERED,
    coverage_of,
    fits,
    lies_tightly,
    lies_within,
    looseness,
    misplaced_shares,
)
from sherd.core.puzzle import Fragment, Puzzle, Sample
from sherd.core.tolerance import EXACT, Tolerance
from sherd.core.verdict import judge

SQUARE = shapely.box(0, 0, 1, 1)


def moved(assembly: Assembly, name: str, pose: Pose) -> Assembly:
    """The assembly with one piece moved by a pose."""
    return Assembly(tuple(Placement(p.id, pose @ p.pose if p.id == name else p.pose) for p in assembly))


def without(assembly: Assembly, *names: str) -> Assembly:
    return Assembly(tuple(placement for placement in assembly if placement.id not in names))


def puzzle_of(*boxes: shapely.Polygon, target: shapely.Polygon = SQUARE) -> Puzzle:
    """Pieces p0, p1 and so on, which may not be turned; each has its centroid at the origin."""
    fragments = tuple(Fragment(f"p{k}", box) for k, box in enumerate(boxes))
    return Puzzle(target, fragments)


def centred(width: float, height: float) -> shapely.Polygon:
    return shapely.box(-width / 2.0, -height / 2.0, width / 2.0, height / 2.0)


def lying(*places: tuple[float, float]) -> Assembly:
    return Assembly(tuple(Placement(f"p{k}", Pose(x, y)) for k, (x, y) in enumerate(places)))


@pytest.mark.parametrize(("share", "solved"), [(1.01, True), (0.99, False)])
def test_pieces_that_cover_next_to_nothing_solve_nothing(share: float, solved: bool) -> None:
    verdict = judge(puzzle_of(centred(share * LEAST_COVERED, 1.0)), lying((share * LEAST_COVERED / 2.0, 0.5)))
    assert verdict.state == ("solved" if solved else "partly")
    assert verdict.why == ("" if solved else "the pieces cover only 15 % of the target")


def test_strips_in_a_large_square_are_no_solution_of_it() -> None:
    strips = (centred(0.9, 0.02), centred(0.8, 0.03), centred(1.0, 0.04))
    verdict = judge(puzzle_of(*strips), lying((0.5, 0.2), (0.5, 0.5), (0.5, 0.8)))
    assert (verdict.state, verdict.why) == ("partly", "the pieces cover only 8.2 % of the target")


def test_a_gap_alone_does_not_stand_against_a_solution(square_of_four: Sample) -> None:
    own = tuple(one for one in square_of_four.puzzle.fragments if one.id != "c")
    puzzle = replace(square_of_four.puzzle, fragments=own)
    assert judge(puzzle, without(square_of_four.truth, "c")).is_solved


@pytest.mark.parametrize("gap", [0.3, 0.6, 0.8])
def test_pieces_that_lie_about_in_a_target_do_not_solve_it(gap: float) -> None:
    """Two strips as high as the target, each with room to its side: they could lie elsewhere."""
    width = (1.0 - gap) / 2.0
    puzzle = puzzle_of(*[centred(width, 1.0)] * 2)
    apart = judge(puzzle, lying((gap / 4.0 + width / 2.0, 0.5), (1.0 - gap / 4.0 - width / 2.0, 0.5)))
    assert apart.state == "partly"
    assert apart.why.endswith("loosely") or apart.why.endswith("what is open is not one piece")
    assert judge(puzzle, lying((width / 2.0, 0.5), (1.5 * width, 0.5))).is_solved


def test_a_packed_corner_is_no_solution() -> None:
    puzzle = puzzle_of(*[centred(0.3, 0.3)] * 4)
    packed = lying((0.15, 0.15), (0.45, 0.15), (0.15, 0.45), (0.45, 0.45))
    why = "the pieces cover only 36 % of the target, and what is open is not one piece"
    assert (judge(puzzle, packed).state, judge(puzzle, packed).why) == ("partly", why)


def test_a_piece_in_the_gap_of_another_lies_loosely(square_of_four: Sample) -> None:
    small = Fragment("c", shapely.box(-0.1, -0.1, 0.1, 0.1))
    fragments = tuple(small if one.id == "c" else one for one in square_of_four.puzzle.fragments)
    puzzle = replace(square_of_four.puzzle, fragments=fragments)
    verdict = judge(puzzle, square_of_four.truth)
    assert (verdict.state, verdict.why) == ("partly", "c lies loosely")
    pinned = Assembly(tuple(p for p in square_of_four.truth if p.id == "c"))
    assert judge(puzzle, square_of_four.truth, pinned=pinned).is_solved


def test_squares_in_corners_are_packed() -> None:
    """Held along half of its outline, and no more, a square in a corner of the target may lie in any."""
    puzzle = puzzle_of(*[centred(0.375, 0.375)] * 4)
    packed = lying((0.1875, 0.1875), (0.8125, 0.1875), (0.1875, 0.8125), (0.8125, 0.8125))
    verdict = judge(puzzle, packed)
    assert (verdict.state, verdict.why) == ("partly", "p0, p1, p2, p3 lie loosely")


@pytest.mark.parametrize("tolerance", [None, 0.02])
def test_a_block_in_a_corner_holds_its_outer_square_along_half(tolerance: float | None) -> None:
    """However far apart what touches may be, that counts at the ends of what is open."""
    side = 0.375
    puzzle = replace(puzzle_of(*[centred(side, side)] * 4), tolerance=tolerance)
    places = [((x + 0.5) * side, (y + 0.5) * side) for x in range(2) for y in range(2)]
    verdict = judge(puzzle, lying(*places), Tolerance.of_corners(0.0015))
    assert (verdict.state, verdict.why) == ("partly", "p3 lies loosely")


def test_a_block_in_the_middle_hangs_on_nothing() -> None:
    """A square cut along its diagonals: others hold each part along more than half of its outline."""
    part = shapely.Polygon([(-0.3, -0.1), (0.3, -0.1), (0.0, 0.2)])
    puzzle = puzzle_of(*[part] * 4)
    turned = [(0.5, 0.3, 0.0), (0.7, 0.5, 0.5), (0.5, 0.7, 1.0), (0.3, 0.5, 1.5)]
    block = Assembly(
        tuple(Placement(f"p{k}", Pose(x, y, turn * math.pi)) for k, (x, y, turn) in enumerate(turned))
    )
    assert looseness(puzzle, block, EXACT) == [
        "the pieces cover only 36 % of the target, and what is open is not one piece"
    ]
    large = replace(puzzle, target=shapely.box(0.15, 0.15, 0.85, 0.85))
    assert looseness(large, block, EXACT) == ["pieces lie apart from the others or from the edge"]
    flush = replace(puzzle, target=shapely.box(0.2, 0.2, 0.9, 0.8))
    assert looseness(flush, block, EXACT) == []


def test_what_is_left_of_a_broken_hexagon_is_still_solved() -> None:
    """All pieces but one lie where they should, however large the lost one was."""
    from sherd.generation.dataset import PuzzleKind, make_samples
    from sherd.generation.shapes import named_shape

    for pieces in (4, 8):
        kind = PuzzleKind(shape=named_shape("hexagon"), pieces=pieces, degradation="missing")
        for sample in make_samples(kind, seed=500, stop=20):
            assert judge(sample.puzzle, sample.truth).is_solved


def overlapping(by: float, tolerance: float | None = None) -> tuple[Puzzle, Assembly]:
    """Halves of a square, each too wide by half of ``by``."""
    puzzle = puzzle_of(*[centred(0.5 + by / 2.0, 1.0)] * 2)
    x = 0.25 + by / 4.0
    return replace(puzzle, tolerance=tolerance), lying((x, 0.5), (1.0 - x, 0.5))


@given(by=st.floats(1e-4, 0.05))
def test_looser_tolerances_allow_whatever_tighter_ones_do(by: float) -> None:
    puzzle, assembly = overlapping(by)
    loosened = [judge(puzzle, assembly, Tolerance.of_corners(k * 0.002)).is_solved for k in range(12)]
    assert loosened == sorted(loosened)


@pytest.mark.parametrize(("depth", "state"), [(0.0101, "solved"), (0.0099, "not solved")])
def test_the_depth_is_the_radius_of_a_disc_in_two_pieces(depth: float, state: str) -> None:
    puzzle, assembly = overlapping(0.02)
    assert judge(puzzle, assembly, Tolerance(0.02, depth)).state == state


@pytest.mark.parametrize(("tolerance", "state"), [(0.0201, "solved"), (0.0199, "not solved")])
def test_no_piece_reaches_farther_than_the_puzzles_own_tolerance(tolerance: float, state: str) -> None:
    puzzle, assembly = overlapping(0.02, tolerance)
    verdict = judge(puzzle, assembly, Tolerance(0.02, 0.5))
    assert verdict.state == state
    assert verdict.why == ("" if state == "solved" else "p0, p1 overlap by up to 0.02")


def test_a_corner_that_pokes_into_another_counts_by_its_depth() -> None:
    # Too little area for any disc, but the tip reaches 0.04 into its neighbour.
    tip = shapely.Polygon([(0, 0), (0.5, 0), (0.5, 0.49), (0.54, 0.5), (0.5, 0.51), (0.5, 1), (0, 1)])
    fragments = (Fragment("tip", tip), Fragment("half", shapely.box(0.5, 0, 1, 1)))
    assembly = Assembly().place("tip", Pose()).place("half", Pose())
    rough = Tolerance.of_corners(0.02)
    for tolerance, solved in ((None, True), (0.05, True), (0.03, False)):
        verdict = judge(Puzzle(SQUARE, fragments, tolerance=tolerance), assembly, rough)
        assert verdict.is_solved == solved
    assert verdict.why == "tip, half overlap by up to 0.04"


def fits_at(puzzle: Puzzle, assembly: Assembly, tolerance: Tolerance) -> bool:
    poses = {k: assembly[fragment.id] for k, fragment in enumerate(puzzle.fragments)}
    return fits(puzzle, poses, coverage_of(puzzle, poses), tolerance)


def test_a_small_piece_on_a_large_one_does_not_fit_whatever_area_says() -> None:
    puzzle, on_it = puzzle_of(centred(1, 1), centred(0.2, 0.1)), lying((0.5, 0.5), (0.5, 0.5))
    coverage = coverage_of(puzzle, {0: Pose(0.5, 0.5), 1: Pose(0.5, 0.5)})
    assert coverage == pytest.approx(1.0)
    assert lies_within(puzzle, coverage, 0.02)
    assert not fits_at(puzzle, on_it, Tolerance(0.02, 0.02))
    assert not fits_at(puzzle, on_it, Tolerance(0.02, 0.06))  # too thin for the disc, but it lies there whole


def test_a_thin_piece_does_not_reach_far_out() -> None:
    puzzle = puzzle_of(centred(1, 0.98), centred(1, 0.02))
    a_little, far = (lying((0.5, 0.49), (0.5 + out, 0.99)) for out in (0.09, 0.11))
    assert fits_at(puzzle, a_little, Tolerance(0.02, 0.02))
    assert not fits_at(puzzle, far, Tolerance(0.02, 0.02))


def test_narrow_overlaps_lie_tightly_and_wide_ones_do_not(two_halves: Sample) -> None:
    for overlap, tight in ((0.0, True), (0.001, True), (0.01, False)):
        coverage = coverage_of(two_halves.puzzle, {0: Pose(0.25, 0.5), 1: Pose(0.75 - overlap, 0.5)})
        assert lies_tightly(two_halves.puzzle, coverage) == tight


def test_a_partial_answer_does_not_fit_but_may_be_partly_solved(two_halves: Sample) -> None:
    assert not fits(two_halves.puzzle, {0: Pose(0.25, 0.5)}, 0.5, EXACT)
    assert judge(two_halves.puzzle, without(two_halves.truth, "right")).state == "partly"


def test_what_lies_wrong_of_each_piece(two_halves: Sample) -> None:
    shares = misplaced_shares(two_halves.puzzle, {0: Pose(0.25, 0.5), 1: Pose(0.65, 0.5)})
    assert shares == pytest.approx({0: 0.2, 1: 0.2})
    shares = misplaced_shares(two_halves.puzzle, {0: Pose(0.25, 0.5), 1: Pose(0.85, 0.5)})
    assert shares == pytest.approx({0: 0.0, 1: 0.2})

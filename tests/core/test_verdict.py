"""Each thing that can stand against an answer is said, and nothing else is."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
import shapely

from sherd.core.assembly import Assembly, Placement
from sherd.core.geometry import Pose, Rotations
from sherd.core.in_target import (
    GAP_FOR_A_PIECE,
)
from sherd.core.puzzle import Fragment, Puzzle, Sample
from sherd.core.tolerance import EXACT, Tolerance
from sherd.core.verdict import ROUNDED_ANGLE, Verdict, judge

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


def test_a_solution_says_how_far_outlines_were_taken_to_be_off(square_of_four: Sample) -> None:
    loose = Tolerance.of_corners(2e-3)
    verdict = judge(square_of_four.puzzle, square_of_four.truth, loose)
    assert verdict.within == loose.seam
    assert verdict.within_in_words == "outlines are taken to be off by up to 0.2 % of the size"
    assert judge(square_of_four.puzzle, square_of_four.truth, Tolerance.of_corners(1e-5)).within == 0.0
    assert judge(square_of_four.puzzle, without(square_of_four.truth, "a"), loose).within == 0.0


def test_the_truth_is_solved_and_nothing_stands_against_it(square_of_four: Sample) -> None:
    verdict = judge(square_of_four.puzzle, square_of_four.truth)
    assert verdict == Verdict(state="solved")
    assert (verdict.is_solved, verdict.in_words, verdict.why, verdict.missing) == (True, "solved", "", ())


def test_what_is_not_placed_is_counted_and_named(square_of_four: Sample) -> None:
    some = judge(square_of_four.puzzle, without(square_of_four.truth, "b", "d"))
    assert (some.state, some.against) == ("partly", ("2 of 4 pieces not placed",))
    assert some.left_over == some.missing == ("b", "d")
    assert some.in_words == "partly solved"
    none = judge(square_of_four.puzzle, Assembly())
    assert (none.state, none.why) == ("not solved", "4 of 4 pieces not placed")


def test_overlapping_pieces_are_named_with_how_deep(square_of_four: Sample) -> None:
    # a, 0.4 x 0.3, goes 0.1 up: into c above it, and along b, which it touches.
    verdict = judge(square_of_four.puzzle, moved(square_of_four.truth, "a", Pose(0.0, 0.1)))
    assert (verdict.state, verdict.against) == ("not solved", ("a, c overlap by up to 0.1",))


def test_pieces_that_stick_out_are_named_with_how_far(square_of_four: Sample) -> None:
    verdict = judge(square_of_four.puzzle, moved(square_of_four.truth, "d", Pose(0.25, 0.0)))
    assert (verdict.state, verdict.against) == (
        "not solved",
        ("d sticks out of the target by up to 0.25",),
    )


def test_two_like_pieces_in_one_place_overlap() -> None:
    verdict = judge(puzzle_of(centred(0.5, 1), centred(0.5, 1)), lying((0.25, 0.5), (0.25, 0.5)))
    assert verdict.state == "not solved"
    assert verdict.why.startswith("p0, p1 overlap by up to ")


def test_a_piece_over_a_hole_of_the_target_sticks_out() -> None:
    target = shapely.Polygon(SQUARE.exterior.coords, [shapely.box(0.4, 0.4, 0.6, 0.6).exterior.coords])
    verdict = judge(puzzle_of(centred(1, 1), target=target), lying((0.5, 0.5)))
    assert verdict.why == "p0 sticks out of the target by up to 0.1"


def test_a_piece_in_the_hole_of_another_does_not_overlap_it() -> None:
    hole = shapely.box(0.25, 0.25, 0.75, 0.75)
    ring = Fragment("ring", Pose(-0.5, -0.5).apply(shapely.Polygon(SQUARE.exterior, [hole.exterior])))
    puzzle = Puzzle(SQUARE, (ring, Fragment("plug", centred(0.5, 0.5))))
    assembly = Assembly().place("ring", Pose(0.5, 0.5)).place("plug", Pose(0.5, 0.5))
    assert judge(puzzle, assembly).is_solved
    assert judge(puzzle, moved(assembly, "plug", Pose(0.1, 0.0))).why == "ring, plug overlap by up to 0.1"


def test_only_the_worst_are_named() -> None:
    strips = [centred(0.1, 1.0)] * 10
    puzzle = puzzle_of(*strips)
    verdict = judge(puzzle, lying(*((0.55, 0.5) for _ in strips)))
    assert verdict.why.startswith("p0, p1, p2, p3, p4 and 5 more overlap by up to 0.05")
    # One lies all wrong, another a little: only the first is named.
    places = [(0.05 + 0.1 * k, 0.5) for k in range(10)]
    places[0], places[9] = (-0.05, 0.5), (0.951, 0.5)
    assert judge(puzzle, lying(*places)).why == "p0 sticks out of the target by up to 0.1"


@pytest.mark.parametrize(("off", "allowed"), [(0.0, True), (0.5, True), (3.0, False)])
def test_angles_count_as_allowed_up_to_rounding(square_of_four: Sample, off: float, allowed: bool) -> None:
    quarters = replace(square_of_four.puzzle, rotations=Rotations(4))
    a = square_of_four.truth["a"]
    turned = Pose(a.x, a.y, off * ROUNDED_ANGLE)
    assembly = Assembly(tuple(p if p.id != "a" else Placement("a", turned) for p in square_of_four.truth))
    verdict = judge(quarters, assembly, Tolerance.of_corners(0.001))
    assert verdict.against == (() if allowed else ("a turned as not allowed",))
    assert judge(square_of_four.puzzle, assembly, Tolerance.of_corners(0.001)).is_solved  # free to turn


def test_a_quarter_turn_is_not_allowed_where_nothing_turns() -> None:
    puzzle = puzzle_of(centred(1, 1))
    turned = Assembly().place("p0", Pose(0.5, 0.5, math.tau / 4.0))
    verdict = judge(puzzle, turned)
    assert (verdict.state, verdict.why) == ("partly", "p0 turned as not allowed")
    assert judge(replace(puzzle, rotations=Rotations(4)), turned).is_solved


def test_only_some_pieces_may_be_turned_over(two_halves: Sample) -> None:
    over = Assembly(tuple(Placement(p.id, Pose(p.pose.x, p.pose.y, mirrored=True)) for p in two_halves.truth))
    puzzle = two_halves.puzzle
    assert judge(puzzle, over).why == "left, right turned over as not allowed"
    assert judge(replace(puzzle, mirror=frozenset(["left"])), over).why == "right turned over as not allowed"
    assert judge(replace(puzzle, mirror=True), over).is_solved


def test_pins_are_kept_within_the_tolerance(two_halves: Sample) -> None:
    puzzle, truth = two_halves.puzzle, two_halves.truth
    assert judge(puzzle, truth, pinned=truth).is_solved
    swapped = Assembly().place("left", truth["right"]).place("right", truth["left"])
    assert judge(puzzle, swapped).is_solved
    verdict = judge(puzzle, swapped, pinned=truth)
    assert (verdict.state, verdict.why) == ("partly", "left, right not where pinned")
    near = Assembly().place("left", Pose(0.25 + EXACT.depth / 2.0, 0.5))
    far = Assembly().place("left", Pose(0.25 + EXACT.depth * 2.0, 0.5))
    assert judge(puzzle, truth, pinned=near).is_solved
    assert judge(puzzle, truth, pinned=far).why == "left not where pinned"
    assert judge(replace(puzzle, tolerance=0.01), truth, pinned=far).is_solved


def test_a_pinned_piece_that_has_no_place_is_not_where_pinned(two_halves: Sample) -> None:
    pinned = Assembly(two_halves.truth.placements[:1])
    verdict = judge(two_halves.puzzle, Assembly(two_halves.truth.placements[1:]), pinned=pinned)
    assert verdict.against == ("left not where pinned", "1 of 2 pieces not placed")


def test_forbidden_pieces_are_not_used(two_halves: Sample) -> None:
    verdict = judge(two_halves.puzzle, two_halves.truth, forbidden=["right", "another"])
    assert (verdict.state, verdict.why) == ("partly", "right used, though forbidden")


def test_slivers_need_no_place(two_halves: Sample) -> None:
    thread = Fragment("thread", centred(0.5, 1e-6))
    puzzle = replace(two_halves.puzzle, fragments=(*two_halves.puzzle.fragments, thread))
    verdict = judge(puzzle, two_halves.truth)
    assert verdict.is_solved
    assert (verdict.left_over, verdict.excused) == (("thread",), {"thread": "hardly any area"})
    # Nor does a gap ask for one.
    part = judge(puzzle, without(two_halves.truth, "left"), excused={"thread": "foreign"})
    assert part.against == ("1 of 3 pieces not placed",)


def test_excused_pieces_need_no_place_if_the_target_is_full(two_halves: Sample) -> None:
    kite = Fragment("kite", shapely.Polygon([(-0.1, 0), (0, -0.1), (0.1, 0), (0, 0.1)]))
    puzzle = replace(two_halves.puzzle, fragments=(*two_halves.puzzle.fragments, kite))
    assert judge(puzzle, two_halves.truth).why == "1 of 3 pieces not placed"
    verdict = judge(puzzle, two_halves.truth, excused={"kite": "foreign", "left": "placed all the same"})
    assert (verdict.state, verdict.left_over) == ("solved", ("kite",))
    assert verdict.excused == {"kite": "foreign"}


@pytest.mark.parametrize("factor", [0.9, 1.1])
def test_a_gap_with_most_of_an_excused_pieces_area_explains_it(factor: float) -> None:
    gap = 0.1
    # p1 was left out for a reason, and p0 leaves a gap of this width.
    out = centred(gap / GAP_FOR_A_PIECE / factor, 1.0)
    verdict = judge(
        puzzle_of(centred(1.0 - gap, 1.0), out), lying(((1.0 - gap) / 2.0, 0.5)), excused={"p1": "loose"}
    )
    if factor > 1.0:
        assert (verdict.state, verdict.why) == ("partly", "a gap is left that p1 could fill")
    else:
        assert verdict.is_solved


def test_many_small_gaps_do_not_explain_a_piece() -> None:
    # Strips with seams of 0.01 between them: together those have the area of the piece left out.
    strips = [centred(0.09, 1.0)] * 10
    laid = [(0.05 + 0.1 * k, 0.5) for k in range(10)]
    puzzle = puzzle_of(*strips, centred(0.1, 1.0))
    verdict = judge(puzzle, lying(*laid), Tolerance.of_corners(0.005), excused={"p10": "surplus"})
    assert verdict.is_solved


def test_a_gap_with_just_half_of_an_excused_pieces_area_explains_it() -> None:
    # A strip in the middle leaves two gaps, each of half the area of p1 and less than half of p2's.
    pieces = (centred(0.2, 1.0), centred(0.8, 1.0), centred(1.0, 1.0))
    verdict = judge(puzzle_of(*pieces), lying((0.5, 0.5)), excused={"p1": "loose", "p2": "loose"})
    assert (verdict.state, verdict.against[0]) == ("partly", "a gap is left that p1 could fill")


def test_several_gaps_that_are_no_seams_explain_a_piece() -> None:
    # Gaps of 0.16, 0.16 and 0.16 between two strips of 0.26: all of p2, and a third of it each.
    pieces = (centred(0.26, 1.0), centred(0.26, 1.0), centred(0.48, 1.0))
    verdict = judge(puzzle_of(*pieces), lying((0.29, 0.5), (0.71, 0.5)), excused={"p2": "loose"})
    assert (verdict.state, verdict.why) == ("partly", "a gap is left that p2 could fill")


def test_an_answer_without_a_piece_is_no_solution_even_of_slivers() -> None:
    verdict = judge(puzzle_of(centred(0.5, 1e-6)), Assembly())
    assert (verdict.state, verdict.why) == ("not solved", "no piece placed")
    assert verdict.excused == {"p0": "hardly any area"}


def test_a_piece_that_the_puzzle_does_not_have_stands_against_its_answer(two_halves: Sample) -> None:
    verdict = judge(two_halves.puzzle, two_halves.truth.place("third", Pose()))
    assert (verdict.state, verdict.why) == ("partly", "third not in the puzzle")
    excusing = judge(two_halves.puzzle, Assembly().place("third", Pose()), excused={"left": "loose"})
    assert excusing.state == "not solved"
    used = judge(two_halves.puzzle, two_halves.truth.place("third", Pose()), forbidden=["third"])
    assert used.why == "third used, though forbidden"


@pytest.mark.parametrize("pose", [Pose(math.nan, 0.5), Pose(0.75, math.inf), Pose(0.75, 0.5, math.nan)])
def test_a_piece_placed_nowhere_has_no_place(two_halves: Sample, pose: Pose) -> None:
    puzzle = replace(two_halves.puzzle, rotations=Rotations(None))
    assembly = Assembly(two_halves.truth.placements[:1]).place("right", pose)
    for judged in (puzzle, two_halves.puzzle):
        verdict = judge(judged, assembly, pinned=two_halves.truth)
        assert (verdict.state, verdict.missing) == ("partly", ("right",))
        assert verdict.against[0] == "right placed by numbers that are not finite"


@pytest.mark.parametrize("wide", [1.0, 1.005, 1.05])
def test_pieces_that_can_all_be_pushed_lie_loosely(wide: float) -> None:
    puzzle = puzzle_of(*[centred(0.5, 0.5)] * 4, target=shapely.box(0, 0, wide, 1))
    laid = lying((0.25, 0.25), (0.75, 0.25), (0.25, 0.75), (0.75, 0.75))
    verdict = judge(puzzle, laid, Tolerance.of_corners(1e-3))
    assert verdict.state == ("partly" if wide > 1.04 else "solved")
    assert ("pushed" in verdict.why) == (wide > 1.04)
    assert judge(puzzle, laid, Tolerance.of_corners(1e-3), pinned=laid).is_solved


@pytest.mark.parametrize(("gap", "pushed"), [(0.0, True), (0.02, False)])
def test_what_fits_exactly_and_misfits_the_target_is_pushed_however_loose(gap: float, pushed: bool) -> None:
    """Two rectangles, 5 % lower than the target; where they gape, that is how far off they are."""
    half = shapely.box(-0.25 + gap / 2.0, -0.475, 0.25 - gap / 2.0, 0.475)
    puzzle = Puzzle(shapely.box(0, 0, 1, 1), (Fragment("left", half), Fragment("right", half)))
    laid = Assembly().place("left", Pose(0.25, 0.475)).place("right", Pose(0.75, 0.475))
    verdict = judge(puzzle, laid, Tolerance.of_corners(0.025))
    assert ("pushed" in verdict.why) == pushed


def test_a_small_lost_piece_lets_nothing_be_pushed() -> None:
    puzzle = puzzle_of(centred(1.0, 0.8), centred(0.8, 0.2))
    assert judge(puzzle, lying((0.5, 0.4), (0.4, 0.9)), Tolerance.of_corners(1e-3)).is_solved

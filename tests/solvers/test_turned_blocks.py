from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import shapely

from sherd.bench.sight import observe
from sherd.core.assembly import Assembly
from sherd.core.geometry import FREE, Pose, Rotations, union
from sherd.core.overlaps import listed
from sherd.core.puzzle import Fragment, Puzzle
from sherd.core.tolerance import Tolerance
from sherd.core.verdict import judge
from sherd.generation.dataset import PuzzleKind, make_observed, make_samples, target_shape
from sherd.layout.holding import moved_pieces
from sherd.solvers import MaxEvaluations, Proposal, run
from sherd.solvers.grouping import ContoursSolver
from sherd.solvers.refitted import with_fitted_edges
from sherd.solvers.run import judged
from sherd.solvers.turned_blocks import doubting_turned_blocks, turned_blocks

LOOSE = Tolerance.of_corners(2e-3)


def rows(*widths: float, rotations: Rotations = FREE) -> tuple[Puzzle, Assembly]:
    """A row of rectangles in the lower half of a square, a single one above."""
    total = sum(widths)
    pieces = [shapely.box(-width / 2, -total / 4, width / 2, total / 4) for width in (*widths, total)]
    fragments = tuple(Fragment(f"p{k}", piece) for k, piece in enumerate(pieces))
    laid, left = Assembly(), 0.0
    for k, width in enumerate(widths):
        laid, left = laid.place(f"p{k}", Pose(left + width / 2, total / 4)), left + width
    laid = laid.place(f"p{len(widths)}", Pose(total / 2, 3 * total / 4))
    return Puzzle(shapely.box(0, 0, total, total), fragments, rotations), laid


@pytest.mark.parametrize("rotations", [FREE, Rotations(4), Rotations(1)])
def test_rectangles_in_a_row_may_lie_in_another_order(rotations: Rotations) -> None:
    puzzle, laid = rows(1.0, 2.0, 3.0, rotations=rotations)
    found = doubting_turned_blocks(
        puzzle, Proposal(assembly=laid, objective=1.0, evaluations=1, tolerance=LOOSE)
    )
    # Where pieces may not be turned, the row may lie above the single one, too.
    assert found.elsewhere == (("p0", "p1", "p2", "p3") if rotations.bins == 1 else ("p0", "p1", "p2"))
    result = judged(puzzle, found, 0.0)
    assert result.verdict.state == "partly"
    assert result.reason.startswith(f"ambiguous: {listed(list(found.elsewhere))} may lie elsewhere")
    assert len(found.alternatives) == 3
    for other in found.alternatives:
        assert other != laid
        assert judged(puzzle, replace(found, assembly=other, doubt=""), 0.0).solved


@pytest.mark.parametrize(("seed", "number"), [(20801, 0), (20700, 1)])
def test_rectangles_are_held_against_each_other_without_steps_of_pixels(seed: int, number: int) -> None:
    """Black and white masks of 100 px: both were called solved, with four pieces and two elsewhere."""
    kind = PuzzleKind(shape=target_shape("mondrian", "cuts"), pieces=4, rotations=FREE)
    *_, observed = make_observed(kind, "binary-100", seed=seed, stop=number + 1)
    puzzle, truth = observed.own.puzzle, observed.own.truth
    result = run(ContoursSolver(), puzzle, stop=MaxEvaluations(20_000), rng=np.random.default_rng(0))
    assert result.verdict.state == "partly"
    assert result.alternatives
    wrong = moved_pieces(puzzle, result.assembly, [truth], 0.02 * puzzle.size)
    assert wrong
    assert set(wrong) <= set(result.elsewhere)


def test_all_pieces_are_a_block_where_they_may_not_be_turned_with_it() -> None:
    """A wide rectangle beside two that lie on each other, alike: only all of them can lie otherwise."""
    pieces = (shapely.box(-1, -1, 1, 1), shapely.box(-0.5, -0.5, 0.5, 0.5), shapely.box(-0.5, -0.5, 0.5, 0.5))
    laid = Assembly()
    for name, pose in (("wide", Pose(1, 1)), ("low", Pose(2.5, 0.5)), ("high", Pose(2.5, 1.5))):
        laid = laid.place(name, pose)
    fragments = tuple(Fragment(at.id, piece) for at, piece in zip(laid, pieces, strict=True))
    for rotations, count in ((FREE, 0), (Rotations(2), 0), (Rotations(1), 1)):
        puzzle = Puzzle(shapely.box(0, 0, 3, 2), fragments, rotations)
        turned = turned_blocks(puzzle, laid, LOOSE)
        assert len(turned) == count
        for block in turned:
            assert block.pieces == {0, 1, 2}
            other = Assembly()
            for k, pose in block.poses.items():
                other = other.place(laid.placements[k].id, pose)
            assert other["wide"].x == pytest.approx(2.0)
            assert judge(puzzle, other, LOOSE).is_solved


def test_what_may_be_turned_once_another_block_is_turned_is_named() -> None:
    """Once the column on the left is turned, its small square makes a row with the strip."""
    corner = shapely.Polygon([(1, 1), (3, 1), (3, 2.5), (2.5, 3), (1, 3)])
    places = {
        "small": shapely.box(0, 2, 1, 3),
        "tall": shapely.box(0, 0, 1, 2),
        "strip": shapely.box(1, 0, 3, 1),
        "corner": corner,
    }
    laid, fragments = Assembly(), list[Fragment]()
    for name, place in places.items():
        middle = Pose(place.centroid.x, place.centroid.y)
        own = middle.inverse().apply(place)
        assert isinstance(own, shapely.Polygon)
        fragments.append(Fragment(name, own))
        laid = laid.place(name, middle)
    target = union(list(places.values()))
    assert isinstance(target, shapely.Polygon)
    puzzle = Puzzle(target, tuple(fragments), FREE)
    (block,) = turned_blocks(puzzle, laid, LOOSE)
    assert block.pieces == {0, 1}
    found = doubting_turned_blocks(
        puzzle, Proposal(assembly=laid, objective=1.0, evaluations=1, tolerance=LOOSE)
    )
    assert found.elsewhere == ("small", "tall", "strip")


def test_like_pieces_that_change_places_are_no_doubt() -> None:
    puzzle, laid = rows(2.0, 2.0)
    assert not turned_blocks(puzzle, laid, LOOSE)


def test_pieces_that_may_not_be_turned_must_look_alike() -> None:
    """Two halves of a rectangle along a slanting cut that is off its middle, of which none is like itself."""
    one = shapely.Polygon([(0, 0), (3, 0), (2, 2), (0, 2)])
    other = shapely.Polygon([(3, 0), (6, 0), (6, 2), (2, 2)])
    top = shapely.box(0, 2, 6, 6)
    for rotations, count in ((FREE, 1), (Rotations(1), 0)):
        fragments = tuple(Fragment(name, own) for name, own in (("a", one), ("b", other), ("c", top)))
        puzzle = Puzzle(shapely.box(0, 0, 6, 6), fragments, rotations)
        laid = Assembly().place("a", Pose()).place("b", Pose()).place("c", Pose())
        turned = turned_blocks(puzzle, laid, LOOSE)
        assert len(turned) == count
        for block in turned:
            assert block.pieces == {0, 1}
            assert {round(math.degrees(pose.theta)) % 360 for pose in block.poses.values()} == {180}


@pytest.mark.parametrize("seed", [601, 602])
def test_contours_do_not_solve_rectangles_seen_through_pixels(seed: int) -> None:
    """Each was solved, with one or two of eight pieces in their places."""
    kind = PuzzleKind(shape=target_shape("mondrian", "cuts"), pieces=8, rotations=FREE)
    sample = next(make_samples(kind, seed=seed, stop=1))
    puzzle = observe(sample, "binary", np.random.default_rng(seed)).puzzle
    result = run(ContoursSolver(), puzzle, stop=MaxEvaluations(20_000), rng=np.random.default_rng(0))
    assert result.verdict.state == "partly"
    assert result.alternatives
    assert result.elsewhere


def test_cuts_seen_through_pixels_are_no_doubt() -> None:
    kind = PuzzleKind(shape=target_shape("square", "cuts"), pieces=8, rotations=FREE)
    for seed in (600, 601, 603):
        sample = next(make_samples(kind, seed=seed, stop=1))
        seen = observe(sample, "binary", np.random.default_rng(seed))
        assert not turned_blocks(with_fitted_edges(seen.puzzle), seen.seen(sample.truth), LOOSE)

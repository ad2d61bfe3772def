from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import shapely

from sherd.bench.sight import observe
from sherd.core.assembly import Assembly
from sherd.core.geometry import FREE, Pose, Rotations
from sherd.core.puzzle import Fragment, Puzzle
from sherd.core.tolerance import Tolerance
from sherd.generation.dataset import PuzzleKind, make_samples, target_shape
from sherd.solvers import MaxEvaluations, Proposal, run
from sherd.solvers.grouping import ContoursSolver
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
    assert found.elsewhere == ("p0", "p1", "p2")
    result = judged(puzzle, found, 0.0)
    assert result.verdict.state == "partly"
    assert result.reason.startswith("ambiguous: p0, p1, p2 may lie elsewhere")
    assert len(found.alternatives) == 3
    for other in found.alternatives:
        assert other != laid
        assert judged(puzzle, replace(found, assembly=other, doubt=""), 0.0).solved


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
        assert not turned_blocks(seen.puzzle, seen.seen(sample.truth), LOOSE)

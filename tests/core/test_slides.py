"""Which motions of placed pieces nothing holds."""

from __future__ import annotations

import math

import numpy as np
import pytest
import shapely
from shapely import LineString, Polygon
from shapely.ops import split

from sherd.bench.contour_suites import ContourCell, make_sample
from sherd.core.assembly import Assembly
from sherd.core.geometry import Pose
from sherd.core.puzzle import Fragment, Puzzle
from sherd.core.slides import least_held, sliding
from sherd.core.tolerance import Tolerance
from sherd.core.verdict import judge

OFF = 1.5e-3
MIDDLE, RADIUS = (0.5, -0.6), 1.1  # of the circle that cuts the unit square near half its height


def cut(line: LineString) -> list[Polygon]:
    """The unit square cut by a line."""
    return [part for part in split(shapely.box(0, 0, 1, 1), line).geoms if isinstance(part, Polygon)]


def along_an_arc() -> list[Polygon]:
    angles = np.linspace(math.radians(20), math.radians(160), 400)
    x, y = MIDDLE[0] + RADIUS * np.cos(angles), MIDDLE[1] + RADIUS * np.sin(angles)
    return sorted(cut(LineString(np.stack([x, y], axis=-1))), key=lambda piece: piece.centroid.y)


def pushed(piece: Polygon, along: float) -> Polygon:
    """Moved along the arc by so much."""
    return shapely.affinity.rotate(piece, along / RADIUS, origin=MIDDLE, use_radians=True)


def test_a_piece_beside_an_arc_is_held_by_a_rim_that_goes_on() -> None:
    assert sliding(along_an_arc(), OFF) == []


@pytest.mark.parametrize("along", [-0.05, 0.015, 0.05])
def test_a_piece_that_was_pushed_along_an_arc_is_held_by_nothing(along: float) -> None:
    lower, upper = along_an_arc()
    assert sliding([lower, pushed(upper, along)], OFF) == [1]


def test_a_straight_cut_is_no_better() -> None:
    left, right = shapely.box(0, 0, 0.45, 1), shapely.box(0.45, 0, 1, 1)
    assert sliding([left, right], OFF) == []
    assert sliding([left, shapely.affinity.translate(right, yoff=0.03)], OFF) != []


def test_a_disc_in_a_ring_turns_freely() -> None:
    disc = shapely.Point(0, 0).buffer(0.5, quad_segs=90)
    ring = shapely.Point(0, 0).buffer(1.0, quad_segs=90) - disc
    assert isinstance(ring, Polygon)
    assert sliding([ring, disc], OFF) == [1]
    square = shapely.box(-0.4, -0.4, 0.4, 0.4)
    around = shapely.Point(0, 0).buffer(1.0, quad_segs=90) - square
    assert isinstance(around, Polygon)
    assert sliding([around, square], OFF) == []


def test_a_cut_that_bends_to_and_fro_holds_without_a_rim() -> None:
    x = np.linspace(0.0, 1.0, 200)
    line = LineString(np.stack([x, 0.5 + 0.03 * np.sin(14.0 * x)], axis=-1))
    trimmed = [piece & shapely.Point(0.5, 0.5).buffer(0.45) for piece in cut(line)]
    assert all(isinstance(piece, Polygon) for piece in trimmed)
    assert sliding([piece for piece in trimmed if isinstance(piece, Polygon)], OFF) == []


def test_how_well_pieces_are_held_is_the_same_wherever_they_lie_and_in_any_unit() -> None:
    pieces = along_an_arc()
    moved = [Pose(40.0, -3.0, 1.0).apply(shapely.affinity.scale(one, 7, 7, origin=(0, 0))) for one in pieces]
    assert least_held(moved, 7.0 * OFF)[0] == pytest.approx(least_held(pieces, OFF)[0], rel=1e-3)


def test_pieces_apart_are_not_held() -> None:
    lower, upper = along_an_arc()
    assert sliding([lower, shapely.affinity.translate(upper, 3.0)], OFF) == [1]
    assert sliding([lower], OFF) == []


def test_many_pieces_are_weighed_as_few_are(monkeypatch: pytest.MonkeyPatch) -> None:
    observed = make_sample(ContourCell(kind="wavy", pieces=(8, 8), target=False), 5, 0)
    laid = observed.puzzle.placed(observed.truth)
    held = least_held(laid, OFF)
    monkeypatch.setattr("sherd.core.slides.FEW_UNKNOWNS", 0)
    assert least_held(laid, OFF)[0] == pytest.approx(held[0], rel=1e-3)


@pytest.mark.parametrize("kind", ["jagged", "wavy", "mixed", "y-cracks", "t-cracks", "bowed", "jigsaw"])
def test_the_truth_is_held_whatever_it_was_broken_by(kind: str) -> None:
    for number in range(3):
        cell = ContourCell(kind=kind, pieces=(8, 8), input="moved-0.05", target=False)
        observed = make_sample(cell, 6, number)
        assert sliding(observed.puzzle.placed(observed.truth), OFF) == [], (kind, number)


def test_what_was_pushed_along_an_arc_is_not_solved_without_a_target() -> None:
    lower, upper = along_an_arc()
    puzzle = Puzzle.of_pieces((Fragment("lower", lower), Fragment("upper", upper)))
    lying = Assembly().place("lower", Pose()).place("upper", Pose())
    tolerance = Tolerance.of_corners(OFF)
    assert judge(puzzle, lying, tolerance).is_solved
    turn = Pose(*MIDDLE) @ Pose(theta=0.04 / RADIUS) @ Pose(*MIDDLE).inverse()
    verdict = judge(puzzle, Assembly().place("lower", Pose()).place("upper", turn), tolerance)
    assert verdict.state == "partly"
    assert verdict.why == "upper could be pushed along the others: nothing tells where"

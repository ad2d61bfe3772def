"""Sectors of discs, rings and rose windows, put together edge along edge."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
import shapely
from shapely import Polygon

from sherd.core.geometry import Pose, Rotations
from sherd.core.proper_polygons import make_polygon
from sherd.core.puzzle import Fragment, Puzzle
from sherd.core.verdict import judge
from sherd.solvers import assemble
from sherd.solvers.arcs.laying import ArcsSolver, serves
from sherd.solvers.arcs.smooth_edges import Outline, has_arcs
from sherd.solvers.stop import MaxEvaluations

TURNS = (0.0, 0.9, 2.1, 3.3, 4.0, 2.0 * math.pi)


def arc(radius: float, begin: float, end: float, step: float = 0.05) -> list[tuple[float, float]]:
    angles = np.linspace(begin, end, max(3, math.ceil((end - begin) / step)))
    return [(radius * math.cos(angle), radius * math.sin(angle)) for angle in angles.tolist()]


def rose(inner: float, step: float = 0.05) -> list[Polygon]:
    """A window of two rings of sectors, each ring cut elsewhere."""
    found = [make_polygon([(0.0, 0.0), *arc(inner, a, b, step)]) for a, b in pairwise(TURNS)]
    for a, b in pairwise(TURNS):
        found.append(
            make_polygon([*arc(1.0, a + 0.3, b + 0.3, step), *arc(inner, a + 0.3, b + 0.3, step)[::-1]])
        )
    return found


def strewn(places: list[Polygon], target: Polygon, rotations: Rotations | None = None) -> Puzzle:
    rng = np.random.default_rng(5)
    free = rotations is None
    moved = [
        Pose(rng.uniform(-3, 3), rng.uniform(-3, 3), rng.uniform(0, 6) if free else 0.0).apply(one)
        for one in places
    ]
    fragments = tuple(Fragment(f"p{k}", one) for k, one in enumerate(moved))
    return Puzzle(target, fragments, rotations or Rotations("free"))


def disc(step: float = 0.05) -> Polygon:
    return make_polygon(arc(1.0, 0.0, 2.0 * math.pi, step)[:-1])


@pytest.mark.parametrize("rotations", [None, Rotations(1)], ids=["free", "fixed"])
def test_a_rose_window_is_put_together(rotations: Rotations | None) -> None:
    puzzle = strewn(rose(0.5), disc(), rotations)
    assert serves(puzzle)
    found = ArcsSolver().solve(puzzle, stop=MaxEvaluations(20_000), rng=np.random.default_rng(0))
    assert len(found.assembly) == len(puzzle.fragments)
    assert judge(puzzle, found.assembly, found.tolerance).is_solved


def test_chords_of_pieces_and_target_need_not_be_the_same() -> None:
    puzzle = strewn(rose(0.45, 0.031), disc(0.023))
    found = assemble(puzzle, seconds=20.0)
    assert found.solved, found.verdict


def test_pieces_may_be_turned_over() -> None:
    lens = make_polygon([(0.0, 0.0), *arc(1.0, 0.0, 1.2)])
    rest = make_polygon([(0.0, 0.0), *arc(1.0, 1.2, 2.0)])
    # A notch makes the second one unlike its mirror image.
    whole = shapely.union_all([lens, rest])
    assert isinstance(whole, Polygon)
    fragments = (Fragment("a", lens), Fragment("b", Pose(3.0, 0.0, 1.0, mirrored=True).apply(rest)))
    puzzle = Puzzle(whole, fragments, Rotations("free"), mirror=True)
    found = ArcsSolver().solve(puzzle, stop=MaxEvaluations(5_000), rng=np.random.default_rng(0))
    assert judge(puzzle, found.assembly, found.tolerance).is_solved


def test_only_arcs_and_straight_edges_are_taken_for_such() -> None:
    assert has_arcs(strewn(rose(0.5), disc()))
    square = make_polygon([(0, 0), (1, 0), (1, 1), (0, 1)])
    assert not has_arcs(Puzzle(square, (Fragment("a", square),)))
    waves = np.linspace(0.0, 1.0, 60)
    wavy = make_polygon(
        [(0.0, 1.0), (0.0, 0.0), *zip(waves, 0.1 * np.sin(20 * waves), strict=True), (1.0, 1.0)]
    )
    assert not has_arcs(Puzzle(square, (Fragment("a", wavy),)))
    assert not serves(strewn(rose(0.5)[:-1], disc()))  # a piece is lost: areas tell that nothing fills it


def test_an_outline_has_corners_edges_and_circles() -> None:
    sector = make_polygon([(0.0, 0.0), *arc(2.0, 0.0, 1.0)])
    outline = Outline.of(sector, 1e-3)
    assert sorted(round(corner.angle, 1) for corner in outline.corners) == pytest.approx(
        [1.0, 1.5, 1.5], abs=0.1
    )
    (circle,) = outline.circles
    assert (abs(circle.middle), circle.radius) == pytest.approx((0.0, 2.0), abs=1e-6)
    assert circle.is_outer and outline.off < 1e-6

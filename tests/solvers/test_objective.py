from __future__ import annotations

import math

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

from sherd.core.assembly import Assembly
from sherd.core.geometry import Pose, Rotations
from sherd.core.metrics import measure
from sherd.core.puzzle import Fragment, Puzzle, Sample
from sherd.generation.degradation import DegradationParams, degrade
from sherd.generation.fragmentation import FragmentationParams, generate
from sherd.generation.shapes import named_shape
from sherd.solvers.objective import IOU_TOLERANCE, Objective, convex_parts

L_SHAPE = shapely.Polygon([(0, 0), (3, 0), (3, 1), (1, 1), (1, 3), (0, 3)])
FRAME = shapely.Polygon([(0, 0), (4, 0), (4, 4), (0, 4)], [[(1, 1), (1, 3), (3, 3), (3, 1)]])


def sample(shape: str, pieces: int, rotations: Rotations, seed: int) -> Sample:
    params = FragmentationParams(pieces=pieces, rotations=rotations)
    return next(generate(named_shape(shape), params, count=1, seed=seed))


def check_all_the_way(puzzle: Puzzle, assembly: Assembly) -> None:
    """Piece after piece, IoU with one piece moved and of the whole are those of an overlay."""
    objective = Objective(puzzle)
    index = {fragment.id: k for k, fragment in enumerate(puzzle.fragments)}
    before = Assembly()
    for placement in assembly:
        moved = objective.iou(objective.rest(before), index[placement.id], placement.pose)
        before = before.place(placement.id, placement.pose)
        expected = measure(before, puzzle).iou
        assert moved == pytest.approx(expected, abs=IOU_TOLERANCE)
        assert objective.iou_of(before) == pytest.approx(expected, abs=IOU_TOLERANCE)


@given(
    shape=st.sampled_from(["square", "hexagon", "mondrian"]),
    bins=st.sampled_from([1, 4, None]),
    seed=st.integers(0, 999),
    wrong=st.sets(st.integers(0, 7)),
)
def test_agrees_with_an_overlay(shape: str, bins: int | None, seed: int, wrong: set[int]) -> None:
    # Some pieces at their true places, flush with each other, and some strewn over them.
    of = sample(shape, 8, Rotations(bins), seed)
    rng = np.random.default_rng(seed)
    assembly = Assembly()
    for k, placement in enumerate(of.truth):
        x, y, turn = rng.random(3).tolist()
        strewn = Pose(x, y, of.puzzle.rotations.nearest(turn * math.tau))
        assembly = assembly.place(placement.id, strewn if k in wrong else placement.pose)
    check_all_the_way(of.puzzle, assembly)


@given(offset=st.floats(-2e-6, 2e-6), turn=st.floats(-2e-6, 2e-6), piece=st.integers(0, 7))
def test_edges_that_almost_meet_cost_next_to_nothing(offset: float, turn: float, piece: int) -> None:
    of = sample("mondrian", 8, Rotations(None), 1)
    assembly = Assembly()
    for k, placement in enumerate(of.truth):
        pose = placement.pose
        moved = Pose(pose.x + offset, pose.y - offset, pose.theta + turn) if k == piece else pose
        assembly = assembly.place(placement.id, moved)
    check_all_the_way(of.puzzle, assembly)


@pytest.mark.parametrize("seed", range(5))
def test_pieces_need_not_be_convex(seed: int) -> None:
    of = degrade(
        sample("square", 8, Rotations(1), seed), "eroded", DegradationParams(), np.random.default_rng(0)
    )
    assert any(len(convex_parts(fragment.polygon)) > 1 for fragment in of.puzzle.fragments)
    check_all_the_way(of.puzzle, of.truth)


def test_neither_target_nor_piece_need_be_convex_or_mirrored_alike() -> None:
    pieces = (Fragment("l", L_SHAPE), Fragment("box", shapely.box(-1, -1, 1, 1)), Fragment("m", L_SHAPE))
    puzzle = Puzzle(FRAME, pieces, Rotations(None), mirror=True)
    assembly = (
        Assembly()
        .place("l", Pose(0.5, 0.0))
        .place("box", Pose(3.0, 2.5, 0.3))
        .place("m", Pose(4, 1, 1.0, True))
    )
    check_all_the_way(puzzle, assembly)


@given(x=st.floats(-1e6, 1e6), y=st.floats(-1e6, 1e6), scale=st.sampled_from([1e-3, 1.0, 1e4]))
def test_units_and_origin_do_not_matter(x: float, y: float, scale: float) -> None:
    half = shapely.box(-0.25 * scale, -0.5 * scale, 0.25 * scale, 0.5 * scale)
    target = shapely.box(x, y, x + scale, y + scale)
    puzzle = Puzzle(target, (Fragment("a", half), Fragment("b", half)))
    objective = Objective(puzzle)
    rest = objective.rest(Assembly().place("a", Pose(x + 0.25 * scale, y + 0.5 * scale)))
    # A coordinate of 1e6 is itself exact to 1e-10 only.
    allowed = IOU_TOLERANCE + 1e-8 * max(abs(x), abs(y)) / (scale * 1e6)
    for shift, expected in ((0.75, 1.0), (0.25, 0.5), (0.5, 0.75), (1.25, 0.5 / 1.5)):
        found = objective.iou(rest, 1, Pose(x + shift * scale, y + 0.5 * scale))
        assert found == pytest.approx(expected, abs=allowed)


def test_pieces_on_top_of_each_other_count_once(two_halves: Sample) -> None:
    objective = Objective(two_halves.puzzle)
    stacked = Assembly().place("left", Pose(0.25, 0.5)).place("right", Pose(0.25, 0.5))
    assert objective.iou_of(stacked) == pytest.approx(0.5)
    assert objective.iou_of(Assembly()) == 0.0
    assert objective.iou_of(two_halves.truth) == pytest.approx(1.0)


def test_convex_parts_are_the_polygon() -> None:
    for polygon in (L_SHAPE, FRAME, shapely.box(0, 0, 1, 1)):
        parts = convex_parts(polygon)
        assert sum(part.area for part in parts) == pytest.approx(polygon.area)
        assert shapely.union_all(parts).symmetric_difference(polygon).area == pytest.approx(0.0)
    assert len(convex_parts(shapely.box(0, 0, 1, 1))) == 1

"""Poses cancel and compose, rotations snap, and improper polygons are told why."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

import sherd
from sherd.core.geometry import (
    FIXED,
    TAU,
    Pose,
    Rotations,
    angle_between,
    cos_sin,
    difference,
    intersection,
    is_convex,
    size_of,
    turning_symmetries,
    union,
)
from sherd.core.proper_polygons import make_polygon

LENGTHS = st.floats(-100.0, 100.0)
ANGLES = st.floats(-20.0, 20.0)
POSES = st.builds(Pose, LENGTHS, LENGTHS, ANGLES, st.booleans())
POINTS = st.lists(st.tuples(LENGTHS, LENGTHS), min_size=1, max_size=5).map(np.array)
CLOSE = 1e-9


@given(pose=POSES, points=POINTS)
def test_a_pose_and_its_inverse_cancel(pose: Pose, points: np.ndarray) -> None:
    inverse = pose.inverse()
    assert (pose @ inverse).is_close(Pose())
    assert (inverse @ pose).is_close(Pose())
    assert np.abs(inverse.points(pose.points(points)) - points).max() <= CLOSE
    assert inverse.inverse().is_close(pose)


@given(first=POSES, second=POSES, third=POSES, points=POINTS)
def test_poses_compose_from_right_to_left(first: Pose, second: Pose, third: Pose, points: np.ndarray) -> None:
    assert np.abs((first @ second).points(points) - first.points(second.points(points))).max() <= CLOSE
    assert ((first @ second) @ third).is_close(first @ (second @ third))
    assert (first @ Pose()).is_close(first)
    assert (Pose() @ first).is_close(first)


@given(pose=POSES)
def test_apply_points_and_matrix_agree(pose: Pose) -> None:
    triangle = shapely.Polygon([(0, 0), (3, 0), (1, 2)])
    moved = pose.apply(triangle)
    ring = np.asarray(triangle.exterior.coords)
    assert np.abs(np.asarray(moved.exterior.coords) - pose.points(ring)).max() <= CLOSE
    a, b, c, d, e, f = pose.matrix
    by_hand = ring @ np.array([[a, b], [c, d]]) + (e, f)
    assert np.abs(by_hand - pose.points(ring)).max() <= CLOSE
    assert a * d - b * c == pytest.approx(-1.0 if pose.mirrored else 1.0)
    assert moved.area == pytest.approx(triangle.area, abs=CLOSE)
    assert moved.exterior.is_ccw != pose.mirrored


def test_a_pose_mirrors_then_turns_then_moves() -> None:
    pose = Pose(10.0, 20.0, math.pi / 2, mirrored=True)
    assert pose.points([[1.0, 2.0]]).tolist() == [pytest.approx([8.0, 19.0])]


def test_close_poses() -> None:
    assert Pose(theta=0.0).is_close(Pose(theta=-3 * TAU))
    assert not Pose().is_close(Pose(mirrored=True))
    assert not Pose().is_close(Pose(x=1e-6))
    assert Pose().is_close(Pose(x=1e-6), tolerance=1e-5)
    assert not Pose().is_close(Pose(theta=1e-6))


@given(first=ANGLES, second=ANGLES)
def test_angle_between_is_the_smaller_one(first: float, second: float) -> None:
    angle = angle_between(first, second)
    assert 0.0 <= angle <= math.pi
    assert math.cos(angle) == pytest.approx(math.cos(first - second), abs=CLOSE)


@given(bins=st.integers(1, 400), theta=ANGLES)
def test_the_nearest_allowed_angle(bins: int, theta: float) -> None:
    rotations = Rotations(bins)
    nearest = rotations.nearest(theta)
    assert 0.0 <= nearest < TAU
    assert rotations.allows(nearest)
    distances = [angle_between(theta, angle) for angle in rotations.angles.tolist()]
    assert angle_between(theta, nearest) == pytest.approx(min(distances), abs=CLOSE)
    assert rotations.allows(theta) == (min(distances) <= 1e-9)
    assert np.allclose(np.diff(rotations.angles), TAU / bins)


@given(theta=ANGLES)
def test_free_rotation_allows_all(theta: float) -> None:
    free = Rotations(None)
    assert free.allows(theta)
    assert angle_between(free.nearest(theta), theta) <= CLOSE
    with pytest.raises(ValueError, match="no list of angles"):
        _ = free.angles


@pytest.mark.parametrize("value", [1, 4, 20, "free", "20", 4.0])
def test_rotations_are_parsed_and_written_back(value: Any) -> None:
    rotations = Rotations.parse(value)
    assert Rotations.parse(str(rotations)) == rotations
    assert str(FIXED) == "1"


@pytest.mark.parametrize("value", [0, -1, 2.5, "many", None, True, float("nan"), float("inf"), [4], "0"])
def test_bad_rotations_are_named(value: Any) -> None:
    with pytest.raises(ValueError, match="positive number of bins or 'free', not"):
        Rotations.parse(value)


def test_rotations_need_a_bin() -> None:
    with pytest.raises(ValueError, match="not 0"):
        Rotations(0)


@given(turns=st.floats(-4.0, 4.0))
def test_cos_sin_is_right_to_the_last_digits(turns: float) -> None:
    cos, sin = (float(value) for value in cos_sin(turns))
    assert cos == pytest.approx(math.cos(TAU * turns), abs=1e-14)
    assert sin == pytest.approx(math.sin(TAU * turns), abs=1e-14)
    assert cos**2 + sin**2 == pytest.approx(1.0, abs=1e-15)


def test_quarter_turns_are_exact() -> None:
    cos, sin = cos_sin(np.arange(-8, 9) / 4.0)
    assert cos.tolist() == [(1.0, 0.0, -1.0, 0.0)[k % 4] for k in range(-8, 9)]
    assert sin.tolist() == [(0.0, 1.0, 0.0, -1.0)[k % 4] for k in range(-8, 9)]


SQUARE = [[0, 0], [4, 0], [4, 4], [0, 4]]


def test_size_is_the_longer_side() -> None:
    assert size_of(shapely.box(1, 2, 3, 9)) == 7.0


@given(pose=POSES, gap=st.sampled_from([0.0, 1e-14, -1e-14]))
def test_overlays_keep_areas_of_pieces_that_meet_within_rounding(pose: Pose, gap: float) -> None:
    left, right = pose.apply(shapely.box(0, 0, 1, 1)), pose.apply(shapely.box(1 + gap, 0, 3, 1))
    both = union([left, right])
    assert both.area == pytest.approx(3.0, abs=1e-9)
    assert intersection(left, right).area <= 1e-9
    assert intersection(both, left).area == pytest.approx(1.0, abs=1e-9)
    assert difference(both, left).area == pytest.approx(2.0, abs=1e-9)


def test_overlays_of_nothing_are_nothing() -> None:
    assert union([]).is_empty
    assert intersection(shapely.Polygon(), shapely.box(0, 0, 1, 1)).is_empty
    assert difference(shapely.Polygon(), shapely.Polygon()).is_empty


def test_convexity() -> None:
    assert is_convex(make_polygon(SQUARE))
    assert is_convex(make_polygon([[0, 0], [2, 0], [4, 0], [4, 4], [0, 4]])), "a straight corner is no notch"
    assert not is_convex(make_polygon([[0, 0], [4, 0], [1, 1], [0, 4]]))
    assert not is_convex(make_polygon(SQUARE, [[[1, 1], [2, 1], [2, 2]]]))


@given(pose=POSES)
def test_turning_symmetries_do_not_depend_on_where_a_polygon_lies(pose: Pose) -> None:
    for outline, count in (
        (shapely.box(0, 0, 1, 1), 4),
        (shapely.box(0, 0, 2, 1), 2),
        (make_polygon([[0, 0], [3, 0], [1, 1]]), 1),
    ):
        angles = turning_symmetries(pose.apply(outline))
        assert angles == pytest.approx([k * TAU / count for k in range(count)], abs=1e-6)


# Where lines are joined, where sets must stay the same bits, and where a checker of its own has its own grid.
PLAIN_UNIONS = {
    "bench/checker.py",
    "bench/real/drawings.py",
    "core/geometry.py",
    "draw/hints.py",
    "generation/drawn_tangram.py",
    "generation/network.py",
    "generation/worn.py",
    "io/drawings/cut_lines.py",
}


def test_pieces_are_united_on_a_fine_grid() -> None:
    # Without one, pieces that nearly touch may be lost as a whole.
    source = Path(sherd.__file__).parent
    plain = {
        page.relative_to(source).as_posix()
        for page in source.rglob("*.py")
        if "union_all(" in page.read_text(encoding="utf-8")
    }
    assert plain <= PLAIN_UNIONS

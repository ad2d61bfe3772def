"""What convex pieces cover at least is what a union says, as long as no three of them lie on each other."""

from __future__ import annotations

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st
from shapely import Polygon

from sherd.core.clip import least_covered
from sherd.core.geometry import Pose, intersection, union

TARGET = shapely.box(0, 0, 2, 2)
poses = st.builds(Pose, st.floats(-1, 3), st.floats(-1, 3), st.floats(-4, 4), st.booleans())


def convex(seed: int) -> Polygon:
    hull = shapely.MultiPoint(np.random.default_rng(seed).normal(size=(8, 2))).convex_hull
    assert isinstance(hull, Polygon)
    return hull


def covered(polygons: list[Polygon], placed: list[Pose]) -> float:
    together = union([pose.apply(polygon) for pose, polygon in zip(placed, polygons, strict=True)])
    return intersection(together, TARGET).area


@given(st.integers(0, 999), poses, poses)
def test_two_pieces_cover_what_their_union_does_within_the_target(seed: int, one: Pose, other: Pose) -> None:
    inside = [intersection(pose.apply(convex(seed + k)), TARGET) for k, pose in enumerate((one, other))]
    pieces = [piece for piece in inside if isinstance(piece, Polygon) and piece.area > 1e-6]
    still = [Pose()] * len(pieces)
    assert least_covered(pieces, still, TARGET) == pytest.approx(covered(pieces, still), abs=1e-9)


@given(st.integers(0, 999), st.lists(poses, min_size=1, max_size=5))
def test_it_never_says_too_much(seed: int, placed: list[Pose]) -> None:
    pieces = [convex(seed + k) for k in range(len(placed))]
    assert least_covered(pieces, placed, TARGET) <= covered(pieces, placed) + 1e-9


def test_one_piece_that_sticks_out_covers_what_is_inside() -> None:
    piece = shapely.box(-1, -1, 1, 1).reverse()
    assert least_covered([piece], [Pose(2.0, 1.0, mirrored=True)], TARGET) == pytest.approx(2.0)


def test_what_is_not_convex_or_has_holes_is_not_judged() -> None:
    ell = Polygon([(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)])
    ring = Polygon(TARGET.exterior, [shapely.box(0.5, 0.5, 1, 1).exterior])
    assert least_covered([ell], [Pose()], TARGET) == 0.0
    assert least_covered([ring], [Pose()], TARGET) == 0.0
    assert least_covered([TARGET], [Pose()], ell) == 0.0

"""What lies in other pieces, how far, and whether pieces hang together."""

from __future__ import annotations

import numpy as np
import pytest
import shapely

from sherd.core.overlaps import (
    area_of_union,
    farthest,
    hang_together,
    is_too_much,
    listed,
    reach,
    reaches,
    shared,
)

LEFT, RIGHT, AWAY = shapely.box(0, 0, 1, 1), shapely.box(0.9, 0, 2, 1), shapely.box(5, 0, 6, 1)


def test_what_two_pieces_share_is_there_for_each_of_them() -> None:
    found = shared([LEFT, RIGHT, AWAY])
    assert [(number, round(part.area, 9)) for number, part in sorted(found, key=lambda one: one[0])] == [
        (0, 0.1),
        (1, 0.1),
    ]


@pytest.mark.parametrize("count", [3, 12])
def test_the_area_of_a_union_is_that_of_the_union(count: int) -> None:
    rng = np.random.default_rng(count)
    discs = [shapely.Point(*rng.uniform(0, 3, 2)).buffer(0.6) for _ in range(count)]
    assert area_of_union(discs) == pytest.approx(shapely.union_all(discs).area, rel=1e-9)
    assert area_of_union([LEFT] * 20) == pytest.approx(1.0)


def test_lines_and_points_add_nothing_to_the_area_of_a_union() -> None:
    mixed = shapely.GeometryCollection([LEFT, shapely.LineString([(1, 0), (3, 0)]), shapely.Point(7, 7)])
    assert area_of_union([mixed, RIGHT, mixed]) == pytest.approx(2.0)


def test_reaches_are_as_deep_as_the_overlap_is_wide() -> None:
    assert reaches([LEFT, RIGHT, AWAY]) == pytest.approx([0.1, 0.1, 0.0])
    assert reach(shapely.box(1, 0, 1.3, 1), LEFT) == pytest.approx(0.3)
    assert reach(shapely.Polygon(), LEFT) == 0.0


@pytest.mark.parametrize(("radius", "much"), [(0.049, True), (0.051, False)])
def test_a_disc_in_an_overlap_is_too_much(radius: float, much: bool) -> None:
    assert is_too_much([LEFT, RIGHT], shared([LEFT, RIGHT]), radius) is much


def test_most_of_a_small_piece_is_too_much_however_thin() -> None:
    thin = shapely.box(0.2, 0.5, 0.8, 0.501)
    assert is_too_much([LEFT, thin], shared([LEFT, thin]), 1.0)


def test_those_that_reach_about_as_far_as_the_worst_are_named() -> None:
    verbs = ("overlaps", "overlap")
    assert farthest(["a", "b", "c"], [0.4, 0.25, 0.1], 0.01, verbs) == ["a, b overlap by up to 0.4"]
    assert farthest(["a", "b"], [0.4, 0.1], 0.01, verbs) == ["a overlaps by up to 0.4"]
    assert farthest(["a"], [0.005], 0.01, verbs) == []
    assert listed([f"p{k}" for k in range(7)]) == "p0, p1, p2, p3, p4 and 2 more"


def test_pieces_that_meet_at_a_corner_do_not_hang_together() -> None:
    beside, corner = shapely.box(1, 0, 2, 1), shapely.box(1, 1, 2, 2)
    assert hang_together([LEFT, beside], 1e-3)
    assert not hang_together([LEFT, corner], 1e-3)
    assert hang_together([LEFT, corner, beside], 1e-3)
    assert not hang_together([LEFT, AWAY], 1e-3)


def test_the_border_of_a_target_is_a_way_from_piece_to_piece() -> None:
    border = shapely.box(0, 0, 6, 3).boundary
    assert hang_together([LEFT, AWAY], 1e-3, border)
    assert not hang_together([shapely.box(2, 1, 3, 2)], 1e-3, border)

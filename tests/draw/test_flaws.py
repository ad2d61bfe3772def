from __future__ import annotations

import numpy as np
import pytest
import shapely
from shapely import box
from shapely.geometry.base import BaseGeometry

from sherd.core.puzzle import Sample
from sherd.draw.flaws import find_flaws, hatch


def same(first: BaseGeometry, second: BaseGeometry) -> bool:
    return first.symmetric_difference(second).area < 1e-12


def test_flaws_of_two_boxes_are_exact() -> None:
    flaws = find_flaws(box(0, 0, 2, 1), [box(0, 0, 1, 1), box(0.75, 0, 1.5, 1.25)], thinnest=1e-6)
    assert same(flaws.overlap, box(0.75, 0, 1, 1))
    assert same(flaws.gap, box(1.5, 0, 2, 1))
    assert same(flaws.outside, box(0.75, 1, 1.5, 1.25))


def test_three_pieces_in_one_place_overlap_once() -> None:
    flaws = find_flaws(box(0, 0, 1, 1), [box(0, 0, 1, 1)] * 3, thinnest=1e-6)
    assert flaws.overlap.area == pytest.approx(1.0, abs=1e-12)


def test_the_truth_has_no_flaws(square_of_four: Sample) -> None:
    placed = square_of_four.puzzle.placed(square_of_four.truth)
    flaws = find_flaws(square_of_four.puzzle.target, placed, thinnest=1e-6)
    assert flaws.overlap.is_empty
    assert flaws.gap.is_empty
    assert flaws.outside.is_empty


def test_nothing_placed_is_all_gap() -> None:
    flaws = find_flaws(box(0, 0, 1, 1), [], thinnest=0.01)
    assert same(flaws.gap, box(0, 0, 1, 1))
    assert flaws.overlap.is_empty


@pytest.mark.parametrize("rising", [True, False])
def test_hatching_stays_inside_and_leaves_no_wide_space(rising: bool) -> None:
    region = box(-3.0, 1.0, 2.0, 5.0).difference(box(-1.0, 2.0, 0.0, 3.0))
    lines = hatch(region, 0.25, rising=rising)
    assert lines.difference(region.buffer(1e-9)).is_empty
    inner = np.random.default_rng(0).uniform((-2.8, 1.2), (1.8, 1.8), (200, 2))  # below the hole
    assert shapely.distance(shapely.points(inner), lines).max() <= 0.125 + 1e-9
    slopes = [np.diff(np.asarray(part.coords), axis=0)[0] for part in shapely.get_parts(lines)]
    assert all((dx * dy > 0) == rising for dx, dy in slopes if dx * dy != 0)


def test_hatching_nothing_is_nothing() -> None:
    assert hatch(shapely.MultiPolygon(), 1.0).is_empty

"""The compiled search finds every assembly, in whatever order pieces are given, and remembers dead ends."""

from __future__ import annotations

from itertools import permutations

import pytest
import shapely

from sherd.core.geometry import FIXED, Pose
from sherd.solvers.search.tiling.exact import End, Tiler
from sherd.solvers.search.tiling.tile_corners import ANY
from sherd.solvers.stop import MaxEvaluations

WIDTHS = (1.0, 2.0, 3.5)


def rods(widths: tuple[float, ...]) -> list[shapely.Polygon]:
    return [shapely.box(-wide / 2.0, -0.5, wide / 2.0, 0.5) for wide in widths]


def all_orders(widths: tuple[float, ...]) -> set[tuple[float, ...]]:
    """The widths from left to right, in every assembly that the search finds."""
    target = shapely.box(0, 0, sum(widths), 1)
    tiler = Tiler(rods(widths), target, [FIXED] * len(widths), 1e-8, mirror=[False] * len(widths), most=ANY)
    found: set[tuple[float, ...]] = set()
    while tiler.run(MaxEvaluations(100_000)) is End.FILLED:
        poses = tiler.placed().poses
        found.add(tuple(widths[number] for number in sorted(poses, key=lambda number: poses[number].x)))
    return found


@pytest.mark.parametrize("order", list(permutations(WIDTHS)))
def test_rods_are_laid_in_every_order(order: tuple[float, ...]) -> None:
    assert all_orders(order) == set(permutations(WIDTHS))


def test_equal_pieces_are_not_exchanged() -> None:
    assert all_orders((1.0, 1.0, 2.0)) == set(permutations((1.0, 1.0, 2.0)))


def test_what_covers_most_is_kept_where_nothing_fills_the_target() -> None:
    target = shapely.box(0, 0, 5, 1)
    tiler = Tiler(rods((2.0, 2.0, 4.0)), target, [FIXED] * 3, 1e-8, mirror=[False] * 3, most=ANY)
    assert tiler.run(MaxEvaluations(1000)) is End.EXHAUSTED
    assert tiler.best().poses.keys() in ({0, 1}, {2})
    assert all(isinstance(pose, Pose) for pose in tiler.best().poses.values())

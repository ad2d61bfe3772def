"""Welding: edges of one length that no others have make neighbours, whatever the corners between them."""

from __future__ import annotations

import numpy as np
import pytest
import shapely
from shapely import Polygon

from sherd.core.geometry import TAU, Pose, Rotations
from sherd.core.puzzle import Fragment, Puzzle
from sherd.solvers.search.case import Case
from sherd.solvers.search.tiling.facts import clean_rings
from sherd.solvers.search.tiling.tile_corners import tile_welded
from sherd.solvers.search.tiling.weld import Rings, weld
from sherd.solvers.stop import MaxEvaluations

SLACK = 1e-8


def crooked_tiles(count: int, seed: int, *, mirror: bool = False) -> Puzzle:
    """A square of count by count crooked tiles: four meet in each corner inside, and none fills it alone."""
    rng = np.random.default_rng(seed)
    steps = np.arange(count + 1) / count
    x, y = np.meshgrid(steps, steps, indexing="ij")
    off = rng.uniform(-0.3, 0.3, (2, count + 1, count + 1)) / count
    off[0, [0, -1]], off[1, :, [0, -1]] = 0.0, 0.0  # what lies on a side stays there
    places = np.stack([x, y], axis=-1) + np.moveaxis(off, 0, -1)
    fragments: list[Fragment] = []
    for number in range(count * count):
        i, j = divmod(number, count)
        tile = Polygon([places[i, j], places[i + 1, j], places[i + 1, j + 1], places[i, j + 1]])
        pose = Pose(
            tile.centroid.x, tile.centroid.y, float(rng.uniform(0, TAU)), mirror and bool(rng.random() < 0.5)
        )
        fragments.append(Fragment(f"f{number}", shapely.orient_polygons(pose.inverse().apply(tile))))
    return Puzzle(shapely.box(0, 0, 1, 1), tuple(fragments), Rotations(None), mirror)


def rings(polygon: Polygon) -> Rings:
    return tuple(clean_rings([polygon], SLACK)[0])


@pytest.mark.parametrize("seed", range(3))
def test_crooked_tiles_are_welded_into_their_square(seed: int) -> None:
    puzzle = crooked_tiles(5, seed)
    parts = weld(
        [rings(fragment.polygon) for fragment in puzzle.fragments],
        rings(puzzle.target),
        puzzle.rotations,
        SLACK,
        mirror=False,
        stop=lambda: False,
    )
    assert len(parts) == 1
    assert len(parts[0].rings[0]) == 4
    assert parts[0].polygon.area == pytest.approx(1.0)
    assert sorted(number for number, _ in parts[0].members) == list(range(25))


@pytest.mark.parametrize("mirror", [False, True])
def test_what_is_welded_is_laid_on_the_target(mirror: bool) -> None:
    puzzle = crooked_tiles(4, 7, mirror=mirror)
    poses = tile_welded(Case(puzzle), SLACK, MaxEvaluations(2000)).poses
    assert len(poses) == 16
    placed = [pose.apply(puzzle.fragments[number].polygon) for number, pose in poses.items()]
    assert shapely.union_all(placed, grid_size=1e-12).area == pytest.approx(1.0)
    assert all(outline.within(puzzle.target.buffer(1e-7)) for outline in placed)


def test_equal_pieces_are_not_clear() -> None:
    tile = shapely.box(-0.25, -0.25, 0.25, 0.25)
    parts = weld(
        [rings(tile)] * 4,
        rings(shapely.box(0, 0, 1, 1)),
        Rotations(None),
        SLACK,
        mirror=False,
        stop=lambda: False,
    )
    assert len(parts) == 4


def test_a_ring_and_its_core_are_welded() -> None:
    frame = shapely.difference(shapely.box(0, 0, 3, 3), Polygon([(1, 1), (2.1, 1), (1, 2.3)]))
    assert isinstance(frame, Polygon)
    core = Polygon([(0, 0), (1.1, 0), (0, 1.3)])
    parts = weld(
        [rings(frame), rings(core)],
        rings(shapely.box(0, 0, 3, 3)),
        Rotations(1),
        SLACK,
        mirror=False,
        stop=lambda: False,
    )
    (whole,) = parts
    assert len(whole.rings) == 1
    assert whole.polygon.area == pytest.approx(9.0)


def test_stopping_leaves_the_pieces_apart() -> None:
    puzzle = crooked_tiles(3, 1)
    parts = weld(
        [rings(fragment.polygon) for fragment in puzzle.fragments],
        rings(puzzle.target),
        puzzle.rotations,
        SLACK,
        mirror=False,
        stop=lambda: True,
    )
    assert len(parts) == 9


@pytest.mark.parametrize(("width", "parts"), [(0.0, 1), (0.15, 2)], ids=["rectangle", "trapezium"])
def test_turning_over_a_piece_that_is_its_own_mirror_image_makes_no_second_joint(
    width: float, parts: int
) -> None:
    """The first piece lies on the second's left, either way up: it is the same only with a rectangle."""
    first = Polygon([(0.0, 0.0), (0.3 + width, 0.0), (0.3, 0.7), (0.0, 0.7)])
    second = Polygon([(0.0, 0.0), (0.5, 0.0), (0.4, 0.7), (0.0, 0.7)])
    found = weld(
        [rings(first), rings(second)],
        rings(shapely.box(0, 0, 1, 1)),
        Rotations(None),
        SLACK,
        mirror=True,
        stop=lambda: False,
    )
    assert len(found) == parts
    assert sum(part.polygon.area for part in found) == pytest.approx(first.area + second.area)


def test_of_parts_that_are_not_all_compared_none_are_welded() -> None:
    outlines = [rings(fragment.polygon) for fragment in crooked_tiles(3, 0).fragments]
    target = rings(shapely.box(0, 0, 1, 1))
    asked = iter([False, False, True])
    stopped = weld(outlines, target, Rotations(None), SLACK, mirror=False, stop=lambda: next(asked, True))
    assert len(stopped) == len(outlines)
    assert len(weld(outlines, target, Rotations(None), SLACK, mirror=False, stop=lambda: False)) == 1

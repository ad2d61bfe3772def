"""Areas of unions against those of an overlay."""

from __future__ import annotations

import numpy as np
import pytest
import shapely
from shapely import Polygon

from sherd.core.arrays import Floats
from sherd.core.geometry import Pose
from sherd.solvers.union_area import area_outside, set_box, set_edges, trace_union

SLACK = 1e-9


def edges_of(polygons: list[Polygon]) -> tuple[Floats, Floats, Floats]:
    """The edges (M, V, 5), counts (M,) and boxes (M, 4) of convex polygons."""
    rings = [shapely.get_coordinates(shapely.orient_polygons(one).exterior)[:-1] for one in polygons]
    longest = max(map(len, rings))
    edges, boxes = np.zeros((len(rings), longest, 5)), np.zeros((len(rings), 4))
    for m, ring in enumerate(rings):
        set_edges(ring, len(ring), np.array(Pose().matrix), edges[m])
        set_box(edges[m], len(ring), boxes[m])
    return edges, np.array([len(ring) for ring in rings]), boxes


def areas(rest: list[Polygon], piece: Polygon) -> tuple[float, float]:
    """The area of the union of the rest, and what of the piece lies outside of it."""
    edges, counts, boxes = edges_of(rest)
    parts, longest, _ = edges.shape
    free, starts = np.empty((parts * longest * parts, 2)), np.empty(parts * longest + 1, dtype=np.int64)
    area = trace_union(edges, counts, boxes, SLACK, free, starts)
    own, own_counts, own_boxes = edges_of([piece])
    outside = area_outside(
        own[0], int(own_counts[0]), own_boxes[0], edges, counts, boxes, SLACK, free, starts
    )
    return area, outside


@pytest.mark.parametrize("seed", range(10))
def test_triangles_anywhere(seed: int) -> None:
    rng = np.random.default_rng(seed)
    triangles = [Polygon(rng.random((3, 2))) for _ in range(6)]
    union = shapely.union_all(triangles[:-1])
    area, outside = areas(triangles[:-1], triangles[-1])
    assert area == pytest.approx(union.area, abs=1e-9)
    assert outside == pytest.approx(triangles[-1].difference(union).area, abs=1e-9)


def test_edges_on_one_line_count_once() -> None:
    left, right, on_both = shapely.box(0, 0, 1, 1), shapely.box(1, 0, 2, 1), shapely.box(0.5, 0, 1.5, 2)
    area, outside = areas([left, right, left], on_both)
    assert area == pytest.approx(2.0)
    assert outside == pytest.approx(1.0)


def test_a_mirrored_part_is_walked_backwards() -> None:
    ring = np.array([[0.0, 0.0], [2.0, 0.0], [2.0, 1.0]])
    edges = np.zeros((3, 5))
    set_edges(ring, 3, np.array(Pose(5.0, 0.0, mirrored=True).matrix), edges)
    assert Polygon(edges[:, :2]).exterior.is_ccw
    assert sorted(edges[:, 4].tolist()) == pytest.approx([1.0, 2.0, 5**0.5])

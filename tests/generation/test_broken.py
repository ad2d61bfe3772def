"""Broken targets: simple pieces with shared edges that fill their target, as rough as asked."""

from __future__ import annotations

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st
from shapely import Polygon

from sherd.core.errors import InvalidPolygonError
from sherd.core.metrics import measure
from sherd.generation.broken import BrokenParams, broken, broken_outlines
from sherd.generation.dataset import PuzzleKind, make_samples
from sherd.generation.fractal import fractal_line
from sherd.generation.scattering import FREE
from sherd.generation.shapes import named_shape

EXACT = 1e-9
SHAPES = ("square", "hexagon", "star", "cross", "arrow")


@given(
    st.sampled_from(SHAPES),
    st.integers(1, 24),
    st.sampled_from([0.0, 0.03, 0.1, 0.2]),
    st.sampled_from([0.0, 0.5, 1.0]),
    st.integers(0, 999),
)
def test_the_pieces_fill_the_target(
    name: str, pieces: int, roughness: float, straight: float, seed: int
) -> None:
    params = BrokenParams(pieces=pieces, roughness=roughness, straight=straight)
    sample = broken(named_shape(name).outline, params, np.random.default_rng(seed))
    assert len(sample.puzzle.fragments) == pieces
    found = measure(sample.truth, sample.puzzle)
    assert found.coverage >= 1.0 - EXACT
    assert found.overlap <= EXACT
    for fragment in sample.puzzle.fragments:
        assert fragment.polygon.is_valid
        assert fragment.polygon.exterior.is_ccw
        assert shapely.distance(fragment.polygon.centroid, shapely.Point(0, 0)) <= EXACT


@pytest.mark.parametrize("seed", range(10))
def test_areas_sum_to_the_target_and_neighbours_share_their_vertices(seed: int) -> None:
    target = named_shape("square").outline
    rings = broken_outlines(target, BrokenParams(pieces=16), np.random.default_rng(seed))
    assert sum(Polygon(ring).area for ring in rings) == pytest.approx(target.area, abs=1e-12)
    points, times = np.unique(np.concatenate(rings), axis=0, return_counts=True)
    inside = shapely.contains_xy(target, points) & (
        shapely.distance(shapely.points(points), target.exterior) > EXACT
    )
    assert (times[inside] >= 2).all()


def test_rough_lines_are_longer_than_smooth_ones() -> None:
    start, end = np.zeros(2), np.array([1.0, 0.0])

    def length(roughness: float) -> float:
        line = fractal_line(start, end, roughness, 0.01, np.random.default_rng(3))
        return float(np.hypot(*np.diff(line, axis=0).T).sum())

    assert length(0.1) > 1.05 * length(0.03) > 1.05 * length(0.0) == 1.05


def test_straight_cuts_have_no_points_between_their_ends() -> None:
    rings = broken_outlines(
        named_shape("square").outline, BrokenParams(straight=1.0), np.random.default_rng(0)
    )
    assert max(map(len, rings)) < 12


def test_a_line_is_halved_until_its_stretches_are_short() -> None:
    start, end = np.zeros(2), np.array([1.0, 0.0])
    line = fractal_line(start, end, 0.1, 0.01, np.random.default_rng(0))
    assert len(line) == 2**7 + 1
    assert (line[0] == start).all()
    assert (line[-1] == end).all()
    assert np.hypot(*np.diff(line, axis=0).T).max() < 0.02


def test_a_set_of_broken_puzzles_is_the_same_wherever_it_is_entered() -> None:
    kind = PuzzleKind(
        shape=named_shape("star"), pieces=6, rotations=FREE, dissection="broken", roughness=0.03
    )
    whole = list(make_samples(kind, seed=3, stop=3))
    assert list(make_samples(kind, seed=3, start=2, stop=3)) == whole[2:]
    assert whole[0] != whole[1]


def test_holes_and_values_out_of_range_are_refused() -> None:
    square = named_shape("square").outline
    ring = Polygon(square.exterior.coords, [shapely.box(0.4, 0.4, 0.6, 0.6).exterior.coords])
    with pytest.raises(InvalidPolygonError, match="without holes"):
        broken(ring, BrokenParams(), np.random.default_rng(0))
    with pytest.raises(ValueError, match=r"roughness must be between 0 and 0\.2, not 0\.5"):
        BrokenParams(roughness=0.5)
    with pytest.raises(ValueError, match="straight must be between 0 and 1, not 2"):
        BrokenParams(straight=2.0)
    with pytest.raises(ValueError, match="between 1 and 1,000, not 0"):
        BrokenParams(pieces=0)

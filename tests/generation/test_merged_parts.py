"""Dissections: pieces of any shape that fill their target exactly, where the truth says."""

from __future__ import annotations

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st
from shapely import Polygon

from sherd.core.errors import InvalidPolygonError
from sherd.core.geometry import Rotations, is_convex
from sherd.core.metrics import measure
from sherd.generation.merged_parts import DissectionParams, dissect, merged
from sherd.generation.shapes import regular

ARROW = Polygon([(0, 0), (3, 0), (3, -1), (5, 1), (3, 3), (3, 2), (0, 2), (1, 1)])
TARGETS = {"square": regular(4), "hexagon": regular(6), "arrow": ARROW}
EXACT = 1e-9


@given(st.sampled_from(sorted(TARGETS)), st.integers(1, 30), st.booleans(), st.integers(0, 999))
def test_the_pieces_fill_the_target(name: str, pieces: int, mirror: bool, seed: int) -> None:
    params = DissectionParams(pieces=pieces, mirror=mirror)
    sample = dissect(TARGETS[name], params, np.random.default_rng(seed))
    assert len(sample.puzzle.fragments) == pieces
    found = measure(sample.truth, sample.puzzle)
    assert found.coverage >= 1.0 - EXACT
    assert found.overlap <= EXACT
    for fragment in sample.puzzle.fragments:
        assert fragment.polygon.is_valid
        assert not fragment.polygon.interiors
        assert fragment.polygon.exterior.is_ccw
        assert shapely.distance(fragment.polygon.centroid, shapely.Point(0, 0)) <= EXACT


@pytest.mark.parametrize("seed", range(5))
def test_cuts_along_the_axes_stay_there(seed: int) -> None:
    params = DissectionParams(pieces=15, rotations=Rotations(1), axis_aligned=True)
    sample = dissect(regular(4), params, np.random.default_rng(seed))
    assert measure(sample.truth, sample.puzzle).coverage >= 1.0 - EXACT
    for fragment in sample.puzzle.fragments:
        along = np.diff(np.asarray(fragment.polygon.exterior.coords), axis=0)
        assert np.abs(along).min(axis=1).max() <= EXACT


def test_most_pieces_are_not_convex() -> None:
    sample = dissect(ARROW, DissectionParams(pieces=40), np.random.default_rng(0))
    convex = sum(is_convex(fragment.polygon) for fragment in sample.puzzle.fragments)
    assert convex < 30


def test_pieces_are_turned_and_mirrored_as_allowed() -> None:
    params = DissectionParams(pieces=20, rotations=Rotations(4), mirror=True)
    sample = dissect(ARROW, params, np.random.default_rng(1))
    poses = [placement.pose for placement in sample.truth]
    assert all(Rotations(4).allows(pose.theta) for pose in poses)
    assert {pose.mirrored for pose in poses} == {False, True}
    assert sample.puzzle.mirror


def test_the_same_seed_gives_the_same_puzzle() -> None:
    first, second = (dissect(ARROW, DissectionParams(), np.random.default_rng(5)) for _ in range(2))
    assert first == second


def test_a_union_that_is_not_simple_is_refused() -> None:
    assert merged([0, 1, 2, 3], [2, 1, 4, 5]) == [0, 1, 4, 5, 2, 3]
    assert merged([0, 1, 2, 3, 4, 5], [2, 1, 6, 5, 4, 7]) is None  # two stretches: something is enclosed
    assert merged([0, 1, 2, 3], [2, 1, 4, 3, 5]) is None  # they also meet in vertex 3


def test_holes_and_too_many_pieces_are_refused() -> None:
    ring = Polygon(regular(4).exterior.coords, [shapely.box(0.4, 0.4, 0.6, 0.6).exterior.coords])
    with pytest.raises(InvalidPolygonError, match="without holes"):
        dissect(ring, DissectionParams(), np.random.default_rng(0))
    with pytest.raises(InvalidPolygonError, match="upright rectangle"):
        dissect(ARROW, DissectionParams(axis_aligned=True), np.random.default_rng(0))
    with pytest.raises(ValueError, match="between 1 and 1,000, not 0"):
        DissectionParams(pieces=0)

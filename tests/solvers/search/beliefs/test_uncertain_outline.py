"""Rough outlines: what is said of their edges, and gluing them."""

from __future__ import annotations

import numpy as np
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from shapely import Polygon

from sherd.core.arrays import Floats
from sherd.core.geometry import Pose, Rotations, union
from sherd.solvers.search.beliefs.uncertain_outline import (
    Belief,
    join,
    lay,
    with_moved_corners,
    with_traced_edges,
)
from sherd.solvers.search.corner_outline import CornerOutline

FREE = Rotations(None)
SQUARE = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
# The square cut from (0.4, 0) to (0.6, 1), and its right part turned.
LEFT = np.array([[0.0, 0.0], [0.4, 0.0], [0.6, 1.0], [0.0, 1.0]])
RIGHT = Pose(0.3, -0.2, 1.0).points([[0.4, 0.0], [1.0, 0.0], [1.0, 1.0], [0.6, 1.0]])
CUT, OTHER_CUT = 1, 3


def convex(corners: int, rng: np.random.Generator) -> Floats:
    angles = (np.arange(corners) + rng.uniform(0.1, 0.9, corners)) * 2.0 * np.pi / corners
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


@given(st.integers(3, 8), st.integers(0, 999))
@settings(max_examples=20)
def test_edges_are_told_as_outlines_tell_them_and_vary_as_samples_do(corners: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    ring = convex(corners, rng)
    root = rng.normal(size=(2 * corners, 2 * corners)) * 1e-5
    belief = Belief(ring, root @ root.T)
    outline = CornerOutline(ring)
    assert np.allclose(belief.values[:, 0], outline.lengths)
    assert np.allclose(belief.values[:, 1], outline.angles)
    assert np.allclose(belief.values[:, 2], np.roll(outline.angles, -1))
    assert np.allclose(belief.values[:, 3], outline.directions)
    changes = [
        Belief(ring + column.reshape(-1, 2), belief.covariance).values - belief.values for column in root.T
    ]
    slopes = (np.stack(changes) + np.pi) % (2.0 * np.pi) - np.pi
    assert np.allclose(np.einsum("kni,knj->nij", slopes, slopes), belief.covariances, rtol=1e-2, atol=1e-12)


def test_two_halves_are_glued_into_the_square_they_were_cut_from() -> None:
    whole, pose = join(with_moved_corners(LEFT, 1e-6), CUT, with_moved_corners(RIGHT, 1e-6), OTHER_CUT, FREE)
    assert shapely.hausdorff_distance(Polygon(whole.corners), Polygon(SQUARE)) < 1e-9
    together = union([Polygon(LEFT), pose.apply(Polygon(RIGHT))])
    assert together.symmetric_difference(Polygon(SQUARE)).area < 1e-9
    ways = lay(whole, with_moved_corners(SQUARE, 1e-6), FREE, 0.0)
    assert len(ways) == 4  # a square has four turns onto itself
    for misfit, at, _ in ways:
        assert misfit < 1e-3
        assert shapely.hausdorff_distance(at.apply(Polygon(whole.corners)), Polygon(SQUARE)) < 1e-9


def test_what_is_uncertain_gives_way_and_becomes_more_certain() -> None:
    off = RIGHT + np.array([[0.01, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.01]])
    sure, unsure = with_moved_corners(LEFT, 1e-9), with_moved_corners(off, 0.01)
    whole, _ = join(sure, CUT, unsure, OTHER_CUT, FREE)
    kept = Belief(whole.corners[:2], whole.covariance[:4, :4])
    assert np.allclose(kept.corners, LEFT[[3, 0]], atol=1e-9)
    assert np.abs(whole.corners - np.roll(SQUARE, -3, axis=0)).max() < 0.02
    assert np.all(np.diag(whole.covariance)[4:] < 2.0 * 0.01**2)


def test_an_allowed_angle_is_kept() -> None:
    upright = Pose(theta=-1.0).points(RIGHT)
    nearly = Pose(theta=0.01).points(upright)
    _, pose = join(
        with_moved_corners(LEFT, 1e-3), CUT, with_moved_corners(nearly, 1e-3), OTHER_CUT, Rotations(4)
    )
    assert pose.theta == 0.0


def test_long_traced_edges_are_known_better_and_those_along_pixels_worse() -> None:
    slanted = Pose(theta=0.5).points(SQUARE)
    pixel = 1.0 / 128.0
    small, large = (with_traced_edges(size * slanted, pixel) for size in (0.1, 1.0))
    assert np.all(large.covariances[:, 3, 3] < small.covariances[:, 3, 3] / 100.0)
    assert np.all(large.covariances[:, 0, 0] < with_traced_edges(SQUARE, pixel).covariances[:, 0, 0])

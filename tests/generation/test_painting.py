"""Painted pieces carry their part of the picture, and no more."""

from __future__ import annotations

import math

import numpy as np
import shapely
from hypothesis import given
from hypothesis import strategies as st

from sherd.core.assembly import Assembly, Placement
from sherd.core.geometry import Pose, Rotations, size_of
from sherd.core.puzzle import Fragment, Puzzle, Sample
from sherd.generation.fragmentation import FragmentationParams, generate
from sherd.generation.painting import paint
from sherd.generation.patterns import PROCEDURAL
from sherd.generation.shapes import named_shape

SEEDS = st.integers(0, 2**32 - 1)


def smooth(size_px: int) -> np.ndarray:
    """A picture whose colours change by at most one or two levels a pixel."""
    row, column = np.indices((size_px, size_px)) / size_px
    return (
        np.stack([255 * row, 255 * column, 120 + 100 * np.sin(2 * np.pi * (row + column))], -1)
        .round()
        .astype(np.uint8)
    )


def points_in(sample: Sample, fragment_id: str, rng: np.random.Generator) -> np.ndarray:
    """Points of a fragment in its own frame, its corners among them."""
    outline = sample.puzzle[fragment_id].polygon
    ring = np.asarray(outline.exterior.coords)[:-1]
    weights = rng.dirichlet(np.ones(len(ring)), 200)
    points = np.concatenate([ring, weights @ ring])
    return points[shapely.distance(outline, shapely.points(points)) == 0.0]


@given(
    seed=SEEDS,
    shape=st.sampled_from(["square", "hexagon", "mondrian"]),
    bins=st.sampled_from([1, 4, 20, None]),
)
def test_patches_at_their_true_poses_give_the_target_back(seed: int, shape: str, bins: int | None) -> None:
    params = FragmentationParams(pieces=5, rotations=Rotations(bins))
    sample = next(generate(named_shape(shape), params, count=1, seed=seed))
    painted = paint(sample, smooth(96), size_px=96)
    whole = painted.puzzle.texture
    assert whole is not None
    assert np.array_equal(whole.image, smooth(96))
    rng = np.random.default_rng(seed)
    for fragment in painted.puzzle.fragments:
        assert fragment.texture is not None
        assert fragment.texture.grid.pixel == whole.grid.pixel
        own = points_in(painted, fragment.id, rng)
        colours = fragment.texture.sample(own)
        there = whole.sample(painted.truth[fragment.id].points(own))
        # A level or two a pixel: bilinear twice over, a rim that repeats the edge, and rounding.
        assert np.abs(colours - there).max() <= 10.0
        assert np.abs(colours - there).mean() <= 1.5
    assert painted.truth == sample.truth
    assert painted.puzzle == sample.puzzle, "textures are left out of comparisons"


@given(seed=SEEDS)
def test_quarter_turns_turn_the_patch_exactly(seed: int) -> None:
    fixed, turned = (
        next(generate(named_shape("square"), FragmentationParams(rotations=r), count=1, seed=seed))
        for r in (Rotations(1), Rotations(4))
    )
    picture = PROCEDURAL["noise"](64, np.random.default_rng(seed))
    straight, other = paint(fixed, picture, size_px=64), paint(turned, picture, size_px=64)
    for before, after in zip(straight.puzzle.fragments, other.puzzle.fragments, strict=True):
        assert before.texture is not None
        assert after.texture is not None
        # The piece lies in its own frame turned back by its true angle: clockwise, as rot90 with -k.
        turns = -round(other.truth[after.id].theta / (math.pi / 2))
        assert np.array_equal(np.rot90(before.texture.image, turns), after.texture.image)
        assert before.texture.alpha is not None
        assert after.texture.alpha is not None
        assert np.array_equal(np.rot90(before.texture.alpha, turns), after.texture.alpha)


def test_pixels_away_from_the_piece_are_empty_and_none_shows_what_lies_beyond(two_halves: Sample) -> None:
    halves = np.zeros((64, 64, 3), dtype=np.uint8)
    halves[:, :32] = (250, 10, 10)
    halves[:, 32:] = (10, 10, 250)
    painted = paint(two_halves, halves, size_px=64)
    left = painted.puzzle["left"].texture
    assert left is not None
    assert left.alpha is not None
    assert not left.image[left.alpha == 0].any()
    row, column = np.indices(left.alpha.shape)
    centres = shapely.points(left.grid.to_world(np.stack([column, row], -1) + 0.5))
    distance = shapely.distance(painted.puzzle["left"].polygon, centres) / left.grid.pixel
    assert (left.alpha[distance <= 1.0] == 255).all()
    assert (left.alpha[distance > 1.5] == 0).all()
    assert left.image[left.alpha == 255][:, 0].min() >= 130, "at the cut the two colours meet half and half"


def test_a_thin_sliver_is_painted_too() -> None:

    sliver = shapely.box(-0.001, -0.5, 0.001, 0.5)
    sample = Sample(
        Puzzle(shapely.box(0, 0, 1, 1), (Fragment("f0", sliver),)),
        Assembly((Placement("f0", Pose(0.5, 0.5)),)),
    )
    texture = paint(sample, np.full((32, 32, 3), 99, np.uint8), size_px=32).puzzle["f0"].texture
    assert texture is not None
    assert size_of(sliver) / texture.grid.pixel < texture.grid.size_px
    assert (texture.sample([[0.0, -0.5], [0.0, 0.0], [0.001, 0.5]]) == 99.0).all()

"""Cuts follow the paper's rules, pieces make up the target, and sets can be made again bit for bit."""

from __future__ import annotations

import hashlib
import itertools

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st
from shapely import Polygon

from sherd.core.geometry import OVERLAY_GRID, Pose, Rotations, cos_sin, size_of
from sherd.core.proper_polygons import make_polygon
from sherd.core.puzzle import Sample
from sherd.generation.fragmentation import (
    BLOCK,
    MOST_PIECES,
    Fragmentation,
    FragmentationParams,
    Order,
    centroids,
    generate,
    generate_arrays,
    neighbours,
    split,
)
from sherd.generation.shapes import SHAPES, Shape, named_shape

CLOSE = 1e-9
SEEDS = st.integers(0, 2**32 - 1)
BINS = st.sampled_from([1, 4, 20, None])
ORDERS = st.sampled_from(["bottom-left", "random"])


@st.composite
def user_shapes(draw: st.DrawFn) -> Shape:
    """A convex polygon of any size and place, as a user's file may hold."""
    corners = draw(st.integers(3, 9))
    turns = (np.arange(corners) + draw(st.floats(0.0, 1.0))) / corners
    cos, sin = cos_sin(turns)
    scale, stretch = draw(st.floats(0.01, 1000.0)), draw(st.floats(0.3, 1.0))
    centre = np.array([draw(st.floats(-10.0, 10.0)), draw(st.floats(-10.0, 10.0))])
    return Shape("own", make_polygon((np.stack([cos, stretch * sin], -1) + centre) * scale))


SHAPE = st.one_of(st.sampled_from([*SHAPES, "polygon:3", "polygon:7"]).map(named_shape), user_shapes())


def first_sample(
    shape: Shape, pieces: int, bins: int | None = 1, order: Order = "bottom-left", seed: int = 0
) -> Sample:
    params = FragmentationParams(pieces=pieces, rotations=Rotations(bins), order=order)
    return next(generate(shape, params, count=1, seed=seed))


def assert_makes_up_the_target(sample: Sample) -> None:
    """The pieces at their true poses are disjoint and cover the target, nothing more."""
    target, placed = sample.puzzle.target, sample.puzzle.placed(sample.truth)
    share = CLOSE * target.area
    assert all(piece.is_valid and piece.exterior.is_ccw for piece in placed)
    assert sum(piece.area for piece in placed) == pytest.approx(target.area, abs=share)
    assert sample.reference.area == pytest.approx(target.area, abs=share)
    tree = shapely.STRtree(placed)
    first, second = tree.query(placed, predicate="intersects")
    pairs = first < second
    # Without a grid, GEOS may find a large area where neighbours only touch.
    shared = shapely.intersection(
        np.take(placed, first[pairs]),
        np.take(placed, second[pairs]),
        grid_size=OVERLAY_GRID * size_of(target),
    )
    assert shapely.area(shared).sum() <= share
    slack = CLOSE * size_of(target)
    for fragment in sample.puzzle.fragments:
        centre = fragment.polygon.centroid
        assert abs(centre.x) <= slack
        assert abs(centre.y) <= slack
        assert sample.puzzle.rotations.allows(sample.truth[fragment.id].theta)


@pytest.mark.parametrize("pieces", [1, 2, 3, 7, 8, 16, 64])
@pytest.mark.parametrize("shape", [*SHAPES, "polygon:3", "polygon:12"])
def test_truth_covers_every_shape_at_every_size(shape: str, pieces: int) -> None:
    for seed, (bins, order) in enumerate(itertools.product([1, 4, 20, None], ["bottom-left", "random"])):
        sample = first_sample(named_shape(shape), pieces, bins, order, seed)  # type: ignore[arg-type]
        assert len(sample.puzzle.fragments) == pieces
        assert_makes_up_the_target(sample)


@given(shape=SHAPE, pieces=st.integers(1, 24), bins=BINS, order=ORDERS, seed=SEEDS)
def test_truth_covers_any_convex_target(
    shape: Shape, pieces: int, bins: int | None, order: Order, seed: int
) -> None:
    sample = first_sample(shape, pieces, bins, order, seed)
    assert len(sample.truth) == pieces
    assert_makes_up_the_target(sample)


@given(shape=SHAPE, pieces=st.integers(2, 24), seed=SEEDS)
def test_pieces_keep_at_least_four_vertices(shape: Shape, pieces: int, seed: int) -> None:
    arrays = generate_arrays(shape, FragmentationParams(pieces=pieces), seed=seed, stop=50)
    least = 3 if len(shape.vertices) == 3 else 4
    assert arrays.corners.min() >= least
    if shape.axis_aligned or len(shape.vertices) == 4:
        assert (arrays.corners == 4).all()


def in_place(arrays: Fragmentation) -> np.ndarray:
    """The outlines (P, N, V, 2) of puzzles without rotation where they truly lie."""
    assert arrays.rotations.bins == 1
    return arrays.vertices + arrays.poses[:, :, None, :2]


@pytest.mark.parametrize("name", [*SHAPES, "polygon:7"])
def test_a_cut_crosses_two_edges_that_are_not_adjacent_near_their_middles(name: str) -> None:
    shape = named_shape(name)
    arrays = generate_arrays(shape, FragmentationParams(pieces=2), seed=3, stop=1000)
    ring = shape.vertices
    count = len(ring)
    edge = np.roll(ring, -1, axis=0) - ring
    vertices = in_place(arrays)
    apart_seen: list[int] = []
    shares_seen: list[float] = []
    for puzzle, corners in zip(vertices, arrays.corners, strict=True):
        piece = puzzle[0, : corners[0]]
        new = [point for point in piece if np.hypot(*(ring - point).T).min() > CLOSE]
        assert len(new) == 2, "the cut meets no old vertex"
        crossed: list[int] = []
        for point in new:
            offset = point - ring
            share = (offset * edge).sum(axis=1) / (edge**2).sum(axis=1)
            away = np.abs(offset[:, 0] * edge[:, 1] - offset[:, 1] * edge[:, 0])
            (on,) = np.flatnonzero((away < CLOSE) & (share > 0.0) & (share < 1.0))
            assert 0.25 - CLOSE <= share[on] <= 0.75 + CLOSE
            shares_seen.append(float(share[on]))
            crossed.append(int(on))
        apart = (crossed[1] - crossed[0]) % count
        apart_seen.append(apart)
        assert 2 <= apart <= count - 2
        if shape.axis_aligned:
            assert np.abs(new[0] - new[1]).min() < CLOSE
    # Every allowed distance is as likely as another, here within five standard deviations.
    choices = count - 3
    frequency = np.bincount(apart_seen, minlength=count)[2 : count - 1] / len(apart_seen)
    assert np.abs(frequency - 1.0 / choices).max() <= 5.0 * np.sqrt(0.25 / len(apart_seen)) * (choices > 1)
    # Uniform between 25 % and 75 %: the mean has a standard error of 0.0032 over 2,000 draws.
    assert np.mean(shares_seen) == pytest.approx(0.5, abs=0.015)
    assert np.std(shares_seen) == pytest.approx(0.5 / np.sqrt(12.0), abs=0.01)


def test_mondrian_pieces_are_upright_rectangles() -> None:
    arrays = generate_arrays(named_shape("mondrian"), FragmentationParams(pieces=16), seed=1, stop=100)
    edges = np.roll(arrays.vertices, -1, axis=2) - arrays.vertices
    assert np.abs(edges).min(axis=-1).max() < CLOSE


@given(seed=SEEDS, pieces=st.sampled_from([2, 4, 5, 8, 9]))
def test_numbers_between_powers_of_two_cut_the_largest_piece_next(seed: int, pieces: int) -> None:
    """From n to n + 1 pieces, when no new round begins, only the largest piece changes."""
    shape = named_shape("pentagon")
    fewer, more = (first_sample(shape, n, seed=seed) for n in (pieces, pieces + 1))
    before, after = (sample.puzzle.placed(sample.truth) for sample in (fewer, more))
    before.sort(key=lambda piece: piece.area)
    for piece in before[:-1]:
        assert any(shapely.hausdorff_distance(piece, other) < CLOSE for other in after)
    assert max(piece.area for piece in after) < before[-1].area


@given(shape=SHAPE, seed=SEEDS, pieces=st.integers(1, 16))
def test_bottom_left_order_goes_up_then_right(shape: Shape, seed: int, pieces: int) -> None:
    sample = first_sample(shape, pieces, None, "bottom-left", seed)
    slack = CLOSE * size_of(shape.outline)
    poses = [placement.pose for placement in sample.truth]
    for lower, upper in itertools.pairwise(poses):
        assert lower.y <= upper.y + slack
        if abs(lower.y - upper.y) < slack / 2.0:
            assert lower.x <= upper.x


def touch(first: Polygon, second: Polygon) -> bool:
    """Whether two pieces share more than a point."""
    size = max(size_of(first), size_of(second))
    return second.boundary.intersection(first.buffer(1e-8 * size)).length > 1e-6 * size


@given(shape=SHAPE, seed=SEEDS, pieces=st.integers(2, 16), bins=BINS)
def test_random_order_touches_what_is_placed(shape: Shape, seed: int, pieces: int, bins: int | None) -> None:
    sample = first_sample(shape, pieces, bins, "random", seed)
    placed = sample.puzzle.placed(sample.truth)
    for k in range(1, pieces):
        assert any(touch(earlier, placed[k]) for earlier in placed[:k])


def test_random_order_begins_anywhere_and_differs_from_bottom_left() -> None:
    params = FragmentationParams(order="random")
    arrays = generate_arrays(named_shape("square"), params, seed=0, stop=500)
    sorted_too = generate_arrays(named_shape("square"), FragmentationParams(), seed=0, stop=500)
    assert np.array_equal(arrays.vertices, sorted_too.vertices), "the order changes nothing else"
    starts = (arrays.order[:, :1] == sorted_too.order).argmax(axis=1)
    assert np.bincount(starts, minlength=8).min() > 30, "each place in the square is as likely to be first"
    assert np.array_equal(np.sort(arrays.order, axis=1), np.tile(np.arange(8), (500, 1)))


@given(seed=SEEDS, pieces=st.integers(1, 8), shape=st.sampled_from([*SHAPES]))
def test_neighbours_are_those_that_share_a_stretch_of_boundary(seed: int, pieces: int, shape: str) -> None:
    arrays = generate_arrays(named_shape(shape), FragmentationParams(pieces=pieces), seed=seed, stop=1)
    outlines = [
        Polygon(ring[:corners]) for ring, corners in zip(in_place(arrays)[0], arrays.corners[0], strict=True)
    ]
    found = neighbours(in_place(arrays), 1.0)[0]
    expected = [[a != b and touch(outlines[a], outlines[b]) for b in range(pieces)] for a in range(pieces)]
    assert found.tolist() == expected


def test_neighbours_do_not_depend_on_how_many_pairs_are_compared_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    arrays = generate_arrays(named_shape("pentagon"), FragmentationParams(pieces=11), seed=2, stop=3)
    all_at_once = neighbours(in_place(arrays), 1.0)
    monkeypatch.setattr(
        "sherd.generation.fragmentation.PAIRS_AT_ONCE", 3 * 11 * 5**2 * 4
    )  # four pieces at a time
    assert np.array_equal(neighbours(in_place(arrays), 1.0), all_at_once)


def test_ids_tell_nothing_of_the_answer() -> None:
    """Any fragment is any piece of the bottom-left order, and any two are neighbours, as often as others."""
    puzzles = 2000
    arrays = generate_arrays(named_shape("square"), FragmentationParams(), seed=5, stop=puzzles)
    rank = arrays.order.argsort(axis=1)
    counts = np.array([np.bincount(rank[:, k], minlength=8) for k in range(8)])
    assert np.abs(counts / puzzles - 1.0 / 8.0).max() < 5.0 * np.sqrt(1 / 8 * 7 / 8 / puzzles)
    touching = neighbours(in_place(arrays), 1.0).mean(axis=0)[np.triu_indices(8, 1)]
    assert np.abs(touching - touching.mean()).max() < 5.0 * np.sqrt(0.25 / puzzles)


@given(bins=st.integers(1, 40))
def test_every_bin_is_drawn(bins: int) -> None:
    params = FragmentationParams(rotations=Rotations(bins))
    arrays = generate_arrays(named_shape("square"), params, seed=1, stop=BLOCK)
    drawn = np.unique(np.round(arrays.poses[..., 2] / (2.0 * np.pi) * bins).astype(int))
    assert drawn.tolist() == list(range(bins))


@given(polygon=user_shapes(), padding=st.integers(0, 3))
def test_centroids_agree_with_shapely_and_ignore_padding(polygon: Shape, padding: int) -> None:
    ring = np.concatenate([polygon.vertices, np.repeat(polygon.vertices[-1:], padding, axis=0)])
    area, centre = centroids(ring)
    expected = polygon.outline.centroid
    slack = CLOSE * size_of(polygon.outline)
    assert area == pytest.approx(polygon.outline.area, rel=CLOSE)
    assert centre.tolist() == pytest.approx([expected.x, expected.y], abs=slack)


@given(seed=SEEDS, short=st.integers(1, 6), more=st.integers(0, 6), order=ORDERS)
def test_a_longer_set_begins_with_the_shorter(seed: int, short: int, more: int, order: Order) -> None:
    params = FragmentationParams(pieces=5, rotations=Rotations(None), order=order)
    shape = named_shape("hexagon")
    longer = list(generate(shape, params, count=short + more, seed=seed))
    assert longer[:short] == list(generate(shape, params, count=short, seed=seed))


def test_parts_of_a_set_are_the_same_across_blocks() -> None:
    shape, params = named_shape("square"), FragmentationParams(pieces=3, rotations=Rotations(4))
    whole = list(generate(shape, params, count=BLOCK + 4, seed=9))
    assert len(whole) == BLOCK + 4
    assert whole[0] != whole[BLOCK], "each block has a stream of its own"
    for start, stop in ((0, 2), (BLOCK - 3, BLOCK), (BLOCK - 3, BLOCK + 4), (BLOCK, BLOCK + 1)):
        part = generate_arrays(shape, params, seed=9, start=start, stop=stop)
        assert len(part) == stop - start
        assert list(part.samples()) == whole[start:stop]
    assert whole[:5] != list(generate(shape, params, count=5, seed=10))


def test_rotations_change_only_the_rotations() -> None:
    fixed, turned = (
        generate_arrays(named_shape("pentagon"), FragmentationParams(rotations=r), seed=2, stop=20)
        for r in (Rotations(1), Rotations(None))
    )
    assert np.array_equal(fixed.poses[..., :2], turned.poses[..., :2])
    for p, n in itertools.product(range(20), range(8)):
        back = Pose(theta=turned.poses[p, n, 2]).points(turned.vertices[p, n])
        assert np.abs(back - fixed.vertices[p, n]).max() < CLOSE


def test_outlines_begin_anywhere() -> None:
    """Every corner is as often the first; the arrays' first corner ends a cut, which would tell where."""
    puzzles = 500
    arrays = generate_arrays(named_shape("mondrian"), FragmentationParams(pieces=4), seed=5, stop=puzzles)
    firsts = np.zeros(4)
    for sample, vertices in zip(arrays.samples(), arrays.vertices, strict=True):
        for fragment, ring in zip(sample.puzzle.fragments, vertices, strict=True):
            outline = np.asarray(fragment.polygon.exterior.coords)[:-1]
            (first,) = np.flatnonzero((ring == outline[0]).all(axis=1))
            assert np.array_equal(np.roll(ring, -first, axis=0), outline)
            firsts[first] += 1.0
    assert np.abs(firsts / firsts.sum() - 0.25).max() < 5.0 * np.sqrt(0.25 * 0.75 / firsts.sum())


DIGESTS = {
    "square": "36e1274f4166105b3861bc09c7b8a4a82601cc6b860f812b75b6fcc5acd13a6f",
    "pentagon": "6afa7214d01498655b150f1b3148c8bc036ca5865ade68003704a2a6e4a4807a",
    "hexagon": "b5af56007f855249e1b40097554f1e19068c2d3e4ccbce28533fa0f10360c4c7",
    "mondrian": "378faa67a5e8c955f44f35b09145f9f158be15e49e622f153438df50b5a23ea9",
}


@pytest.mark.parametrize("name", DIGESTS)
def test_sets_are_the_same_bits_everywhere(name: str) -> None:
    """A changed digest means that everybody's benchmark sets change."""
    digest = hashlib.sha256()
    for pieces, bins, order in ((8, 1, "bottom-left"), (7, 20, "random"), (16, None, "random")):
        params = FragmentationParams(pieces=pieces, rotations=Rotations(bins), order=order)  # type: ignore[arg-type]
        for sample in generate(named_shape(name), params, count=5, seed=2026):
            for placement in sample.truth:
                ring = np.asarray(sample.puzzle[placement.id].polygon.exterior.coords)
                pose = placement.pose
                digest.update(placement.id.encode())
                digest.update(ring.astype("<f8").tobytes())
                digest.update(np.array([pose.x, pose.y, pose.theta], dtype="<f8").tobytes())
    assert digest.hexdigest() == DIGESTS[name]


@given(count=st.integers(0, 10**6))
def test_splits_part_the_set(count: int) -> None:
    parts = split(count)
    assert list(parts) == ["train", "validation", "test"]
    assert [part.start for part in parts.values()] == [0, parts["train"].stop, parts["validation"].stop]
    assert parts["test"].stop == count
    for part, percent in zip(parts.values(), (64, 16, 20), strict=True):
        assert abs(len(part) - count * percent / 100) <= 1.0


@pytest.mark.parametrize("pieces", [0, -3, MOST_PIECES + 1, 1_000_000])
def test_absurd_numbers_of_pieces_are_named(pieces: int) -> None:
    with pytest.raises(ValueError, match=f"not {pieces:,}"):
        FragmentationParams(pieces=pieces)


def test_bad_requests_are_named() -> None:
    with pytest.raises(ValueError, match="not 'spiral'"):
        FragmentationParams(order="spiral")  # type: ignore[arg-type]
    for start, stop in ((0, 0), (-1, 3), (5, 4)):
        with pytest.raises(ValueError, match=f"not {start} and {stop}"):
            generate_arrays(named_shape("square"), FragmentationParams(), seed=0, start=start, stop=stop)

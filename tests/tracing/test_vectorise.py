"""Masks into polygons."""

from __future__ import annotations

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from shapely import Polygon

from sherd.core.errors import InvalidPolygonError
from sherd.core.geometry import TAU, Pose
from sherd.core.grid import Grid
from sherd.generation.fragmentation import FragmentationParams, generate
from sherd.generation.shapes import SHAPES
from sherd.tracing.raster import binary, masks
from sherd.tracing.vectorise import vectorise, vectorise_all

GRID = Grid.centred((0.0, 0.0), 1.0 / 128.0, 160)


ARROW = Polygon([(-0.4, -0.2), (0.31, -0.33), (0.1, 0.02), (0.35, 0.4), (-0.37, 0.28)])


FORKED = Polygon(
    [
        *((0.3339, 0.1058), (0.3103, 0.1551), (-0.2004, -0.0816), (0.2969, 0.1832), (0.2883, 0.2012)),
        *((-0.2079, -0.0655), (-0.3431, -0.1477), (-0.4755, -0.2091), (-0.4658, -0.2292)),
        *((0.3392, 0.0946), (0.3364, 0.1004), (-0.3831, -0.1808), (-0.1845, -0.0905)),
    ]
)


FRAME = Polygon(
    [(-0.4, -0.42), (0.43, -0.4), (0.39, 0.4), (-0.41, 0.37)],
    [[(-0.15, -0.2), (0.05, 0.25), (0.2, -0.1)]],
)


def errors_px(true: Polygon, found: Polygon) -> np.ndarray:
    """Distances of matching vertices in pixels; the numbers of vertices must agree."""
    first, second = (shapely.get_coordinates(p.exterior)[:-1] for p in (true, found))
    assert len(first) == len(second)
    shifts = [np.linalg.norm(first - np.roll(second, k, axis=0), axis=1) for k in range(len(first))]
    return min(shifts, key=lambda distances: float(distances.sum())) / GRID.pixel


def fragments(pieces: int, seed: int) -> list[Polygon]:
    """A puzzle's fragments of every shape, turned at random and off the pixel grid."""
    rng = np.random.default_rng(seed)
    return [
        Pose(*rng.uniform(-0.01, 0.01, 2), rng.uniform(0.0, TAU)).apply(fragment.polygon)
        for make in SHAPES.values()
        for sample in generate(make(), FragmentationParams(pieces=pieces), count=1, seed=seed)
        for fragment in sample.puzzle.fragments
    ]


def test_anti_aliased_fragments_come_back_exactly() -> None:
    for fragment in fragments(pieces=8, seed=3):
        assert errors_px(fragment, vectorise(masks([fragment], GRID)[0], GRID)).max() < 1e-3


def test_eight_bits_cost_little() -> None:
    for fragment in fragments(pieces=8, seed=3):
        cover = np.round(masks([fragment], GRID)[0] * 255.0) / 255.0
        assert np.median(errors_px(fragment, vectorise(cover, GRID))) < 0.01


def test_binary_fragments_come_back_closely() -> None:
    errors = [
        errors_px(fragment, vectorise(binary(masks([fragment], GRID)[0]), GRID))
        for fragment in fragments(pieces=8, seed=3)
    ]
    assert np.median(np.concatenate(errors)) < 0.15


def test_binary_outline_redraws_its_own_mask() -> None:
    for fragment in fragments(pieces=8, seed=4):
        cover = binary(masks([fragment], GRID)[0])
        redrawn = masks([vectorise(cover, GRID)], GRID)[0]
        assert np.where(cover, redrawn, 1.0 - redrawn).min() > 0.48


@settings(max_examples=15)
@given(st.floats(0.0, TAU), st.floats(-0.02, 0.02), st.floats(-0.02, 0.02))
def test_non_convex(theta: float, x: float, y: float) -> None:
    arrow = Pose(x, y, theta).apply(ARROW)
    cover = masks([arrow], GRID)[0]
    assert errors_px(arrow, vectorise(cover, GRID)).max() < 1e-3
    found = vectorise(binary(cover), GRID)
    assert shapely.hausdorff_distance(found, arrow) < 1.0 * GRID.pixel


@settings(max_examples=15)
@given(st.floats(0.0, TAU))
def test_hole(theta: float) -> None:
    frame = Pose(theta=theta).apply(FRAME)
    cover = masks([frame], GRID)[0]
    assert shapely.hausdorff_distance(vectorise(cover, GRID), frame) < 1e-3 * GRID.pixel
    found = vectorise(binary(cover), GRID)
    assert len(found.interiors) == 1
    assert shapely.symmetric_difference(found, frame).area < 0.01 * frame.area


def test_upright_box_on_and_off_the_pixel_grid() -> None:
    for left in (0.0, 0.25, 0.5):
        box = Pose(left * GRID.pixel).apply(shapely.box(-0.25, -0.125, 0.25, 0.25))
        assert errors_px(box, vectorise(masks([box], GRID)[0], GRID)).max() < 0.01


def test_thin_sliver() -> None:
    sliver = Pose(theta=0.3).apply(shapely.box(-0.3, -0.003, 0.3, 0.003))  # less than one pixel wide
    found = vectorise(masks([sliver], GRID)[0], GRID)
    assert shapely.hausdorff_distance(found, sliver) < 0.5 * GRID.pixel
    assert found.area == pytest.approx(sliver.area, rel=1e-4)


def test_several_components() -> None:
    pieces = [shapely.box(-0.5, -0.5, -0.1, -0.2), Pose(0.2, 0.2, 0.5).apply(shapely.box(0, 0, 0.2, 0.1))]
    cover = masks(pieces, GRID).sum(axis=0)
    for picture in (cover, binary(cover)):
        found = sorted(vectorise_all(picture, GRID), key=lambda polygon: polygon.area, reverse=True)
        assert len(found) == 2
        for polygon, piece in zip(found, pieces, strict=True):
            assert shapely.hausdorff_distance(polygon, piece) < 1.0 * GRID.pixel
        assert vectorise(picture, GRID).equals(found[0])


def test_noise_does_not_multiply_vertices(rng: np.random.Generator) -> None:
    cover = masks([ARROW], GRID)[0]
    noisy = np.clip(cover + np.where(cover > 0.0, rng.normal(0.0, 0.02, cover.shape), 0.0), 0.0, 1.0)
    found = vectorise(noisy, GRID)
    assert len(found.exterior.coords) - 1 <= 8
    assert shapely.hausdorff_distance(found, ARROW) < 0.2 * GRID.pixel


def test_ragged_and_salted_binary_masks(rng: np.random.Generator) -> None:
    box = Pose(theta=0.3).apply(shapely.box(-0.3, -0.2, 0.3, 0.25))
    cover = masks([box], GRID)[0]
    ragged = binary(cover) ^ ((cover > 0.0) & (cover < 1.0) & (rng.random(cover.shape) < 0.1))
    found = vectorise(ragged, GRID)
    assert len(found.exterior.coords) - 1 <= 8
    assert shapely.hausdorff_distance(found, box) < 1.5 * GRID.pixel
    salted = binary(cover) ^ ((cover == 0.0) & (rng.random(cover.shape) < 0.001))
    assert shapely.hausdorff_distance(vectorise(salted, GRID), box) < 1.0 * GRID.pixel


def test_pure_noise_is_answered(rng: np.random.Generator) -> None:
    assert vectorise(rng.random((160, 160)), GRID).is_valid


@settings(max_examples=10)
@given(st.floats(-0.1, 0.1), st.floats(-0.1, 0.1))
def test_slits_thinner_than_a_pixel_make_no_outline_that_crosses_itself(x: float, y: float) -> None:
    forked = Pose(x, y).apply(FORKED)  # holes fitted to what shows of its slits cross each other
    found = vectorise(np.round(masks([forked], GRID)[0] * 255.0) / 255.0, GRID)
    assert found.is_valid
    assert found.symmetric_difference(forked).area < 0.3 * forked.area  # slits that do not show are filled
    corners = shapely.points(shapely.get_coordinates(found))
    assert shapely.distance(corners, forked).max() < 4.0 * GRID.pixel  # and no needle stands out


def test_specks_and_single_pixels() -> None:
    mask = np.zeros((160, 160))
    mask[40:80, 50:90] = 1.0
    mask[10, 10] = 1.0
    assert len(vectorise_all(mask, GRID)) == 1
    assert vectorise(mask, GRID).area == pytest.approx((40 / 128) ** 2, rel=1e-3)
    mask[40:80, 50:90] = 0.0
    with pytest.raises(InvalidPolygonError, match="no component of at least 2 pixels"):
        vectorise(mask, GRID)


def test_mask_that_fills_the_grid() -> None:
    assert vectorise(np.ones((160, 160)), GRID).area == pytest.approx((160 / 128) ** 2, rel=1e-3)


def test_wrong_input() -> None:
    with pytest.raises(InvalidPolygonError, match="the mask is empty"):
        vectorise(np.zeros((160, 160)), GRID)
    with pytest.raises(ValueError, match=r"shape \(3, 4\), the grid 160 px"):
        vectorise(np.zeros((3, 4)), GRID)
    with pytest.raises(ValueError, match="not between 0 and 1"):
        vectorise(np.full((160, 160), 255), GRID)
    with pytest.raises(ValueError, match="not between 0 and 1"):
        vectorise(np.full((160, 160), np.nan), GRID)

"""Textures: pixels and frames, image files, procedural pictures, and painting a puzzle."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from sherd.core.assembly import Assembly, Placement
from sherd.core.errors import FileFormatError
from sherd.core.geometry import Pose, Rotations, size_of
from sherd.core.grid import Grid
from sherd.core.puzzle import Fragment, Puzzle, Sample
from sherd.core.texture import Texture
from sherd.generation.fragmentation import FragmentationParams, generate
from sherd.generation.painting import paint
from sherd.generation.patterns import PROCEDURAL, fit_square, images_in, load_image
from sherd.generation.shapes import named_shape
from sherd.io.texture_json import from_png, to_png

SEEDS = st.integers(0, 2**32 - 1)


def a_texture(alpha: bool = False) -> Texture:
    rng = np.random.default_rng(5)
    image = rng.integers(0, 256, (6, 6, 3), dtype=np.uint8)
    return Texture(
        image, Grid(6, 1.0, 4.0, 0.5), rng.integers(0, 2, (6, 6), dtype=np.uint8) * 255 if alpha else None
    )


def smooth(size_px: int) -> np.ndarray:
    """A picture whose colours change by at most one or two levels a pixel."""
    row, column = np.indices((size_px, size_px)) / size_px
    return (
        np.stack([255 * row, 255 * column, 120 + 100 * np.sin(2 * np.pi * (row + column))], -1)
        .round()
        .astype(np.uint8)
    )


def test_pixel_centres_have_the_colours_of_their_pixels() -> None:
    texture = a_texture()
    row, column = np.indices((6, 6))
    centres = texture.grid.to_world(np.stack([column, row], axis=-1) + 0.5)
    assert np.array_equal(texture.sample(centres), texture.image)


def test_points_outside_take_the_nearest_edge_colour() -> None:
    texture = a_texture()
    assert np.array_equal(texture.sample([[-9.0, 9.0], [99.0, -99.0]]), texture.image[[0, 5], [0, 5]])


def test_one_pixel_is_one_colour() -> None:
    texture = Texture(np.full((1, 1, 3), 7, dtype=np.uint8), Grid(1, 0.0, 1.0, 1.0))
    assert texture.sample([[0.1, 0.9], [5.0, 5.0]]).tolist() == [[7.0] * 3] * 2


@pytest.mark.parametrize("alpha", [False, True])
def test_png_keeps_every_pixel(alpha: bool) -> None:
    texture = a_texture(alpha)
    back = from_png(to_png(texture), texture.grid)
    assert np.array_equal(back.image, texture.image)
    assert back.grid == texture.grid
    if texture.alpha is None:
        assert back.alpha is None
    else:
        assert back.alpha is not None
        assert np.array_equal(back.alpha, texture.alpha)


def test_png_errors_say_what_is_wrong() -> None:
    texture = a_texture()
    data = to_png(texture)
    with pytest.raises(FileFormatError, match="not a readable PNG"):
        from_png(b"no picture", texture.grid)
    with pytest.raises(FileFormatError, match="not a readable PNG"):
        from_png(data[: len(data) // 2], texture.grid)
    with pytest.raises(FileFormatError, match="6 x 6 pixels, not 7 x 7"):
        from_png(data, Grid(7, 0.0, 1.0, 1.0))


def test_a_texture_of_the_wrong_shape_is_refused() -> None:
    with pytest.raises(ValueError, match="image must be uint8"):
        Texture(np.zeros((2, 3, 3), dtype=np.uint8), Grid(2, 0.0, 1.0, 1.0))
    with pytest.raises(ValueError, match="alpha must be uint8"):
        Texture(np.zeros((2, 2, 3), dtype=np.uint8), Grid(2, 0.0, 1.0, 1.0), np.zeros((1, 2), np.uint8))


def test_images_are_found_by_name_and_loaded(tmp_path: Path) -> None:
    blue = np.full((3, 5, 3), (0, 0, 255), dtype=np.uint8)
    Image.fromarray(blue).save(tmp_path / "b.png")
    Image.new("LA", (2, 2), (0, 0)).save(tmp_path / "a.PNG")
    (tmp_path / "notes.txt").write_text("not an image")
    assert [path.name for path in images_in(tmp_path)] == ["a.PNG", "b.png"]
    assert np.array_equal(load_image(tmp_path / "b.png"), blue)
    assert (load_image(tmp_path / "a.PNG") == 255).all(), "what is transparent becomes white"


def test_bad_image_files_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(FileFormatError, match="no images there"):
        images_in(tmp_path)
    with pytest.raises(FileFormatError, match="missing: there is no such folder"):
        images_in(tmp_path / "missing")
    broken = tmp_path / "broken.png"
    broken.write_bytes(b"\x89PNG\r\n\x1a\n broken")
    with pytest.raises(FileFormatError, match=r"broken\.png: not a readable image"):
        load_image(broken)
    with pytest.raises(FileFormatError, match=r"none\.png: there is no such file"):
        load_image(tmp_path / "none.png")
    Image.new("1", (11_000, 10_000)).save(tmp_path / "huge.png")
    with pytest.raises(FileFormatError, match=r"huge\.png: larger than 100 megapixels"):
        load_image(tmp_path / "huge.png")
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 1000)  # so that Pillow itself refuses
    with pytest.raises(FileFormatError, match=r"huge\.png: larger than 100 megapixels"):
        load_image(tmp_path / "huge.png")


@given(height=st.integers(1, 30), width=st.integers(1, 30), size_px=st.integers(1, 40))
def test_fitting_takes_the_middle_square(height: int, width: int, size_px: int) -> None:
    image = np.zeros((height, width, 3), dtype=np.uint8)
    side = min(height, width)
    top, left = (height - side) // 2, (width - side) // 2
    image[top : top + side, left : left + side] = 200
    assert np.array_equal(fit_square(image, size_px), np.full((size_px, size_px, 3), 200))


@pytest.mark.parametrize("name", PROCEDURAL)
@pytest.mark.parametrize("size_px", [1, 31, 128])
def test_procedural_pictures_depend_on_the_generator_alone(name: str, size_px: int) -> None:
    first, again, other = (PROCEDURAL[name](size_px, np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert first.shape == (size_px, size_px, 3)
    assert first.dtype == np.uint8
    assert np.array_equal(first, again)
    if size_px > 1:
        assert not np.array_equal(first, other)
        assert first.std(axis=(0, 1)).max() > 10, "the picture shows something"


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

"""Textures: pixels and frames, image files, procedural pictures, and painting a puzzle."""

from __future__ import annotations

import numpy as np
import pytest

from sherd.core.errors import FileFormatError
from sherd.core.grid import Grid
from sherd.core.texture import Texture
from sherd.io.texture_json import from_png, to_png


def a_texture(alpha: bool = False) -> Texture:
    rng = np.random.default_rng(5)
    image = rng.integers(0, 256, (6, 6, 3), dtype=np.uint8)
    return Texture(
        image, Grid(6, 1.0, 4.0, 0.5), rng.integers(0, 2, (6, 6), dtype=np.uint8) * 255 if alpha else None
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

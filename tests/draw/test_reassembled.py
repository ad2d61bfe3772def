"""The photograph put together again from the pieces' own pixels."""

from __future__ import annotations

import io
import math

import numpy as np
import pytest
from PIL import Image

from sherd.core.geometry import Pose
from sherd.core.grid import Grid
from sherd.core.texture import Texture
from sherd.draw.reassembled import box_of, reassembled, reassembled_png, to_image


def _halves() -> tuple[np.ndarray, list[tuple[Texture, Pose]]]:
    """A picture of 40 x 40 mm, and its left and right half as they lie somewhere, one turned by a quarter."""
    rng = np.random.default_rng(0)
    coarse = rng.integers(40, 220, (5, 5, 3)).astype(np.uint8)
    picture = np.array(Image.fromarray(coarse).resize((80, 80), Image.Resampling.BICUBIC))
    whole = Grid(80, -20.0, 20.0, 0.5)
    left, right = np.zeros((80, 80), np.uint8), np.zeros((80, 80), np.uint8)
    left[:, :40], right[:, 40:] = 255, 255
    turned = np.rot90(picture).copy(), np.rot90(right).copy()  # a quarter counter-clockwise
    return picture, [
        (Texture(picture, whole, left).moved(7.0, -3.0), Pose(-7.0, 3.0)),
        (Texture(turned[0], whole, turned[1]), Pose(0.0, 0.0, -math.pi / 2.0)),
    ]


def test_halves_give_back_the_picture() -> None:
    picture, halves = _halves()
    found = reassembled(halves)
    assert found.grid.pixel == 0.5
    assert box_of(found) == pytest.approx((-20.0, -20.0, 20.0, 20.0), abs=0.6)
    image = to_image(found).convert("RGB").crop((1, 1, 79, 79))
    off = np.abs(np.asarray(image).astype(int) - picture[1:79, 1:79])
    # Beside the cut, the rim is coloured from further inside.
    assert np.delete(off, range(34, 45), axis=1).max() <= 30
    assert off.mean() < 4.0


def test_a_large_picture_has_larger_pixels() -> None:
    _, halves = _halves()
    small = reassembled(halves, most_pixels=40 * 40)
    assert small.grid.size_px <= 42
    with pytest.raises(ValueError, match="no piece has pixels"):
        reassembled([])


def test_the_file_has_its_resolution_and_says_what_is_not_solved() -> None:
    _, halves = _halves()
    fine = Image.open(io.BytesIO(reassembled_png(halves)))
    assert fine.info["dpi"] == pytest.approx((50.8, 50.8), abs=0.1)
    warned = Image.open(io.BytesIO(reassembled_png(halves, "NOT SOLVED")))
    assert warned.height > fine.height
    band = np.asarray(warned.convert("RGB"))[: warned.height - fine.height].astype(int)
    assert (band[..., 0] - band[..., 1]).max() > 100  # red letters

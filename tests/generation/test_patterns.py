"""Pictures to paint with: files and patterns."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from sherd.core.errors import FileFormatError
from sherd.generation.patterns import PROCEDURAL, fit_square, images_in, load_image


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

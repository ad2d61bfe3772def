"""Which images are read, and at which resolution."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from sherd.core.errors import FileFormatError
from sherd.io.drawings import ReadParams, read_drawing

from .conftest import SIZE, check, painted, save


def test_a_clean_scan_with_its_resolution(tmp_path: Path, cover: NDArray[np.float32]) -> None:
    colours = [(200, 30, 30), (20, 90, 20), (0, 0, 120), (90, 90, 90)]
    path = save(tmp_path / "scan.png", painted(cover, colours, (250, 250, 245)), dpi=(254, 254))
    found = read_drawing(path)
    assert found.unit == "mm" and found.pixel == pytest.approx(0.1)
    check(found, 0.15, scale=0.1)
    given = read_drawing(path, ReadParams(mm_per_px=0.5))
    assert given.pixel == 0.5
    check(given, 0.15, scale=0.5)


def test_a_folder_of_masks_and_a_target(tmp_path: Path, cover: NDArray[np.float32]) -> None:
    folder = tmp_path / "pieces"
    folder.mkdir()
    save(folder / "b 🐢.png", cover[0] * 255)
    save(folder / "a'1.png", np.dstack([np.zeros((SIZE, SIZE, 3)), cover[1] * 255]))
    save(folder / "c.png", (cover[2] < 0.5) * 255.0)
    save(folder / "target.bmp", (cover[3] >= 0.5) * 255.0)
    (folder / "notes.txt").write_text("not a picture")
    found = read_drawing(folder)
    assert [figure.id for figure in found.figures] == ["a'1", "b 🐢", "c", "target"]
    assert [figure.id for figure in found.targets] == ["target"]
    assert found.pixel == 1.0
    check(found, 0.15)


def test_refusals(tmp_path: Path, cover: NDArray[np.float32]) -> None:
    rng = np.random.default_rng(0)
    cases = {
        "nothing.png": (np.full((50, 50, 3), 200.0), "nothing stands out from the background"),
        "busy.png": (rng.integers(0, 255, (60, 60, 3)).astype(np.float64), "the background is not plain"),
        "tiny.png": (np.zeros((1, 1, 3)), "nothing stands out"),
    }
    for name, (values, reason) in cases.items():
        path = save(tmp_path / name, values)
        with pytest.raises(FileFormatError, match=reason) as caught:
            read_drawing(path)
        assert str(caught.value).startswith(f"{path}: ")
    (tmp_path / "bad.png").write_bytes(b"\x89PNG\r\n\x1a\nnonsense")
    (tmp_path / "cut.png").write_bytes((tmp_path / "busy.png").read_bytes()[:200])
    for name in ("bad.png", "cut.png"):
        with pytest.raises(FileFormatError, match=r"not an image|the image is broken"):
            read_drawing(tmp_path / name)
    (tmp_path / "empty").mkdir()
    with pytest.raises(FileFormatError, match="there is no closed shape"):
        read_drawing(tmp_path / "empty")


def test_huge_images_are_refused_unread(tmp_path: Path) -> None:
    header = Image.new("1", (20_000, 20_000))
    header.save(tmp_path / "a.png")
    with pytest.raises(
        FileFormatError, match=r"400 megapixels, and no more than 80 are read|hundreds of megapixels"
    ):
        read_drawing(tmp_path / "a.png")


def test_masks_of_different_resolution(tmp_path: Path, cover: NDArray[np.float32]) -> None:
    save(tmp_path / "a.png", cover[0] * 255, dpi=(300, 300))
    save(tmp_path / "b.png", cover[1] * 255, dpi=(600, 600))
    with pytest.raises(FileFormatError, match="mixed units: the pictures have different resolutions"):
        read_drawing(tmp_path)
    assert read_drawing(tmp_path, ReadParams(mm_per_px=1.0)).unit == "mm"

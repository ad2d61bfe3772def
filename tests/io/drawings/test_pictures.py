"""Pieces in pictures: found on any background, by transparency or by labels."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from sherd.io.drawings import ReadParams, read_drawing

from .conftest import SIZE, check, painted, save


def test_a_noisy_photograph_in_falling_light(tmp_path: Path, cover: NDArray[np.float32]) -> None:
    rng = np.random.default_rng(5)
    picture = painted(cover, [(230, 220, 200)] * 4, (40, 50, 60))
    picture += np.linspace(-15, 15, SIZE)[None, :, None] + rng.normal(0, 4, picture.shape)
    picture[150:153, 20:22] = 255
    path = save(tmp_path / "photo.jpg", picture, quality=92)
    found = read_drawing(path)
    assert found.unit == "px"
    check(found, 0.3)
    assert any("taken for dirt" in note for note in found.notes)


def test_textured_pieces(tmp_path: Path, cover: NDArray[np.float32]) -> None:
    rng = np.random.default_rng(6)
    print_ = np.kron(rng.integers(90, 255, (30, 30)), np.ones((10, 10)))
    whole = cover.sum(axis=0)
    picture = np.stack([whole * print_, whole * print_[::-1], whole * 200], axis=-1)
    check(read_drawing(save(tmp_path / "print.png", picture)), 0.6)


def test_a_cut_out(tmp_path: Path, cover: NDArray[np.float32]) -> None:
    alpha = cover.sum(axis=0) * 255
    rgba = np.dstack([np.full((SIZE, SIZE, 3), 77.0), alpha])
    check(read_drawing(save(tmp_path / "cut.png", rgba)), 0.15)


@pytest.mark.parametrize("kind", ["numbers", "16 bit", "palette", "colours"])
def test_a_map_of_labels(tmp_path: Path, cover: NDArray[np.float32], kind: str) -> None:
    labels = np.zeros((SIZE, SIZE), dtype=np.uint16)
    for k, part in enumerate(cover):
        labels[part >= 0.5] = k + 1
    path = tmp_path / "labels.png"
    if kind == "16 bit":
        Image.fromarray(labels * 1000).save(path)
    elif kind == "colours":
        palette = np.array(
            [[255, 255, 255], [255, 0, 0], [0, 128, 0], [0, 0, 255], [9, 9, 9]], dtype=np.uint8
        )
        Image.fromarray(palette[labels]).save(path)
    else:
        image = Image.fromarray(labels.astype(np.uint8))
        if kind == "palette":
            image = image.convert("P")
        image.save(path)
    found = read_drawing(path)
    check(found, 0.15)
    names = {"16 bit": "1000", "colours": "#ff0000"}
    assert names.get(kind, "1") in [figure.id for figure in found.figures]


def test_labels_that_touch(tmp_path: Path) -> None:
    labels = np.ones((60, 60), dtype=np.uint8)
    labels[:, 25:] = 2
    labels[40:, :] = 3
    Image.fromarray(labels).save(tmp_path / "a.png")
    found = read_drawing(tmp_path / "a.png", ReadParams(picture="labels"))
    areas = {figure.id: figure.polygon.area for figure in found.figures}
    assert areas == {
        "1": pytest.approx(1000, abs=30),
        "2": pytest.approx(1400, abs=30),
        "3": pytest.approx(1200, abs=30),
    }

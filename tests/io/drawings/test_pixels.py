"""Pieces carry their own pixels from the picture to the puzzle."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from sherd import JobParams, make_job
from sherd.io.drawings import read_drawing
from sherd.io.drawings.pixels import texture_of
from sherd.tracing.parts import PicturePart

from .conftest import SIZE, painted, save

COLOURS = [(200, 30, 30), (20, 90, 20), (0, 0, 120), (90, 90, 90)]


def _colour_at_middle(path: Path, params: JobParams) -> dict[tuple[int, ...], float]:
    """The colour that each fragment has at a point well inside of it, and the size of its pixels."""
    job = make_job(read_drawing(path, params), params)
    found: dict[tuple[int, ...], float] = {}
    for fragment in job.puzzle.fragments:
        assert fragment.texture is not None
        inside = fragment.polygon.representative_point()
        colour = fragment.texture.sample((inside.x, inside.y)).round().astype(int).tolist()
        found[tuple(colour)] = fragment.texture.grid.pixel
    return found


def test_the_pixels_lie_where_the_piece_does(tmp_path: Path, cover: NDArray[np.float32]) -> None:
    path = save(tmp_path / "scan.png", painted(cover, COLOURS, (250, 250, 245)), dpi=(254, 254))
    found = _colour_at_middle(path, JobParams(no_target=True))
    assert found == {colour: pytest.approx(0.1) for colour in COLOURS}
    given = _colour_at_middle(path, JobParams(no_target=True, mm_per_px=0.5, kerf=0.4))
    assert given == {colour: pytest.approx(0.5) for colour in COLOURS}


def test_alpha_is_how_much_the_piece_covers(tmp_path: Path, cover: NDArray[np.float32]) -> None:
    path = save(tmp_path / "scan.png", painted(cover, COLOURS, (250, 250, 245)))
    for figure in read_drawing(path).figures:
        assert figure.texture is not None
        alpha = figure.texture.alpha
        assert alpha is not None
        assert alpha.sum() / 255.0 == pytest.approx(figure.polygon.area, rel=0.01)


def test_greys_and_cut_outs_have_pixels_and_masks_have_none(
    tmp_path: Path, cover: NDArray[np.float32]
) -> None:
    grey = painted(cover, [(60, 60, 60), (80, 80, 80), (40, 40, 40), (90, 90, 90)], (240, 240, 240))
    path = save(tmp_path / "grey.png", grey[..., 0])
    assert set(_colour_at_middle(path, JobParams(no_target=True))) == {(g, g, g) for g in (60, 80, 40, 90)}
    cut = np.dstack([np.full((SIZE, SIZE, 3), 77.0), cover.sum(axis=0) * 255])
    save(tmp_path / "cut.png", cut)
    assert set(_colour_at_middle(tmp_path / "cut.png", JobParams(no_target=True))) == {(77, 77, 77)}
    labels = np.zeros((SIZE, SIZE), dtype=np.uint8)
    for k, part in enumerate(cover):
        labels[part >= 0.5] = k + 1
    Image.fromarray(labels).save(tmp_path / "labels.png")
    assert all(figure.texture is None for figure in read_drawing(tmp_path / "labels.png").figures)


def test_pixels_are_not_copied() -> None:
    picture = np.zeros((100, 80, 3), dtype=np.uint8)
    part = PicturePart(np.ones((30, 50)), 60, 25)
    texture = texture_of(part, picture)
    assert np.shares_memory(texture.image, picture)
    assert texture.moved(1.0, 2.0).scaled(3.0).image is texture.image
    assert texture.alpha is not None
    rows, columns = np.nonzero(texture.alpha)
    corners = texture.grid.to_world([(columns.min(), rows.max() + 1), (columns.max() + 1, rows.min())])
    assert corners.tolist() == [[25.0, 10.0], [75.0, 40.0]]
    larger = texture_of(PicturePart(np.ones((100, 20)), 0, 60), picture)
    assert larger.image.shape == (100, 100, 3)

"""Pieces in COCO files: polygons and masks as run lengths."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

from sherd.core.errors import FileFormatError
from sherd.core.grid import Grid
from sherd.io.drawings import ReadParams, is_drawing, read_drawing
from sherd.io.drawings.coco import decode_runs
from sherd.tracing.raster import masks

from .conftest import coco


def packed(counts: list[int]) -> str:
    """Run lengths as text, written after the description of the format."""
    text = ""
    for k, count in enumerate(counts):
        value = count - counts[k - 2] if k > 2 else count
        while True:
            bits, value = value & 31, value >> 5
            more = value != (-1 if bits & 16 else 0)
            text += chr(48 + (bits | 32 if more else bits))
            if not more:
                break
    return text


def run_lengths(mask: np.ndarray) -> list[int]:
    flat = np.concatenate([[False], mask.T.ravel(), [not mask.T.ravel()[-1]]])
    changes = np.flatnonzero(np.diff(flat))
    return np.diff(np.concatenate([[0], changes])).tolist()


@given(st.integers(1, 40), st.integers(1, 40), st.integers(0, 2**32 - 1))
def test_run_lengths_there_and_back(height: int, width: int, seed: int) -> None:
    mask = np.random.default_rng(seed).random((height, width)) < 0.4
    counts = run_lengths(mask)
    assert (decode_runs({"size": [height, width], "counts": counts}) == mask).all()
    assert (decode_runs({"size": [height, width], "counts": packed(counts)}) == mask).all()


def test_coco_polygons_and_masks(tmp_path: Path) -> None:
    piece = shapely.Polygon([(5, 5), (40, 8), (20, 41)])
    mask = masks([piece], Grid(60, 0.0, 50.0, 1.0))[0][:50] >= 0.5
    runs = {"size": [50, 60], "counts": run_lengths(mask)}
    document = coco([[[0, 0, 60, 0, 60, 50, 0, 50]], runs, {**runs, "counts": packed(runs["counts"])}])
    path = tmp_path / "a.json"
    path.write_text(json.dumps(document))
    assert is_drawing(path)
    found = read_drawing(path)
    assert [figure.id for figure in found.figures] == ["target 10", "sherd 11", "sherd 12"]
    assert found.unit == "px"
    assert found.figures[0].polygon.bounds == (0, 0, 60, 50)
    assert [figure.is_target for figure in found.figures] == [True, False, False]
    for figure in found.figures[1:]:
        assert figure.polygon.symmetric_difference(piece).area < 0.01 * piece.area
    in_mm = read_drawing(path, ReadParams(mm_per_px=0.5))
    assert (in_mm.unit, in_mm.figures[0].polygon.area) == ("mm", 750.0)


def test_masks_far_into_a_large_picture_are_read_by_their_boxes(tmp_path: Path) -> None:
    height, width = 4_000, 5_000
    mask = np.zeros((height, width), dtype=bool)
    mask[100:160, 4_900:4_950] = True
    runs = {"size": [height, width], "counts": run_lengths(mask)}
    path = tmp_path / "a.json"
    path.write_text(json.dumps(coco([runs] * 3)))
    assert [figure.polygon.bounds for figure in read_drawing(path).figures] == [
        pytest.approx((4_900, height - 160, 4_950, height - 100), abs=0.5)
    ] * 3


def test_masks_that_are_too_large_together_are_refused_before_they_are_unpacked(tmp_path: Path) -> None:
    runs = {"size": [8_000, 10_000], "counts": [0, 80_000_000]}
    path = tmp_path / "a.json"
    path.write_text(json.dumps(coco([runs] * 20)))
    with pytest.raises(FileFormatError, match="take more than 40 megapixels: save them as polygons"):
        read_drawing(path)

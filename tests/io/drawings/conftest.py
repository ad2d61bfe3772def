"""Drawings that are written by tests, and pieces of which they are made."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import ezdxf
import numpy as np
import pytest
import shapely
from numpy.typing import NDArray
from PIL import Image

from sherd.core.grid import Grid
from sherd.io.drawings import Drawing, read_drawing
from sherd.tracing.raster import masks

SIZE = 300
PIECES = (
    shapely.Polygon([(20, 20), (120, 30), (60, 130)]),
    shapely.Polygon([(160, 20), (280, 20), (280, 120), (200, 120), (200, 60), (160, 60)]),
    shapely.Polygon(
        [(30, 160), (130, 150), (140, 280), (40, 270)], [[(70, 190), (100, 190), (100, 230), (70, 230)]]
    ),
    shapely.Point(220, 220).buffer(50),
)
GRID = Grid(SIZE, 0.0, float(SIZE), 1.0)


def svg_drawing(
    tmp_path: Path, body: str, page: str = 'width="100mm" height="50mm" viewBox="0 0 100 50"'
) -> Drawing:
    path = tmp_path / "a.svg"
    path.write_text(f'<svg xmlns="http://www.w3.org/2000/svg" {page}>{body}</svg>', encoding="utf-8")
    return read_drawing(path)


def only(found: Drawing) -> shapely.Polygon:
    (figure,) = found.figures
    return figure.polygon


def same(first: shapely.Polygon, second: shapely.Polygon, tolerance: float = 1e-9) -> bool:
    return shapely.hausdorff_distance(first.boundary, second.boundary) <= tolerance


def dxf_drawing(tmp_path: Path, draw: Callable[[Any, Any], object], units: int = 4) -> Drawing:
    document = ezdxf.new("R2010")  # pyright: ignore
    document.header["$INSUNITS"] = units
    draw(document.modelspace(), document)
    document.saveas(tmp_path / "a.dxf")
    return read_drawing(tmp_path / "a.dxf")


@pytest.fixture(scope="module")
def cover() -> NDArray[np.float32]:
    """How much of each pixel each piece covers, (pieces, SIZE, SIZE)."""
    return masks(PIECES, GRID)


def check(found: Drawing, most_off_px: float, scale: float = 1.0) -> None:
    """Every piece was found once, its outline off by no more than so many pixels on average."""
    assert len(found.figures) == len(PIECES)
    for piece in PIECES:
        true = shapely.transform(piece, lambda xy: xy * scale)
        figure = max(found.figures, key=lambda figure: figure.polygon.intersection(true).area)
        off = figure.polygon.symmetric_difference(true).area / true.length / scale
        assert off <= most_off_px
        assert len(figure.polygon.interiors) == len(piece.interiors)


def painted(
    cover: NDArray[np.float32], colours: list[tuple[int, ...]], background: tuple[int, ...]
) -> NDArray[np.float64]:
    picture = np.ones((SIZE, SIZE, 3)) * background
    for part, colour in zip(cover, colours, strict=True):
        picture = picture * (1 - part[..., None]) + np.array(colour) * part[..., None]
    return picture


def save(path: Path, values: NDArray[np.generic], **options: object) -> Path:
    Image.fromarray(np.round(np.clip(values, 0, 255)).astype(np.uint8)).save(path, **options)  # pyright: ignore
    return path


def coco(segmentations: list[Any]) -> dict[str, Any]:
    return {
        "images": [{"id": 1, "file_name": "a.png", "width": 60, "height": 50}],
        "categories": [{"id": 3, "name": "sherd"}, {"id": 4, "name": "target"}],
        "annotations": [
            {"id": 10 + k, "image_id": 1, "category_id": 4 if k == 0 else 3, "segmentation": segmentation}
            for k, segmentation in enumerate(segmentations)
        ],
    }

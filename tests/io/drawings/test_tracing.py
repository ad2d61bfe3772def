"""Outlines of large parts of pictures."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import shapely
from PIL import Image

from sherd.core.grid import Grid
from sherd.io.drawings import read_drawing
from sherd.tracing.raster import masks


def test_large_pieces_are_traced_in_no_time(tmp_path: Path) -> None:
    grid = Grid(1500, 0.0, 1500.0, 1.0)
    angle = np.linspace(0, 2 * np.pi, 400)[:-1]
    radius = 600 + 60 * np.sin(9 * angle)
    wavy = shapely.Polygon(np.stack([750 + radius * np.cos(angle), 750 + radius * np.sin(angle)], axis=-1))
    Image.fromarray((masks([wavy], grid)[0] < 0.5).astype(np.uint8) * 255).save(tmp_path / "a.png")
    (figure,) = read_drawing(tmp_path / "a.png").figures
    assert figure.polygon.symmetric_difference(wavy).area / wavy.length < 0.3
    assert len(figure.polygon.exterior.coords) < 500

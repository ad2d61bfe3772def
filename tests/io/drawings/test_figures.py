"""Which shapes are holes of others, and which are pieces."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .conftest import dxf_drawing


def test_a_frame_around_pieces_is_no_plate_with_holes(tmp_path: Path) -> None:
    def draw(space: Any, document: Any) -> None:
        space.add_lwpolyline([(0, 0), (100, 0), (100, 100), (0, 100)], close=True)
        for x, y in ((1, 1), (51, 1), (1, 51), (51, 51)):
            space.add_lwpolyline([(x, y), (x + 48, y), (x + 48, y + 48), (x, y + 48)], close=True)
        space.add_circle((20, 20), 4)

    found = dxf_drawing(tmp_path, draw)
    assert len(found.figures) == 5
    assert sum(len(figure.polygon.interiors) for figure in found.figures) == 1
    assert any(note.startswith("a frame around other shapes") for note in found.notes)


def test_pieces_that_touch_their_frame_are_no_holes(tmp_path: Path) -> None:
    def draw(space: Any, document: Any) -> None:
        space.add_lwpolyline([(0, 0), (100, 0), (100, 100), (0, 100)], close=True)
        space.add_lwpolyline([(0, 0), (30, 0), (0, 30)], close=True)

    assert [figure.polygon.area for figure in dxf_drawing(tmp_path, draw).figures] == [10000.0, 450.0]

"""Lines that become the outlines of pieces."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import svg_drawing


def test_neighbours_drawn_as_crossing_lines_become_pieces(tmp_path: Path) -> None:
    lines = "".join(f'<path d="M{k} 0V30"/><path d="M0 {k}H30"/>' for k in (0, 10, 30))
    found = svg_drawing(tmp_path, lines)
    assert sorted(figure.polygon.area for figure in found.pieces) == pytest.approx([100, 200, 200, 400])

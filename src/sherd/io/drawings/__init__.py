"""Other people's files: SVG, DXF, GeoJSON, WKT, COCO and pictures, read into one kind of drawing.

`read_drawing` gives a `Drawing`; `sherd.workshop` makes puzzles of drawings, and plans of their answers.
"""

from __future__ import annotations

from sherd.io.drawings.model import Drawing, Figure, Unit
from sherd.io.drawings.params import ReadParams
from sherd.io.drawings.read import is_drawing, read_drawing

__all__ = ["Drawing", "Figure", "ReadParams", "Unit", "is_drawing", "read_drawing"]

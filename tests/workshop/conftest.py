"""A drawing of two halves of a square."""

from __future__ import annotations

import shapely

from sherd.io.drawings import Drawing, Figure

LEFT = Figure("left", shapely.box(200, 0, 240, 100), ("tray",))
RIGHT = Figure("right", shapely.box(300, 0, 360, 100), ("tray",))
TARGET = Figure("outline", shapely.box(0, 0, 100, 100), ("Target",))
HALVES = Drawing("halves.svg", (TARGET, LEFT, RIGHT), "mm")

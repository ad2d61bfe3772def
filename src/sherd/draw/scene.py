"""What a picture is made of, apart from how it is written to a file.

A page is measured in pixels, x right and y up like the world, with (0, 0) at its top left corner, so that
everything on it has y <= 0. Only the writers turn y downwards. A layer's frame says where its own
coordinates lie on the page; lengths of strokes and texts are always in page pixels.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from shapely.geometry.base import BaseGeometry

from sherd.core.geometry import Pose
from sherd.core.texture import Texture

Bounds = tuple[float, float, float, float]
IDENTITY = Pose()
POINTS_PER_MM = 72.0 / 25.4  # of pages to print, whose pixels are points


@dataclass(frozen=True, slots=True)
class Paint:
    """Fill and stroke colours as ``#rrggbb`` (None leaves one out), and the stroke's width in pixels."""

    fill: str | None = None
    stroke: str | None = None
    width: float = 1.0


@dataclass(frozen=True)
class Area:
    """Polygons or lines in coordinates of their own, painted, and placed in the layer by a pose.

    An area that stands for a piece carries an ``id``, unique in the picture, and a ``title``. A texture,
    given in the same coordinates as the geometry, replaces the fill.
    """

    geometry: BaseGeometry
    paint: Paint
    pose: Pose = IDENTITY
    id: str | None = None
    title: str = ""
    texture: Texture | None = None


@dataclass(frozen=True, slots=True)
class Text:
    """One line of text, its middle height at ``y``; ``halo`` is the colour of a rim that keeps it legible.

    It is turned by ``angle_deg`` counter-clockwise about (x, y).
    """

    x: float
    y: float
    text: str
    size: float
    colour: str
    anchor: Literal["start", "middle", "end"] = "middle"
    halo: str | None = None
    angle_deg: float = 0.0


@dataclass(frozen=True, slots=True)
class Frame:
    """Where a layer lies on the page: its (0, 0) at (x, y), and ``scale`` pixels to its unit of length."""

    x: float = 0.0
    y: float = 0.0
    scale: float = 1.0

    def to_page(self, points: ArrayLike) -> NDArray[np.float64]:
        """Points of the layer (..., 2) as page coordinates."""
        return np.asarray(points, dtype=np.float64) * self.scale + (self.x, self.y)


PAGE = Frame()


@dataclass(frozen=True)
class Layer:
    """Areas and texts in one frame, drawn in order; the name says what they show."""

    name: str
    items: tuple[Area | Text, ...]
    frame: Frame = PAGE


@dataclass(frozen=True)
class Picture:
    """A white page of ``width`` x ``height`` pixels and its layers, the first one lowest."""

    width: float
    height: float
    layers: tuple[Layer, ...]
    title: str = ""

"""Pictures as pixels, drawn larger and averaged down so that edges are smooth."""

from __future__ import annotations

import io
import math

import numpy as np
import shapely
from PIL import Image, ImageDraw
from shapely import Polygon

from sherd.core.geometry import Pose
from sherd.core.texture import Texture
from sherd.draw.colours import PAGE_COLOUR
from sherd.draw.labels import font
from sherd.draw.scene import Area, Frame, Paint, Picture, Text

FINEST = 4  # subpixels a pixel and direction
FINEST_PAINTED = 2  # where there are photographs, which take long and have edges of their own
MOST_SUBPIXELS = 48_000_000  # bounds memory to about 200 MB; larger pictures are less smooth
LONGEST_PX = 6000
EDGE = 2  # pixels

Points = list[tuple[float, float]]


def to_png(picture: Picture, *, zoom: float = 2.0) -> bytes:
    """The picture as a PNG file of ``zoom`` pixels to the page pixel."""
    stream = io.BytesIO()
    # Photographs hardly get smaller by it, and take seconds.
    to_image(picture, zoom=zoom).save(stream, format="PNG", optimize=not _is_painted(picture))
    return stream.getvalue()


def to_image(picture: Picture, *, zoom: float = 1.0) -> Image.Image:
    """The picture as an RGB image; one too large to be useful is made smaller."""
    zoom = min(zoom, LONGEST_PX / max(picture.width, picture.height))
    width, height = math.ceil(picture.width * zoom), math.ceil(picture.height * zoom)
    finest = FINEST_PAINTED if _is_painted(picture) else FINEST
    finer = max(1, min(finest, math.isqrt(MOST_SUBPIXELS // (width * height))))
    image = Image.new("RGB", (width * finer, height * finer), PAGE_COLOUR)
    canvas = _Canvas(image, zoom * finer)
    for layer in picture.layers:
        for item in layer.items:
            if isinstance(item, Text):
                canvas.text(item, layer.frame)
            else:
                canvas.area(item, layer.frame)
    return image.reduce(finer)


def _is_painted(picture: Picture) -> bool:
    return any(
        isinstance(item, Area) and item.texture is not None
        for layer in picture.layers
        for item in layer.items
    )


class _Canvas:
    """An image to draw on, with ``subpixels`` of it to the page pixel."""

    def __init__(self, image: Image.Image, subpixels: float) -> None:
        self._image = image
        self._draw = ImageDraw.Draw(image)
        self._subpixels = subpixels

    def _to_image(self, points: object, frame: Frame) -> Points:
        page = frame.to_page(np.asarray(points))
        # Pillow puts whole numbers at the middle of a pixel.
        image = page * (self._subpixels, -self._subpixels) - 0.5
        return list(map(tuple, image.tolist()))

    def area(self, area: Area, frame: Frame) -> None:
        for part in shapely.get_parts(area.geometry).tolist():
            if isinstance(part, Polygon):
                rings = [
                    self._to_image(area.pose.points(ring.coords), frame)
                    for ring in (part.exterior, *part.interiors)
                ]
                if area.texture is not None:
                    self._cover(rings, self._painting(area.texture, area.pose, frame, *_box(rings[0])))
                elif area.paint.fill is not None:
                    self._cover(rings, area.paint.fill)
                for ring in rings:
                    self._line([*ring, ring[1]], area.paint)  # once around and on, to join the ends
            else:
                self._line(self._to_image(area.pose.points(part.coords), frame), area.paint)

    def _cover(self, rings: list[Points], what: str | Image.Image) -> None:
        """Fill an outline less its holes with a colour, or with an image of the outline's box."""
        if len(rings) == 1 and isinstance(what, str):
            self._draw.polygon(rings[0], fill=what)
            return
        left, top, width, height = _box(rings[0])
        mask = Image.new("1", (width, height), 0)
        pen = ImageDraw.Draw(mask)
        for k, ring in enumerate(rings):
            pen.polygon([(x - left, y - top) for x, y in ring], fill=int(k == 0))
        self._image.paste(what, (left, top), mask)

    def _painting(
        self, texture: Texture, pose: Pose, frame: Frame, left: int, top: int, width: int, height: int
    ) -> Image.Image:
        """A texture as it appears in a box of the canvas."""
        corners = np.array([[left, top], [left + 1, top], [left, top + 1]], dtype=np.float64)
        layer = (corners / (self._subpixels, -self._subpixels) - (frame.x, frame.y)) / frame.scale
        origin, right, down = texture.grid.to_pixels(pose.inverse().points(layer))
        (a, d), (b, e), (c, f) = (right - origin).tolist(), (down - origin).tolist(), origin.tolist()
        # A border of the outermost pixels, since what lies beyond the picture would come out black.
        padded = np.pad(texture.image, ((EDGE, EDGE), (EDGE, EDGE), (0, 0)), mode="edge")
        return Image.fromarray(padded).transform(
            (width, height),
            Image.Transform.AFFINE,
            (a, b, c + EDGE, d, e, f + EDGE),
            resample=Image.Resampling.BILINEAR,
        )

    def _line(self, points: Points, paint: Paint) -> None:
        if paint.stroke is not None:
            width = max(1, round(paint.width * self._subpixels))
            self._draw.line(points, fill=paint.stroke, width=width, joint="curve")

    def text(self, text: Text, frame: Frame) -> None:
        ((x, y),) = self._to_image([(text.x, text.y)], frame)
        size = text.size * self._subpixels
        if not text.angle_deg:
            _write(self._draw, x, y, text, size)
            return
        # A layer with the text's origin in the middle, to be turned about it. What is transparent has the
        # colour of the text's rim, lest smooth edges mix with another.
        reach = math.ceil(font(size).getlength(text.text) + size)
        layer = Image.new("RGBA", (2 * reach + 1, 2 * reach + 1), (text.halo or text.colour) + "00")
        _write(ImageDraw.Draw(layer), reach, reach, text, size)
        layer = layer.rotate(text.angle_deg, Image.Resampling.BICUBIC)
        self._image.paste(layer, (round(x) - reach, round(y) - reach), layer)


def _write(draw: ImageDraw.ImageDraw, x: float, y: float, text: Text, size: float) -> None:
    """Set a text upright at (x, y) of an image, in a size in pixels of that image."""
    draw.text(
        (x, y + 0.35 * size),
        text.text,
        fill=text.colour,
        font=font(size),
        anchor={"start": "ls", "middle": "ms", "end": "rs"}[text.anchor],
        stroke_width=0 if text.halo is None else 0.125 * size,
        stroke_fill=text.halo,
    )


def _box(ring: Points) -> tuple[int, int, int, int]:
    """Left, top, width and height in whole pixels of the box around a ring."""
    corners = np.array(ring)
    left, top = np.floor(corners.min(axis=0)).astype(int).tolist()
    right, bottom = np.ceil(corners.max(axis=0)).astype(int).tolist()
    return left, top, right - left + 1, bottom - top + 1

"""Pictures as SVG text, exact: every coordinate is written so that it reads back as the same float."""

from __future__ import annotations

import base64
import io
import itertools
import re
from collections.abc import Iterable, Iterator
from xml.sax.saxutils import escape, quoteattr

import shapely
from PIL import Image
from shapely import Polygon
from shapely.geometry.base import BaseGeometry

from sherd.core.texture import Texture
from sherd.draw.colours import PAGE_COLOUR
from sherd.draw.scene import IDENTITY, Area, Layer, Paint, Picture, Text

FONT_FAMILY = "Helvetica, Arial, sans-serif"
# Characters that no XML document may hold, not even escaped; lone surrogates among them.
FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def to_svg(picture: Picture) -> str:
    """The picture as an SVG document.

    Each piece is ``<g id="ITS-ID" transform="matrix(a,b,c,d,e,f)">`` around a path in the piece's own
    coordinates; the matrix is its pose in the layer's coordinates (for an assembly, the target's).
    """
    width, height = number_in_svg(picture.width), number_in_svg(picture.height)
    clips = _clip_ids(picture)
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="{FONT_FAMILY}" stroke-linejoin="round" '
        'xml:space="preserve">',
        *([f"<title>{xml_text(picture.title)}</title>"] if picture.title else []),
        f'<rect width="{width}" height="{height}" fill="{PAGE_COLOUR}"/>',
        '<g transform="matrix(1,0,0,-1,0,0)">',
        *(line for layer in picture.layers for line in _layer(layer, clips)),
        "</g>",
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _layer(layer: Layer, clips: Iterator[str]) -> Iterable[str]:
    frame = layer.frame
    matrix = matrix_in_svg(frame.scale, 0.0, 0.0, frame.scale, frame.x, frame.y)
    yield f"<g class={xml_attribute(layer.name)} transform={matrix}>"
    for item in layer.items:
        yield _label(item, frame.scale) if isinstance(item, Text) else _area(item, frame.scale, clips)
    yield "</g>"


def _area(area: Area, scale: float, clips: Iterator[str]) -> str:
    outline = path_in_svg(area.geometry)
    drawn = f'<path d="{outline}"{_paint(area.paint, scale)}/>'
    if area.texture is not None:
        stroked = Paint(stroke=area.paint.stroke, width=area.paint.width)
        drawn = _image(area.texture, outline, next(clips)) + f'<path d="{outline}"{_paint(stroked, scale)}/>'
    if not area.id and area.pose == IDENTITY:
        return drawn
    name = f" id={xml_attribute(area.id)}" if area.id else ""
    title = f"<title>{xml_text(area.title)}</title>" if area.title else ""
    return f"<g{name} transform={matrix_in_svg(*area.pose.matrix)}>{title}{drawn}</g>"


def _image(texture: Texture, outline: str, clip: str) -> str:
    """The texture's picture, cut to the outline; its rows run downwards, so it is turned over."""
    stream = io.BytesIO()
    Image.fromarray(texture.image).save(stream, format="PNG")
    data = base64.b64encode(stream.getvalue()).decode()
    grid = texture.grid
    side = number_in_svg(grid.size_px * grid.pixel)
    return (
        f'<clipPath id={xml_attribute(clip)}><path d="{outline}" clip-rule="evenodd"/></clipPath>'
        f'<g clip-path={xml_attribute(f"url(#{clip})")}><image x="{number_in_svg(grid.left)}" '
        f'y="{number_in_svg(-grid.top)}" width="{side}" height="{side}" preserveAspectRatio="none" '
        f'transform="matrix(1,0,0,-1,0,0)" href="data:image/png;base64,{data}"/></g>'
    )


def _clip_ids(picture: Picture) -> Iterator[str]:
    """Ids for clip paths that no piece of the picture has."""
    taken = {item.id for layer in picture.layers for item in layer.items if isinstance(item, Area)}
    return (name for k in itertools.count() if (name := f"clip-{k}") not in taken)


def _label(text: Text, scale: float) -> str:
    # The font keeps its size in pixels, since renderers are poor at fonts of a small fraction of a unit.
    place = matrix_in_svg(1.0 / scale, 0.0, 0.0, -1.0 / scale, text.x, text.y)
    if text.angle_deg:
        place = f'{place[:-1]} rotate({number_in_svg(-text.angle_deg)})"'  # y points down in here
    halo = ""
    if text.halo is not None:
        width = number_in_svg(0.25 * text.size)
        halo = f' stroke="{text.halo}" stroke-width="{width}" paint-order="stroke"'
    return (
        f'<text transform={place} dy="0.35em" font-size="{number_in_svg(text.size)}" fill="{text.colour}" '
        f'text-anchor="{text.anchor}"{halo}>{xml_text(text.text)}</text>'
    )


def _paint(paint: Paint, scale: float) -> str:
    fill = f' fill="{paint.fill or "none"}"'
    if paint.fill is not None:
        fill += ' fill-rule="evenodd"'
    if paint.stroke is None:
        return fill
    return f'{fill} stroke="{paint.stroke}" stroke-width="{number_in_svg(paint.width / scale)}"'


def path_in_svg(geometry: BaseGeometry) -> str:
    """Rings closed by Z, without repeating their first vertex; lines left open."""
    steps: list[str] = []
    for part in shapely.get_parts(geometry).tolist():
        if isinstance(part, Polygon):
            for ring in (part.exterior, *part.interiors):
                steps.append(_moves(list(ring.coords)[:-1]) + "Z")
        else:
            steps.append(_moves(part.coords))
    return "".join(steps)


def _moves(points: Iterable[tuple[float, ...]]) -> str:
    return "M" + "L".join(f"{number_in_svg(x)},{number_in_svg(y)}" for x, y in points)


def matrix_in_svg(*values: float) -> str:
    """The value of an attribute ``transform``, in its quotes."""
    return f'"matrix({",".join(map(number_in_svg, values))})"'


def number_in_svg(value: float) -> str:
    """The shortest decimal that reads back as the same float."""
    return repr(float(value)).removesuffix(".0")


def xml_text(text: str) -> str:
    """The text with what XML reads otherwise escaped, and what it cannot hold replaced."""
    return escape(FORBIDDEN.sub("\ufffd", text))


def xml_attribute(text: str) -> str:
    """The same as the value of an attribute, in its quotes."""
    return quoteattr(FORBIDDEN.sub("\ufffd", text))

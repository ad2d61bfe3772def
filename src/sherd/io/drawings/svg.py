"""Drawings in SVG: shapes, groups, transforms and copies, in the unit that the page has.

Read are path, polygon, polyline, line, rect, circle and ellipse, in groups, links, nested drawings and
symbols, copied by ``use`` from within the same file. Text, images, clipping and style sheets are not.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from sherd.core.errors import FileFormatError
from sherd.io.drawings.curves import Affine, Arc, Line, Path, polyline
from sherd.io.drawings.figures import Notes
from sherd.io.drawings.model import MM_PER, Unit, clean_name
from sherd.io.drawings.strokes import Stroke
from sherd.io.drawings.svg_paths import path_data
from sherd.io.drawings.svg_values import length, numbers, transform
from sherd.io.drawings.xml import Element, parse_xml

# Copies of copies can grow without bounds: how deep they may be, and the most elements that are drawn.
MOST_COPIES_DEEP = 20
MOST_DRAWN = 100_000
SAY_HIDDEN = {"style", "display", "visibility"}
MOST_BYTES = 64 * 2**20

GROUPS = frozenset(("g", "a", "switch"))
NOT_DRAWN = frozenset((
    "defs", "symbol", "clipPath", "mask", "pattern", "marker", "linearGradient", "radialGradient",
    "filter", "style", "script", "metadata", "title", "desc", "namedview", "foreignObject", "font",
    "glyph",
))  # fmt: skip
NOT_READ = frozenset(("text", "image", "textPath", "video"))


@dataclass(frozen=True)
class _Place:
    """Where in the tree the reader is."""

    to_world: Affine
    groups: tuple[str, ...] = ()
    name: str = ""
    copies: int = 0

    def within(self, name: str, by: Affine) -> _Place:
        groups = (*self.groups, name) if name else self.groups
        return replace(self, groups=groups, to_world=self.to_world @ by, name="")


def read_svg(data: bytes, unit: str | None, notes: Notes) -> tuple[list[Stroke], Unit]:
    """The strokes of a drawing with y up, in mm if the page has a physical size, else in px.

    A given unit is that of the numbers in the file, whatever the page says.
    """
    root = parse_xml(data, MOST_BYTES)
    if root.tag != "svg":
        raise FileFormatError(f"{root.line}: the file holds <{clean_name(root.tag)[:40]}>, not a drawing")
    reader = _SvgReader(root, notes)
    if unit is not None:
        scale = MM_PER[unit]
        to_world, found = Affine(scale, 0.0, 0.0, -scale), "mm"
    else:
        to_world, found = _page(root, notes)
    reader.count(root)
    inside = _Place(to_world)
    strokes = [stroke for child in root.children for stroke in reader.strokes(child, inside)]
    return strokes, found


def _page(root: Element, notes: Notes) -> tuple[Affine, Unit]:
    """From the numbers in the file to the world: the page's lower left corner is at (0, 0)."""
    box = _view_box(root)
    (width, width_unit), (height, height_unit) = (_size(root, name) for name in ("width", "height"))
    if width is None and height is None and box is None:
        return Affine(1.0, 0.0, 0.0, -1.0), "px"
    given = (width, height)
    ratio = box[2] / box[3] if box is not None else 1.0
    if width is None:
        width = box[2] if height is None and box is not None else (height or 0.0) * ratio
    if height is None:
        height = width / ratio
    physical = [unit for unit in (width_unit, height_unit) if unit not in ("", "px", "%")]
    if physical and width_unit != height_unit and None not in given:
        notes.add("mixed units", f"the page is {root.attributes['width']} by {root.attributes['height']}")
    scale = MM_PER["px"] if physical else 1.0
    fit = Affine()
    if box is not None:
        fit = _fitted(box, width, height, root.attributes.get("preserveAspectRatio", ""))
        if abs(width / box[2] - height / box[3]) > 0.01 * max(width / box[2], height / box[3]):
            notes.add("the page's size and its viewBox differ in shape", "the unit may be wrong")
    return Affine(scale, 0.0, 0.0, -scale, 0.0, height * scale) @ fit, "mm" if physical else "px"


def _size(element: Element, name: str) -> tuple[float | None, str]:
    """Width or height in px and its unit; None where it is not given, or is a share of something unknown."""
    try:
        value, unit = length(element.attributes.get(name))
    except ValueError:
        return None, ""
    return (value, unit) if 0.0 < value < np.inf else (None, unit)


def _view_box(element: Element) -> tuple[float, float, float, float] | None:
    try:
        x, y, width, height = numbers(element.attributes.get("viewBox", ""))
    except ValueError:
        return None
    return (x, y, width, height) if 0.0 < width < np.inf and 0.0 < height < np.inf else None


def _fitted(box: tuple[float, float, float, float], width: float, height: float, keep: str) -> Affine:
    """From the view box to a rectangle at (0, 0), as preserveAspectRatio says."""
    scale_x, scale_y = width / box[2], height / box[3]
    words = keep.split()
    align = words[0] if words else "xMidYMid"
    if align != "none":
        scale_x = scale_y = max(scale_x, scale_y) if "slice" in words else min(scale_x, scale_y)
    shares = {"Min": 0.0, "Mid": 0.5, "Max": 1.0}
    share_x, share_y = shares.get(align[1:4], 0.5), shares.get(align[5:8], 0.5)
    left = (width - box[2] * scale_x) * share_x - box[0] * scale_x
    top = (height - box[3] * scale_y) * share_y - box[1] * scale_y
    return Affine(scale_x, 0.0, 0.0, scale_y, left, top)


class _SvgReader:
    def __init__(self, root: Element, notes: Notes) -> None:
        self._notes = notes
        self._drawn = 0
        self._elements = 0
        self._by_id: dict[str, Element] = {}
        waiting = [root]
        while waiting:
            element = waiting.pop()
            if "id" in element.attributes:
                self._by_id.setdefault(element.attributes["id"], element)
            waiting += element.children

    def count(self, root: Element) -> None:
        """`FileFormatError` if copies make too many of the elements, before a shape is made."""
        counts: dict[int, int] = {}

        def drawn(element: Element, depth: int) -> int:
            if depth > MOST_COPIES_DEEP:
                raise FileFormatError(_copied_too_deep(element))
            if _is_hidden(element):
                return 1
            known = counts.get(id(element))
            if known is None:
                known = 1
                for child in element.children:
                    known += 1 if child.tag in NOT_DRAWN else drawn(child, depth)
                if element.tag == "use":
                    original = self._by_id.get(element.attributes.get("href", "")[1:])
                    known += 0 if original is None else drawn(original, depth + 1)
                counts[id(element)] = known
            return known

        if drawn(root, 0) > MOST_DRAWN:
            raise FileFormatError(_too_many(root))

    def strokes(self, element: Element, place: _Place) -> Iterator[Stroke]:
        """All strokes of an element and what is in it."""
        self._drawn += 1
        if self._drawn > MOST_DRAWN:
            raise FileFormatError(_too_many(element))
        if element.tag in NOT_DRAWN or _is_hidden(element):
            return
        name = place.name or _name(element)
        if element.tag in NOT_READ:
            self._notes.add(f"left out ({element.tag}, not a shape)", name or f"line {element.line}")
            return
        try:
            by = transform(element.attributes.get("transform", ""))
            if element.tag in GROUPS:
                place = place.within(name, by)
            elif element.tag == "svg":
                place = place.within(name, by @ _nested(element, {}))
            elif element.tag == "use":
                yield from self._copy(element, replace(place, to_world=place.to_world @ by, name=name))
                return
            else:
                yield from self._shape(element, replace(place, to_world=place.to_world @ by, name=name))
                return
        except ValueError as error:
            self._notes.add(f"left out ({error})", name or f"<{element.tag}> on line {element.line}")
            return
        for child in element.children:
            yield from self.strokes(child, place)

    def _shape(self, element: Element, place: _Place) -> Iterator[Stroke]:
        make = _SHAPES.get(element.tag)
        if make is None:
            return
        self._elements += 1
        number = self._elements
        for path in make(element):
            yield Stroke(path.moved(place.to_world), place.name, place.groups, number)

    def _copy(self, element: Element, place: _Place) -> Iterator[Stroke]:
        link = element.attributes.get("href", "")
        if not link.startswith("#"):
            self._notes.add("left out (other files are not opened)", place.name or link)
            return
        original = self._by_id.get(link[1:])
        if original is None:
            self._notes.add(f"left out (there is no {clean_name(link)!r} to copy)", place.name)
            return
        if place.copies >= MOST_COPIES_DEEP:
            raise FileFormatError(_copied_too_deep(element))
        at = Affine(e=_length(element, "x"), f=_length(element, "y"))
        place = replace(place, to_world=place.to_world @ at, copies=place.copies + 1)
        if original.tag in ("symbol", "svg"):
            if _is_hidden(original):
                return
            name = place.name or _name(original)
            inside = place.within(name, _nested(original, element.attributes))
            for child in original.children:
                yield from self.strokes(child, inside)
        else:
            yield from self.strokes(original, place)


def _too_many(element: Element) -> str:
    return f"{element.line}: more than {MOST_DRAWN:,} shapes, counting copies"


def _copied_too_deep(element: Element) -> str:
    return f"{element.line}: copies of copies more than {MOST_COPIES_DEEP} deep"


def _name(element: Element) -> str:
    title = next((child.text for child in element.children if child.tag == "title"), "")
    label = element.attributes.get("inkscape:label", "")
    return clean_name(label) or clean_name(title) or clean_name(element.attributes.get("id", ""))


def _is_hidden(element: Element) -> bool:
    if not SAY_HIDDEN & element.attributes.keys():
        return False
    said = dict(element.attributes)
    for rule in said.get("style", "").split(";"):
        key, _, value = rule.partition(":")
        said[key.strip()] = value.strip()
    return said.get("display") == "none" or said.get("visibility") in ("hidden", "collapse")


def _nested(element: Element, outer: dict[str, str]) -> Affine:
    """The frame of a drawing or symbol inside the drawing; a copy may say how large it is to be."""
    said = {**element.attributes, **{k: v for k, v in outer.items() if k in ("width", "height")}}
    sized = replace(element, attributes=said)
    shift = Affine()
    if element.tag == "svg":
        shift = Affine(e=_length(element, "x"), f=_length(element, "y"))
    box = _view_box(sized)
    if box is None:
        return shift
    width, height = _size(sized, "width")[0] or box[2], _size(sized, "height")[0] or box[3]
    return shift @ _fitted(box, width, height, said.get("preserveAspectRatio", ""))


def _length(element: Element, name: str, default: float = 0.0) -> float:
    text = element.attributes.get(name)
    if text is None or text.strip() in ("", "auto"):
        return default
    value, unit = length(text)
    if unit == "%" or not np.isfinite(value):
        raise ValueError(f"{name} is {text[:20]!r}, which cannot be told")
    return value


def _path(element: Element) -> list[Path]:
    return path_data(element.attributes.get("d", ""))


def _points(element: Element) -> list[Path]:
    values = numbers(element.attributes.get("points", ""))
    if len(values) < 4:
        return []
    points = np.reshape(values[: len(values) // 2 * 2], (-1, 2))
    return [polyline(points, element.tag == "polygon")]


def _line(element: Element) -> list[Path]:
    x1, y1, x2, y2 = (_length(element, name) for name in ("x1", "y1", "x2", "y2"))
    return [polyline([[x1, y1], [x2, y2]])]


def _rect(element: Element) -> list[Path]:
    x, y, width, height = (_length(element, name) for name in ("x", "y", "width", "height"))
    if width <= 0.0 or height <= 0.0:
        return []
    radius_x, radius_y = _length(element, "rx", -1.0), _length(element, "ry", -1.0)
    radius_x = radius_y if radius_x < 0.0 else radius_x
    radius_y = radius_x if radius_y < 0.0 else radius_y
    radius_x, radius_y = min(max(radius_x, 0.0), width / 2.0), min(max(radius_y, 0.0), height / 2.0)
    right, bottom = x + width, y + height
    if radius_x == 0.0 or radius_y == 0.0:
        return [polyline([[x, y], [right, y], [right, bottom], [x, bottom]], closed=True)]
    u, v = np.array([radius_x, 0.0]), np.array([0.0, radius_y])
    corners = (
        (right - radius_x, y + radius_y, -0.5, (right, y + radius_y)),
        (right - radius_x, bottom - radius_y, 0.0, (right - radius_x, bottom)),
        (x + radius_x, bottom - radius_y, 0.5, (x, bottom - radius_y)),
        (x + radius_x, y + radius_y, 1.0, (x + radius_x, y)),
    )
    curves: list[Line | Arc] = []
    for centre_x, centre_y, start, end in corners:
        arc = Arc(
            np.array([centre_x, centre_y]), u, v, start * np.pi, np.pi / 2.0, np.array(end, dtype=np.float64)
        )
        curves += [Line(arc.at([arc.start])), arc]
    return [Path(np.array([x + radius_x, y]), tuple(curves), True)]


def _ellipse(element: Element) -> list[Path]:
    centre = [_length(element, "cx"), _length(element, "cy")]
    if element.tag == "circle":
        radius_x = radius_y = _length(element, "r")
    else:
        radius_x, radius_y = _length(element, "rx"), _length(element, "ry")
    if radius_x <= 0.0 or radius_y <= 0.0:
        return []
    return [ellipse(centre, radius_x, radius_y)]


def ellipse(centre: object, radius_x: float, radius_y: float) -> Path:
    """A whole ellipse along the axes as a closed path."""
    arc = Arc.ellipse(centre, radius_x, radius_y)
    start = arc.at(0.0)
    return Path(start, (replace(arc, last=start),), True)


_SHAPES = {
    "path": _path,
    "polygon": _points,
    "polyline": _points,
    "line": _line,
    "rect": _rect,
    "circle": _ellipse,
    "ellipse": _ellipse,
}

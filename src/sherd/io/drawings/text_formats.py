"""Shapes as text: WKT, one a line or in a column of a CSV table, and GeoJSON."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import shapely
from shapely import LineString, MultiLineString, MultiPolygon, Polygon
from shapely.geometry.base import BaseGeometry

from sherd.core.errors import FileFormatError
from sherd.io.document import is_list, is_object
from sherd.io.drawings.curves import Path, polyline
from sherd.io.drawings.figures import SEVERAL_PARTS, Notes
from sherd.io.drawings.model import Figure, clean_name
from sherd.io.drawings.strokes import Stroke

MOST_DEPTH = 20
GEOMETRY_COLUMNS = ("wkt", "geometry", "geom", "the_geom", "wkt_geom")
NAME_KEYS = ("name", "id", "label", "title", "fid")
LAYER_KEYS = ("layer", "group", "class", "category")


def read_wkt(text: str, notes: Notes) -> list[Stroke]:
    """One geometry a line; empty lines and those that begin with # are skipped."""
    strokes: list[Stroke] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip() and not line.lstrip().startswith("#"):
            geometry = _geometry(line.strip(), number)
            strokes += _strokes(geometry, f"line {number}", (), len(strokes), notes)
    return strokes


def read_csv(text: str, notes: Notes) -> list[Stroke]:
    """The rows of a table with a heading: a column wkt or geometry, and perhaps id or name, and layer."""
    before = csv.field_size_limit(max(len(text), 1))
    try:
        return _table(text, notes)
    except csv.Error as error:
        raise FileFormatError(f"1: not a CSV table: {error}") from None
    finally:
        csv.field_size_limit(before)


def _table(text: str, notes: Notes) -> list[Stroke]:
    first = text.split("\n", 1)[0]
    delimiter = max(",;\t", key=first.count)
    rows = csv.reader(text.splitlines(), delimiter=delimiter)
    heading = [column.strip().casefold() for column in next(rows, list[str]())]
    geometry_at = next((heading.index(name) for name in GEOMETRY_COLUMNS if name in heading), None)
    if geometry_at is None:
        raise FileFormatError("1: the table has no column named wkt or geometry")
    name_at = next((heading.index(name) for name in NAME_KEYS if name in heading), None)
    layer_at = next((heading.index(name) for name in LAYER_KEYS if name in heading), None)
    strokes: list[Stroke] = []
    for row in rows:
        if not any(cell.strip() for cell in row):
            continue
        if len(row) <= geometry_at:
            raise FileFormatError(f"{rows.line_num}: the row ends before the column {heading[geometry_at]!r}")
        name = row[name_at] if name_at is not None and len(row) > name_at else ""
        layer = clean_name(row[layer_at]) if layer_at is not None and len(row) > layer_at else ""
        geometry = _geometry(row[geometry_at].strip(), rows.line_num)
        strokes += _strokes(
            geometry, name or f"line {rows.line_num}", (layer,) if layer else (), len(strokes), notes
        )
    return strokes


def _geometry(text: str, line: int) -> BaseGeometry:
    if text[:5].upper() == "SRID=":
        text = text.partition(";")[2]
    depth = deepest = 0
    for character in text:
        depth += (character == "(") - (character == ")")
        deepest = max(deepest, depth)
    if deepest > MOST_DEPTH:  # before a recursive parser sees it
        raise FileFormatError(f"{line}: nested too deeply")
    try:
        with np.errstate(all="ignore"):  # numbers beyond all measure are found later
            geometry = shapely.from_wkt(text)
    except (shapely.GEOSException, ValueError, UnicodeEncodeError) as error:
        reason = clean_name(str(error).removeprefix("ParseException: "))
        raise FileFormatError(f"{line}: not WKT: {reason}") from None
    return geometry


def _strokes(
    geometry: BaseGeometry, name: str, groups: tuple[str, ...], first: int, notes: Notes
) -> Iterator[Stroke]:
    """The rings of a geometry; parts of a collection are elements of their own."""
    if isinstance(geometry, MultiPolygon):
        _note_parts(len(geometry.geoms), name, groups, notes)
    for number, part in enumerate(_simple_parts(geometry)):
        element = first + number + 1
        if isinstance(part, Polygon):
            for ring in (part.exterior, *part.interiors):
                yield Stroke(polyline(shapely.get_coordinates(ring), True), name, groups, element)
        elif isinstance(part, LineString) and not part.is_empty:
            yield Stroke(polyline(shapely.get_coordinates(part)), name, groups, element)
        else:
            notes.add(f"left out (a {part.geom_type.lower()})", name)


def _note_parts(parts: int, name: str, groups: tuple[str, ...], notes: Notes) -> None:
    if parts > 1 and not Figure(name, Polygon(), groups).is_target:
        notes.add(SEVERAL_PARTS, name)


def _simple_parts(geometry: BaseGeometry) -> Iterator[BaseGeometry]:
    if isinstance(geometry, (MultiPolygon, MultiLineString)) or geometry.geom_type == "GeometryCollection":
        for part in shapely.get_parts(geometry):
            yield from _simple_parts(part)
    elif isinstance(geometry, Polygon) and geometry.is_empty:
        return
    else:
        yield geometry


def read_geojson(document: Any, notes: Notes) -> list[Stroke]:
    """The polygons and closed lines of a GeoJSON document, its coordinates taken as plain x and y."""
    strokes: list[Stroke] = []
    for number, (geometry, properties) in enumerate(_features(document, {}, 0)):
        name = next((str(properties[key]) for key in NAME_KEYS if properties.get(key) not in (None, "")), "")
        layer = next(
            (str(properties[key]) for key in LAYER_KEYS if properties.get(key) not in (None, "")), ""
        )
        groups = (clean_name(layer),) if clean_name(layer) else ()
        where = name or f"feature {number + 1}"
        if geometry["type"] == "MultiPolygon":
            _note_parts(len(_list(geometry, "coordinates")), where, groups, notes)
        for rings, closed in _shapes(geometry, where, notes):
            element = len(strokes) + 1
            strokes += [Stroke(_path(ring, closed, where), where, groups, element) for ring in rings]
    return strokes


def _features(
    item: Any, properties: dict[str, Any], depth: int
) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    if depth > MOST_DEPTH:
        raise FileFormatError("nested too deeply")
    if not is_object(item):
        raise FileFormatError(f"expected a GeoJSON object, not {json.dumps(item)[:40]}")
    match item.get("type"):
        case "FeatureCollection":
            for feature in _list(item, "features"):
                yield from _features(feature, {}, depth + 1)
        case "GeometryCollection":
            for geometry in _list(item, "geometries"):
                yield from _features(geometry, properties, depth + 1)
        case "Feature":
            own = {"id": item.get("id")}
            if is_object(said := item.get("properties")):
                own |= said
            if item.get("geometry") is not None:
                yield from _features(item["geometry"], own, depth + 1)
        case str():
            yield item, properties
        case _:
            raise FileFormatError("a GeoJSON object without a type")


def _list(item: dict[str, Any], key: str) -> list[Any]:
    found = item.get(key)
    if not is_list(found):
        raise FileFormatError(f"a {item['type']} whose {key!r} is not a list")
    return found


def _shapes(geometry: dict[str, Any], name: str, notes: Notes) -> Iterator[tuple[list[Any], bool]]:
    """Lists of rings, each list one shape, and whether they are closed by what they are."""
    match geometry["type"]:
        case "Polygon":
            yield _list(geometry, "coordinates"), True
        case "MultiPolygon":
            for rings in _list(geometry, "coordinates"):
                yield rings if is_list(rings) else [rings], True
        case "LineString":
            yield [_list(geometry, "coordinates")], False
        case "MultiLineString":
            for line in _list(geometry, "coordinates"):
                yield [line], False
        case "Point" | "MultiPoint":
            notes.add(f"left out (a {geometry['type'].lower()})", name)
        case other:
            raise FileFormatError(f"{clean_name(other)[:40]!r} is not a type of GeoJSON")


def _path(ring: Any, closed: bool, name: str) -> Path:
    try:
        points = np.array([[float(place[0]), float(place[1])] for place in ring], dtype=np.float64)
    except (TypeError, ValueError, IndexError, KeyError, OverflowError):
        raise FileFormatError(f"{clean_name(name)}: the coordinates are not a list of [x, y]") from None
    if len(points) == 0:
        raise FileFormatError(f"{clean_name(name)}: the outline is empty")
    return polyline(points, closed)

"""Pieces as text: WKT, tables and GeoJSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import shapely

from sherd.core.errors import FileFormatError
from sherd.io.drawings import ReadParams, is_drawing, read_drawing

from .conftest import coco

RING = shapely.Polygon([(0, 0), (9, 0), (9, 9), (0, 9)], [[(1, 1), (3, 1), (3, 3), (1, 3)]])


TRIANGLE = shapely.Polygon([(20, 0), (29.5, 1), (20, 9)])


def equal(first: shapely.Polygon, second: shapely.Polygon) -> bool:
    return first.equals_exact(second, 1e-9, normalize=True)


def test_wkt_one_a_line(tmp_path: Path) -> None:
    path = tmp_path / "a.wkt"
    path.write_text(
        f"# pieces\n{RING.wkt}\n\nSRID=4326;{TRIANGLE.wkt}\n"
        "MULTIPOLYGON (((40 0, 41 0, 40 1, 40 0)), ((50 0, 51 0, 50 1, 50 0)))\n"
        "POINT (1 1)\nLINESTRING (60 0, 61 0, 60 1, 60 0)\nPOLYGON EMPTY\n",
        encoding="utf-8-sig",
    )
    found = read_drawing(path)
    assert [figure.id for figure in found.figures] == ["line 2", "line 4", "line 5", "line 5.2", "line 7"]
    assert equal(found.figures[0].polygon, RING)
    assert equal(found.figures[1].polygon, TRIANGLE)
    assert found.unit == "unknown"
    assert "left out (a point): line 6" in found.notes


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_table(tmp_path: Path, delimiter: str) -> None:
    rows = [
        ["Name", "layer", "WKT"],
        ['the "left" one 🐢', "tray", f'"{RING.wkt}"'],
        ["b", "Target", f'"{TRIANGLE.wkt}"'],
    ]
    rows[1][0] = '"the ""left"" one 🐢"'
    path = tmp_path / "a.csv"
    path.write_text("\n".join(delimiter.join(row) for row in rows) + "\n\n", encoding="utf-8")
    found = read_drawing(path, ReadParams(unit="cm"))
    assert [(figure.id, figure.groups) for figure in found.figures] == [
        ('the "left" one 🐢', ("tray",)),
        ("b", ("Target",)),
    ]
    assert found.figures[0].polygon.area == pytest.approx(RING.area * 100.0)
    assert (found.unit, len(found.targets)) == ("mm", 1)


def test_long_cells_are_read(tmp_path: Path) -> None:
    circle = shapely.Point(0, 0).buffer(5, quad_segs=4000)
    (tmp_path / "a.csv").write_text(f'id,geometry\n1,"{circle.wkt}"\n')
    assert equal(read_drawing(tmp_path / "a.csv").figures[0].polygon, circle)


def _feature(polygon: shapely.Polygon, **properties: Any) -> dict[str, Any]:
    return {"type": "Feature", "properties": properties, "geometry": shapely.geometry.mapping(polygon)}


def test_geojson(tmp_path: Path) -> None:
    many = shapely.MultiPolygon([shapely.box(40, 0, 41, 1), shapely.box(50, 0, 51, 1)])
    document = {
        "type": "FeatureCollection",
        "features": [
            _feature(RING, name="ring", layer="tray"),
            {**_feature(TRIANGLE), "id": 7},
            _feature(many, label="two"),
            {"type": "Feature", "properties": None, "geometry": None},
            {"type": "Feature", "properties": {}, "geometry": {"type": "Point", "coordinates": [0, 0]}},
            {
                "type": "Feature",
                "properties": {"id": "T"},
                "geometry": {
                    "type": "LineString",
                    "coordinates": [[60, 0, 5], [61, 0, 5], [60, 1, 5], [60, 0, 5]],
                },
            },
        ],
    }
    for name in ("a.geojson", "a.json"):
        path = tmp_path / name
        path.write_text(json.dumps(document))
        assert is_drawing(path)
        found = read_drawing(path)
        assert [figure.id for figure in found.figures] == ["ring", "7", "two", "two.2", "T"]
        assert equal(found.figures[0].polygon, RING)
        assert equal(found.figures[1].polygon, TRIANGLE)
        assert found.figures[0].layer == "tray"


def test_like_pieces_in_one_place_are_kept_and_said(tmp_path: Path) -> None:
    collection = {"type": "GeometryCollection", "geometries": [shapely.geometry.mapping(TRIANGLE)] * 3}
    path = tmp_path / "a.geojson"
    path.write_text(json.dumps(collection))
    assert len(read_drawing(path).figures) == 3
    assert len(read_drawing(path, ReadParams(doubles="drop")).figures) == 1


BAD: dict[str, tuple[str, bytes, str]] = {
    "wkt": ("a.wkt", b"POLYGON ((0 0, 1 0, 1 1, 0 0))\nPOLYGON ((0 0, 1", ":2: not WKT: "),
    "words": ("a.wkt", b"hello", ":1: not WKT: "),
    "open ring": ("a.wkt", b"POLYGON ((0 0, 1 0, 1 1, 0 1))", ":1: not WKT: "),
    "empty wkt": ("a.wkt", b"\n \n", ": the file is empty"),
    "comment": ("a.wkt", b"# nothing", ": there is no closed shape in it"),
    "deep wkt": ("a.wkt", b"GEOMETRYCOLLECTION (" * 50_000, ":1: nested too deeply"),
    "not finite": ("a.wkt", b"POLYGON ((0 0, 1 0, 1 inf, 0 0))", "coordinates beyond all measure"),
    "far": ("a.wkt", b"POLYGON ((0 0, 1e300 0, 1 1e300, 0 0))", "coordinates beyond all measure"),
    "eight": (
        "a.wkt",
        b"POLYGON ((0 0, 9 9, 9 0, 0 9, 0 0))",
        "left out (the outline crosses itself near (4.5, 4.5)): line 1",
    ),
    "line": ("a.wkt", b"LINESTRING (0 0, 9 9, 20 0)", "left out (open): line 1"),
    "flat": ("a.wkt", b"POLYGON ((0 0, 9 9, 5 5, 0 0))", "left out (no area): line 1"),
    "binary": ("a.wkt", b"POLY\xff", ":1: not UTF-8 text"),
    "no column": ("a.csv", b"a,b\n1,2\n", ":1: the table has no column named wkt or geometry"),
    "short row": ("a.csv", b"id,wkt\n1\n", ":2: the row ends before the column 'wkt'"),
    "bad cell": ("a.csv", b'id,wkt\n1,"POLYGON (x)"\n', ":2: not WKT"),
    "nul": ("a.csv", b"id,wkt\n\0,\0\n", "not WKT"),
    "json": ("a.geojson", b'{"type":\n', ":2: not JSON: "),
    "digits": ("a.geojson", b'{"type": ' + b"9" * 5000 + b"}", ": a number has thousands of digits"),
    "deep json": ("a.geojson", b"[" * 100_000, ": nested too deeply"),
    "a list": ("a.geojson", b"[1]", ": expected a GeoJSON object, not [1]"),
    "no type": ("a.geojson", b"{}", ": a GeoJSON object without a type"),
    "odd type": ("a.geojson", b'{"type": "Blob"}', "'Blob' is not a type of GeoJSON"),
    "no list": ("a.geojson", b'{"type": "FeatureCollection", "features": 3}', "'features' is not a list"),
    "words in it": (
        "a.geojson",
        b'{"type": "Polygon", "coordinates": [[["a", 1], [2, 3]]]}',
        "the coordinates are not a list of [x, y]",
    ),
    "no places": ("a.geojson", b'{"type": "Polygon", "coordinates": [[]]}', "the outline is empty"),
    "numbers": ("a.geojson", b'{"type": "Polygon", "coordinates": [1, 2]}', "not a list of [x, y]"),
    "unknown": ("a.xyz", b"hello", "a drawing ends in "),
    "no runs": ("a.json", json.dumps(coco([{"counts": [1, 2]}])).encode(), "the size of a mask is"),
    "runs too short": (
        "a.json",
        json.dumps(coco([{"size": [9, 9], "counts": [1]}])).encode(),
        "add up to 1, not 81",
    ),
    "large mask": (
        "a.json",
        json.dumps(coco([{"size": [20_000, 20_000], "counts": [4 * 10**8]}])).encode(),
        "400 megapixels",
    ),
    "broken text": (
        "a.json",
        json.dumps(coco([{"size": [9, 9], "counts": "\u1234"}])).encode(),
        "are broken",
    ),
    "endless text": (
        "a.json",
        json.dumps(coco([{"size": [9, 9], "counts": "o" * 99}])).encode(),
        "are broken",
    ),
    "cut text": ("a.json", json.dumps(coco([{"size": [9, 9], "counts": "o"}])).encode(), "are cut off"),
    "odd polygon": ("a.json", json.dumps(coco([[[1, 2, 3]]])).encode(), "not a list of x, y, x, y"),
    "no segmentation": ("a.json", json.dumps(coco([None])).encode(), "neither polygons nor run lengths"),
    "no ids": (
        "a.json",
        b'{"annotations": [], "images": [3]}',
        "images: expected a list of objects with an id",
    ),
    "annotation": ("a.json", b'{"annotations": [3]}', "annotations[0]: expected an object"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_files_are_refused_in_one_line(tmp_path: Path, name: str) -> None:
    file, data, reason = BAD[name]
    path = tmp_path / file
    path.write_bytes(data)
    with pytest.raises(FileFormatError) as caught:
        read_drawing(path)
    message = str(caught.value)
    assert message.startswith(f"{path}:")
    assert reason in message
    assert "\n" not in message


def test_our_own_puzzles_are_no_drawings(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"format": "sherd.puzzle"}')
    (tmp_path / "b.json").write_text("nonsense")
    (tmp_path / "c.jsonl").write_text("{}")
    for name in ("a.json", "b.json", "c.jsonl", "none.json"):
        assert not is_drawing(tmp_path / name)


@pytest.mark.parametrize("kind", ["CIRCULARSTRING (0 0, 1 1, 2 0)", "COMPOUNDCURVE ((0 0, 1 1), (1 1, 2 0))"])
def test_curves_in_wkt_are_refused_in_one_line(kind: str, tmp_path: Path) -> None:
    (tmp_path / "a.wkt").write_text(kind)
    (tmp_path / "a.csv").write_text(f'name,wkt\na,"{kind}"')
    for name in ("a.wkt", "a.csv"):
        with pytest.raises(FileFormatError, match="curves in WKT are not read"):
            read_drawing(tmp_path / name)

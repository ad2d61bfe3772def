"""SVG drawings: every shape, transform and unit lands where the standard says."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
import shapely

from sherd.core.errors import FileFormatError
from sherd.io.drawings import ReadParams, read_drawing
from sherd.io.drawings.figures import FLATTEN_MM

from .conftest import only, same, svg_drawing

BOX = shapely.box(10, 20, 30, 45)  # seen with y up on a page 50 high


SAME_BOX = {
    "rect": '<rect x="10" y="5" width="20" height="25"/>',
    "polygon": '<polygon points="10,5 30,5 30,30 10,30"/>',
    "closed polyline": '<polyline points="10 5 30 5 30 30 10 30 10 5"/>',
    "absolute": '<path d="M10 5 L30 5 L30 30 L10 30 Z"/>',
    "relative": '<path d="m10 5 20 0 0 25-20 0z"/>',
    "h and v": '<path d="M10,5H30V30H10Z"/>',
    "relative h and v": '<path d="M10,5h20v25h-20z"/>',
    "not closed but returning": '<path d="M10,5h20v25h-20v-25"/>',
    "a gap of 0.1": '<path d="M10,5h20v25h-20v-24.9"/>',
    "lines": '<line x1="10" y1="5" x2="30" y2="5"/><line x1="30" y1="30" x2="30" y2="5"/>'
    '<line x1="30" y1="30" x2="10" y2="30"/><line x1="10" y1="30" x2="10" y2="5"/>',
    "moved": '<g transform="translate(10 5)"><rect width="20" height="25"/></g>',
    "scaled": '<g transform="scale(10, 5)"><rect x="1" y="1" width="2" height="5"/></g>',
    "turned": '<rect transform="translate(30,5) rotate(90)" width="25" height="20"/>',
    "turned about a point": '<rect transform="rotate(180 20 17.5)" x="10" y="5" width="20" height="25"/>',
    "matrix": '<rect transform="matrix(0 1 -1 0 30 5)" width="25" height="20"/>',
    "nested": '<g transform="translate(5)"><g transform="translate(5 5)">'
    '<rect width="20" height="25"/></g></g>',
    "skewed twice": '<g transform="skewX(45) skewX(-45)"><rect x="10" y="5" width="20" height="25"/></g>',
    "use": '<defs><rect id="r" width="20" height="25"/></defs><use href="#r" x="10" y="5"/>',
    "use with xlink": '<defs><rect id="r" width="20" height="25"/></defs>'
    '<use xlink:href="#r" transform="translate(10 5)" xmlns:xlink="http://www.w3.org/1999/xlink"/>',
    "symbol": '<symbol id="s" viewBox="0 0 4 5"><rect width="4" height="5"/></symbol>'
    '<use href="#s" x="10" y="5" width="20" height="25"/>',
    "svg in svg": '<svg x="10" y="5" width="40" height="50" viewBox="0 0 4 5">'
    '<rect width="2" height="2.5"/></svg>',
    "hidden ones beside it": '<rect x="10" y="5" width="20" height="25"/>'
    '<g display="none"><circle r="9"/></g>'
    '<circle r="5" style="fill:red; display : none"/><circle r="5" visibility="hidden"/>',
    "prefixed": '<svg:rect x="10" y="5" width="20" height="25" xmlns:svg="http://www.w3.org/2000/svg"/>',
}


@pytest.mark.parametrize("name", SAME_BOX)
def test_the_same_box(tmp_path: Path, name: str) -> None:
    found = svg_drawing(tmp_path, SAME_BOX[name])
    assert found.unit == "mm"
    assert same(only(found), BOX, 0.11 if name == "a gap of 0.1" else 1e-9)


PAGES = {
    'width="100mm" height="50mm" viewBox="0 0 100 50"': ("mm", 1.0),
    'width="10cm" height="5cm" viewBox="0 0 100 50"': ("mm", 1.0),
    'width="4in" height="2in" viewBox="0 0 4 2"': ("mm", 25.4),
    'width="72pt" height="36pt" viewBox="0 0 100 50"': ("mm", 0.254),
    'width="100mm" height="50mm"': ("mm", 25.4 / 96.0),
    'width="100mm" viewBox="0 0 50 25"': ("mm", 2.0),
    'width="100" height="50"': ("px", 1.0),
    'width="100px" height="50px" viewBox="0 0 50 25"': ("px", 2.0),
    'viewBox="0 0 100 50"': ("px", 1.0),
    'width="100%" height="100%" viewBox="0 0 100 50"': ("px", 1.0),
    "": ("px", 1.0),
}


@pytest.mark.parametrize("page", PAGES)
def test_units_of_the_page(tmp_path: Path, page: str) -> None:
    unit, scale = PAGES[page]
    found = svg_drawing(tmp_path, '<rect width="2" height="1"/>', page)
    assert found.unit == unit
    low_x, low_y, high_x, high_y = only(found).bounds
    assert (high_x - low_x, high_y - low_y) == pytest.approx((2 * scale, scale), rel=1e-12)


def test_a_stretched_page(tmp_path: Path) -> None:
    page = 'width="100mm" height="100mm" viewBox="0 0 100 50"'
    found = svg_drawing(tmp_path, '<rect width="100" height="50"/>', page)
    assert only(found).bounds == pytest.approx((0, 25, 100, 75))
    assert any("viewBox differ" in note for note in found.notes)
    stretched = svg_drawing(tmp_path, '<rect width="100" height="50"/>', f'{page} preserveAspectRatio="none"')
    assert only(stretched).bounds == pytest.approx((0, 0, 100, 100))


def test_mixed_units_are_said(tmp_path: Path) -> None:
    found = svg_drawing(
        tmp_path, '<rect width="9" height="9"/>', 'width="4in" height="50mm" viewBox="0 0 4 2"'
    )
    assert any(note.startswith("mixed units") for note in found.notes)


def test_a_given_unit_is_that_of_the_numbers(tmp_path: Path) -> None:
    svg_drawing(tmp_path, '<rect width="2" height="1"/>', 'width="600" height="300"')
    assert only(read_drawing(tmp_path / "a.svg", ReadParams(unit="cm"))).area == pytest.approx(200.0)
    assert only(read_drawing(tmp_path / "a.svg", ReadParams(mm_per_px=0.5))).area == pytest.approx(0.5)


CIRCLES = {
    "circle": '<circle cx="50" cy="25" r="20"/>',
    "ellipse": '<ellipse cx="50" cy="25" rx="20" ry="20"/>',
    "two arcs": '<path d="M30 25a20 20 0 0 1 40 0A20 20 0 1 1 30 25"/>',
    "packed flags": '<path d="M30 25a20 20 0 0140 0a20 20 0 01-40 0z"/>',
    "large arc": '<path d="M50 5A20 20 0 1 1 30 25 20 20 0 0 1 50 5"/>',
    "tilted": '<path d="M30 25a20 20 33 0 1 40 0A20 20 -12 0 1 30 25"/>',
    "radius too small": '<path d="M30 25a2 2 0 0 1 40 0A3 3 0 0 1 30 25"/>',
    "round rect": '<rect x="30" y="5" width="40" height="40" rx="20"/>',
    "rounder than it is": '<rect x="30" y="5" width="40" height="40" rx="99"/>',
    "stretched": '<ellipse transform="scale(1 2)" cx="50" cy="12.5" rx="20" ry="10"/>',
    "cubics": '<path d="M70 25C70 36.0457 61.0457 45 50 45'
    'S30 36.0457 30 25 38.9543 5 50 5 70 13.9543 70 25"/>',
}


@pytest.mark.parametrize("name", CIRCLES)
def test_circles_to_the_stated_tolerance(tmp_path: Path, name: str) -> None:
    polygon = only(svg_drawing(tmp_path, CIRCLES[name]))
    slack = 0.006 if name == "cubics" else 1e-6  # what four cubics make of a circle
    radii = np.hypot(*(shapely.get_coordinates(polygon.exterior) - (50, 25)).T)
    assert radii == pytest.approx(20.0, abs=slack)
    middles = shapely.get_coordinates(polygon.exterior)
    middles = (middles[1:] + middles[:-1]) / 2.0
    assert np.hypot(*(middles - (50, 25)).T).min() >= 20.0 - FLATTEN_MM - slack
    assert polygon.area == pytest.approx(math.pi * 400, rel=0.005)


def test_names_groups_and_holes(tmp_path: Path) -> None:
    body = """
      <g id="layer1" inkscape:label="Target"><rect width="40" height="40"/></g>
      <g id="pieces"><g inkscape:label="left &amp; 'right'">
        <path id="path1" d="M50 0h20v20h-20zm5 5h10v10h-10z"/>
        <rect id="r7" x="50" y="30" width="9" height="9"><title>🐢 "shell"</title></rect></g>
        <rect id="r8" x="70" y="30" width="9" height="9" inkscape:label="r&#10;8"/>
        <rect x="80" y="30" width="9" height="9"/></g>"""
    found = svg_drawing(tmp_path, body, 'width="100" height="50" xmlns:inkscape="urn:inkscape"')
    assert [figure.id for figure in found.figures] == ["piece 1", "path1", '🐢 "shell"', "r 8", "piece 5"]
    assert [figure.is_target for figure in found.figures] == [True, False, False, False, False]
    assert found.figures[1].groups == ("pieces", "left & 'right'")
    assert found.figures[3].layer == "pieces"
    assert found.figures[1].polygon.area == 300.0
    assert len(found.targets) == 1


def test_two_shapes_in_one_path_are_two_pieces(tmp_path: Path) -> None:
    found = svg_drawing(tmp_path, '<path id="p" d="M0 0h9v9h-9zM20 0h9v9h-9zm2 2h3v3h-3zm1 1v1h1v-1z"/>')
    assert [figure.id for figure in found.figures] == ["p", "p.2", "p.3"]
    assert sorted(figure.polygon.area for figure in found.figures) == [1.0, 72.0, 81.0]


def test_a_shape_inside_another_is_a_piece_unless_told_otherwise(tmp_path: Path) -> None:
    body = '<rect id="plate" width="40" height="40"/><circle id="drilled" cx="20" cy="20" r="5"/>'
    found = svg_drawing(tmp_path, body)
    assert [figure.id for figure in found.figures] == ["plate", "drilled"]
    assert any(note.startswith("inside another shape") and "drilled" in note for note in found.notes)
    holed = only(read_drawing(tmp_path / "a.svg", ReadParams(nested="holes")))
    assert holed.area == pytest.approx(1600 - 25 * math.pi, rel=1e-3)


def test_what_is_left_out_is_named(tmp_path: Path) -> None:
    body = """<rect width="9" height="9"/><rect id="twice" width="9" height="9"/>
      <path id="open" d="M20 0h9v9"/><path id="eight" d="M20 20l9 9v-9l-9 9z"/><path id="dot" d="M0 0h0z"/>
      <path id="bad" d="M0 0 L1 1 nonsense"/><text id="words">hi</text><use id="away" href="other.svg#a"/>
      <use id="gone" href="#nothing"/><rect id="share" width="50%" height="9"/>
      <image id="photo" href="file:///etc/passwd"/><path id="far" d="M0 0h1e300v1e300z"/>
      <path id="nick" d="M40 0h9v9l-.1.1.1-.05v-.05h-9z"/>"""
    found = svg_drawing(tmp_path, body)
    said = " | ".join(found.notes)
    for name in (
        "twice",
        "open",
        "eight",
        "dot",
        "bad",
        "words",
        "away",
        "gone",
        "share",
        "photo",
        "far",
        "nick",
    ):
        assert name in said
    assert [figure.id for figure in found.figures] == ["piece 1", "nick"]
    assert found.figures[1].polygon.area == pytest.approx(81.0, rel=1e-3)


BAD = {
    "empty": (b"", ": the file is empty"),
    "not xml": (b"hello", ":1: not XML: "),
    "cut off": (b"<svg><rect/>", ":1: not XML: "),
    "not svg": (b"<html/>", ":1: the file holds <html>, not a drawing"),
    "nothing": (b"<svg/>", ": there is no closed shape in it"),
    "only text": (
        b"<svg><text id='t'>x</text></svg>",
        "no closed shape in it; left out (text, not a shape): t",
    ),
    "bomb": (
        b'<!DOCTYPE svg [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]><svg>&b;</svg>',
        ":1: entities that stand for more than a short text are not read",
    ),
    "long entity": (b'<!DOCTYPE svg [<!ENTITY a "' + b"h" * 300 + b'">]><svg/>', "more than a short text"),
    "external": (
        b'<!DOCTYPE svg [<!ENTITY a SYSTEM "file:///etc/passwd">]><svg>&a;</svg>',
        "refers to what is outside the file",
    ),
    "parameter": (b'<!DOCTYPE svg [<!ENTITY % a "x">]><svg/>', "outside the file"),
    "copies of itself": (b"<svg><g id='a'><use href='#a'/></g></svg>", "copies of copies more than 20 deep"),
    "copies without end": (
        b"<svg><rect id='g0' width='1' height='1'/>"
        + b"".join(b"<g id='g%d'>%b</g>" % (k + 1, b"<use href='#g%d'/>" % k * 10) for k in range(9))
        + b"</svg>",
        "more than 5,000 shapes, counting copies",
    ),
    "deep": (b"<svg>" + b"<g>" * 5000 + b"</g>" * 5000 + b"</svg>", "nested more than 200 deep"),
    "encoding": (b'<?xml version="1.0" encoding="klingon"?><svg/>', ":1: "),
    "zip bomb": (None, "the compressed file is broken"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_files_are_refused_in_one_line(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sherd.io.drawings.svg.MOST_DRAWN", 5000)
    data, reason = BAD[name]
    path = tmp_path / "bad.svg"
    path.write_bytes(b"\x1f\x8bnonsense" if data is None else data)
    with pytest.raises(FileFormatError) as caught:
        read_drawing(path)
    message = str(caught.value)
    assert message.startswith(f"{path}:")
    assert reason in message
    assert "\n" not in message


def test_too_long_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import gzip

    monkeypatch.setattr("sherd.io.drawings.read.MOST_SVG_BYTES", 2**20)
    (tmp_path / "a.svg").write_bytes(b" " * (2**20 + 1))
    with pytest.raises(FileFormatError, match="longer than 1 MiB"):
        read_drawing(tmp_path / "a.svg")
    monkeypatch.setattr("sherd.io.drawings.svg.MOST_BYTES", 2**20)
    (tmp_path / "a.svgz").write_bytes(gzip.compress(b"<svg>" + b" " * 2**20 + b"</svg>"))
    with pytest.raises(FileFormatError, match="longer than 1 MiB when unpacked"):
        read_drawing(tmp_path / "a.svgz")
    (tmp_path / "b.svgz").write_bytes(gzip.compress(b'<svg><rect width="3" height="2"/></svg>'))
    assert only(read_drawing(tmp_path / "b.svgz")).area == 6.0

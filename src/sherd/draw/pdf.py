"""Pictures as the pages of a PDF file: vectors, one page pixel to the point (1/72 inch).

Texts are set in Helvetica, which every reader of PDF has. It knows the letters of western Europe; a text with
others is drawn as outlines from a font of this machine. Only where there is none do letters lose their
accents, or come out as question marks. Paintings are left out.
"""

from __future__ import annotations

import unicodedata
import zlib
from collections.abc import Iterable, Sequence

import numpy as np
import shapely
from shapely import Polygon

from sherd.draw.colours import PAGE_COLOUR
from sherd.draw.pdf_glyphs import glyphs_of, is_western
from sherd.draw.scene import Area, Frame, Paint, Picture, Text

POINTS_PER_MM = 72.0 / 25.4
# How wide Helvetica's characters 32 to 126 are, in thousandths of the font's size.
WIDTHS = (
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
    556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
    1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
    667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
    333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
    556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
)  # fmt: skip
USUAL_WIDTH = 556
# These break lines out of a PDF string.
ESCAPED = {ord("("): rb"\(", ord(")"): rb"\)", ord("\\"): rb"\\"}


def printed_width(text: str, size: float) -> float:
    """How many points a line of text is long.

    >>> printed_width("Hi", 1000)
    944.0
    """
    if not is_western(text) and (glyphs := glyphs_of(text)) is not None:
        return glyphs.width * size
    codes = [ord(c) - 32 for c in text]
    return sum(WIDTHS[c] if 0 <= c < len(WIDTHS) else USUAL_WIDTH for c in codes) * size / 1000.0


def to_pdf(pages: Sequence[Picture], *, title: str = "") -> bytes:
    """A PDF document of these pages, which asks to be printed at its own size; the same bytes each time."""
    if not pages:
        raise ValueError("a document must have at least one page")
    first = 4  # objects 1 to 3 are the catalogue, the list of pages and the font
    kids = " ".join(f"{first + 2 * k} 0 R" for k in range(len(pages)))
    objects = [
        b"<</Type/Catalog/Pages 2 0 R/ViewerPreferences<</PrintScaling/None/DisplayDocTitle true>>>>",
        f"<</Type/Pages/Count {len(pages)}/Kids[{kids}]>>".encode(),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
    ]
    for k, page in enumerate(pages):
        content = zlib.compress("\n".join(_page(page)).encode("latin-1"), 9)
        objects.append(
            f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 {_number(page.width)} {_number(page.height)}]"
            f"/Resources<</Font<</F 3 0 R>>>>/Contents {first + 2 * k + 1} 0 R>>".encode()
        )
        objects.append(
            f"<</Length {len(content)}/Filter/FlateDecode>>\nstream\n".encode() + content + b"\nendstream"
        )
    objects.append(b"<</Title<" + b"feff" + title.encode("utf-16-be", "replace").hex().encode() + b">>>")
    return _file(objects)


def _file(objects: Sequence[bytes]) -> bytes:
    """The objects, numbered from 1, and where each begins; the last one is about the document."""
    data = bytearray(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
    places: list[int] = []
    for number, content in enumerate(objects, start=1):
        places.append(len(data))
        data += b"%d 0 obj\n" % number + content + b"\nendobj\n"
    start = len(data)
    data += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    data += b"".join(b"%010d 00000 n \n" % place for place in places)
    data += b"trailer\n<</Size %d/Root 1 0 R/Info %d 0 R>>\n" % (len(objects) + 1, len(objects))
    return bytes(data + b"startxref\n%d\n%%%%EOF\n" % start)


def _page(page: Picture) -> Iterable[str]:
    yield f"{_colour(PAGE_COLOUR)} rg 0 0 {_number(page.width)} {_number(page.height)} re f 1 j"
    for layer in page.layers:
        # The page's y is 0 at its upper edge and the file's at the lower one.
        frame = Frame(layer.frame.x, layer.frame.y + page.height, layer.frame.scale)
        for item in layer.items:
            yield from _text(item, frame) if isinstance(item, Text) else _area(item, frame)


def _area(area: Area, frame: Frame) -> Iterable[str]:
    paths: list[str] = []
    for part in shapely.get_parts(area.geometry).tolist():
        rings = (part.exterior, *part.interiors) if isinstance(part, Polygon) else (part,)
        for ring in rings:
            points = frame.to_page(area.pose.points(shapely.get_coordinates(ring)))
            if len(points) > 1:
                paths.append(_steps(points, closed=isinstance(part, Polygon)))
    if paths:
        yield _pen(area.paint)
        yield from paths
        yield {(True, True): "B*", (True, False): "f*", (False, True): "S", (False, False): "n"}[
            area.paint.fill is not None, area.paint.stroke is not None
        ]


def _steps(points: np.ndarray, *, closed: bool) -> str:
    steps = [f"{_number(x)} {_number(y)} l" for x, y in (points[:-1] if closed else points).tolist()]
    return f"{steps[0][:-1]}m {' '.join(steps[1:])}{' h' if closed else ''}"


def _pen(paint: Paint) -> str:
    fill = f"{_colour(paint.fill)} rg " if paint.fill is not None else ""
    stroke = f"{_colour(paint.stroke)} RG {_number(paint.width)} w" if paint.stroke is not None else ""
    return fill + stroke


def _text(text: Text, frame: Frame) -> Iterable[str]:
    ((x, y),) = frame.to_page([(text.x, text.y)]).tolist()
    angle = np.radians(text.angle_deg)
    cos, sin = float(np.cos(angle)), float(np.sin(angle))
    shift = {"start": 0.0, "middle": 0.5, "end": 1.0}[text.anchor] * printed_width(text.text, text.size)
    down = 0.35 * text.size  # from the middle height to the line on which letters stand
    x, y = x - shift * cos + down * sin, y - shift * sin - down * cos
    if not is_western(text.text) and (glyphs := glyphs_of(text.text)) is not None:
        turn = " ".join(
            map(_number, (cos * text.size, sin * text.size, -sin * text.size, cos * text.size, x, y))
        )
        halo = "" if text.halo is None else f"{_colour(text.halo)} RG 0.25 w {glyphs.path} S "
        yield f"q {turn} cm {halo}{_colour(text.colour)} rg {glyphs.path} f Q"
        return
    place = " ".join(map(_number, (cos, sin, -sin, cos, x, y)))
    shown = _string(text.text)
    if text.halo is not None:
        yield f"{_colour(text.halo)} RG {_number(0.25 * text.size)} w"
        yield f"BT /F {_number(text.size)} Tf 1 Tr {place} Tm {shown} Tj ET"
    yield f"{_colour(text.colour)} rg"
    yield f"BT /F {_number(text.size)} Tf 0 Tr {place} Tm {shown} Tj ET"


def _string(text: str) -> str:
    plain = b"".join(map(_character, text))
    return "(" + b"".join(ESCAPED.get(code, bytes([code])) for code in plain).decode("latin-1") + ")"


def _character(character: str) -> bytes:
    """A character in Helvetica's encoding, without its accent where that helps."""
    if not character.isprintable():
        return b" "
    for form in (character, unicodedata.normalize("NFKD", character)[0]):
        if found := form.encode("cp1252", "ignore"):
            return found
    return b"?"


def _colour(colour: str) -> str:
    return " ".join(_number(int(colour[k : k + 2], 16) / 255.0) for k in (1, 3, 5))


def _number(value: float) -> str:
    """Five decimals: 4 nanometres on paper."""
    return f"{value:.5f}".rstrip("0").rstrip(".") or "0"

"""Pictures as the pages of a PDF file, by fpdf2: vectors, one page pixel to the point (1/72 inch).

Texts can be selected and searched. Of paintings only those that lie upright in a box are drawn: photographs.
"""

from __future__ import annotations

import io
import logging
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path

import shapely
from fpdf import FPDF
from fpdf.drawing import PaintedPath
from fpdf.enums import IntersectionRule, StrokeCapStyle, StrokeJoinStyle, TextMode
from fpdf.output import OutputProducer, PDFPage
from fpdf.prefs import ViewerPreferences
from PIL import Image
from shapely import Polygon

from sherd.core.errors import ArgumentError
from sherd.core.texture import Texture
from sherd.draw.colours import PAGE_COLOUR
from sherd.draw.pdf_fonts import ENCODING, HELVETICA, in_fonts
from sherd.draw.reassembled import box_of, to_image
from sherd.draw.scene import IDENTITY, Area, Frame, Picture, Text

# No file says when it was made, so that the same pages are the same bytes.
MADE = datetime(2000, 1, 1, tzinfo=UTC)
SHARES = {"start": 0.0, "middle": 0.5, "end": 1.0}  # of a text's width, to the left of its place
MIDDLE = 0.35  # font sizes from a line's middle height to the line on which letters stand
HALO = 0.25  # font sizes

for _name in ("fontTools", "fpdf"):  # their warnings are no words for users
    logging.getLogger(_name).addHandler(logging.NullHandler())


def printed_width(text: str, size: float) -> float:
    """How many points a line of text is long.

    >>> printed_width("Hi", 1000)
    944.0
    """
    return _width(text) * size / 1000.0


def to_pdf(pages: Sequence[Picture], *, title: str = "") -> bytes:
    """A PDF document of these pages, which asks to be printed at its own size; the same bytes each time."""
    if not pages:
        raise ArgumentError("a document must have at least one page")
    document = _Document()
    document.set_title(title.encode("utf-8", "replace").decode())
    document.set_creation_date(MADE)
    document.viewer_preferences = ViewerPreferences(display_doc_title=True, print_scaling="None")
    document.page_background = _colour(PAGE_COLOUR)
    for page in pages:
        document.add_page(format=(page.width, page.height))
        for layer in page.layers:
            for item in layer.items:
                if isinstance(item, Text):
                    document.add_text(item, layer.frame)
                else:
                    document.add_area(item, layer.frame)
    return bytes(document.output(output_producer_class=_ExactPages) or b"")


@lru_cache(maxsize=4096)
def _width(text: str) -> float:
    """The length of a line whose letters are 1000 points high."""
    return sum(_measuring().use(font, 1000.0).get_string_width(run) for font, run in in_fonts(text))


@lru_cache(maxsize=1)
def _measuring() -> _Document:
    """A document that is never written."""
    return _Document()


class _ExactPages(OutputProducer):
    """Pages of their own size to 4 nanometres, which fpdf2 would round to 4 micrometres."""

    def _add_pages(self, _slice: slice = slice(0, None)) -> list[PDFPage]:
        pages = super()._add_pages(_slice)
        for page in pages:
            width, height = page.dimensions()
            page.media_box = f"[0 0 {width:.5f} {height:.5f}]"
        return pages


class _Document(FPDF):
    def __init__(self) -> None:
        super().__init__(unit="pt")
        self.core_fonts_encoding = ENCODING

    def use(self, font: Path, size: float) -> _Document:
        """Write in a font from now on."""
        if font != HELVETICA and font.name.lower() not in self.fonts:
            self.add_font(font.name, fname=font)
        self.set_font(font.name, size=size)
        return self

    def add_photograph(self, texture: Texture, frame: Frame) -> None:
        """A texture as an image, without its transparent margin; what else is transparent is white."""
        shown = to_image(texture)
        white = Image.new("RGBA", shown.size, "white")
        opaque = Image.alpha_composite(white, shown).convert("RGB")
        low_x, low_y, high_x, high_y = box_of(texture)
        (left, top), (right, bottom) = frame.to_page([(low_x, high_y), (high_x, low_y)]).tolist()
        stream = io.BytesIO()
        opaque.save(stream, format="JPEG", quality=90)
        self.image(stream, x=left, y=-top, w=right - left, h=top - bottom)

    def add_area(self, area: Area, frame: Frame) -> None:
        if area.texture is not None and area.pose == IDENTITY and area.paint.fill is None:
            self.add_photograph(area.texture, frame)
            return
        path = PaintedPath()
        style = path.style
        style.auto_close = False
        style.fill_color, style.stroke_color = area.paint.fill, area.paint.stroke
        style.stroke_width = area.paint.width
        style.stroke_cap_style, style.stroke_join_style = StrokeCapStyle.BUTT, StrokeJoinStyle.ROUND
        style.intersection_rule = IntersectionRule.EVENODD
        for part in shapely.get_parts(area.geometry).tolist():
            is_closed = isinstance(part, Polygon)
            for ring in (part.exterior, *part.interiors) if is_closed else (part,):
                points = (
                    frame.to_page(area.pose.points(shapely.get_coordinates(ring))) * (1.0, -1.0)
                ).tolist()
                if points:
                    path.move_to(*points[0])
                for point in points[1:-1] if is_closed else points[1:]:
                    path.line_to(*point)
                if is_closed:
                    path.close()
        with self.drawing_context() as context:
            context.add_item(path, clone=False)

    def add_text(self, text: Text, frame: Frame) -> None:
        x, y = (frame.to_page([text.x, text.y]) * (1.0, -1.0)).tolist()
        with self.rotation(text.angle_deg, x, y):
            if text.halo is not None:
                with self.local_context(text_mode=TextMode.STROKE):
                    self.set_draw_color(*_colour(text.halo))
                    self.set_line_width(HALO * text.size)
                    self._add_line(text, x, y)
            self.set_text_color(*_colour(text.colour))
            self._add_line(text, x, y)

    def _add_line(self, text: Text, x: float, y: float) -> None:
        x -= SHARES[text.anchor] * printed_width(text.text, text.size)
        for font, run in in_fonts(text.text):
            self.use(font, text.size).text(x, y + MIDDLE * text.size, run)
            x += self.get_string_width(run)


def _colour(colour: str) -> tuple[int, int, int]:
    red, green, blue = bytes.fromhex(colour[1:])
    return red, green, blue

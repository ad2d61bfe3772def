"""PDF pages as an independent reader sees them."""

from __future__ import annotations

import time

import numpy as np
import pypdfium2
import pytest
import shapely
from shapely import LineString, Polygon

from sherd.core.geometry import Pose
from sherd.draw.pdf import printed_width, to_pdf
from sherd.draw.pdf_fonts import HELVETICA, in_fonts
from sherd.draw.scene import POINTS_PER_MM, Area, Frame, Layer, Paint, Picture, Text


def page(*items: Area | Text, frame: Frame | None = None) -> Picture:
    return Picture(200.0, 100.0, (Layer("all", items, frame or Frame()),))


def rendered(data: bytes, scale: float = 1.0) -> np.ndarray:
    with pypdfium2.PdfDocument(data) as document:
        return np.asarray(document[0].render(scale=scale, draw_annots=False).to_pil().convert("RGB"))


def text_of(data: bytes, number: int = 0) -> str:
    with pypdfium2.PdfDocument(data) as document:
        return document[number].get_textpage().get_text_range()


def test_pages_have_their_own_sizes_and_the_document_its_title() -> None:
    data = to_pdf([page(), Picture(50.5, 70.0, ())], title='a "vase" 🏺')
    with pypdfium2.PdfDocument(data) as document:
        assert [document[k].get_size() for k in range(len(document))] == [(200.0, 100.0), (50.5, 70.0)]
        assert document.get_metadata_dict()["Title"] == 'a "vase" 🏺'
    assert b"/PrintScaling /None" in data


def test_areas_lie_where_they_should() -> None:
    # 30 to 50 from the left and 20 to 60 from the top, with a hole.
    ring = Polygon(shapely.box(0, 0, 20, 40).exterior, [shapely.box(5, 5, 15, 15).exterior])
    data = to_pdf([page(Area(ring, Paint(fill="#ff0000"), Pose(30.0, -60.0)))])
    red = (rendered(data) == (255, 0, 0)).all(axis=2)
    rows, columns = np.nonzero(red)
    assert (columns.min(), columns.max() + 1, rows.min(), rows.max() + 1) == (30, 50, 20, 60)
    assert red.sum() == 20 * 40 - 10 * 10
    assert not red[45:55, 35:45].any()


def test_a_mirrored_turned_area_in_a_scaled_frame() -> None:
    flag = Polygon([(0, 0), (2, 0), (2, 1), (0, 1)])
    pose = Pose(5.0, -4.0, np.pi / 2, mirrored=True)
    data = to_pdf([page(Area(flag, Paint(fill="#0000ff")), frame=Frame(10.0, -10.0, 10.0))])
    moved = to_pdf([page(Area(flag, Paint(fill="#0000ff"), pose), frame=Frame(10.0, -10.0, 10.0))])
    assert (rendered(data) == (0, 0, 255)).all(axis=2).sum() == 200
    rows, columns = np.nonzero((rendered(moved) == (0, 0, 255)).all(axis=2))
    low_x, low_y, high_x, high_y = pose.apply(flag).bounds
    assert (columns.min(), columns.max() + 1) == (10 + 10 * low_x, 10 + 10 * high_x)
    assert (rows.min(), rows.max() + 1) == (pytest.approx(10 - 10 * high_y), pytest.approx(10 - 10 * low_y))


def test_lines_are_stroked_and_not_closed() -> None:
    corner = LineString([(10, -10), (10, -90), (190, -90)])
    ink = rendered(to_pdf([page(Area(corner, Paint(stroke="#000000", width=2.0)))])).sum(axis=2) == 0
    assert ink[50, 9:11].all()
    assert ink[89:91, 100].all()
    assert not ink[20:80, 20:180].any()


@pytest.mark.parametrize("text", ["piece (7) \\ 100 %", "Stück ½ é …"])
def test_texts_can_be_read_back(text: str) -> None:
    data = to_pdf([page(Text(10.0, -50.0, text, 12.0, "#000000", "start", halo="#ffffff"))])
    assert text in {line.strip() for line in text_of(data).splitlines()}


HAS_FONTS = all(font != HELVETICA for font, _ in in_fonts("κ"))


@pytest.mark.skipif(not HAS_FONTS, reason="this machine has no font")
@pytest.mark.parametrize("text", ["левое крыло", "Ωμέγα", "Čapek"])
def test_other_letters_are_read_back_and_as_wide_as_they_are_drawn(text: str) -> None:
    data = to_pdf([page(Text(10.0, -50.0, text, 20.0, "#000000", "start", halo="#ffffff"))])
    assert text_of(data).strip() == text
    ink = rendered(data, 4.0).sum(axis=2) < 380
    columns = np.nonzero(ink.any(axis=0))[0] / 4.0
    assert columns.min() == pytest.approx(10.0, abs=2.5)
    assert columns.max() == pytest.approx(10.0 + printed_width(text, 20.0), abs=2.5)
    assert len(data) < 60_000  # only the letters that are used are in the file


@pytest.mark.parametrize("angle_deg", [0.0, 90.0, -45.0])
def test_a_text_is_turned_about_its_place(angle_deg: float) -> None:
    data = to_pdf([page(Text(100.0, -50.0, "-----", 10.0, "#000000", "start", angle_deg=angle_deg))])
    rows, columns = np.nonzero(rendered(data, 4.0).sum(axis=2) < 380)
    middle = np.array([columns.mean(), -rows.mean()]) / 4.0 - (100.0, -50.0)
    along = np.array([np.cos(np.radians(angle_deg)), np.sin(np.radians(angle_deg))])
    assert middle @ along == pytest.approx(printed_width("-----", 10.0) / 2.0, abs=0.5)
    assert middle @ (-along[1], along[0]) == pytest.approx(0.0, abs=1.5)


def test_texts_are_anchored_by_their_width() -> None:
    assert printed_width("0123456789", 10.0) == pytest.approx(55.6)
    for anchor, left in (("start", 100.0), ("middle", 100.0 - 27.8), ("end", 100.0 - 55.6)):
        data = to_pdf([page(Text(100.0, -50.0, "0123456789", 10.0, "#000000", anchor))])  # type: ignore[arg-type]
        columns = np.nonzero(rendered(data, 4.0).sum(axis=(0, 2)) < 255 * 3 * 400)[0] / 4.0
        assert columns.min() == pytest.approx(left, abs=1.0)
        assert columns.max() == pytest.approx(left + 55.6, abs=1.5)


def test_the_same_pages_give_the_same_bytes() -> None:
    pages = [
        page(Text(100.0, -50.0, "x Ω", 10.0, "#000000"), Area(shapely.box(0, -9, 9, 0), Paint("#abcdef")))
    ]
    first = to_pdf(pages)
    time.sleep(1.1)  # files tell the time in seconds
    assert to_pdf(pages) == first


def test_a_document_without_pages_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one page"):
        to_pdf([])


def test_a_millimetre_is_a_millimetre() -> None:
    assert pytest.approx(595.2756) == 210.0 * POINTS_PER_MM

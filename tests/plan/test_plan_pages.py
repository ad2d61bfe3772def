"""The plan as a PDF: how many sheets, of what size, and at full size on paper."""

from __future__ import annotations

import math

import numpy as np
import pypdfium2
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

from sherd.core.assembly import Assembly
from sherd.core.geometry import Pose
from sherd.core.puzzle import Sample
from sherd.draw.pdf import POINTS_PER_MM, to_pdf
from sherd.plan import Layout, Piece, Plan, make_plan
from sherd.plan.pages import draw_plan
from sherd.plan.paper import MARGIN_MM, OVERLAP_MM, PAPERS, tile
from sherd.workshop import lay_out_job

from .conftest import Answered, draw


def one_piece(width: float, height: float, unit: str = "mm") -> Plan:
    box = shapely.box(0, 0, width, height)
    return make_plan(Layout("one", box, (Piece("only", box, Pose()),), unit))


@given(
    width=st.floats(1.0, 3000.0), height=st.floats(1.0, 3000.0), paper=st.sampled_from(list(PAPERS.values()))
)
def test_sheets_cover_everything_and_overlap(width: float, height: float, paper: object) -> None:
    shown = shapely.box(7.0, -3.0, 7.0 + width, -3.0 + height)
    assert not isinstance(paper, str)
    tiling = tile(shown, paper)  # type: ignore[arg-type]
    windows = [sheet.window for sheet in tiling.sheets]
    assert shown.difference(shapely.union_all(windows).buffer(1e-6)).is_empty
    assert len(tiling.sheets) == tiling.rows * tiling.columns
    for sheet in tiling.sheets:
        low_x, low_y, high_x, high_y = sheet.window.bounds
        assert high_x - low_x == pytest.approx(tiling.paper.width - 2 * MARGIN_MM)
        assert high_y - low_y == pytest.approx(tiling.paper.height - 2 * MARGIN_MM)
        # A seam lies in the middle of an overlap, on both sheets that share it.
        inner = sum(low_x < x < high_x for x in tiling.seams_x)
        assert inner == (sheet.column > 0) + (sheet.column < tiling.columns - 1)
        for x in tiling.seams_x:
            if low_x < x < high_x:
                assert min(x - low_x, high_x - x) == pytest.approx(OVERLAP_MM / 2)


def test_the_sheets_of_a_ring_leave_out_its_middle() -> None:
    ring = shapely.box(0, 0, 1000, 1400).difference(shapely.box(50, 50, 950, 1350))
    tiling = tile(ring, PAPERS["a4"])
    assert len(tiling.sheets) < tiling.rows * tiling.columns


@pytest.mark.parametrize(
    ("size", "paper", "sheets", "points"),
    [
        ((150.0, 250.0), "a4", 1, (595.276, 841.89)),
        ((250.0, 150.0), "a4", 1, (841.89, 595.276)),
        ((400.0, 400.0), "a4", 6, (595.276, 841.89)),
        ((380.0, 380.0), "a3", 2, (1190.55, 841.89)),
        ((180.0, 240.0), "letter", 1, (612.0, 792.0)),
    ],
)
def test_pages_are_counted_and_have_the_paper_s_size(
    size: tuple[float, float], paper: str, sheets: int, points: tuple[float, float]
) -> None:
    with pypdfium2.PdfDocument(to_pdf(draw_plan(one_piece(*size), paper))) as document:
        assert len(document) == 2 + sheets
        upright = (PAPERS[paper].width * POINTS_PER_MM, PAPERS[paper].height * POINTS_PER_MM)
        assert document[0].get_size() == pytest.approx(upright, abs=1e-3)
        for k in range(2, len(document)):
            found = document[k].get_size()
            assert sorted(found) == pytest.approx(sorted(points), abs=0.01)


def test_a_piece_has_its_own_size_on_paper() -> None:
    plan = one_piece(100.0, 160.0)
    pixels_per_mm = 8.0
    with pypdfium2.PdfDocument(to_pdf(draw_plan(plan))) as document:
        image = document[2].render(scale=pixels_per_mm / POINTS_PER_MM).to_pil().convert("L")
    dark = np.asarray(image) < 128
    middle = dark[:, dark.shape[1] // 2 + 40], dark[dark.shape[0] // 2 + 40, :]
    for line, length in zip(middle, (160.0, 100.0), strict=True):
        at = np.nonzero(line)[0]
        # From the middle of one stroke to that of the other.
        first, last = at[at < at.mean()].mean(), at[at > at.mean()].mean()
        assert (last - first) / pixels_per_mm == pytest.approx(length, abs=1.0 / pixels_per_mm)


@pytest.mark.parametrize(("unit", "size"), [("", 1.0), ("px", 4000.0), ("mm", 90_000.0)])
def test_without_a_unit_or_beyond_all_measure_there_is_no_full_size(unit: str, size: float) -> None:
    pages = draw_plan(one_piece(size, size, unit))
    assert len(pages) == 2
    with pypdfium2.PdfDocument(to_pdf(pages)) as document:
        said = document[0].get_textpage().get_text_range()
    assert "drawn to fit the page" in said


def test_the_table_names_every_piece_and_what_is_wrong(strewn: Answered) -> None:
    job, assembly = strewn
    plan = make_plan(lay_out_job(job, Assembly(assembly.placements[:3])))
    with pypdfium2.PdfDocument(to_pdf(draw_plan(plan))) as document:
        said = [document[k].get_textpage().get_text_range() for k in range(len(document))]
    assert "Set aside: d." in said[0]
    assert "1 gap, 8,400 mm²" in said[0]
    for piece in plan.in_order:
        assert piece.id in said[1]
    assert "set aside" in said[1]
    assert "sheet A1" in said[2]
    for number in (1, 2, 3):
        assert any(str(number) in page.split() for page in said[2:])


def test_a_long_table_takes_several_pages() -> None:
    boxes = tuple(Piece(f"row {k}", shapely.box(0, k, 1, k + 1), Pose()) for k in range(130))
    pages = draw_plan(make_plan(Layout("a ladder", shapely.box(0, 0, 1, 130), boxes, "mm")))
    tables = [page for page in pages if page.title.startswith("Pieces")]
    assert len(tables) == math.ceil(130 / 56)
    assert tables[0].title.endswith(f"(1 of {len(tables)})")


def test_unknown_paper_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown paper 'b5'"):
        draw_plan(one_piece(1.0, 1.0), "b5")


def test_kerf_is_not_drawn_on_the_plan(square_of_four: Sample) -> None:
    job, assembly = draw(square_of_four, 200.0, kerf=2.0)
    layout = lay_out_job(job, assembly)
    plan = make_plan(layout)
    assert plan.gaps == ()
    assert {round(hold.share, 6) for hold in plan.holds.values()} == {1.0}
    for piece in layout.placed:
        assert piece.fitted.area == pytest.approx(piece.placed.buffer(1.0, join_style="mitre").area)

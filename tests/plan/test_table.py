"""The table of pieces on pages."""

from __future__ import annotations

import math

import pypdfium2
import shapely

from sherd.core.assembly import Assembly
from sherd.core.geometry import Pose
from sherd.draw.pdf import to_pdf
from sherd.plan import DrawnPiece, Layout, make_plan
from sherd.plan.pages import draw_plan
from sherd.workshop.job_layout import lay_out_job

from .conftest import Answered


def test_the_table_names_every_piece_and_what_is_wrong(strewn: Answered) -> None:
    job, assembly = strewn
    plan = make_plan(lay_out_job(job, Assembly(assembly.placements[:3])))
    with pypdfium2.PdfDocument(to_pdf(draw_plan(plan))) as document:
        said = [document[k].get_textpage().get_text_range() for k in range(len(document))]
    assert "Set aside (no place was found): d." in said[0]
    assert "1 gap, 8,400 mm²" in said[0]
    for piece in plan.in_order:
        assert piece.id in said[1]
    assert "set aside" in said[1]
    assert "sheet A1" in said[2]
    for number in (1, 2, 3):
        assert any(str(number) in page.split() for page in said[2:])


def test_a_long_table_takes_several_pages() -> None:
    boxes = tuple(DrawnPiece(f"row {k}", shapely.box(0, k, 1, k + 1), Pose()) for k in range(130))
    pages = draw_plan(make_plan(Layout("a ladder", shapely.box(0, 0, 1, 130), boxes, "mm")))
    tables = [page for page in pages if page.title.startswith("Pieces")]
    assert len(tables) == math.ceil(130 / 56)
    assert tables[0].title.endswith(f"(1 of {len(tables)})")

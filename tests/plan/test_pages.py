"""The plan as a PDF: how many pages, of what size, and at full size on paper."""

from __future__ import annotations

import numpy as np
import pypdfium2
import pytest
import shapely

from sherd.core.geometry import Pose
from sherd.draw.pdf import to_pdf
from sherd.draw.scene import POINTS_PER_MM
from sherd.plan import DrawnPiece, Layout, Plan, make_plan
from sherd.plan.pages import draw_plan
from sherd.plan.paper import PAPERS


def one_piece(width: float, height: float, unit: str = "mm") -> Plan:
    box = shapely.box(0, 0, width, height)
    return make_plan(Layout("one", box, (DrawnPiece("only", box, Pose()),), unit))


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


def test_unknown_paper_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown paper 'b5'"):
        draw_plan(one_piece(1.0, 1.0), "b5")

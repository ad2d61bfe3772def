"""How many sheets a plan takes, and how they overlap."""

from __future__ import annotations

import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

from sherd.plan.paper import MARGIN_MM, OVERLAP_MM, PAPERS, tile


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

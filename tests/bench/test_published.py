"""Every cell that the paper has finds the paper's figures."""

from __future__ import annotations

import pytest

from sherd.bench.cell import Cell
from sherd.bench.published import published_for, published_rows


def test_each_cell_finds_its_own_published_figures() -> None:
    for row in published_rows():
        found = published_for(row.cell)
        assert found is not None
        # FAN on the plain square stands in tables 1, 6 and 7 with the same figures.
        for name in ("method", "cov95", "cov90", "cov", "iou"):
            assert getattr(found, name) == getattr(row.figures, name)


def test_another_solver_is_compared_with_the_papers_network() -> None:
    found = published_for(Cell(solver="random", input="masks"))
    assert found is not None
    assert (found.method, found.cov95) == ("fan", 0.470)


@pytest.mark.parametrize("cell", [Cell(solver="fan", noise=0.01), Cell(solver="fan", pieces=64)])
def test_puzzles_that_the_paper_lacks_have_no_published_figures(cell: Cell) -> None:
    assert published_for(cell) is None

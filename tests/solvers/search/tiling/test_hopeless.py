"""A region that comes apart is given up as soon as no pieces have the area of a part."""

from __future__ import annotations

import pytest
import shapely

from sherd.core.geometry import FIXED
from sherd.solvers.search.tiling.exact import End, Tiler
from sherd.solvers.search.tiling.tile_corners import ANY
from sherd.solvers.stop import MaxEvaluations


def bar(*widths: float) -> Tiler:
    """Rods of one height for a bar that is as long as all together, or longer."""
    rods = [shapely.box(-wide / 2.0, -0.5, wide / 2.0, 0.5) for wide in widths]
    return Tiler(
        rods, shapely.box(0, 0, 10, 1), [FIXED] * len(rods), 1e-8, mirror=[False] * len(rods), most=ANY
    )


@pytest.mark.parametrize("widths", [(1.0, 2.0, 3.0, 4.0), (1.5, 2.5, 6.0), (0.7, 9.3)])
def test_rods_that_fill_the_bar_are_never_given_up(widths: tuple[float, ...]) -> None:
    tiler = bar(*widths)
    assert tiler.run(MaxEvaluations(1000)) is End.FILLED
    assert len(tiler.placed().poses) == len(widths)


def test_parts_that_no_piece_fits_are_given_up_without_a_placement_more() -> None:
    """A frame's middle has to be filled by the one piece of its area, which is too wide for it."""
    frame = shapely.Polygon([(0, 0), (4, 0), (4, 4), (0, 4)], [[(1, 1), (1, 3), (3, 3), (3, 1)]])
    core = shapely.box(-2.0, -0.5, 2.0, 0.5)
    tiler = Tiler([frame, core], shapely.box(0, 0, 4, 4), [FIXED] * 2, 1e-8, mirror=[False] * 2, most=ANY)
    assert tiler.run(MaxEvaluations(1000)) is End.EXHAUSTED
    assert tiler.tried <= 8

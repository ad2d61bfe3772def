"""A pinned piece in the middle parts the rest; an assembly that agrees with it is found nevertheless."""

from __future__ import annotations

import numpy as np
import pytest
import shapely

from sherd.core.assembly import Assembly
from sherd.core.geometry import Pose, Rotations
from sherd.core.metrics import measure
from sherd.core.puzzle import Fragment, Puzzle
from sherd.core.verdict import judge
from sherd.solvers.run import Assembler
from sherd.workshop.pinned import assemble_pinned

WIDTHS = {"a": 10.0, "b": 20.0, "c": 30.0, "d": 40.0}
STRIPS = Puzzle(
    shapely.box(0, 0, 100, 100),
    tuple(Fragment(name, shapely.box(-w / 2, -50, w / 2, 50)) for name, w in WIDTHS.items()),
    Rotations(None),
)


@pytest.mark.parametrize("x", [35.0, 45.0, 65.0])
def test_the_rest_lies_on_both_sides(x: float) -> None:
    pinned = Assembly().place("c", Pose(x, 50.0))
    rng = np.random.default_rng(0)
    found = assemble_pinned(Assembler("search"), STRIPS, pinned, 0.1, seconds=10.0, rng=rng).proposal
    assert {placement.id for placement in found.assembly} == {"a", "b", "d"}
    whole = Assembly((*pinned, *found.assembly))
    assert judge(STRIPS, whole, pinned=pinned).is_solved
    assert measure(whole, STRIPS).iou == pytest.approx(1.0)


def test_a_place_that_leaves_no_way_gives_nothing() -> None:
    pinned = Assembly().place("c", Pose(33.0, 50.0))
    rng = np.random.default_rng(0)
    found = assemble_pinned(Assembler("search"), STRIPS, pinned, 0.1, seconds=10.0, rng=rng).proposal
    assert not len(found.assembly)
    assert "has the pinned pieces in their places" in found.remark

from __future__ import annotations

import shapely
from hypothesis import given
from hypothesis import strategies as st
from shapely import Point

from sherd.core.assembly import Assembly
from sherd.core.geometry import Pose
from sherd.core.puzzle import Sample
from sherd.generation.fragmentation import FragmentationParams, generate
from sherd.generation.shapes import named_shape
from sherd.plan import DrawnPiece, Layout, lay_out, make_plan


@given(seed=st.integers(0, 999), pieces=st.integers(1, 24), shape=st.sampled_from(["square", "hexagon"]))
def test_each_piece_touches_one_that_already_lies(seed: int, pieces: int, shape: str) -> None:
    (sample,) = generate(named_shape(shape), FragmentationParams(pieces=max(pieces, 2)), count=1, seed=seed)
    layout = lay_out(sample.puzzle, sample.truth)
    plan = make_plan(layout)
    assert [step.number for step in plan.steps] == list(range(1, len(layout.placed) + 1))
    assert {step.id for step in plan.steps} == {piece.id for piece in layout.pieces}
    outlines = [piece.placed for piece in plan.in_order]
    for k, step in enumerate(plan.steps):
        touched = [n for n in range(1, k + 1) if outlines[k].distance(outlines[n - 1]) <= layout.tolerance]
        assert list(step.after) == touched
        assert bool(touched) == (k > 0)


def test_it_starts_in_the_lower_left_corner(square_of_four: Sample) -> None:
    plan = make_plan(lay_out(square_of_four.puzzle, square_of_four.truth))
    assert plan.steps[0].id == "a"
    assert plan.in_order[0].placed.distance(Point(0, 0)) <= 1e-9


def test_an_island_makes_a_new_start() -> None:
    pieces = tuple(DrawnPiece(str(x), shapely.box(x, 0, x + 1, 1), Pose()) for x in (6, 1, 0))
    plan = make_plan(Layout("apart", shapely.box(0, 0, 8, 1), pieces))
    assert [(step.id, step.after) for step in plan.steps] == [("0", ()), ("1", (1,)), ("6", ())]


def test_nothing_placed_is_no_order(square_of_four: Sample) -> None:
    plan = make_plan(lay_out(square_of_four.puzzle, Assembly()))
    assert plan.steps == ()
    assert set(plan.layout.set_aside) == {"a", "b", "c", "d"}
    assert len(plan.gaps) == 1

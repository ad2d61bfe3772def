"""What is drawn, and what is fitted."""

from __future__ import annotations

import pytest
import shapely
from shapely import Polygon

from sherd.core.assembly import Assembly, Group, Joint
from sherd.core.geometry import Pose
from sherd.core.puzzle import Sample
from sherd.draw.scene import Text
from sherd.layout.layout import DrawnPiece, Layout
from sherd.plan import make_plan
from sherd.plan.pages import draw_plan
from sherd.plan.plan import plan_groups
from sherd.workshop.job_layout import lay_out_job

from .conftest import draw


def test_kerf_is_not_drawn_on_the_plan(square_of_four: Sample) -> None:
    job, assembly = draw(square_of_four, 200.0, kerf=2.0)
    layout = lay_out_job(job, assembly)
    plan = make_plan(layout)
    assert plan.gaps == ()
    assert {round(hold.share, 6) for hold in plan.holds.values()} == {1.0}
    for piece in layout.placed:
        assert piece.fitted.area == pytest.approx(piece.placed.buffer(1.0, join_style="mitre").area)


def test_groups_are_laid_one_after_the_other_and_imply_outlines() -> None:
    square = shapely.box(0.0, 0.0, 10.0, 10.0)
    places = {"a": Pose(), "b": Pose(10.0), "c": Pose(0.0, -30.0), "d": Pose(9.0, -30.0), "e": None}
    layout = Layout(
        "box", Polygon(), tuple(DrawnPiece(name, square, pose=pose) for name, pose in places.items()), "mm"
    )
    groups = [
        Group(
            Assembly().place(first, Pose()).place(second, Pose(10.0)),
            (Joint(first, second, Pose(10.0), 10.0, 0.0, likelihood),),
        )
        for first, second, likelihood in (("c", "d", 0.97), ("a", "b", 0.97))
    ]
    plan = plan_groups(layout, groups, warning="PARTLY SOLVED")
    assert [(step.id, step.after) for step in plan.steps] == [("c", ()), ("d", (1,)), ("a", ()), ("b", (3,))]
    assert [group.outline.area for group in plan.groups] == pytest.approx([190.0, 200.0])
    assert {name: hold.band for name, hold in plan.holds.items()} == dict.fromkeys("cdab", "loose")
    assert [plan.holds[name].overlap for name in "cdab"] == [1.0, 1.0, 0.0, 0.0]
    pages = draw_plan(plan)
    said, table = (
        [item.text for layer in page.layers for item in layer.items if isinstance(item, Text)]
        for page in pages[:2]
    )
    assert "4 pieces in 2 groups of 19 x 10 mm, 20 x 10 mm, without a target: 4 loose." in said
    assert "PARTLY SOLVED: box" in said
    assert "group 2" in table

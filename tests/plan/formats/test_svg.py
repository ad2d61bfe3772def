"""Assemblies as SVG."""

from __future__ import annotations

from xml.etree import ElementTree

from sherd.plan import make_plan
from sherd.plan.formats import (
    layout_to_svg,
)
from sherd.workshop.job_layout import lay_out_job

from ..conftest import Answered


def test_svg_has_a_group_a_piece_with_the_drawn_outline_and_its_pose(strewn: Answered) -> None:
    job, assembly = strewn
    plan = make_plan(lay_out_job(job, assembly))
    root = ElementTree.fromstring(layout_to_svg(plan.layout, plan.numbers))
    assert root.attrib["width"] == "208mm"
    assert root.attrib["viewBox"] == "0 0 208 208"
    groups = {
        group.attrib["id"]: group
        for group in root.iter("{http://www.w3.org/2000/svg}g")
        if "id" in group.attrib
    }
    assert groups.keys() == {"target", "a", "b", "c", "d"}
    for piece in plan.layout.placed:
        assert piece.pose is not None
        group = groups[piece.id]
        numbers = group.attrib["transform"].removeprefix("matrix(").removesuffix(")").split(",")
        assert tuple(map(float, numbers)) == piece.pose.matrix
        assert int(group.attrib["data-number"]) == plan.numbers[piece.id]
        path = group.find("{http://www.w3.org/2000/svg}path")
        assert path is not None
        drawn = [tuple(map(float, point.split(","))) for point in path.attrib["d"][1:-1].split("L")]
        assert drawn == list(piece.drawn.exterior.coords)[:-1]

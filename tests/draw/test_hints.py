"""Joints drawn pair by pair."""

from __future__ import annotations

import pytest
import shapely

from sherd.core.assembly import Assembly, Group, Joint, likeliest
from sherd.core.geometry import Pose
from sherd.core.puzzle import Fragment, Puzzle
from sherd.draw import draw_hints, to_svg
from sherd.draw.hints import seam_of
from sherd.draw.scene import Text

BOX = shapely.box(-1.0, -1.0, 1.0, 1.0)
BOXES = Puzzle(shapely.box(0.0, 0.0, 4.0, 2.0), (Fragment("a", BOX), Fragment("b", BOX)))
BESIDE = Joint("a", "b", Pose(2.0, 0.0), 2.0, 0.001, 0.75)
IN_THE_CORNER = Joint(None, "a", Pose(1.0, 1.0), 4.0, 0.001, 0.5)


def test_the_seam_is_where_outlines_touch() -> None:
    seam = seam_of(BOXES, BESIDE)
    assert seam.bounds == pytest.approx((1.0, -1.0, 1.0, 1.0), abs=0.05)
    assert seam.length == pytest.approx(2.0, abs=0.1)
    assert seam_of(BOXES, IN_THE_CORNER).length == pytest.approx(6.0, abs=0.1)  # the box is as high as it


def test_every_joint_has_its_panel_and_likelihood() -> None:
    picture = draw_hints(BOXES, [BESIDE, IN_THE_CORNER], title="two boxes")
    words = [item.text for layer in picture.layers for item in layer.items if isinstance(item, Text)]
    assert "two boxes" in words
    assert "75%  a + b" in words
    assert "50%  target + a" in words
    assert not any("mm" in word for word in words)
    in_mm = draw_hints(BOXES, [BESIDE], unit="mm")
    words = [item.text for layer in in_mm.layers for item in layer.items if isinstance(item, Text)]
    assert any(word.startswith("along 2 mm, apart ") and word.endswith(" mm") for word in words)
    svg = to_svg(picture)
    assert svg.count('id="hint') == 3  # two pieces, then one in the target


def test_groups_come_first_with_the_weakest_joint_that_holds_them() -> None:
    group = Group(Assembly().place("a", Pose(5.0, 5.0)).place("b", Pose(7.0, 5.0)), (BESIDE,))
    picture = draw_hints(BOXES, [BESIDE], groups=[group])
    words = [item.text for layer in picture.layers for item in layer.items if isinstance(item, Text)]
    assert words.index("group 1: 2 pieces") < words.index("75%  a + b")
    assert "its weakest joint: 75%" in words


def test_one_joint_a_pair_is_taken() -> None:
    worse = Joint("a", "b", Pose(0.0, 2.0), 2.0, 0.001, 0.25)
    assert likeliest([BESIDE, IN_THE_CORNER, worse], 5) == [BESIDE, IN_THE_CORNER]
    assert likeliest([BESIDE, IN_THE_CORNER], 1) == [BESIDE]

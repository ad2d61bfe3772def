"""One assembly in its target."""

from __future__ import annotations

import math

import pytest

from sherd.core.assembly import Assembly
from sherd.core.geometry import Pose
from sherd.core.puzzle import Sample
from sherd.draw.board import board_layers, extent, fit, target_px, within_reach
from sherd.draw.colours import piece_colours
from sherd.draw.flaws import find_flaws
from sherd.draw.scene import Area, Text


def test_only_what_lies_near_the_target_is_shown(two_halves: Sample) -> None:
    for x, shown in ((0.75, 2), (1.9, 1), (math.nan, 1)):
        assembly = Assembly(two_halves.truth.placements[:1]).place("right", Pose(x, 0.5))
        assert len(within_reach(two_halves.puzzle, assembly)) == shown
    assert len(within_reach(two_halves.puzzle.without_target(), assembly)) == 1


def test_the_extent_holds_the_target_and_what_sticks_out(two_halves: Sample) -> None:
    out = Assembly().place("left", Pose(-0.2, 0.5)).place("right", Pose(0.75, 0.5))
    assert extent(two_halves.puzzle, [out]) == pytest.approx((-0.45, 0.0, 1.0, 1.0))


def test_a_frame_puts_the_top_left_corner_where_it_is_asked_to_be() -> None:
    frame = fit((1.0, 2.0, 3.0, 5.0), 10.0, -20.0, 2.0)
    assert frame.to_page([1.0, 5.0]).tolist() == [10.0, -20.0]
    assert target_px(1) == 340.0
    assert target_px(10_000) == 1000.0


def test_one_piece_is_brought_out_and_flaws_are_marked(two_halves: Sample) -> None:
    puzzle = two_halves.puzzle
    assembly = Assembly().place("left", Pose(0.25, 0.5)).place("right", Pose(0.6, 0.5))
    shown = within_reach(puzzle, assembly)
    flaws = find_flaws(puzzle.target, [outline for _, outline in shown], 1e-3)
    colours = piece_colours(puzzle)
    frame = fit(puzzle.target.bounds, 0.0, 0.0, 300.0)
    layers = board_layers(puzzle, shown, frame, flaws=flaws, colours=colours, current="left", prefix="p-")
    target, pieces, marks, labels = layers
    assert [area.id for area in pieces.items if isinstance(area, Area)] == ["p-left", "p-right"]
    fills = [area.paint.fill for area in pieces.items if isinstance(area, Area)]
    assert fills[0] == colours["left"]
    assert fills[1] != colours["right"]
    assert len(target.items) == 3  # what is open, a gap and its hatching
    assert any(isinstance(area, Area) and area.geometry.area == pytest.approx(0.15) for area in marks.items)
    assert [text.text for text in labels.items if isinstance(text, Text)] == ["left", "right"]

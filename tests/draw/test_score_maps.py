"""Pictures of what a learned solver held likely."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import shapely

from sherd.core.assembly import Assembly
from sherd.core.puzzle import Sample
from sherd.draw.labels import text_width
from sherd.draw.png import to_image
from sherd.draw.scene import Area, Text
from sherd.draw.score_maps import BEYOND, FILLED, GLOW, draw_scores, glowing
from sherd.draw.svg import to_svg


def test_a_panel_for_each_step(two_halves: Sample) -> None:
    first = type(two_halves.truth)(two_halves.truth.placements[:1])
    maps = [np.full((16, 16), -20.0), np.zeros((16, 16))]
    picture = draw_scores(two_halves.puzzle, [first, two_halves.truth], maps, [0.5, 0.999])
    panels = [layer for layer in picture.layers if layer.name.startswith("step")]
    assert [layer.name for layer in panels] == ["step1", "step2"]
    outlines = [
        [area for area in layer.items if isinstance(area, Area) and area.texture is None] for layer in panels
    ]
    assert [len(areas) for areas in outlines] == [2, 3]  # the target, and the pieces so far
    texts = {
        name: [
            item.text
            for layer in picture.layers
            if layer.name == name
            for item in layer.items
            if isinstance(item, Text)
        ]
        for name in ("heading", "key")
    }
    assert [text.split() for text in texts["heading"]] == [
        ["1.", "left,", "50%", "sure"],
        ["2.", "right,", "100%", "sure"],
    ]
    assert {"10%", "0.01%", "filled", "placed then"} <= set(texts["key"])
    assert to_svg(picture).count("<image") == 2
    assert to_image(picture).size[0] > 100


def test_the_chances_of_a_step_stand_between_its_heading_and_its_panel(two_halves: Sample) -> None:
    first = Assembly(two_halves.truth.placements[:1])
    steps, maps = [first, two_halves.truth], [np.zeros((16, 16))] * 2
    bare = draw_scores(two_halves.puzzle, steps, maps, [0.36, 0.5])
    told = [{"piece": 0.9, "angle": 0.8, "pixel": 0.5}, {"piece": 1.0, "angle": 1.0, "pixel": 0.5}]
    picture = draw_scores(two_halves.puzzle, steps, maps, [0.36, 0.5], told)
    headings = [layer.items for layer in picture.layers if layer.name == "heading"]
    lines = [[item.text for item in items if isinstance(item, Text)] for items in headings]
    assert lines == [
        ["1.  left,  36% sure", "piece 90%, angle 80%, pixel 50%"],
        ["2.  right,  50% sure", "piece 100%, angle 100%, pixel 50%"],
    ]
    assert picture.height > bare.height
    for items, panel in zip(headings, (x for x in picture.layers if x.name.startswith("step")), strict=True):
        above, below = (item for item in items if isinstance(item, Text))
        assert panel.frame is not None
        box = panel.items[0]
        assert isinstance(box, Area)
        top = panel.frame.y + panel.frame.scale * box.geometry.bounds[3]
        assert above.y - above.size / 2.0 > below.y + below.size / 2.0
        assert below.y - below.size / 2.0 > top


def test_what_is_likelier_is_lighter() -> None:
    colours = glowing(np.linspace(-12.0, 0.0, 30)[None]).astype(int).sum(axis=2)[0]
    assert (np.diff(colours) >= 0).all()


def test_what_is_filled_is_told_apart_only_where_nothing_is_likely() -> None:
    scores = np.array([[-20.0, -9.0, -3.0, 0.0]])
    bare, filled = glowing(scores).astype(int), glowing(scores, FILLED).astype(int)
    assert filled[0, 0].tolist() == list(FILLED)
    assert (filled[0, :2] > bare[0, :2]).all()
    assert (filled[0, 2:] == bare[0, 2:]).all()


def test_open_filled_and_beyond_have_a_colour_each(two_halves: Sample) -> None:
    wide = replace(two_halves.puzzle, target=shapely.box(0.0, 0.0, 1.0, 0.5))
    first = Assembly(two_halves.truth.placements[:1])
    picture = draw_scores(wide, [first, two_halves.truth], [np.full((16, 16), -20.0)] * 2)
    area = next(layer.items[0] for layer in picture.layers if layer.name == "step2")
    assert isinstance(area, Area)
    assert area.texture is not None
    colours = area.texture.image[[8, 8, 1], [2, 13, 8]].tolist()
    assert colours == [list(FILLED), list(GLOW[0][1]), list(BEYOND)]


def test_the_key_fits_on_a_narrow_page(two_halves: Sample) -> None:
    picture = draw_scores(two_halves.puzzle, [two_halves.truth], [np.zeros((16, 16))])
    last = [item for item in picture.layers[-1].items if isinstance(item, Text)][-1]
    assert last.x + text_width(last.text, last.size) < picture.width
    assert -picture.height < last.y < 0.0


def test_a_map_for_each_step(two_halves: Sample) -> None:
    with pytest.raises(ValueError, match="not 0 for 1"):
        draw_scores(two_halves.puzzle, [two_halves.truth], [])

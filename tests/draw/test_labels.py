from __future__ import annotations

import math
import re

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st
from shapely import Polygon

from sherd.core.assembly import Assembly
from sherd.core.geometry import Pose
from sherd.core.puzzle import Fragment, Puzzle, Sample
from sherd.draw import draw_assembly, to_image, to_svg
from sherd.draw.labels import SIZES_PX, Spot, fit_label, label_spot, lengthwise_deg, text_width
from sherd.draw.scene import Layer, Picture, Text
from sherd.generation.painting import paint

INK, HALO = "#000000", "#ff0000"


def thin_piece(angle_deg: float, length: float = 1.0, thickness: float = 0.12) -> Polygon:
    bar = shapely.box(-length / 2, -thickness / 2, length / 2, thickness / 2)
    return Pose(theta=math.radians(angle_deg)).apply(bar)


def room_of(spot: Spot, text: str, scale: float) -> Polygon:
    right, up = text_width(text, spot.size) / 2 / scale, spot.size / 2 / scale
    return Pose(spot.x, spot.y, math.radians(spot.angle_deg)).apply(shapely.box(-right, -up, right, up))


def dark_direction_deg(picture: Picture) -> float:
    """The direction in which the picture's ink runs, counter-clockwise from the x axis."""
    dark = np.asarray(to_image(picture, zoom=2.0).convert("L")) < 128
    rows, columns = np.nonzero(dark)
    values, vectors = np.linalg.eigh(np.cov(np.stack([columns, -rows])))
    x, y = vectors[:, np.argmax(values)]
    return math.degrees(math.atan(y / x))


def one_label(angle_deg: float, halo: str | None = None) -> Picture:
    text = Text(50.0, -50.0, "sherd-17", 15.0, INK, halo=halo, angle_deg=angle_deg)
    return Picture(100.0, 100.0, (Layer("labels", (text,)),))


def test_label_stays_inside_and_shrinks_with_the_piece() -> None:
    piece = shapely.box(-1, -1, 1, 1)
    spots = [fit_label(piece, "piece", scale) for scale in (100.0, 20.0, 13.0, 5.0)]
    found = [spot.size if spot else None for spot in spots]
    assert found[0] == 15.0
    assert found[1] is not None and found[2] is not None and found[1] > found[2] >= 7.0
    assert found[3] is None
    assert fit_label(piece, "", 100.0) is None


@given(st.integers(-180, 180), st.floats(90.0, 200.0))
def test_label_of_a_thin_piece_runs_along_it_and_stays_inside(angle_deg: int, scale: float) -> None:
    piece = thin_piece(angle_deg)
    spot = fit_label(piece, "piece 17", scale)
    assert spot is not None and spot.size in SIZES_PX
    assert piece.contains(room_of(spot, "piece 17", scale))
    assert -90.0 < spot.angle_deg <= 90.0  # never upside down
    if spot.angle_deg:
        assert (spot.angle_deg - angle_deg) % 180.0 == 0.0


def test_label_is_turned_only_where_it_must_be() -> None:
    slanted = fit_label(thin_piece(50.0), "f17", 100.0)
    assert slanted is not None and slanted.angle_deg == 50.0
    enough_room = fit_label(thin_piece(50.0, thickness=0.5), "f17", 100.0)
    assert enough_room is not None and enough_room.angle_deg == 0.0
    assert fit_label(thin_piece(50.0, thickness=0.05), "f17", 100.0) is None


def test_label_of_a_wedge_may_move_to_its_wide_end() -> None:
    wedge = Polygon([(-0.3, 0), (0.3, 0), (0.5, 20), (-0.5, 20)])
    spot = fit_label(wedge, "f17", 9.0)
    assert spot is not None and spot.y > wedge.centroid.y and spot.angle_deg == 90.0
    assert wedge.contains(room_of(spot, "f17", 9.0))


@pytest.mark.parametrize("noise", [-1e-12, 0.0, 1e-12])
def test_all_upright_pieces_read_upwards(noise: float) -> None:
    assert lengthwise_deg(thin_piece(90.0 + noise)) == lengthwise_deg(thin_piece(-90.0 + noise)) == 90.0


def test_repeated_vertices_have_no_direction() -> None:
    assert lengthwise_deg(Polygon([(0, 0), (4, 4), (4, 4), (3, 5), (-1, 1)])) == 45.0


def test_label_of_a_ring_is_on_the_ring() -> None:
    ring = Polygon(shapely.box(-3, -3, 3, 3).exterior, [shapely.box(-1, -1, 1, 1).exterior])
    assert ring.contains(shapely.Point(label_spot(ring)))
    assert label_spot(ring) != pytest.approx((0.0, 0.0))


@pytest.mark.parametrize("angle_deg", [-60.0, 0.0, 35.0, 80.0])
def test_pixels_turn_counter_clockwise(angle_deg: float) -> None:
    assert dark_direction_deg(one_label(angle_deg)) == pytest.approx(angle_deg, abs=3.0)


def test_svg_turns_counter_clockwise() -> None:
    assert 'transform="matrix(1,0,0,-1,50,-50) rotate(-35)"' in to_svg(one_label(35.0))
    assert "rotate" not in to_svg(one_label(0.0))


@pytest.mark.parametrize("angle_deg", [0.0, 35.0])
def test_halo_turns_with_its_text_and_nothing_else_shows(angle_deg: float) -> None:
    """Over white, black text in a red halo has no other colours than mixtures of these three."""
    pixels = np.asarray(to_image(one_label(angle_deg, HALO), zoom=2.0), dtype=int)
    red, green, blue = (pixels[..., k] for k in range(3))
    assert (red >= green - 2).all() and (abs(green - blue) <= 2).all()
    assert ((red > 250) & (green < 5)).sum() > 100
    # No ink meets the page: what is darker than the halo lies within it.
    assert (pixels[(green > 128) & (red < 250)].size) == 0


def test_turned_text_has_no_fringe() -> None:
    white = Text(50.0, -50.0, "sherd-17", 15.0, "#ffffff", angle_deg=35.0)
    page = to_image(Picture(100.0, 100.0, (Layer("labels", (white,)),)), zoom=2.0)
    assert page.getcolors() == [(200 * 200, (255, 255, 255))]


def test_thin_pieces_of_an_assembly_are_named_in_both_formats(two_halves: Sample) -> None:
    slanted = Fragment("slanted", thin_piece(50.0, thickness=0.06))
    puzzle = Puzzle(shapely.box(0, 0, 1, 1), (slanted, *two_halves.puzzle.fragments))
    assembly = Assembly().place("slanted", Pose(0.5, 0.5))
    picture = draw_assembly(puzzle, assembly)
    svg = to_svg(picture)
    assert re.search(r"rotate\(-50\)[^>]*>slanted</text>", svg)
    assert svg == to_svg(draw_assembly(puzzle, assembly))
    first, second = (to_image(draw_assembly(puzzle, assembly)).tobytes() for _ in range(2))
    assert first == second


def test_turned_labels_of_textured_pieces_have_a_halo() -> None:
    thin = Sample(
        Puzzle(shapely.box(0, 0, 1, 1), (Fragment("slanted", thin_piece(50.0, thickness=0.06)),)),
        Assembly().place("slanted", Pose(0.5, 0.5)),
    )
    painted = paint(thin, np.full((16, 16, 3), 90, dtype=np.uint8), size_px=16)
    picture = draw_assembly(painted.puzzle, painted.truth)
    (label,) = [
        item
        for layer in picture.layers
        for item in layer.items
        if isinstance(item, Text) and item.text == "slanted"
    ]
    assert label.angle_deg == 50.0 and label.halo == "#ffffff"

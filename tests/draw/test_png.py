from __future__ import annotations

import numpy as np
import pytest
import shapely

from sherd.core.assembly import Assembly
from sherd.core.geometry import Pose
from sherd.core.proper_polygons import make_polygon
from sherd.core.puzzle import Fragment, Puzzle, Sample
from sherd.draw import Picture, draw_assembly, draw_puzzle, piece_colours, to_image, to_png
from sherd.draw.colours import GAP, GAP_HATCH, OPEN, OVERLAP, OVERLAP_HATCH
from sherd.draw.png import LONGEST_PX
from sherd.draw.scene import Area, Frame, Layer, Paint
from sherd.generation.painting import paint

RED, BLUE = "#ff0000", "#0000ff"


def colour_at(
    picture: Picture, x: float, y: float, *, layer: str = "pieces", spread: float = 0.0
) -> set[str]:
    """The colours around a point of the world, up to ``spread`` world units away."""
    frame = next(one.frame for one in picture.layers if one.name == layer)
    image = to_image(picture)
    offsets = np.linspace(-spread, spread, 9 if spread else 1)
    points = frame.to_page([(x + dx, y + dy) for dx in offsets for dy in offsets])
    pixels = (image.getpixel((int(px), int(-py))) for px, py in points)
    return {f"#{r:02x}{g:02x}{b:02x}" for r, g, b in pixels}  # type: ignore[misc]


def test_colours_of_pieces_gaps_and_overlaps(two_halves: Sample) -> None:
    puzzle = two_halves.puzzle
    # The left half reaches from 0.1 to 0.6, the right one from 0.4 to 0.9.
    assembly = Assembly().place("left", Pose(0.35, 0.5)).place("right", Pose(0.65, 0.5))
    picture, colours = draw_assembly(puzzle, assembly), piece_colours(puzzle, assembly)
    assert colour_at(picture, 0.2, 0.9) == {colours["left"]}
    assert colour_at(picture, 0.8, 0.1) == {colours["right"]}
    assert {GAP.fill} < colour_at(picture, 0.05, 0.8, spread=0.03)
    assert {OVERLAP.fill} < colour_at(picture, 0.5, 0.8, spread=0.03)
    assert colours["left"] != colours["right"]
    assert GAP_HATCH.stroke != OVERLAP_HATCH.stroke


def test_a_perfect_assembly_shows_no_flaw(square_of_four: Sample) -> None:
    picture = draw_assembly(square_of_four.puzzle, square_of_four.truth)
    seen = {colour for _, colour in to_image(picture).getcolors(1 << 24) or []}
    for flaw in (GAP, OVERLAP):
        assert tuple(bytes.fromhex((flaw.fill or "")[1:])) not in seen


def test_holes_show_what_lies_below_and_y_points_up() -> None:
    ring = make_polygon([[-1, -1], [1, -1], [1, 1], [-1, 1]], [[[-1, 0], [0, 0], [0, 0.9], [-0.9, 0.9]]])
    floor = Area(shapely.box(-1, -1, 1, 1), Paint(fill=BLUE))
    layer = Layer("pieces", (floor, Area(ring, Paint(fill=RED))), Frame(50, -50, 40))
    picture = Picture(100, 100, (layer,))
    assert colour_at(picture, -0.5, 0.5) == {BLUE}
    assert colour_at(picture, -0.5, -0.5) == {RED}
    assert colour_at(picture, 0.5, 0.5) == {RED}
    assert colour_at(picture, 1.2, 0.0) == {"#ffffff"}


def test_edges_are_smooth() -> None:
    half = Layer("pieces", (Area(shapely.box(0, 0, 5.5, 10), Paint(fill="#000000")),), Frame(0, -10, 1))
    (shade, *_) = to_image(Picture(10, 10, (half,))).getpixel((5, 5))  # type: ignore[misc]
    assert 100 <= shade <= 155


def test_mirrored_pieces_are_mirrored() -> None:
    flag = make_polygon([[0, 0], [1, 0], [1, 1]])
    puzzle = Puzzle(shapely.box(-1, 0, 0, 1), (Fragment("flag", flag),), mirror=True)
    picture = draw_assembly(puzzle, Assembly().place("flag", Pose(0, 0, 0, mirrored=True)))
    assert colour_at(picture, -0.9, 0.3) == {piece_colours(puzzle)["flag"]}
    assert {GAP.fill} < colour_at(picture, -0.1, 0.8, spread=0.05)


def test_textures_follow_their_piece(two_halves: Sample) -> None:
    image = np.zeros((64, 64, 3), dtype=np.uint8)
    image[:32] = (250, 10, 10)  # the upper half of the target is red, the lower black
    painted = paint(two_halves, image, size_px=64)
    upright = draw_assembly(painted.puzzle, painted.truth)
    assert colour_at(upright, 0.1, 0.9) == colour_at(upright, 0.9, 0.9) == {"#fa0a0a"}
    assert colour_at(upright, 0.1, 0.1) == {"#000000"}
    turned = draw_assembly(painted.puzzle, Assembly().place("left", Pose(0.25, 0.5, np.pi)))
    assert colour_at(turned, 0.1, 0.1) == {"#fa0a0a"}
    assert colour_at(draw_puzzle(painted.puzzle), 0.5, 0.9, layer="target") == {"#fa0a0a"}


def test_the_target_of_a_puzzle_is_open(two_halves: Sample) -> None:
    assert colour_at(draw_puzzle(two_halves.puzzle), 0.5, 0.5, layer="target") == {OPEN}


def test_same_input_same_bytes(square_of_four: Sample) -> None:
    first, second = (to_png(draw_puzzle(square_of_four.puzzle)) for _ in range(2))
    assert first == second
    assert first.startswith(b"\x89PNG")


@pytest.mark.parametrize("zoom", [0.5, 1.0, 3.0])
def test_zoom_scales_the_page(two_halves: Sample, zoom: float) -> None:
    picture = draw_puzzle(two_halves.puzzle)
    assert to_image(picture, zoom=zoom).width == pytest.approx(picture.width * zoom, abs=1.0)


def test_giant_pages_are_made_smaller() -> None:
    assert to_image(Picture(1e6, 10.0, ())).width == LONGEST_PX

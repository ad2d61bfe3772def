from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st
from shapely import Polygon

from sherd.core.assembly import Assembly
from sherd.core.geometry import Pose
from sherd.core.puzzle import Fragment, Puzzle, Sample
from sherd.draw import Compared, draw_assembly, draw_comparison, draw_puzzle, draw_steps, to_svg
from sherd.draw.scene import Area, Frame, Layer, Paint, Picture
from sherd.generation.painting import paint

SVG = "{http://www.w3.org/2000/svg}"
AWKWARD = ["\"<&'>", "🏺 amphora", "a\x00b\ud800", "  ", "clip-0", "]]>", "target"]


def rings_of(path: ElementTree.Element) -> list[list[tuple[float, ...]]]:
    rings = path.attrib["d"].removesuffix("Z").split("Z")
    return [[tuple(map(float, at.split(","))) for at in re.split("[ML]", ring)[1:]] for ring in rings]


def matrix_of(group: ElementTree.Element) -> tuple[float, ...]:
    return tuple(map(float, group.attrib["transform"].removeprefix("matrix(").rstrip(")").split(",")))


def pieces_of(svg: str) -> dict[str, ElementTree.Element]:
    root = ElementTree.fromstring(svg.encode())
    return {group.attrib["id"]: group for group in root.iter(f"{SVG}g") if "id" in group.attrib}


def awkward_puzzle() -> Puzzle:
    corners = [(-0.1, -1 / 3), (math.pi / 10, -1e-17), (0.2, 1 / 7), (-0.3, 5e-324)]
    holed = Polygon(corners, [[(0.0, 0.01), (0.05, 0.02), (0.02, 0.05)]])
    pieces = [
        Fragment(name, holed if k == 0 else shapely.Point(0, 0).buffer(0.1 + 0.01 * k, 3))
        for k, name in enumerate(AWKWARD)
    ]
    return Puzzle(shapely.box(0, 0, 1, 1), tuple(pieces), mirror=True)


def test_pieces_read_back_exactly_from_the_text() -> None:
    puzzle = awkward_puzzle()
    assembly = Assembly()
    for k, fragment in enumerate(puzzle.fragments):
        assembly = assembly.place(fragment.id, Pose(0.1 * k, 0.7, 0.3 * k, mirrored=k % 2 == 1))
    groups = list(pieces_of(to_svg(draw_assembly(puzzle, assembly))).values())
    assert len(groups) == len(AWKWARD)
    for placement, group in zip(assembly, groups, strict=True):
        polygon = puzzle[placement.id].polygon
        (path,) = group.findall(f"{SVG}path")
        expected = [list(ring.coords)[:-1] for ring in (polygon.exterior, *polygon.interiors)]
        assert rings_of(path) == expected
        assert matrix_of(group) == placement.pose.matrix


def test_awkward_ids_are_escaped_and_titled() -> None:
    svg = to_svg(draw_puzzle(awkward_puzzle()))
    found = pieces_of(svg)
    shown = {name.replace("\x00", "\ufffd").replace("\ud800", "\ufffd") for name in AWKWARD}
    assert set(found) == shown
    assert {group.findtext(f"{SVG}title") for group in found.values()} == shown


@given(st.text(min_size=1, max_size=20))
def test_any_id_reads_back_but_for_what_xml_forbids(name: str) -> None:
    picture = Picture(1, 1, (Layer(name, (Area(shapely.box(0, 0, 1, 1), Paint(), id=name, title=name),)),))
    (found,) = pieces_of(to_svg(picture))
    legal = [
        c in "\t\n\r" or (c >= " " and not "\ud800" <= c <= "\udfff" and c not in "\ufffe\uffff")
        for c in name
    ]
    assert found == "".join(c if fine else "\ufffd" for c, fine in zip(name, legal, strict=True))


def test_world_y_points_up() -> None:
    """Following all transforms, the world's upper left corner comes out at the top left."""
    picture = Picture(
        100, 100, (Layer("x", (Area(shapely.box(0, 0, 1, 1), Paint(), Pose(1, 2)),), Frame(5, -50, 10)),)
    )
    root = ElementTree.fromstring(to_svg(picture))
    total = np.eye(3)
    group = root
    while (inner := group.find(f"{SVG}g")) is not None:
        a, b, c, d, e, f = matrix_of(inner)
        total = total @ np.array([[a, c, e], [b, d, f], [0, 0, 1]])
        group = inner
    assert (total @ [0, 0, 1]).tolist() == [15, 30, 1]
    assert (total @ [0, 1, 1]).tolist() == [15, 20, 1]


def test_all_ids_are_unique_on_pages_of_many_boards(square_of_four: Sample) -> None:
    puzzle, truth = square_of_four.puzzle, square_of_four.truth
    steps = [Assembly(truth.placements[: k + 1]) for k in range(4)]
    row = [Compared(puzzle, truth, "one"), Compared(puzzle, steps[1])]
    for picture in (draw_steps(puzzle, steps), draw_comparison({"a": row, "b": row})):
        ids = re.findall(' id="([^"]*)"', to_svg(picture))
        assert len(ids) == len(set(ids)) > 4


def test_textures_are_embedded_and_clipped(square_of_four: Sample) -> None:
    image = np.full((16, 16, 3), (200, 30, 60), dtype=np.uint8)
    painted = paint(square_of_four, image, size_px=16)
    svg = to_svg(draw_assembly(painted.puzzle, painted.truth))
    root = ElementTree.fromstring(svg)
    images = list(root.iter(f"{SVG}image"))
    clips = [clip.attrib["id"] for clip in root.iter(f"{SVG}clipPath")]
    assert len(images) == len(set(clips)) == 4
    assert all(one.attrib["href"].startswith("data:image/png;base64,") for one in images)


def test_same_input_same_text(square_of_four: Sample) -> None:
    first, second = (to_svg(draw_assembly(square_of_four.puzzle, square_of_four.truth)) for _ in range(2))
    assert first == second


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_pages_do_not_depend_on_units(square_of_four: Sample, scale: float) -> None:
    def scaled(polygon: Polygon) -> Polygon:
        return shapely.transform(polygon, lambda points: points * scale)

    puzzle = square_of_four.puzzle
    other = Puzzle(scaled(puzzle.target), tuple(Fragment(f.id, scaled(f.polygon)) for f in puzzle.fragments))
    page, reference = draw_puzzle(other), draw_puzzle(Puzzle(puzzle.target, puzzle.fragments))
    assert (page.width, page.height) == pytest.approx((reference.width, reference.height))

"""Pictures of puzzles, assemblies, steps and comparisons."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
import shapely
from shapely import Polygon

from sherd.core.assembly import Assembly
from sherd.core.geometry import Pose, Rotations
from sherd.core.puzzle import Fragment, Puzzle, Sample
from sherd.draw import (
    Compared,
    Picture,
    draw_assembly,
    draw_comparison,
    draw_frames,
    draw_puzzle,
    draw_steps,
    to_image,
    write,
)
from sherd.draw.scene import Area, Text
from sherd.generation.fragmentation import FragmentationParams, generate
from sherd.generation.shapes import named_shape


def texts(picture: Picture) -> list[str]:
    return [item.text for layer in picture.layers for item in layer.items if isinstance(item, Text)]


def assert_all_on_page(picture: Picture) -> None:
    for layer in picture.layers:
        for item in layer.items:
            if isinstance(item, Area) and not item.geometry.is_empty:
                corners = shapely.get_coordinates(item.pose.apply(item.geometry))
                page = layer.frame.to_page(corners)
                assert page[:, 0].min() >= 0.0 and page[:, 0].max() <= picture.width
                assert page[:, 1].max() <= 0.0 and page[:, 1].min() >= -picture.height


def steps_of(assembly: Assembly) -> list[Assembly]:
    return [Assembly(assembly.placements[: k + 1]) for k in range(len(assembly))]


@pytest.mark.parametrize("shape", ["square", "hexagon", "mondrian"])
@pytest.mark.parametrize("pieces", [1, 8, 33])
def test_everything_is_on_the_page(shape: str, pieces: int) -> None:
    params = FragmentationParams(pieces=pieces, rotations=Rotations(None))
    (sample,) = generate(named_shape(shape), params, count=1, seed=1)
    puzzle, truth = sample.puzzle, sample.truth
    astray = Assembly().place(puzzle.fragments[0].id, Pose(0.9, 1.4, 1.0))
    for picture in (
        draw_puzzle(puzzle),
        draw_assembly(puzzle, truth, caption="a caption that is much longer than the picture is wide " * 2),
        draw_assembly(puzzle, astray),
        draw_steps(puzzle, steps_of(truth)),
        draw_frames(puzzle, [astray])[-1],
        draw_comparison(
            {"a": [Compared(puzzle, truth, "good"), Compared(puzzle, astray, "bad")]}, columns=["1", "2"]
        ),
    ):
        assert_all_on_page(picture)


def test_puzzle_names_every_piece(square_of_four: Sample) -> None:
    assert sorted(texts(draw_puzzle(square_of_four.puzzle)))[1:] == ["a", "b", "c", "d", "target"]
    assert "4 pieces, free to turn" in texts(draw_puzzle(square_of_four.puzzle))


@pytest.mark.parametrize(
    ("rotations", "mirror", "words"),
    [
        (Rotations(1), False, "1 piece, not turned"),
        (Rotations(20), False, "1 piece, turned by multiples of 18°"),
        (Rotations(None), True, "1 piece, free to turn, may be flipped"),
    ],
)
def test_puzzle_says_how_pieces_may_move(rotations: Rotations, mirror: bool, words: str) -> None:
    square = shapely.box(-0.5, -0.5, 0.5, 0.5)
    assert words in texts(draw_puzzle(Puzzle(square, (Fragment("x", square),), rotations, mirror)))


def test_legend_tells_only_what_is_there(two_halves: Sample) -> None:
    puzzle = two_halves.puzzle
    assert "no overlap, no gap" in texts(draw_assembly(puzzle, two_halves.truth))
    moved = Assembly().place("left", Pose(0.25, 0.5)).place("right", Pose(0.8, 0.5))
    assert {"gap", "beyond the target"} < set(texts(draw_assembly(puzzle, moved)))
    assert "overlap" not in texts(draw_assembly(puzzle, moved))


@pytest.mark.parametrize("away", [1e9, math.inf, math.nan])
def test_pieces_out_of_reach_are_named_not_drawn(two_halves: Sample, away: float) -> None:
    assembly = Assembly().place("left", Pose(0.25, 0.5)).place("right", Pose(away, 0.0))
    picture = draw_assembly(two_halves.puzzle, assembly)
    assert "off the picture: right" in texts(picture)
    assert max(picture.width, picture.height) < 1000


def test_loose_pieces_are_shown_beside(two_halves: Sample) -> None:
    picture = draw_assembly(two_halves.puzzle, Assembly().place("left", Pose(0.25, 0.5)))
    assert {"not placed", "left", "right"} < set(texts(picture))


def test_steps_are_numbered_and_wrap(square_of_four: Sample) -> None:
    picture = draw_steps(square_of_four.puzzle, steps_of(square_of_four.truth))
    headings = [text for text in texts(picture) if "." in text]
    assert headings == ["1.  a", "2.  b", "3.  c", "4.  d"]
    many = draw_steps(square_of_four.puzzle, [square_of_four.truth] * 500)
    assert many.width < 1200
    assert [text for text in texts(many) if "." in text][-1] == "500."


def test_a_step_that_moves_several_pieces_brings_out_none(two_halves: Sample) -> None:
    swapped = Assembly().place("left", Pose(0.75, 0.5)).place("right", Pose(0.25, 0.5))
    picture = draw_steps(two_halves.puzzle, [two_halves.truth, swapped])
    assert [text for text in texts(picture) if "." in text] == ["1.", "2."]


def test_bad_arguments(two_halves: Sample, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="at least one step"):
        draw_steps(two_halves.puzzle, [])
    with pytest.raises(ValueError, match="at least one assembly"):
        draw_comparison({"a": []})
    with pytest.raises(ValueError, match="1 columns need as many headings, not 2"):
        draw_comparison({"a": [Compared(two_halves.puzzle, two_halves.truth)]}, columns=["1", "2"])
    with pytest.raises(ValueError, match=r"'\.bmp'"):
        write(draw_puzzle(two_halves.puzzle), tmp_path / "picture.bmp")
    assert list(tmp_path.iterdir()) == []


def test_very_thin_pieces_can_be_seen() -> None:
    thin = Fragment("thin", shapely.box(-0.5, -1e-5, 0.5, 1e-5))
    image = to_image(
        draw_assembly(Puzzle(shapely.box(0, 0, 1, 1), (thin,)), Assembly().place("thin", Pose(0.5, 0.5)))
    )
    column = [image.getpixel((image.width // 2, y)) for y in range(image.height)]
    assert any(pixel[1] > 150 and pixel[0] < 200 for pixel in column)  # type: ignore[index]


def test_pieces_too_small_for_their_names_have_lines_to_them() -> None:
    chips = [Fragment(f"chip number {k}", Polygon([(-1, -1), (1, -1), (1, 1), (-1, 1)])) for k in range(3)]
    plate = Fragment("plate", shapely.box(-50, -50, 50, 50))
    puzzle = Puzzle(shapely.box(0, 0, 100, 110), (plate, *chips))
    answer = Assembly().place("plate", Pose(50, 50))
    for k, chip in enumerate(chips):
        answer = answer.place(chip.id, Pose(20 + 30 * k, 104))
    picture = draw_assembly(puzzle, answer)
    names = [text.split("…")[0] for text in texts(picture)]
    assert sum(name.startswith("chip number") for name in names) == 3
    labels = next(layer for layer in picture.layers if layer.name == "labels")
    lines = [item.geometry for item in labels.items if isinstance(item, Area)]
    places = [shapely.box(19 + 30 * k, 103, 21 + 30 * k, 105) for k in range(3)]
    assert all(any(line.intersects(place) for line in lines) for place in places)

"""Puzzles in files: what is written is read, and what is not a puzzle is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st
from shapely import MultiPolygon

from sherd.core.errors import FileFormatError
from sherd.core.geometry import Pose, Rotations
from sherd.core.proper_polygons import make_polygon
from sherd.core.puzzle import Fragment, Puzzle, Sample
from sherd.generation.fragmentation import FragmentationParams, generate
from sherd.generation.shapes import SHAPES
from sherd.io import (
    puzzle_to_json,
    puzzle_to_line,
    read_all,
    read_one,
    read_puzzles,
    read_samples,
    write_samples,
)
from sherd.io.document import Document
from sherd.io.puzzle_files import puzzle_from_json

from .conftest import through_text


@given(
    shape=st.sampled_from(sorted(SHAPES)),
    pieces=st.integers(1, 9),
    bins=st.sampled_from([1, 4, 20, None]),
    seed=st.integers(0, 2**32),
)
def test_a_sample_comes_back_as_it_was(shape: str, pieces: int, bins: int | None, seed: int) -> None:
    params = FragmentationParams(pieces=pieces, rotations=Rotations(bins))
    (sample,) = generate(SHAPES[shape](), params, count=1, seed=seed)
    back = through_text(sample)
    assert isinstance(back, Sample)
    assert back.puzzle == sample.puzzle
    assert [p.id for p in back.truth] == [p.id for p in sample.truth]
    assert all(p.pose.is_close(sample.truth[p.id], 1e-13) for p in back.truth)
    assert puzzle_to_line(back) == puzzle_to_line(sample)


def test_holes_mirroring_and_off_centre_frames_are_kept() -> None:
    ring = make_polygon([[0, 0], [4, 0], [4, 4], [0, 4]], [[[1, 1], [2, 2], [2, 1]]])
    puzzle = Puzzle(ring, (Fragment("Scherbe 3 é", ring),), Rotations(None), mirror=True)
    assert through_text(puzzle) == puzzle


def test_a_pixel_is_kept_and_needs_the_second_version(two_halves: Sample) -> None:
    assert puzzle_to_json(two_halves)["version"] == 1
    puzzle = replace(two_halves.puzzle, pixel=0.0078125)
    document = puzzle_to_json(puzzle)
    assert (document["version"], document["pixel"]) == (2, 0.0078125)
    assert through_text(puzzle) == puzzle


def test_a_tolerance_is_kept(two_halves: Sample) -> None:
    assert "tolerance" not in puzzle_to_json(two_halves)
    puzzle = replace(two_halves.puzzle, tolerance=0.25)
    assert through_text(puzzle) == puzzle


def test_rotations_of_a_piece_are_kept_and_need_the_second_version() -> None:
    boxes = (Fragment("a", shapely.box(-1, -0.5, 1, 0.5)), Fragment("b", shapely.box(-1, -0.5, 1, 0.5)))
    puzzle = Puzzle(shapely.box(0, 0, 2, 2), boxes, Rotations(4), turns={"a": Rotations(2)})
    document = puzzle_to_json(puzzle)
    assert document["version"] == 2
    assert [one.get("rotations") for one in document["fragments"]] == [2, None]
    assert through_text(puzzle) == puzzle
    # Whoever says what one piece may do beyond the others is understood, too.
    document["fragments"][0]["rotations"] = "free"
    free = puzzle_in(document)
    assert isinstance(free, Puzzle)
    assert (free.rotations, free.turns) == (Rotations(None), {"b": Rotations(4)})
    document["fragments"][0]["rotations"] = 0
    with pytest.raises(FileFormatError, match=r"fragments\[0\].rotations: expected a number of bins"):
        puzzle_in(document)
    document["fragments"][0]["rotations"] = 2
    lying, across = ({"x": 1.0, "y": y, "rotation_deg": turn} for y, turn in ((0.5, 0.0), (1.5, 90.0)))
    with pytest.raises(FileFormatError, match="90 degrees is not one of the 2 allowed"):
        puzzle_in({**document, "truth": {"a": across, "b": lying}})


def test_pieces_that_may_be_turned_over_are_named(two_halves: Sample) -> None:
    puzzle = replace(two_halves.puzzle, mirror=frozenset(["right"]))
    assert puzzle_to_json(puzzle)["mirror"] == ["right"]
    assert through_text(puzzle) == puzzle


def test_true_angles_read_well(two_halves: Sample) -> None:
    turned = Sample(
        Puzzle(two_halves.puzzle.target, two_halves.puzzle.fragments, Rotations(4), mirror=True),
        type(two_halves.truth)()
        .place("left", Pose(0.25, 0.5, -1.5707963267948966))
        .place("right", Pose(0.75, 0.5, 3.141592653589793, mirrored=True)),
    )
    assert puzzle_to_json(turned)["truth"] == {
        "left": {"x": 0.25, "y": 0.5, "rotation_deg": 270.0},
        "right": {"x": 0.75, "y": 0.5, "rotation_deg": 180.0, "mirrored": True},
    }


def test_a_set_is_written_and_read_line_by_line(tmp_path: Path, two_halves: Sample) -> None:
    path = tmp_path / "set.jsonl"
    assert write_samples(path, [two_halves, two_halves.puzzle]) == 2
    assert [type(item) for item in read_all(path)] == [Sample, Puzzle]
    assert list(read_puzzles(path)) == [two_halves.puzzle] * 2
    assert read_one(path, 1) == two_halves.puzzle
    samples = read_samples(path)
    assert next(samples) == two_halves
    with pytest.raises(FileFormatError, match=r"set\.jsonl:2: the key 'truth' is missing"):
        next(samples)
    with pytest.raises(ValueError, match="there is no puzzle 2: the file holds 2"):
        read_one(path, 2)


@pytest.mark.parametrize("name", ["a.json", "a.jsonl", "a.txt"])
@pytest.mark.parametrize("start", [b"", b"\xef\xbb\xbf", b"\r\n \n"])
def test_names_blank_lines_and_byte_order_marks_do_not_matter(
    tmp_path: Path, two_halves: Sample, name: str, start: bytes
) -> None:
    path = tmp_path / name
    path.write_bytes(start + puzzle_to_line(two_halves).encode() + b"\r\n\r\n")
    assert list(read_samples(path)) == [two_halves]


def test_an_indented_document_is_read_whole(tmp_path: Path, two_halves: Sample) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps(puzzle_to_json(two_halves), indent=2))
    assert list(read_samples(path)) == [two_halves]


Change = Callable[[dict[str, Any]], Any]


BAD: dict[str, tuple[Change, str]] = {
    "unknown key": (lambda d: d.update(colour="red"), r'colour: unknown key "colour"'),
    "missing key": (lambda d: d.pop("fragments"), "the key 'fragments' is missing"),
    "other format": (lambda d: d.update(format="x"), "format: expected 'sherd.puzzle', not 'x'"),
    "no format": (lambda d: d.pop("format"), "the key 'format' is missing: expected a document"),
    "newer with new keys": (lambda d: d.update(version=3, glue=True), "version: this is version 3"),
    "whole number too large": (lambda d: d["target"]["exterior"].__setitem__(0, [0, 10**400]), "too large"),
    "newer version": (lambda d: d.update(version=3), "version: this is version 3, and this sherd reads"),
    "version as text": (lambda d: d.update(version="1"), 'version: expected a number, not "1"'),
    "no fragments": (lambda d: d.update(fragments=[]), "fragments: the puzzle has no fragments"),
    "fragments no list": (lambda d: d.update(fragments={}), "fragments: expected a list, not an object"),
    "fragment null": (lambda d: d["fragments"].__setitem__(1, None), r"fragments\[1\]: expected an object"),
    "id twice": (lambda d: d["fragments"][1].update(id="left"), "two fragments have the id 'left'"),
    "id no text": (lambda d: d["fragments"][1].update(id=3), r"fragments\[1\]\.id: expected a text, not 3"),
    "id empty": (lambda d: d["fragments"][1].update(id=""), "an id has 1 to 100 characters, not 0"),
    "id unprintable": (lambda d: d["fragments"][1].update(id="a\n"), "cannot be printed"),
    "id surrogate": (lambda d: d["fragments"][1].update(id="\ud800"), "cannot be printed"),
    "two vertices": (
        lambda d: d["fragments"][0].update(exterior=[[0, 0], [1, 1], [0, 0]]),
        r"fragments\[0\]: the outline has fewer than 3 vertices",
    ),
    "empty outline": (lambda d: d["target"].update(exterior=[]), "target: the outline is empty"),
    "crossing": (
        lambda d: d["fragments"][0].update(exterior=[[0, 0], [1, 1], [1, 0], [0, 1]]),
        r"fragments\[0\]: the outline crosses itself near \(0\.5, 0\.5\)",
    ),
    "no area": (
        lambda d: d["target"].update(exterior=[[0, 0], [1, 1], [2, 2]]),
        "target: ",
    ),
    "nan": (
        lambda d: d["target"]["exterior"].__setitem__(0, [0, float("nan")]),
        "nan is not a finite number",
    ),
    "infinity": (lambda d: d["truth"]["left"].update(x=float("-inf")), "truth.left.x: -inf is not a finite"),
    "far away": (lambda d: d["target"]["exterior"].__setitem__(0, [0, 1e200]), "too large"),
    "three coordinates": (
        lambda d: d["target"]["exterior"].__setitem__(2, [0, 1, 2]),
        r"target\.exterior\[2\]: expected \[x, y\]",
    ),
    "numbers as text": (lambda d: d["target"]["exterior"].__setitem__(2, ["0", 1]), 'a number, not "0"'),
    "true as a number": (lambda d: d["target"]["exterior"].__setitem__(2, [True, 1]), "a number, not true"),
    "hole outside": (
        lambda d: d["target"].update(holes=[[[5, 5], [6, 5], [5, 6]]]),
        "target: hole lies outside",
    ),
    "too large": (
        lambda d: d["fragments"][0].update(exterior=[[0, 0], [9, 0], [9, 9]]),
        "fragment 'left' is larger than the target",
    ),
    "rotations 0": (lambda d: d.update(rotations=0), "rotations: expected a number of bins from 1 to"),
    "rotations quoted": (lambda d: d.update(rotations="4"), 'or "free", not "4"'),
    "rotations true": (lambda d: d.update(rotations=True), 'or "free", not true'),
    "rotations text": (
        lambda d: d.update(rotations="four"),
        "rotations: expected a number of bins from 1 to",
    ),
    "mirror": (lambda d: d.update(mirror=1), "mirror: expected true, false or a list of ids, not 1"),
    "tolerance": (lambda d: d.update(tolerance=0), "the tolerance must be above 0, not 0"),
    "pixel": (lambda d: d.update(pixel=-1), "the pixel must be above 0, not -1"),
    "mirrored piece": (lambda d: d.update(mirror=["x"]), r"mirror\[0\]: there is no fragment 'x'"),
    "truth lacks one": (lambda d: d["truth"].pop("left"), "does not place exactly the puzzle's fragments"),
    "truth of another": (lambda d: d["truth"].update(x=d["truth"].pop("left")), "does not place exactly"),
    "truth turned": (lambda d: d["truth"]["left"].update(rotation_deg=45), "45 degrees is not one of the 1"),
    "truth mirrored": (lambda d: d["truth"]["left"].update(mirrored=True), "mirrored, which the puzzle does"),
    "units": (lambda d: d.update(units=5), "units: expected a text"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_documents_are_refused_in_one_line(tmp_path: Path, two_halves: Sample, name: str) -> None:
    change, reason = BAD[name]
    document = puzzle_to_json(two_halves)
    change(document)
    path = tmp_path / "set.jsonl"
    path.write_text(f"{puzzle_to_line(two_halves)}\n\n{json.dumps(document)}\n")
    with pytest.raises(FileFormatError, match=reason) as caught:
        list(read_all(path))
    assert str(caught.value).startswith(f"{path}:3: ")
    assert "\n" not in str(caught.value)


def test_a_puzzle_without_a_target_is_version_two_and_comes_back(tmp_path: Path, two_halves: Sample) -> None:
    bare = Sample(two_halves.puzzle.without_target(), two_halves.truth)
    assert write_samples(tmp_path / "two.jsonl", [bare, two_halves]) == 2
    first, second = map(json.loads, (tmp_path / "two.jsonl").read_text().splitlines())
    assert (first["version"], first["target"], second["version"]) == (2, None, 1)
    assert list(read_samples(tmp_path / "two.jsonl")) == [bare, two_halves]


PARTS = MultiPolygon(
    [shapely.box(0, 0, 1, 1), shapely.box(2, 0, 3, 1).difference(shapely.box(2.2, 0.2, 2.4, 0.4))]
)


def test_a_target_in_parts_needs_version_2() -> None:
    puzzle = Puzzle(PARTS, (Fragment("a", shapely.box(0, 0, 1, 1)),))
    document = puzzle_to_json(puzzle)
    assert document["version"] == 2
    assert [len(part["holes"]) for part in document["target"]["parts"]] == [0, 1]
    back = through_text(puzzle)
    assert back == puzzle
    one = replace(puzzle, target=MultiPolygon([shapely.box(0, 0, 1, 1), shapely.box(1, 0, 2, 1)]))
    assert one.target.geom_type == "Polygon"
    assert puzzle_to_json(one)["version"] == 1


def test_an_outline_that_touches_itself_is_read() -> None:
    document = puzzle_to_json(Puzzle(shapely.box(0, 0, 2, 2), (Fragment("a", shapely.box(0, 0, 1, 1)),)))
    document["target"] = {"exterior": [[0, 0], [1, 0], [1, 1], [2, 1], [2, 2], [1, 2], [1, 1], [0, 1]]}
    target = as_read(document).target
    assert (target.geom_type, target.area) == ("MultiPolygon", 2.0)
    document["target"] = {"exterior": [[0, 0], [3, 0], [1, 1], [2, 1], [1, 1], [0, 3]]}
    with pytest.raises(FileFormatError, match="target"):
        as_read(document)


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ({"parts": []}, "at least one part"),
        ({"parts": [{"exterior": [[0, 0], [1, 0]]}]}, "fewer than 3 vertices"),
        ({"parts": [{"exterior": [[0, 0], [2, 0], [0, 2]]}] * 2}, "parts of it overlap"),
        ({"parts": [], "exterior": []}, "unknown key"),
    ],
)
def test_parts_that_make_no_target(target: dict[str, Any], said: str) -> None:
    document = puzzle_to_json(Puzzle(PARTS, (Fragment("a", shapely.box(0, 0, 1, 1)),)))
    with pytest.raises(FileFormatError, match=said):
        as_read(document | {"target": target})


def as_read(document: dict[str, Any]) -> Puzzle:
    item = Document(Path("a.json"), 1, json.dumps(document)).read(puzzle_from_json)
    assert isinstance(item, Puzzle)
    return item


def puzzle_in(document: dict[str, Any]) -> Puzzle | Sample:
    return Document(Path("a.json"), 1, json.dumps(document)).read(puzzle_from_json)

"""Puzzles and samples as JSON: ``sherd.puzzle``, version 1, or 2 where it needs that: where the target is
null or in several parts, a pixel's size is told, or pieces have rotations of their own.

A sample is a puzzle with the key ``truth``, whose keys stand in the order of assembly.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import shapely
from shapely import MultiPoint, Polygon

from sherd.core.assembly import Assembly, Placement
from sherd.core.errors import ArgumentError, FileFormatError, InvalidPolygonError, InvalidPuzzleError
from sherd.core.geometry import AREA_TOLERANCE, MOST_BINS, Pose, Region, Rotations, polygons_in, size_of
from sherd.core.proper_polygons import join_parts, make_polygon, make_region
from sherd.core.puzzle import Fragment, Puzzle, Sample
from sherd.io.atomic import writing_lines
from sherd.io.document import Node, check_format, documents
from sherd.io.texture_json import texture_from_json, texture_to_json

if TYPE_CHECKING:
    from sherd.io.puzzle_sets import PuzzleSet

FORMAT = "sherd.puzzle"
# The ending of large sets, which `sherd.io.puzzle_sets` reads.
ARROW = ".arrow"
VERSION = 2
# What is written wherever it can say all, so that an older sherd reads it.
FIRST_VERSION = 1
# Angles are written in degrees with this many decimals: rounding hides what a conversion adds, so that a
# quarter turn reads 90.0.
DEGREE_DECIMALS = 12
# A true angle may miss the allowed ones by this much, in radians: people write angles with few digits.
TRUTH_ANGLE_TOLERANCE = 1e-6
LONGEST_ID = 100


def read_all(path: str | os.PathLike[str]) -> Iterator[Puzzle | Sample]:
    """Everything in a JSON, JSONL or Arrow file, one at a time: samples where the truth is given."""
    if _is_set(path):
        yield from _set(path)
        return
    for document in documents(path):
        yield document.read(puzzle_from_json)


def read_one(path: str | os.PathLike[str], index: int = 0) -> Puzzle | Sample:
    """One puzzle of a file; those before it are skipped unread."""
    count = len(_set(path)) if _is_set(path) else 0
    if index < count:
        return _set(path)[index]
    for document in () if _is_set(path) else documents(path):
        if count == index:
            return document.read(puzzle_from_json)
        count += 1
    raise ArgumentError(
        f"{os.fspath(path)}: there is no puzzle {index}: the file holds {count}, counted from 0"
    )


def read_puzzles(path: str | os.PathLike[str]) -> Iterator[Puzzle]:
    """The puzzles of a file; answers that stand beside them are dropped."""
    for item in read_all(path):
        yield item.puzzle if isinstance(item, Sample) else item


def read_samples(path: str | os.PathLike[str]) -> Iterator[Sample]:
    """The samples of a file, each of which must hold its truth."""
    if _is_set(path):
        for number, item in enumerate(_set(path)):
            if isinstance(item, Puzzle):
                raise FileFormatError(f"{os.fspath(path)}: puzzle {number} has no truth")
            yield item
        return
    for document in documents(path):
        item = document.read(puzzle_from_json)
        if isinstance(item, Puzzle):
            raise FileFormatError(f"{document.path}:{document.line}: the key 'truth' is missing")
        yield item


def _is_set(path: str | os.PathLike[str]) -> bool:
    return Path(path).suffix == ARROW


def _set(path: str | os.PathLike[str]) -> PuzzleSet:
    from sherd.io.puzzle_sets import PuzzleSet  # which takes pyarrow

    return PuzzleSet(path)


def write_samples(path: str | os.PathLike[str], samples: Iterable[Sample | Puzzle]) -> int:
    """Write a set as JSONL, one a line, and return how many; nothing is left if it fails on the way."""
    with writing_lines(path) as lines:
        for sample in samples:
            lines.write(puzzle_to_line(sample))
    return lines.count


def puzzle_to_line(item: Puzzle | Sample) -> str:
    """One line of JSONL, without its end; the same bytes on every machine."""
    return json.dumps(puzzle_to_json(item), allow_nan=False, separators=(",", ":"))


def puzzle_to_json(item: Puzzle | Sample) -> dict[str, Any]:
    """A puzzle, or a sample with its truth, as the object that files hold."""
    puzzle = item.puzzle if isinstance(item, Sample) else item
    document: dict[str, Any] = {
        "format": FORMAT,
        "version": FIRST_VERSION if _is_plain(puzzle) else VERSION,
        "units": "1",
        "target": target_to_json(puzzle.target),
        "fragments": [
            _fragment_to_json(fragment, puzzle.turns.get(fragment.id)) for fragment in puzzle.fragments
        ],
        "rotations": _rotations_to_json(puzzle.rotations),
        "mirror": puzzle.mirror if isinstance(puzzle.mirror, bool) else sorted(puzzle.mirror),
    }
    if puzzle.tolerance is not None:
        document["tolerance"] = puzzle.tolerance
    if puzzle.pixel is not None:
        document["pixel"] = puzzle.pixel
    if puzzle.texture is not None:
        document["texture"] = texture_to_json(puzzle.texture)
    if isinstance(item, Sample):
        document["truth"] = {placement.id: pose_to_json(placement.pose) for placement in item.truth}
    return document


def puzzle_from_json(root: Node) -> Puzzle | Sample:
    """The puzzle, or the sample where there is a truth; pieces without any area are set aside."""
    check_format(root, FORMAT, VERSION)
    members = root.object(
        ["format", "version", "target", "fragments", "rotations"],
        ["units", "mirror", "tolerance", "pixel", "texture", "truth"],
    )
    if "units" in members:
        members["units"].text()
    rotations = rotations_from_json(members["rotations"])
    target = _target_from_json(members["target"])
    nodes = members["fragments"].list()
    items = [_fragment_from_json(node) for node in nodes]
    turns = {
        item if isinstance(item, str) else item.id: rotations_from_json(node.members()["rotations"])
        for item, node in zip(items, nodes, strict=True)
        if "rotations" in node.members()
    }
    flat = tuple(item for item in items if isinstance(item, str))
    fragments = tuple(item for item in items if isinstance(item, Fragment))
    mirror = _mirror_from_json(members["mirror"], fragments, flat) if "mirror" in members else False
    tolerance, pixel = (members[key].number() if key in members else None for key in ("tolerance", "pixel"))
    texture = texture_from_json(members["texture"]) if "texture" in members else None
    try:
        if flat and not fragments:
            raise InvalidPuzzleError("no fragment has any area")
        puzzle = Puzzle(target, fragments, rotations, mirror, texture, flat, tolerance, pixel, turns)
    except InvalidPuzzleError as error:
        members["fragments"].fail(str(error))
    if "truth" not in members:
        return puzzle
    placed = {id_: _true_pose(node, id_, puzzle) for id_, node in members["truth"].members().items()}
    truth = Assembly(tuple(Placement(id_, pose) for id_, pose in placed.items() if id_ not in flat))
    try:
        return Sample(puzzle, truth)
    except InvalidPuzzleError as error:
        members["truth"].fail(str(error))


def _is_plain(puzzle: Puzzle) -> bool:
    """Whether version 1 can say all."""
    in_one_part = puzzle.has_target and isinstance(puzzle.target, Polygon)
    return in_one_part and puzzle.pixel is None and not puzzle.turns


def target_to_json(target: Region) -> dict[str, Any] | None:
    """The target as version 1 has it or, of several parts, as version 2 does; None where there is none."""
    if target.is_empty:
        return None
    if isinstance(target, Polygon):
        return outline_to_json(target)
    return {"parts": [outline_to_json(part) for part in polygons_in(target)]}


def _target_from_json(node: Node) -> Region:
    """The target; empty where there is none."""
    if node.value is None:
        return Polygon()
    members = node.members()
    if "parts" not in members:
        return _region_from_json(node)
    parts = [_region_from_json(part) for part in node.object(["parts"])["parts"].list()]
    if not parts:
        members["parts"].fail("a target has at least one part")
    try:
        return join_parts([one for part in parts for one in polygons_in(part)])
    except InvalidPolygonError as error:
        members["parts"].fail(str(error))


def _region_from_json(node: Node) -> Region:
    """One outline, which may touch itself."""
    members = node.object(["exterior"], ["holes"])
    exterior = members["exterior"].points()
    try:
        return make_region(exterior, _holes(members))
    except InvalidPolygonError as error:
        node.fail(str(error))


def _rotations_to_json(rotations: Rotations) -> int | str:
    return "free" if rotations.bins is None else rotations.bins


def rotations_from_json(node: Node) -> Rotations:
    """How many angles there are, or "free"."""
    if node.value == "free":
        return Rotations(None)
    if type(node.value) is not int or not 1 <= node.value <= MOST_BINS:
        node.fail(f'expected a number of bins from 1 to {MOST_BINS:,} or "free", not {node}')
    return Rotations(node.value)


def _mirror_from_json(
    node: Node, fragments: Sequence[Fragment], flat: Sequence[str]
) -> bool | frozenset[str]:
    """True, false, or a list of ids."""
    if isinstance(node.value, bool):
        return node.value
    if not isinstance(node.value, list):
        node.fail(f"expected true, false or a list of ids, not {node}")
    known = {*(fragment.id for fragment in fragments), *flat}
    ids = [(item, item.text()) for item in node.list()]
    for item, name in ids:
        if name not in known:
            item.fail(f"there is no fragment {name!r}")
    return frozenset(name for _, name in ids)


def pose_to_json(pose: Pose) -> dict[str, Any]:
    """x, y and the angle in [0, 360) degrees; ``mirrored`` only where it is true."""
    document: dict[str, Any] = {"x": pose.x, "y": pose.y, "rotation_deg": rotation_deg(pose)}
    if pose.mirrored:
        document["mirrored"] = True
    return document


def rotation_deg(pose: Pose) -> float:
    """The angle that files hold: in [0, 360), rounded."""
    return round(math.degrees(pose.theta), DEGREE_DECIMALS) % 360.0


def pose_from_json(members: dict[str, Node]) -> Pose:
    """The pose with these members."""
    return Pose(
        members["x"].number(),
        members["y"].number(),
        math.radians(members["rotation_deg"].number()),
        members["mirrored"].flag() if "mirrored" in members else False,
    )


def outline_from_json(members: dict[str, Node], node: Node) -> Polygon:
    """A proper polygon from the keys ``exterior`` and, if there are any, ``holes``."""
    exterior = members["exterior"].points()
    try:
        return make_polygon(exterior, _holes(members))
    except InvalidPolygonError as error:
        node.fail(str(error))


def _holes(members: dict[str, Node]) -> list[list[list[float]]]:
    return [hole.points() for hole in members["holes"].list()] if "holes" in members else []


def outline_to_json(polygon: Polygon) -> dict[str, Any]:
    """The keys ``exterior`` and ``holes``, without repeating first vertices."""
    return {
        "exterior": shapely.get_coordinates(polygon.exterior)[:-1].tolist(),
        "holes": [shapely.get_coordinates(hole)[:-1].tolist() for hole in polygon.interiors],
    }


def _fragment_from_json(node: Node) -> Fragment | str:
    """The fragment, or only its id where its outline is a line and so has no area."""
    members = node.object(["id", "exterior"], ["holes", "texture", "rotations"])
    name = members["id"].text()
    if not 0 < len(name) <= LONGEST_ID:
        members["id"].fail(f"an id has 1 to {LONGEST_ID} characters, not {len(name)}")
    texture = texture_from_json(members["texture"]) if "texture" in members else None
    places = members["exterior"].points()
    try:
        return Fragment(name, make_polygon(places, _holes(members)), texture)
    except InvalidPolygonError as error:
        if _is_line(places):
            return name
        node.fail(str(error))


def _is_line(places: list[list[float]]) -> bool:
    """Whether three or more places lie on one line."""
    if len({(x, y) for x, y in places}) < 3:
        return False
    hull = MultiPoint(places).convex_hull
    return hull.area <= AREA_TOLERANCE * size_of(hull) ** 2


def _fragment_to_json(fragment: Fragment, rotations: Rotations | None) -> dict[str, Any]:
    document = {"id": fragment.id, **outline_to_json(fragment.polygon)}
    if rotations is not None:
        document["rotations"] = _rotations_to_json(rotations)
    if fragment.texture is not None:
        document["texture"] = texture_to_json(fragment.texture)
    return document


def _true_pose(node: Node, id_: str, puzzle: Puzzle) -> Pose:
    pose = pose_from_json(node.object(["x", "y", "rotation_deg"], ["mirrored"]))
    rotations = puzzle.rotations_of(id_)
    if not rotations.allows(pose.theta, TRUTH_ANGLE_TOLERANCE):
        node.fail(f"an angle of {rotation_deg(pose):g} degrees is not one of the {rotations} allowed")
    if pose.mirrored and not puzzle.may_mirror(id_):
        node.fail("the fragment is mirrored, which the puzzle does not allow")
    return pose

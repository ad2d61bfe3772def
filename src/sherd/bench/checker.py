"""An answer checked from what the files say, by other means than the verdict's.

It shares no code with the solvers, the verdict or the metrics: outlines and matrices are taken from the JSON
as it stands, moved into a frame whose unit is the target's size, and overlaid on a fine grid, without which
overlays lose whole pieces now and then.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import shapely
from shapely import MultiPolygon, Polygon
from shapely.geometry.base import BaseGeometry

# Overlays snap to a grid this fine, in shares of the size.
GRID = 1e-10
# The largest disc that may lie in two pieces, or in a piece and outside: its radius as a share of the size.
DEEPEST = 0.02
# The share of the target's area that may lie in two pieces or more; as much may lie outside.
MOST_AREA = 0.06
# An angle is one of the allowed ones within this, in degrees.
SAME_ANGLE_DEG = 1e-4
# Where a piece has a rule of its own outlines may be worn, and as far off as that.
TURNED_DEG = 2.0
# A piece may be left out, for a reason, if what is open has less than this share of its area.
GAP_FOR_A_PIECE = 0.5
# Pieces with less than this share of the area of all have no width to speak of, and need no place.
NO_AREA = 1e-6
# A piece with more than this share of its area outside or in others does not hold, however thin it is.
MOSTLY = 0.5
# Answers are written with at least this many digits: a matrix may be off by as much from one that only turns.
RIGID = 1e-6


@dataclass(frozen=True, kw_only=True)
class Checked:
    """What an answer file says, measured: depths are shares of the target's size, areas of the target's area.

    Without a target the size is that of a square with the area of all pieces, and nothing is outside or open.
    ``missing`` are pieces without a place for which there would be room, or no target.
    """

    pieces: int
    placed: int
    claims_solved: bool
    overlap_depth: float
    overlap_area: float
    outside_depth: float
    outside_area: float
    open_area: float
    missing: tuple[str, ...]
    faults: tuple[str, ...]

    def against(self, deepest: float = DEEPEST, most_area: float = MOST_AREA) -> tuple[str, ...]:
        """What stands against calling it solved, a few words each."""
        found = list(self.faults)
        if not self.placed:
            found.append("nothing is placed")
        elif self.missing:
            found.append(f"{len(self.missing):,} of {self.pieces:,} pieces not placed")
        for what, depth, area in (
            ("pieces overlap", self.overlap_depth, self.overlap_area),
            ("pieces stick out", self.outside_depth, self.outside_area),
        ):
            if depth > deepest:
                found.append(f"{what} by {depth:.2g} of the size")
            elif area > most_area:
                found.append(f"{what} by {area:.2g} of the area")
        return tuple(found)


def check_answer(
    puzzle: Mapping[str, Any],
    answer: Mapping[str, Any],
    *,
    pinned: Mapping[str, Sequence[float]] | None = None,
    forbidden: Sequence[str] = (),
) -> Checked:
    """What the objects of a puzzle file and an answer file say, taken together.

    ``pinned`` are the matrices of pieces that had to stay where they were, and ``forbidden`` the pieces that
    must not be used.
    """
    outlines = {piece["id"]: _outline(piece) for piece in puzzle["fragments"]}
    placements = answer["placements"]
    target = None if puzzle["target"] is None else _target(puzzle["target"])
    size = math.sqrt(sum(piece.area for piece in outlines.values())) if target is None else _size(target)
    faults = _ids(outlines, placements, forbidden)
    faults += [f"{one['id']} has no matrix" for one in placements if "matrix" not in one]
    placements = [one for one in placements if "matrix" in one]
    known = [one for one in placements if one["id"] in outlines]
    faults += _turns(puzzle, known)
    faults += _pins(outlines, placements, pinned or {}, DEEPEST * size)
    centre = np.array([0.0, 0.0]) if target is None else np.array(target.centroid.coords[0])
    groups: dict[int, list[BaseGeometry]] = {}
    for one in known:
        groups.setdefault(one.get("group", 0), []).append(
            _moved(outlines[one["id"]], one["matrix"], centre, size)
        )
    laid = [piece for group in groups.values() for piece in group]
    aim = None if target is None else _moved(target, (1, 0, 0, 1, 0, 0), centre, size)
    whole = sum(piece.area for piece in laid) if aim is None else aim.area
    depths = [_overlaps(group) for group in groups.values()]
    for group, (_, _, shared) in zip(groups.values(), depths, strict=True):
        faults += _mostly("in others", group, shared)
    outside_depth = outside_area = open_area = 0.0
    if aim is not None:
        out = [shapely.difference(piece, aim, grid_size=GRID) for piece in laid]
        faults += _mostly("outside", laid, out)
        outside_depth = max(map(_depth, out), default=0.0)
        outside_area = sum(part.area for part in out) / whole
        together = shapely.union_all(laid, grid_size=GRID) if laid else Polygon()
        open_area = shapely.difference(aim, together, grid_size=GRID).area / whole
    placed = {one["id"] for one in known if one.get("group", 1) == 1}
    least, room = NO_AREA * sum(shape.area for shape in outlines.values()), open_area * whole * size**2
    return Checked(
        pieces=len(outlines),
        placed=len(known),
        claims_solved=bool(answer["solved"]),
        overlap_depth=max((depth for depth, _, _ in depths), default=0.0),
        overlap_area=sum(area for _, area, _ in depths) / whole if whole else 0.0,
        outside_depth=outside_depth,
        outside_area=outside_area,
        open_area=open_area,
        missing=tuple(
            name
            for name, shape in outlines.items()
            if name not in placed
            and shape.area > least
            and (aim is None or room >= GAP_FOR_A_PIECE * shape.area)
        ),
        faults=tuple(faults),
    )


def _outline(document: Mapping[str, Any]) -> Polygon:
    return Polygon(document["exterior"], document.get("holes") or [])


def _target(document: Mapping[str, Any]) -> Polygon | MultiPolygon:
    """An outline, or several where the object has parts."""
    if "parts" in document:
        return MultiPolygon([_outline(part) for part in document["parts"]])
    return _outline(document)


def _size(shape: BaseGeometry) -> float:
    left, bottom, right, top = shape.bounds
    return math.hypot(right - left, top - bottom)


def _moved(
    shape: BaseGeometry, matrix: Sequence[float], centre: np.ndarray[Any, Any], size: float
) -> BaseGeometry:
    """The shape by the matrix (as in SVG), in the frame of that centre and unit; valid, whatever it was."""
    a, b, c, d, e, f = matrix

    def move(xy: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        moved = np.stack([a * xy[:, 0] + c * xy[:, 1] + e, b * xy[:, 0] + d * xy[:, 1] + f], axis=1)
        return (moved - centre) / size

    placed = shapely.transform(shape, move)
    return placed if placed.is_valid else shapely.make_valid(placed)


def _ids(
    outlines: Mapping[str, Any], placements: Sequence[Mapping[str, Any]], forbidden: Sequence[str]
) -> list[str]:
    names = [one["id"] for one in placements]
    return [
        *(f"{name} is not in the puzzle" for name in names if name not in outlines),
        *(f"{name} is placed twice" for name in dict.fromkeys(names) if names.count(name) > 1),
        *(f"{name} is used, though forbidden" for name in names if name in forbidden),
    ]


def _turns(puzzle: Mapping[str, Any], placements: Sequence[Mapping[str, Any]]) -> list[str]:
    """Pieces that are bent, turned or turned over as they may not be, by their matrices."""
    faults: list[str] = []
    mirror = puzzle.get("mirror", False)
    rotations = {one["id"]: one["rotations"] for one in puzzle["fragments"] if "rotations" in one}
    for one in placements:
        bins = rotations.get(one["id"], puzzle["rotations"])
        allowed = TURNED_DEG if one["id"] in rotations else SAME_ANGLE_DEG
        a, b, c, d = one["matrix"][:4]
        flipped = a * d - b * c < 0.0
        if (
            abs(math.hypot(a, b) - 1.0) > RIGID
            or math.hypot(c - (b if flipped else -b), d - (-a if flipped else a)) > RIGID
        ):
            faults.append(f"{one['id']} is stretched")
        if flipped and not (mirror if isinstance(mirror, bool) else one["id"] in mirror):
            faults.append(f"{one['id']} is turned over")
        angle = math.degrees(math.atan2(-b, -a) if flipped else math.atan2(b, a))
        if bins != "free" and abs((angle + 180.0 / bins) % (360.0 / bins) - 180.0 / bins) > allowed:
            faults.append(f"{one['id']} is turned by {angle:.4g} degrees")
    return faults


def _pins(
    outlines: Mapping[str, BaseGeometry],
    placements: Sequence[Mapping[str, Any]],
    pinned: Mapping[str, Sequence[float]],
    farthest: float,
) -> list[str]:
    origin, found = np.zeros(2), {one["id"]: one["matrix"] for one in placements}
    return [
        f"{name} is not where pinned"
        for name, matrix in pinned.items()
        if name not in found
        or shapely.hausdorff_distance(
            _moved(outlines[name], matrix, origin, 1.0), _moved(outlines[name], found[name], origin, 1.0)
        )
        > farthest
    ]


def _mostly(where: str, laid: Sequence[BaseGeometry], misplaced: Sequence[BaseGeometry]) -> list[str]:
    """Pieces that lie elsewhere with most of their area: so thin that their depth alone does not tell."""
    count = sum(
        part.area > MOSTLY * piece.area
        for piece, part in zip(laid, misplaced, strict=True)
        if piece.area > GRID
    )
    return [f"{count:,} pieces lie mostly {where}"] if count else []


def _overlaps(laid: Sequence[BaseGeometry]) -> tuple[float, float, list[BaseGeometry]]:
    """The radius of the largest disc in two pieces, the area covered again, and of each what others cover."""
    pairs: list[tuple[int, int]] = shapely.STRtree(laid).query(laid, predicate="intersects").T.tolist()
    shared: list[list[BaseGeometry]] = [[] for _ in laid]
    for one, other in pairs:
        if one < other:
            part = shapely.intersection(laid[one], laid[other], grid_size=GRID)
            shared[one].append(part)
            shared[other].append(part)
    doubled = sum(piece.area for piece in laid) - shapely.union_all(laid, grid_size=GRID).area
    deepest = max((_depth(part) for parts in shared for part in parts), default=0.0)
    return deepest, max(doubled, 0.0), [shapely.union_all(parts, grid_size=GRID) for parts in shared]


def _depth(misplaced: BaseGeometry) -> float:
    """The radius of the largest disc in it."""
    parts = [part for part in shapely.get_parts(misplaced) if isinstance(part, Polygon) and part.area > GRID]
    return max(
        (shapely.maximum_inscribed_circle(part, DEEPEST / 100.0).length for part in parts), default=0.0
    )

"""Draws the pictures of docs/search.md: ``python docs/make_search_pictures.py``.

All puzzles are of seed 0 and all steps come from the search's own functions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import shapely
from shapely import MultiPolygon, Polygon
from shapely.geometry.base import BaseGeometry

from sherd.core.arrays import Floats
from sherd.core.geometry import FIXED, Rotations, difference, size_of, union
from sherd.core.puzzle import Sample
from sherd.draw import Compared, Picture, draw_comparison, write
from sherd.draw.colours import INK, MUTED, OPEN, PALETTE, paler
from sherd.draw.scene import Area, Frame, Layer, Paint, Text
from sherd.generation.dataset import PuzzleKind, make_samples
from sherd.generation.shapes import named_shape
from sherd.generation.tangram import tangram
from sherd.solvers import MaxSeconds
from sherd.solvers.search import SearchSolver
from sherd.solvers.search.beliefs.eroded import restore
from sherd.solvers.search.beliefs.uncertain_outline import Belief, join, with_moved_corners, with_traced_edges
from sherd.solvers.search.case import Case, bends_inward
from sherd.solvers.search.constants.rough_outlines import WEAR
from sherd.solvers.search.corner_outline import CornerOutline, ring_of
from sherd.solvers.search.gluing.glue_exactly import glue_some
from sherd.solvers.search.tiling.tile_corners import make_tiler

FOLDER = Path(__file__).parent / "pictures"
FREE = Rotations(None)
SEED = 0
EXACT = 1e-8
PIXEL = 1.0 / 128.0
LIMIT = MaxSeconds(60.0)
# A page of panels side by side, in pixels.
PANEL, SPACE, NOTE = 170.0, 26.0, 22.0
SHARED, NEW = "#c2102f", "#1d5fa8"
# Ellipses hold a corner so many standard deviations away.
SPREAD = 2.0
# Pixels move corners so little that their ellipses are drawn larger.
TRACED_SPREAD = 10.0
# How far apart parts are drawn that belong together, as a share of their distance from the middle.
APART = 0.28

Items = list[Area | Text]


def main() -> None:
    """Write all pictures of the search into docs/pictures."""
    write(draw_tiling(), FOLDER / "search-tiling.svg")
    write(draw_gluing(), FOLDER / "search-gluing.svg")
    write(draw_beliefs(), FOLDER / "search-beliefs.svg")
    write(draw_worn(), FOLDER / "search-worn.svg")
    write(draw_lost(), FOLDER / "search-lost.svg")
    write(draw_all(), FOLDER / "search-all.svg")


def sample_of(kind: PuzzleKind, index: int) -> Sample:
    """One puzzle of the set that the seed makes."""
    return next(make_samples(kind, seed=SEED, start=index, stop=index + 1))


def in_panels(
    panels: Sequence[Items], notes: Sequence[str], boxes: Sequence[BaseGeometry], *, one_scale: bool = True
) -> Picture:
    """Things in the world's units side by side, each fitted from its box, at one scale if asked for.

    Without any notes there is no room for them.
    """
    sizes = [size_of(box) for box in boxes]
    scales = [PANEL / (max(sizes) if one_scale else size) for size in sizes]
    high = max((box.bounds[3] - box.bounds[1]) * scale for box, scale in zip(boxes, scales, strict=True))
    layers: list[Layer] = []
    x = SPACE
    for number, (items, note, box) in enumerate(zip(panels, notes, boxes, strict=True)):
        low_x, low_y, high_x, high_y = box.bounds
        scale = scales[number]
        width = max(PANEL, (high_x - low_x) * scale)
        middle = x + width / 2.0
        centre_y = -SPACE - high / 2.0
        frame = Frame(
            middle - (low_x + high_x) / 2.0 * scale, centre_y - (low_y + high_y) / 2.0 * scale, scale
        )
        layers.append(Layer(f"panel {number + 1}", tuple(items), frame))
        if note:
            words = Text(middle, -SPACE - high - NOTE, note, 12.0, MUTED)
            layers.append(Layer(f"note {number + 1}", (words,)))
        x += width + SPACE
    return Picture(x, high + 2.0 * SPACE + (NOTE if any(notes) else 0.0), tuple(layers))


def draw_tiling() -> Picture:
    """A target filled corner by corner: what a piece shares with the region, and what it adds to it."""
    kind = PuzzleKind(shape=named_shape("arrow"), pieces=7, rotations=FREE, dissection="merged")
    puzzle = sample_of(kind, 2).puzzle
    tiler = make_tiler(Case(puzzle), EXACT)
    tiler.run(LIMIT)
    placed = [pose.apply(puzzle.fragments[k].polygon) for k, pose in tiler.placed().poses.items()]
    shown = (0, 1, 2, 4, 6)
    panels: list[Items] = []
    for step in shown:
        left = difference(puzzle.target, union(placed[:step])) if step else puzzle.target
        region = MultiPolygon([part for part in shapely.get_parts(left) if part.area > 1e-6])
        piece = placed[step]
        near = shapely.buffer(region.boundary, 1e-6)
        items: Items = [
            Area(one, Paint(fill="#ffffff", stroke="#c3c9d2", width=1.0)) for one in placed[:step]
        ]
        items.append(Area(region, Paint(fill=OPEN, stroke=INK, width=1.6)))
        items.append(Area(piece, Paint(fill=paler(PALETTE[1], 0.3))))
        if not (fresh := shapely.difference(piece.boundary, near)).is_empty:
            items.append(Area(fresh, Paint(stroke=NEW, width=2.6)))
        items.append(Area(shapely.intersection(piece.boundary, near), Paint(stroke=SHARED, width=3.4)))
        items += dots(corners_of(region), size_of(puzzle.target))
        panels.append(items)
    notes = [f"piece {step + 1} of {len(placed)}" for step in shown]
    return in_panels(panels, notes, [puzzle.target] * len(shown))


def corners_of(region: BaseGeometry) -> Floats:
    """The corners of all rings of a region, those in line left out."""
    return np.unique(shapely.get_coordinates(shapely.simplify(region, 1e-6)), axis=0)


def dots(points: Floats, size: float) -> Items:
    return [
        Area(shapely.Point(x, y).buffer(0.011 * size, quad_segs=4), Paint(fill=INK))
        for x, y in points.tolist()
    ]


def draw_gluing() -> Picture:
    """A partition undone: in each round the parts that share a full edge, which is marked.

    What is glued keeps the colour of its larger part.
    """
    sample = sample_of(PuzzleKind(shape=named_shape("pentagon"), pieces=8, rotations=FREE), 87)
    parts = [outline_of(polygon) for polygon in sample.puzzle.placed(sample.truth)]
    colours = list(PALETTE[: len(parts)])
    box = shapely.buffer(sample.puzzle.target, APART * 0.45 * size_of(sample.puzzle.target))
    panels: list[Items] = []
    notes: list[str] = []
    while True:
        pairs = glued_pairs(parts)
        panels.append(exploded(parts, colours, {k: edge for one in pairs for k, edge in one}))
        notes.append(f"{len(parts)} parts" if len(parts) > 1 else "one part, laid on the target")
        if not pairs:
            break
        gone = {k for one in pairs for k, _ in one}
        fresh = [outline_of(union([Polygon(parts[k].corners) for k, _ in one])) for one in pairs]
        larger = [max((k for k, _ in one), key=lambda k: Polygon(parts[k].corners).area) for one in pairs]
        kept = [k for k in range(len(parts)) if k not in gone]
        colours = [colours[k] for k in (*kept, *larger)]
        parts = [parts[k] for k in kept] + fresh
    return in_panels(panels, notes, [box] * len(panels))


def outline_of(polygon: BaseGeometry) -> CornerOutline:
    assert isinstance(polygon, Polygon)
    return CornerOutline.of(ring_of(polygon), 1e-6)


def glued_pairs(parts: Sequence[CornerOutline]) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Pairs of parts, each part once, that share a full edge: (part, edge) of both."""
    found: list[tuple[tuple[int, int], tuple[int, int]]] = []
    taken: set[int] = set()
    for one in range(len(parts)):
        for other in range(one):
            ends, others = edge_ends(parts[one]), edge_ends(parts[other])
            off = np.abs(ends[:, None] - others[None, :, ::-1]).max(axis=(2, 3))
            match = np.argwhere(off < 1e-9)
            if len(match) and not taken & {one, other}:
                taken |= {one, other}
                found.append(((one, int(match[0][0])), (other, int(match[0][1]))))
    return found


def edge_ends(outline: CornerOutline) -> Floats:
    """The two ends of each edge, (n, 2, 2)."""
    return np.stack([outline.corners, np.roll(outline.corners, -1, axis=0)], axis=1)


def exploded(parts: Sequence[CornerOutline], colours: Sequence[str], marked: dict[int, int]) -> Items:
    """Parts moved apart, some edges of theirs marked."""
    middle = np.mean([part.corners.mean(axis=0) for part in parts], axis=0)
    items: Items = []
    for number, (part, colour) in enumerate(zip(parts, colours, strict=True)):
        moved = part.corners + APART * (part.corners.mean(axis=0) - middle)
        items.append(Area(Polygon(moved), Paint(colour, INK, 1.2)))
        if number in marked:
            edge = marked[number]
            ends = shapely.LineString([moved[edge], moved[(edge + 1) % len(moved)]])
            items.append(Area(ends, Paint(stroke=SHARED, width=2.6)))
    return items


def draw_beliefs() -> Picture:
    """How well corners are known: traced from pixels, moved, and after two pieces are glued."""
    sample = sample_of(PuzzleKind(shape=named_shape("square"), pieces=8, rotations=FIXED, noise=0.01), 2)
    parts = [outline_of(polygon) for polygon in sample.puzzle.placed(sample.truth)]
    (one, edge), (other, other_edge) = closest_edges(parts)
    first, second = (with_moved_corners(parts[k].corners, 0.01) for k in (one, other))
    whole, pose = join(first, edge, second, other_edge, FREE)
    apart = parts[other].corners.mean(axis=0) - parts[one].corners.mean(axis=0)
    moved = Belief(second.corners + 0.15 * apart, second.covariance)
    loose = [*believed(first, PALETTE[0], edge), *believed(moved, PALETTE[1], other_edge)]
    inside: Items = [
        Area(Polygon(first.corners), Paint(paler(PALETTE[0]))),
        Area(Polygon(pose.points(second.corners)), Paint(paler(PALETTE[1]))),
    ]
    sample = sample_of(PuzzleKind(shape=named_shape("square"), pieces=8, rotations=FIXED), 4)
    outlines = [outline_of(polygon) for polygon in sample.puzzle.placed(sample.truth)]
    sharp = min(outlines, key=lambda outline: float(outline.angles.min()))
    traced = believed(with_traced_edges(sharp.corners, PIXEL), PALETTE[4], None, spread=TRACED_SPREAD)
    boxes = [
        Polygon(sharp.corners).buffer(0.04),
        union([Polygon(first.corners), Polygon(moved.corners)]).buffer(0.03),
        Polygon(whole.corners).buffer(0.03),
    ]
    notes = ["traced from pixels", "corners moved, two edges to glue", "glued"]
    glued = [*inside, *believed(whole, None, None)]
    return in_panels([traced, loose, glued], notes, boxes, one_scale=False)


def closest_edges(parts: Sequence[CornerOutline]) -> tuple[tuple[int, int], tuple[int, int]]:
    """The two edges of different parts that nearly have the same ends: (part, edge) of both."""
    best = (math.inf, (0, 0), (0, 0))
    for one in range(len(parts)):
        for other in range(one):
            off = np.abs(edge_ends(parts[one])[:, None] - edge_ends(parts[other])[None, :, ::-1])
            off = off.max(axis=(2, 3)) / np.maximum(parts[one].lengths[:, None], 0.2)
            k, m = np.unravel_index(off.argmin(), off.shape)
            best = min(best, (float(off.min()), (one, int(k)), (other, int(m))))
    return best[1], best[2]


def believed(belief: Belief, fill: str | None, edge: int | None, *, spread: float = SPREAD) -> Items:
    """An outline with an ellipse about each corner, and one of its edges marked."""
    items: Items = [Area(Polygon(belief.corners), Paint(fill, INK, 1.3))]
    if edge is not None:
        ends = shapely.LineString(belief.corners[[edge, (edge + 1) % len(belief)]])
        items.append(Area(ends, Paint(stroke=SHARED, width=3.2)))
    turn = np.linspace(0.0, 2.0 * math.pi, 25)[:-1]
    circle = np.stack([np.cos(turn), np.sin(turn)])
    for k, corner in enumerate(belief.corners):
        block = belief.covariance[2 * k : 2 * k + 2, 2 * k : 2 * k + 2]
        values, axes = np.linalg.eigh(block)
        around = corner + spread * (axes * np.sqrt(np.maximum(values, 0.0)) @ circle).T
        items.append(Area(Polygon(around), Paint(stroke=NEW, width=1.4)))
    return items


def draw_worn() -> Picture:
    """Worn pieces, and the outlines that they are believed to have had."""
    kind = PuzzleKind(shape=named_shape("square"), pieces=8, rotations=FIXED)
    whole, worn = sample_of(kind, 8), sample_of(replace(kind, degradation="eroded"), 8)
    panels: list[Items] = []
    boxes: list[BaseGeometry] = []
    for placement in worn.truth:
        ring = ring_of(worn.puzzle[placement.id].polygon)
        if not bends_inward(ring):
            continue
        belief, _ = next(restore(ring, WEAR, 1.0))
        there = placement.pose.inverse() @ next(p.pose for p in whole.truth if p.id == placement.id)
        true = there.apply(whole.puzzle[placement.id].polygon)
        items: Items = [
            Area(true, Paint(fill=paler(SHARED, 0.45))),
            Area(Polygon(ring), Paint(OPEN, MUTED, 1.2)),
        ]
        panels.append([*items, *believed(belief, None, None)])
        boxes.append(true.buffer(0.02))
    return in_panels(panels, [""] * len(panels), boxes, one_scale=False)


def draw_lost() -> Picture:
    """A piece is lost: the parts that still glue, and where they go."""
    sample = sample_of(
        PuzzleKind(shape=named_shape("square"), pieces=8, rotations=FREE, degradation="missing"), 4
    )
    puzzle = sample.puzzle
    outlines = [CornerOutline.of(ring_of(fragment.polygon), EXACT) for fragment in puzzle.fragments]
    target = CornerOutline.of(ring_of(puzzle.target), EXACT)
    parts = glue_some(outlines, target, FREE, 1e-6, stop=lambda: False)
    solved = SearchSolver().solve(puzzle, stop=LIMIT, rng=np.random.default_rng(SEED))
    panels: list[Items] = []
    boxes: list[BaseGeometry] = []
    for part in sorted(parts, key=lambda part: -len(part.members)):
        members = [(k, pose.apply(puzzle.fragments[k].polygon)) for k, pose in part.members]
        panels.append([Area(polygon, Paint(PALETTE[k % len(PALETTE)], INK, 1.2)) for k, polygon in members])
        boxes.append(Polygon(part.outline.corners))
    numbers = {fragment.id: k for k, fragment in enumerate(puzzle.fragments)}
    whole: Items = [Area(puzzle.target, Paint(OPEN, INK, 2.0))]
    for placement in solved.assembly:
        polygon = placement.pose.apply(puzzle[placement.id].polygon)
        whole.append(Area(polygon, Paint(PALETTE[numbers[placement.id] % len(PALETTE)], INK, 1.2)))
    notes = [count(len(part.members)) for part in sorted(parts, key=lambda part: -len(part.members))]
    return in_panels([*panels, whole], [*notes, "laid around one gap"], [*boxes, puzzle.target])


def count(pieces: int) -> str:
    return "1 piece" if pieces == 1 else f"{pieces} pieces glued"


def draw_all() -> Picture:
    """Every assembly of two silhouettes of the tangram."""
    rows: dict[str, list[Compared]] = {}
    for name in ("triangle", "square"):
        puzzle = tangram(name, np.random.default_rng(SEED), mirror=True).puzzle
        result = SearchSolver().solve_all(puzzle, most=20, stop=LIMIT, rng=np.random.default_rng(SEED))
        assert result.all_found
        rows[name] = [Compared(puzzle, one) for one in (result.assembly, *result.alternatives)]
    return draw_comparison(rows)


if __name__ == "__main__":
    main()

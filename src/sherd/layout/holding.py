"""How sure the place of each piece is: what holds it there, and whether it could lie elsewhere.

docs/your-own-pieces.md says the same rules in words.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import MultiPolygon, Polygon

from sherd.core.assembly import Assembly, Joint
from sherd.core.geometry import LENGTH_TOLERANCE, Region, polygons_in, size_of, union
from sherd.core.hold import Band, Hold
from sherd.core.puzzle import Puzzle
from sherd.core.symmetry import allowed_symmetries, lying_on
from sherd.layout.beside import Beside, points_each
from sherd.layout.contact import Contacts, find_contacts
from sherd.layout.layout import Layout

# The least share of its outline along which a piece is held, to be certain or likely.
CERTAIN_SHARE = 0.9
LIKELY_SHARE = 0.6
# A piece slides if its grip in the weakest direction is below this share of its held length.
LEAST_GRIP = 0.02
# A piece that is held along less than this, and whose grip is weaker, has no place of its own: so were 11 of
# 14 foreign pieces beside a lost one, and none of 498 of the puzzles' own (exact, 8 pieces, seeds 20 to 39).
LOOSE_SHARE = 0.5
LOOSE_GRIP = 0.05
# The least likelihood of a joint for a piece of a group to be likely.
LIKELY_JOINT = 0.9
# Points looked at on an outline, beside its corners.
POINTS = 200


def find_holds(
    layout: Layout, contacts: Contacts, *, moved: Iterable[str] = (), all_found: bool = False
) -> dict[str, Hold]:
    """How each placed piece is held, by id.

    ``moved`` are pieces that another complete assembly has elsewhere; ``all_found`` says that all complete
    assemblies were looked at.
    """
    outlines = shapely.length(layout.fitted)
    gaps, overlaps = _distances(layout)
    elsewhere = set(moved)
    holds: dict[str, Hold] = {}
    for k, piece in enumerate(layout.placed):
        contact = float(contacts.total[k])
        slides = bool(contacts.grip[k] <= LEAST_GRIP * contact)
        other = True if piece.id in elsewhere else False if all_found else None
        band = _band(
            contact / float(outlines[k]), float(gaps[k]), float(overlaps[k]), slides, other, layout.tolerance
        )
        holds[piece.id] = Hold(
            outline=float(outlines[k]),
            contact=contact,
            edge=float(contacts.edge[k]),
            gap=float(gaps[k]),
            overlap=float(overlaps[k]),
            slides=slides,
            elsewhere=other,
            band=band,
        )
    return holds


def _band(
    share: float, gap: float, overlap: float, slides: bool, elsewhere: bool | None, tolerance: float
) -> Band:
    if elsewhere or slides or overlap > tolerance or share < LIKELY_SHARE:
        return "loose"
    if elsewhere is False and share >= CERTAIN_SHARE and gap <= tolerance:
        return "certain"
    return "likely"


def find_group_holds(layout: Layout, contacts: Contacts, joints: Iterable[Joint]) -> dict[str, Hold]:
    """How each piece of a group is held, by id; likely if a joint of it is, never certain.

    The group is all that the layout places, and has no target.
    """
    likeliest: dict[str | None, float] = {}
    for joint in joints:
        for piece in (joint.first, joint.second):
            likeliest[piece] = max(likeliest.get(piece, 0.0), joint.likelihood)

    def band(hold: Hold, piece: str) -> Band:
        is_firm = not hold.slides and hold.overlap <= layout.tolerance
        return "likely" if is_firm and likeliest.get(piece, 0.0) >= LIKELY_JOINT else "loose"

    holds = find_holds(layout, contacts)
    return {piece: replace(hold, band=band(hold, piece)) for piece, hold in holds.items()}


def fits_closely(layout: Layout) -> bool:
    """Whether most pieces are held along most of their outlines, as drawn ones are and worn ones are not."""
    share = find_contacts(layout).total / shapely.length(layout.fitted)
    return len(share) > 0 and float(np.median(share)) >= LIKELY_SHARE


def loose_pieces(layout: Layout) -> frozenset[str]:
    """The pieces that lie in a gap rather than in a place of their own, if the others fit closely.

    Such a piece touches what is around it with less than half of its outline, and can be pushed along it, or
    reaches into it; or it lies along the target's edge alone, in a corner such as many have.
    """
    if not fits_closely(layout):
        return frozenset()
    contacts = find_contacts(layout)
    share = contacts.total / shapely.length(layout.fitted)
    is_forced = _distances(layout)[1] > layout.tolerance
    loose = (share < LOOSE_SHARE) & (is_forced | (contacts.grip <= LOOSE_GRIP * contacts.total))
    beside_others = contacts.beside > LOOSE_GRIP * shapely.length(layout.fitted)
    loose |= ~beside_others & (share < LIKELY_SHARE) & (len(layout.fitted) > 1)
    return frozenset(piece.id for piece, is_loose in zip(layout.placed, loose, strict=True) if is_loose)


def _distances(layout: Layout) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The largest gap beside each piece and the deepest overlap, (N,) each; rounding counts as none.

    Without a target the outline that the pieces imply stands for it.
    """
    target = covered_outline(layout) if layout.target.is_empty else layout.target
    outlines = layout.fitted
    gaps, overlaps = np.zeros(len(outlines)), np.zeros(len(outlines))
    boundaries = np.array([outline.boundary for outline in outlines])
    rim = target.boundary
    beside, most = Beside(outlines), points_each(len(outlines), POINTS)
    for k, outline in enumerate(outlines):
        points = _points_on(outline, most)
        beyond = shapely.distance(points, target)
        overlaps[k] = max(overlaps[k], float(beyond.max()))
        nearest = np.where(beyond > 0.0, 0.0, shapely.distance(points, rim))
        apart, others = beside.distances(k, points)
        nearest = np.minimum(nearest, apart)
        if not apart.all():
            inside, which = shapely.STRtree(beside.outlines[others]).query(points, predicate="intersects")
            owners = others[which]
            depths = shapely.distance(points[inside], boundaries[owners])
            np.maximum.at(overlaps, owners, depths)
            overlaps[k] = max(overlaps[k], float(depths.max(initial=0.0)))
        gaps[k] = float(nearest.max())
    least = LENGTH_TOLERANCE * size_of(target)
    return np.where(gaps <= least, 0.0, gaps), np.where(overlaps <= least, 0.0, overlaps)


def covered_outline(layout: Layout) -> Region:
    """What the placed pieces cover, seams up to the tolerance closed and holes filled."""
    reach = layout.tolerance / 2.0
    grown = union([outline.buffer(reach, join_style="mitre") for outline in layout.fitted])
    closed = grown.buffer(-reach, join_style="mitre")
    filled = union([Polygon(part.exterior) for part in polygons_in(union([closed, *layout.fitted]))])
    parts = polygons_in(filled)
    return parts[0] if len(parts) == 1 else MultiPolygon(parts)


def _points_on(outline: Polygon, most: int) -> NDArray[np.object_]:
    """All corners of an outline and points between them, or points alone where corners are very many."""
    boundary = outline.boundary
    if shapely.get_num_coordinates(boundary) <= POINTS:
        between = boundary.segmentize(boundary.length / most)
        return np.asarray(shapely.points(shapely.get_coordinates(between)))
    at = np.linspace(0.0, 1.0, 2 * most, endpoint=False)
    rings = shapely.get_parts(boundary)
    return np.concatenate([shapely.line_interpolate_point(ring, at, normalized=True) for ring in rings])


def moved_pieces(
    puzzle: Puzzle, assembly: Assembly, others: Sequence[Assembly], tolerance: float
) -> frozenset[str]:
    """The pieces of an assembly whose places another one fills differently.

    Assemblies are turned onto each other by the target's own symmetries as well as they go, and like
    pieces may be exchanged: a place counts as filled alike if some outline lies within the tolerance of it.
    """
    places, names = np.array(puzzle.placed(assembly)), [placement.id for placement in assembly]
    moved: set[str] = set()
    for other in others:
        outlines = np.array(puzzle.placed(other))
        best: set[str] | None = None
        for symmetry in allowed_symmetries(puzzle):
            turned = np.asarray(shapely.transform(outlines, symmetry.points))
            filled = set(lying_on(turned, places, tolerance)[1].tolist())
            differ = {name for k, name in enumerate(names) if k not in filled}
            if best is None or len(differ) < len(best):
                best = differ
        moved |= best or set()
    return frozenset(moved)

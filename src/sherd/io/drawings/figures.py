"""From strokes to figures: close, mend, nest, name; and say what was done."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import shapely
from shapely import Polygon

from sherd.core.errors import FileFormatError, InvalidPolygonError
from sherd.core.geometry import AREA_TOLERANCE, difference, polygons_in, size_of, union
from sherd.core.proper_polygons import crosses_often, make_polygon, touching_parts
from sherd.io.document import LARGEST_NUMBER
from sherd.io.drawings.curves import Floats, extent
from sherd.io.drawings.cut_lines import ClosedShape, Cut, OpenLine, cut_up
from sherd.io.drawings.model import TARGET, Figure, clean_name, unique_names
from sherd.io.drawings.params import Nested
from sherd.io.drawings.strokes import Chain, Stroke, join

# Curves may be missed by this share of the size of the largest path, and never by more millimetres than this.
FLATTEN_SHARE = 1.0 / 5000.0
FLATTEN_MM = 0.05
# A single path is closed if its ends are no farther apart than this share of its own size; the ends of
# different paths are joined within this share of the size of the largest.
CLOSE_SHARE = 0.01
JOIN_SHARE = 1.0 / 2000.0
# An outline that crosses itself is mended if that changes no more than this share of its area.
MEND_SHARE = 0.002
# Two outlines are the same shape in the same place if they differ by no more than this share of their size.
SAME_SHARE = 1e-6
# An outline of more points than this is a tangle if boxes of its edges meet TANGLE_DEGREE others on average.
TANGLE_POINTS = 1000
TANGLE_SAMPLE = 200
TANGLE_DEGREE = 50
# One of more points than this is left out if it is a tangle, whether it crosses itself or not.
LONG_RING = 5000
# A shape is a frame, not a plate with holes, if others inside it cover more than this share of it.
FRAME_FILL = 0.5
MOST_NAMED = 5
NOWHERE = Polygon()
SEVERAL_PARTS = "in several parts, each of which is taken for a piece"
MOST_STROKES = 200_000
MOST_FIGURES = 5000
# Whether a longer ring crosses itself takes the geometry library minutes to say.
MOST_RING_POINTS = 300_000


class Notes:
    """What there is to say about a drawing, collected by reason so that a thousand cases make one line."""

    def __init__(self) -> None:
        self._cases: dict[str, list[str]] = {}

    def add(self, reason: str, name: str) -> None:
        """One more figure to which a reason applies."""
        self._cases.setdefault(reason, []).append(name)

    def lines(self) -> tuple[str, ...]:
        """One line a reason, with the first few names."""
        return tuple(f"{reason}: {some_of(names)}" for reason, names in self._cases.items())


def some_of(names: Sequence[str], most: int = MOST_NAMED) -> str:
    """The first few names, and how many more there are.

    >>> some_of(["a", "b"]), some_of(["a"] * 9), some_of(["a", "", ""])
    ('a, b', 'a, a, a, a, a and 4 more', 'a, 2 shapes without a name')
    """
    named = [clean for name in names if (clean := clean_name(name))]
    nameless, more = len(names) - len(named), len(named) - most
    shown = [*named[:most]]
    if more > 0:
        shown[-1] += f" and {more:,} more"
    if nameless:
        shown.append("a shape without a name" if nameless == 1 else f"{nameless:,} shapes without a name")
    return ", ".join(shown)


@dataclass(frozen=True, kw_only=True)
class FigureParams:
    """How strokes become figures; lengths in the drawing's unit, None for a share of its size."""

    flatten: float | None = None
    gap: float | None = None
    nested: Nested = "pieces"
    drop_doubles: bool = True
    in_mm: bool = False


def never() -> bool:
    """There is all the time in the world."""
    return False


def figures_from_strokes(
    strokes: Sequence[Stroke],
    params: FigureParams,
    notes: Notes,
    is_over: Callable[[], bool] = never,
) -> tuple[Figure, ...]:
    """The closed shapes that strokes draw; what cannot be closed or mended is left out and noted."""
    size = extent([stroke.path for stroke in strokes])
    tolerance = params.flatten or max(size * FLATTEN_SHARE, np.finfo(np.float64).tiny)
    if params.in_mm and params.flatten is None:
        tolerance = min(tolerance, FLATTEN_MM)
    gap = size * JOIN_SHARE if params.gap is None else params.gap
    rings: dict[tuple[tuple[str, ...], int], list[Chain]] = defaultdict(list)
    loose: dict[tuple[str, ...], list[Chain]] = defaultdict(list)
    for stroke in strokes:
        _refuse_if(is_over)
        points = stroke.path.flattened(tolerance)
        if len(points) > MOST_RING_POINTS:
            raise FileFormatError(
                f"an outline of {len(points):,} points, and no more than {MOST_RING_POINTS:,} are read: "
                "smooth it first"
            )
        if not (np.isfinite(points).all() and np.abs(points).max() <= LARGEST_NUMBER):
            notes.add("left out (coordinates beyond all measure)", stroke.name)
            continue
        chain = _closed_by_itself(Chain(points, stroke.name, stroke.path.closed), params.gap, notes)
        if chain.closed:
            rings[stroke.groups, stroke.element].append(chain)
        elif len(points) > 1:
            loose[stroke.groups].append(chain)
    elements: list[ClosedShape] = []
    for (groups, _), chains in rings.items():
        _refuse_if(is_over)
        elements += _element(chains, groups, notes)
    lines: list[OpenLine] = []
    for groups, chains in loose.items():
        loops, left = join(chains, gap)
        elements += [element for loop in loops for element in _element([loop], groups, notes)]
        lines += [OpenLine(chain, groups) for chain in left]
    cut = cut_up(elements, lines, gap, size)
    for name in cut.left:
        notes.add("left out (open)", name)
    for name in cut.ends:
        notes.add("ends that stick out were cut off", name)
    drawn = [figure for element in cut.whole for figure in _figures(element, notes)]
    return finish([*drawn, *_cut_figures(cut, lines, drawn, notes)], params, notes)


def _refuse_if(is_over: Callable[[], bool]) -> None:
    if is_over():
        raise FileFormatError("reading it takes longer than the time limit: leave out what is no piece")


def _figures(element: ClosedShape, notes: Notes) -> list[Figure]:
    """The figures of one element, several if it has several parts."""
    figures = [Figure(element.name, polygon, element.groups) for polygon in element.polygons]
    if len(figures) > 1 and not figures[0].is_target:
        notes.add(SEVERAL_PARTS, element.name)
    return figures


def _cut_figures(cut: Cut, lines: Sequence[OpenLine], drawn: Sequence[Figure], notes: Notes) -> list[Figure]:
    """The regions as pieces, which the names of lines cannot name, and what is around them as target.

    That is a border that is called target or, where nothing is and there are no pieces elsewhere, the outline
    of all.
    """
    if not cut.regions:
        return []
    apart = [line.groups for line in lines if not Figure("", NOWHERE, line.groups).is_target]
    groups = max(apart, key=apart.count) if apart else lines[0].groups
    found = [Figure("", region, groups) for region in cut.regions]
    borders = [figure for element in cut.borders for figure in _figures(element, notes)]
    if any(figure.is_target for figure in (*found, *drawn, *borders)):
        return [*found, *(replace(one, is_border=True) for one in borders if one.is_target)]
    whole = union([figure.polygon for figure in (*found, *drawn)])
    around = union(cut.regions).convex_hull
    if len(found) < 2 or not all(around.covers(one.polygon.centroid) for one in drawn):
        return found
    name = borders[0].id if len(borders) == 1 else ""
    notes.add(f"cut up by lines into {len(found):,}, and taken for the target", name or "what is around them")
    return [*found, *(Figure(name or TARGET, one, (TARGET,), is_border=True) for one in polygons_in(whole))]


def finish(figures: Iterable[Figure], params: FigureParams, notes: Notes) -> tuple[Figure, ...]:
    """The figures with doubles dropped, inner ones made holes if so wanted, and a name of its own each."""
    kept = without_doubles(list(figures), params.drop_doubles, notes)
    if params.nested == "holes":
        borders = [figure for figure in kept if figure.is_border]
        kept = [*_with_holes([figure for figure in kept if not figure.is_border], notes), *borders]
    elif params.drop_doubles:  # else each shape may be in a frame of its own, and where it lies says nothing
        _note_inner(kept, notes)
    names = unique_names(figure.id for figure in kept)
    return tuple(replace(figure, id=name, label=figure.id) for figure, name in zip(kept, names, strict=True))


def _closed_by_itself(chain: Chain, gap: float | None, notes: Notes) -> Chain:
    """The chain without a last point that repeats the first; closed if that is near enough."""
    apart = float(np.hypot(*(chain.points[-1] - chain.points[0])))
    if len(chain.points) > 3 and not chain.closed:
        near = CLOSE_SHARE * float(np.ptp(chain.points, axis=0).max()) if gap is None else gap
        if apart <= near:
            if apart > near * 1e-3:
                notes.add("closed over a small gap", chain.name)
            return Chain(chain.points[:-1] if apart <= near * 1e-3 else chain.points, chain.name, True)
    if chain.closed and len(chain.points) > 1 and apart == 0.0:
        return Chain(chain.points[:-1], chain.name, True)
    return chain


def _element(chains: Sequence[Chain], groups: tuple[str, ...], notes: Notes) -> list[ClosedShape]:
    """What one element closes in, if anything: rings inside others are holes, by the even-odd rule."""
    polygons: list[Polygon] = []
    name = chains[0].name
    for chain in chains:
        polygons += mended(chain.points, chain.name, notes)
    return [ClosedShape(tuple(even_odd(polygons)), name, groups)] if polygons else []


def mended(points: Floats, name: str, notes: Notes) -> list[Polygon]:
    """The polygon of a ring, mended where that hardly changes it; none, with a note, where there is none.

    A ring that touches itself has several parts.
    """
    if len(points) < 3:
        notes.add("left out (no area)", name)
        return []
    if len(points) > LONG_RING and _is_tangle(Polygon(points)):
        notes.add("left out (crosses itself again and again)", name)
        return []
    try:
        return [make_polygon(points)]
    except InvalidPolygonError as error:
        reason = str(error)
    if crosses_often(Polygon(points)):
        notes.add("left out (crosses itself again and again)", name)
        return []
    polygon = mended_polygon(Polygon(points))
    if polygon is not None:
        notes.add("mended (crossed itself)", name)
        return [polygon]
    if "crosses" in reason and (parts := touching_parts(points)):
        return parts
    if "crosses" in reason and not _is_flat(points):
        notes.add(f"left out ({reason})", name)
    else:
        notes.add("left out (no area)", name)
    return []


def _is_flat(points: Floats) -> bool:
    return (
        shapely.MultiPoint(points).convex_hull.area
        <= AREA_TOLERANCE * float(np.ptp(points, axis=0).max()) ** 2
    )


def mended_polygon(polygon: Polygon) -> Polygon | None:
    """The polygon made valid if one part is all but all of it, else None."""
    if _is_tangle(polygon) or crosses_often(polygon):
        return None
    parts = polygons_in(shapely.make_valid(polygon, method="structure", keep_collapsed=False))
    faces = sum(part.area for part in polygons_in(shapely.make_valid(polygon)))
    if not parts:
        return None
    largest = max(parts, key=lambda part: part.area)
    if abs(largest.area - faces) > MEND_SHARE * faces:
        return None
    try:
        return make_polygon(largest.exterior.coords[:-1], [hole.coords[:-1] for hole in largest.interiors])
    except InvalidPolygonError:
        return None


def _is_tangle(polygon: Polygon) -> bool:
    """Whether an outline crosses itself so often that mending it would take minutes, judged by a sample."""
    points = shapely.get_coordinates(polygon.exterior)
    if len(points) <= TANGLE_POINTS:
        return False
    edges = np.asarray(shapely.linestrings(np.stack([points[:-1], points[1:]], axis=1)))
    some = edges[:: max(1, len(edges) // TANGLE_SAMPLE)]
    return shapely.STRtree(edges).query(some).shape[1] > TANGLE_DEGREE * len(some)


def even_odd(polygons: Sequence[Polygon]) -> list[Polygon]:
    """Rings as polygons without holes: those inside an odd number of others are holes.

    >>> even_odd([shapely.box(0, 0, 9, 9), shapely.box(1, 1, 2, 2)])[0].area
    80.0
    """
    if len(polygons) < 2:
        return list(polygons)
    tree = shapely.STRtree(polygons)
    inner, outer = tree.query(polygons, predicate="within")
    different = inner != outer
    inner, outer = inner[different], outer[different]
    depth = np.bincount(inner, minlength=len(polygons))
    holes: dict[int, list[Polygon]] = defaultdict(list)
    pairs: list[list[int]] = np.stack([inner, outer], axis=1).tolist()
    for small, large in pairs:
        if depth[small] % 2 == 1 and depth[large] == depth[small] - 1:
            holes[large].append(polygons[small])
    return [
        _pierced(polygon, holes[k]) if holes[k] else polygon
        for k, polygon in enumerate(polygons)
        if depth[k] % 2 == 0
    ]


def _pierced(polygon: Polygon, holes: Sequence[Polygon]) -> Polygon:
    """The polygon with further holes in it."""
    rings = [*polygon.interiors, *(hole.exterior for hole in holes)]
    try:
        return make_polygon(polygon.exterior.coords[:-1], [ring.coords[:-1] for ring in rings])
    except InvalidPolygonError:  # holes that touch each other or the rim
        rest = difference(polygon, union(holes))
        return max(polygons_in(rest), key=lambda part: part.area, default=polygon)


def _with_holes(figures: Sequence[Figure], notes: Notes) -> list[Figure]:
    """Figures strictly inside another one of the same groups become holes of it.

    A shape that others fill for the most part is no plate with holes but a frame, and they stay pieces.
    """
    by_groups: dict[tuple[str, ...], list[Figure]] = defaultdict(list)
    for figure in figures:
        by_groups[figure.groups].append(figure)
    return [figure for group in by_groups.values() for figure in _pierced_group(group, notes)]


def _pierced_group(group: Sequence[Figure], notes: Notes) -> list[Figure]:
    shapes = [figure.polygon for figure in group]
    outer, inner = shapely.STRtree(shapes).query(shapes, predicate="contains_properly")
    inside: dict[int, set[int]] = defaultdict(set)
    for large, small in zip(outer.tolist(), inner.tolist(), strict=True):
        inside[large].add(small)
    for large in [k for k, those in inside.items() if _fill(shapes, k, those) > FRAME_FILL]:
        notes.add("a frame around other shapes, not a plate with holes", group[large].id)
        del inside[large]
    depth = np.bincount([k for those in inside.values() for k in those], minlength=len(group))
    found: list[Figure] = []
    for k, figure in enumerate(group):
        holes = [shapes[j] for j in inside.get(k, ()) if depth[j] == depth[k] + 1]
        if depth[k] % 2 == 1:
            notes.add("taken for a hole of the shape around it", figure.id)
        else:
            found.append(replace(figure, polygon=_pierced(figure.polygon, holes)) if holes else figure)
    return found


def _fill(shapes: Sequence[Polygon], large: int, inside: set[int]) -> float:
    """How much of a shape the shapes inside it cover."""
    return union([shapes[k] for k in inside]).area / shapes[large].area


def _note_inner(figures: Sequence[Figure], notes: Notes) -> None:
    """Say which pieces lie inside another: they may be meant as holes."""
    pieces = [figure for figure in figures if not figure.is_target]
    if len(pieces) < 2:
        return
    tree = shapely.STRtree([figure.polygon for figure in pieces])
    inner, outer = tree.query([figure.polygon for figure in pieces], predicate="within")
    inside: list[int] = inner[inner != outer].tolist()
    for k in dict.fromkeys(inside):
        notes.add('inside another shape, and taken for a piece (nested = "holes" changes that)', pieces[k].id)


def without_doubles(figures: Iterable[Figure], drop: bool, notes: Notes) -> list[Figure]:
    """The figures, each once; a shape that lies exactly on a like one of its groups is noted."""
    kept: list[Figure] = []
    seen: set[object] = set()
    for figure in figures:
        key = (figure.groups, _print_of(figure.polygon))
        if key not in seen:
            seen.add(key)
        elif drop:
            notes.add("left out (the same shape lies there already)", figure.id)
            continue
        else:
            notes.add("lies exactly on a like shape, and is kept", figure.id)
        kept.append(figure)
    return kept


def _print_of(polygon: Polygon) -> bytes:
    """The same bytes for outlines that run through the same places, wherever and however they begin."""
    grid = float(10.0 ** np.ceil(np.log10(SAME_SHARE * size_of(polygon))))
    ring = (shapely.get_coordinates(polygon.normalize()) / grid).round() + 0.0
    return ring.tobytes()

"""Masks to polygons with sub-pixel vertices.

The mask's contour is divided into straight runs, lines are fitted to them and intersected, and the vertices
are moved until the polygon's own mask is the given one: by least squares on the areas if the mask is
anti-aliased, by lines that part the inside from the outside pixels if it is binary. Then vertices are added
where the masks still differ and removed where they make no difference.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import numpy as np
import shapely
import shapely.geometry.polygon
from numpy.typing import NDArray
from shapely import MultiPoint, Polygon

from sherd.core.errors import InvalidPolygonError
from sherd.core.grid import Grid
from sherd.core.proper_polygons import make_polygon
from sherd.tracing.contours import (
    FARTHEST_PX,
    INSIDE,
    polygon_of_runs,
    separable_lengths,
    straight_runs,
    trace,
)
from sherd.tracing.fitting import correct_sides, fit_areas, fit_sides, residual
from sherd.tracing.narrow_ends import with_likely_ends, with_squared_end
from sherd.tracing.rings import TracedOutline, joined
from sherd.tracing.scanline import signed_area
from sherd.tracing.windows import MARGIN_PX, MaskWindow, components, window_of

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Contours to start from, one after another until one leads to the mask: the level, and how many points at
# either end of a run its line does not follow. The ends of a thin piece have no points to spare, and
# slivers thinner than a pixel have no half covered pixels.
GREY_STARTS = ((INSIDE, 1), (INSIDE, 0), (0.2, 0), (0.05, 0))
BINARY_STARTS = ((INSIDE, 2), (INSIDE, 1), (INSIDE, 0))
# What one more run must save, in squared pixels, for anti-aliased and binary masks. A run of a binary mask
# must also be separable: the penalty there only has to outweigh the steps of a long edge.
PENALTY = {False: 1.0, True: 20.0}
MOST_ADDED = 6
MOST_TRIED = 6
# Noise makes no outline worth fitting: more vertices than this, or rings of a contour for a sliver.
MOST_FITTED = 200
MOST_FADED_RINGS = 8
# How much longer an outline may become for one vertex less, and how far a corner may stand out from a
# binary mask before other outlines are weighed against it.
VERTEX_WORTH_PX = 1.5
SPIKE_PX = 3.0
BLUNT_END_PX = 0.8  # a narrower end is taken for a tip
# By how much runs of a binary mask may fail to be separable: looser only where the contour falls into more
# than RAGGED runs, and then if the corners saved are worth the pixels that come out wrong.
SLACKS_PX = (0.02, 0.3, 0.6, 1.0)
RAGGED = 12
CORNER_COST = 0.9
# A vertex this near to the line between its neighbours, or at the end of an edge this short, is in doubt.
DOUBT_PX = {False: 0.5, True: 1.5}
SHORT_EDGE_PX = {False: 2.0, True: 4.0}
# Specks below this area are noise, not pieces.
LEAST_AREA_PX = 2.0


def vectorise(mask: NDArray[np.generic], grid: Grid) -> Polygon:
    """The outline of a mask (size_px, size_px) in 0 .. 1 as a polygon in world coordinates.

    Anti-aliased and binary masks are told apart by their values. A sliver may be broken up in a binary mask:
    several components that one simple outline explains are one piece. Otherwise the largest is taken; see
    `vectorise_all`.

    >>> from sherd.tracing.raster import masks
    >>> grid = Grid(32, left=0.0, top=1.0, pixel=1 / 32)
    >>> triangle = Polygon([(0.1, 0.1), (0.9, 0.2), (0.3, 0.8)])
    >>> found = vectorise(masks([triangle], grid)[0], grid)
    >>> found.equals_exact(triangle, 1e-6, normalize=True)
    True
    """
    values, parts = components(mask, grid)
    if parts.max() > 1:
        whole = window_of(values, parts > 0)
        outline = _fit(whole)
        if outline.error <= whole.rounding and len(outline.rings()) == 1:
            return _to_polygons(outline, whole, grid)[0]
    return max(vectorise_all(mask, grid), key=lambda polygon: polygon.area)


def vectorise_all(mask: NDArray[np.generic], grid: Grid) -> list[Polygon]:
    """The outlines of all components of a mask, with their holes, in world coordinates."""
    values, parts = components(mask, grid)
    polygons: list[Polygon] = []
    for part in range(1, parts.max() + 1):
        window = window_of(values, parts == part)
        if window.mask.sum() >= LEAST_AREA_PX:
            polygons += _to_polygons(_fit(window), window, grid)
    if not polygons:
        raise InvalidPolygonError(f"the mask has no component of at least {LEAST_AREA_PX:g} pixels")
    return polygons


def _fit(window: MaskWindow) -> TracedOutline:
    """The best outline of a component: other starts are tried only where the first leads nowhere."""
    best: TracedOutline | None = None
    for vertices, starts in _starting_points(window):
        outline = _fitted(window, vertices, starts)
        if outline.error > window.rounding:
            outline = _with_missing(window, outline)
        outline = _without_doubtful(window, outline)
        if best is None or _rank(window, outline) < _rank(window, best):
            best = outline
        if best.error <= window.rounding and _spike(window, best)[1] <= SPIKE_PX:
            break
    assert best is not None  # the rectangle at least
    if not np.isfinite(best.error):  # every fit crosses itself, as those of slits thinner than a pixel may
        best = min(_as_traced(window), key=lambda outline: outline.error, default=best)
    return _with_likely_ends(window, _blunted(window, best))


def _as_traced(window: MaskWindow) -> Iterator[TracedOutline]:
    """The component's contours themselves, not fitted: rough, but none crosses itself."""
    for level in {level for level, _ in (BINARY_STARTS if window.binary else GREY_STARTS)}:
        if window.mask.max() >= level:
            points, _, starts = trace(window.mask, level)
            yield _measured(window, points, starts)


def _with_likely_ends(window: MaskWindow, outline: TracedOutline) -> TracedOutline:
    """The outline with the narrow ends that a binary mask leaves open as they most likely are."""
    if not window.binary or not np.isfinite(outline.error) or len(outline.vertices) > MOST_FITTED:
        return outline
    for k in range(len(outline.vertices)):
        squared = with_squared_end(outline.vertices, outline.starts, window.mask, k)
        trial = outline if squared is None else _fitted(window, squared, outline.starts)
        if trial.error <= outline.error and trial.perimeter < outline.perimeter:
            outline = trial
    likely = _measured(
        window, with_likely_ends(outline.vertices, outline.starts, window.mask), outline.starts
    )
    return likely if likely.error <= outline.error else outline


def _blunted(window: MaskWindow, outline: TracedOutline) -> TracedOutline:
    """The outline with corners far out of a binary mask cut off, where that explains it as well."""
    for _ in range(MOST_ADDED):
        k, length = _spike(window, outline)
        if length <= SPIKE_PX:
            break
        trial = _without_doubtful(window, _fitted(window, *outline.split_corner(k, length + 1.0)))
        if _rank(window, trial) >= _rank(window, outline):
            break
        outline = trial
    return outline


def _rank(window: MaskWindow, outline: TracedOutline) -> tuple[float, float]:
    """Smaller is better: the error first, then the length of outline, which invisible sharp tips add to."""
    return max(outline.error, window.rounding), outline.perimeter + VERTEX_WORTH_PX * len(outline.vertices)


def _spike(window: MaskWindow, outline: TracedOutline) -> tuple[int, float]:
    """The corner that stands out farthest from a binary mask, and how far; areas show every corner."""
    if not window.binary:
        return 0, 0.0
    rows, columns = np.nonzero(window.mask >= INSIDE)
    centres = np.stack([columns, rows], axis=-1) + 0.5
    distance = np.array([np.hypot(*(centres - vertex).T).min() for vertex in outline.vertices])
    return int(distance.argmax()), float(distance.max())


def _starting_points(window: MaskWindow) -> Iterator[tuple[Floats, Ints]]:
    """Rough outlines, the likeliest first: from the contour, and for slivers a rectangle around it all."""
    in_parts: list[list[Floats]] = []
    for level, trim in BINARY_STARTS if window.binary else GREY_STARTS:
        if window.mask.max() >= level:
            rings = _rings(window, level, trim)
            if level < INSIDE and len(rings) > MOST_FADED_RINGS:
                continue  # noise, not one sliver
            if sum(signed_area(ring) < 0.0 for ring in rings) == 1:
                yield joined(rings)
            else:
                in_parts.append(rings)
    rows, columns = np.nonzero(window.mask)
    centres = MultiPoint(np.stack([columns + 0.5, rows + 0.5], axis=-1))
    box = centres.minimum_rotated_rectangle.buffer(0.25, cap_style="square", join_style="mitre")
    if len(box.exterior.coords) == 5:
        yield joined([shapely.get_coordinates(shapely.geometry.polygon.orient(box, -1.0))[:-1]])
    # Several outlines in one component are touching pieces, or one sliver that fades in places.
    yield from map(joined, in_parts)


def _rings(window: MaskWindow, level: float, trim: int) -> list[Floats]:
    """Rings of straight runs of the contour, without specks; looser runs if a binary contour is ragged."""
    points, inner, starts = trace(window.mask, level)
    chains = [(points[begin:end], inner[begin:end]) for begin, end in pairwise(starts.tolist())]
    sizes = [abs(signed_area(chain)) for chain, _ in chains]
    chains = [
        chain for chain, size in zip(chains, sizes, strict=True) if size >= min(LEAST_AREA_PX, max(sizes))
    ]
    if not window.binary:
        return [
            _straightened(chain, np.full(len(chain), len(chain)), PENALTY[False], trim) for chain, _ in chains
        ]
    trials: list[tuple[float, list[Floats]]] = []
    for slack in SLACKS_PX:
        rings = [
            _straightened(chain, separable_lengths(chain, within, slack), PENALTY[True], trim)
            for chain, within in chains
        ]
        corners = sum(map(len, rings))
        if not trials and corners <= RAGGED * len(rings):
            return rings
        trials.append((_fitted(window, *joined(rings)).error + CORNER_COST * corners, rings))
    return min(trials, key=lambda trial: trial[0])[1]


def _straightened(chain: Floats, lengths: Ints, penalty: float, trim: int) -> Floats:
    runs = straight_runs(chain, lengths, penalty, trim)
    return polygon_of_runs(chain, runs, trim) if len(runs) >= 3 else chain[:: max(1, len(chain) // 4)]


def _fitted(window: MaskWindow, vertices: Floats, starts: Ints) -> TracedOutline:
    """The outline after moving its vertices to where they agree best with the mask."""
    if len(vertices) > MOST_FITTED:
        return _measured(window, vertices, starts)
    if not window.binary:
        return _measured(window, fit_areas(vertices, starts, window.mask), starts)
    likely = _measured(window, fit_sides(vertices, starts, window.mask), starts)
    if likely.error == 0.0:
        return likely
    correct = _measured(window, correct_sides(likely.vertices, starts, window.mask), starts)
    return correct if correct.error < likely.error else likely


def _measured(window: MaskWindow, vertices: Floats, starts: Ints) -> TracedOutline:
    difference = residual(vertices, starts, window.mask, window.binary)
    outline = TracedOutline(vertices, starts, float((difference * difference).sum()))
    beyond = np.maximum(-vertices, vertices - np.array(window.mask.shape)[::-1]).max()
    if beyond > FARTHEST_PX or (not window.binary and window.far_out(vertices) > SPIKE_PX):
        return replace(outline, error=np.inf)
    if all(Polygon(ring).is_valid for ring in outline.rings()):
        return outline
    return replace(outline, error=np.inf)


def _with_missing(window: MaskWindow, outline: TracedOutline) -> TracedOutline:
    """Add vertices, one at a time, where the outline's mask differs most, as long as that helps much."""
    for _ in range(MOST_ADDED if len(outline.vertices) <= MOST_FITTED else 0):
        if outline.error <= window.rounding or not np.isfinite(outline.error):
            break
        at = _worst_place(window, outline)
        nearest = int(np.hypot(*(outline.vertices - at).T).argmin())
        changes = (outline.split_corner(nearest, 1.0), outline.split_edge(at))
        best = min((_fitted(window, *change) for change in changes), key=lambda trial: trial.error)
        if best.error > 0.5 * outline.error:
            break
        outline = best
    return outline


def _worst_place(window: MaskWindow, outline: TracedOutline) -> Floats:
    """The centre of the pixel where the masks differ most; of equal ones, the farthest from any edge."""
    difference = np.abs(residual(outline.vertices, outline.starts, window.mask, window.binary))
    rows, columns = np.nonzero(difference >= difference.max())
    centres = np.stack([columns, rows], axis=-1).astype(np.float64) + 0.5
    nearest, _ = outline.nearest_on_edges(centres)
    return centres[nearest.min(axis=1).argmax()]


def _without_doubtful(window: MaskWindow, outline: TracedOutline) -> TracedOutline:
    """Remove vertices, the least needed first, as long as the outline's mask gets no worse."""
    while len(outline.vertices) <= MOST_FITTED:
        for k in _doubtful(window, outline)[:MOST_TRIED]:
            simpler = _simpler(window, outline, k)
            if simpler is not None:
                outline = simpler
                break
        else:
            break
    return outline


def _simpler(window: MaskWindow, outline: TracedOutline, k: int) -> TracedOutline | None:
    """The outline without vertex k, or with the shorter edge at k drawn together, if it is as good."""
    for vertices, starts in (outline.without_vertex(k), outline.without_edge(k)):
        trial = _fitted(window, vertices, starts)
        longer = trial.perimeter - outline.perimeter
        credible = longer <= VERTEX_WORTH_PX or outline.shorter_edge(k) < BLUNT_END_PX
        if credible and trial.error <= max(window.rounding, outline.error):
            return trial
    return None


def _doubtful(window: MaskWindow, outline: TracedOutline) -> list[int]:
    vertices = outline.vertices
    doubts: list[tuple[float, int]] = []
    for k, vertex in enumerate(vertices):
        before, after = outline.neighbours(k)
        if before == after or outline.neighbours(before)[0] == after:
            continue  # a triangle needs all its corners
        chord = vertices[after] - vertices[before]
        to = vertex - vertices[before]
        height = abs(chord[0] * to[1] - chord[1] * to[0]) / max(float(np.hypot(*chord)), 1e-9)
        if height < DOUBT_PX[window.binary] or outline.shorter_edge(k) < SHORT_EDGE_PX[window.binary]:
            doubts.append((float(height), k))
    return [k for _, k in sorted(doubts)]


def _to_polygons(outline: TracedOutline, window: MaskWindow, grid: Grid) -> list[Polygon]:
    """The outline's rings in world coordinates, every hole with the ring around it.

    Rings fitted to a slit thinner than a pixel may cross each other, and now and then nothing better was
    found than a ring that crosses itself; what they enclose is then mended. Specks beside it are left out.
    """
    offset = (window.column - MARGIN_PX, window.row - MARGIN_PX)
    # Outlines run counter-clockwise in the world, so clockwise where rows point down.
    shells = [_mended(Polygon(ring)) for ring in outline.rings() if signed_area(ring) < 0.0]
    holes = [_mended(Polygon(ring)) for ring in outline.rings() if signed_area(ring) >= 0.0]
    least = min(LEAST_AREA_PX, max((shell.area for shell in shells), default=0.0))
    polygons: list[Polygon] = []
    for shell in (shell for shell in shells if shell.area >= least):
        within = [hole.exterior for hole in holes if shell.contains(hole)]
        whole = _mended(Polygon(shell.exterior, within))
        rings = [
            grid.to_world(shapely.get_coordinates(ring)[:-1] + offset)
            for ring in (whole.exterior, *whole.interiors)
        ]
        polygons.append(make_polygon(rings[0], rings[1:]))
    return polygons


def _mended(polygon: Polygon) -> Polygon:
    """The polygon itself if it is sound, or else the largest sound part of what it encloses."""
    if polygon.is_valid:
        return polygon
    sound = shapely.make_valid(polygon, method="structure", keep_collapsed=False)
    parts = [part for part in shapely.get_parts(sound) if isinstance(part, Polygon)]
    return max(parts, key=lambda part: part.area, default=polygon)

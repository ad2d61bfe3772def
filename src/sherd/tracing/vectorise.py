"""Masks to polygons with sub-pixel vertices.

The mask's contour is divided into straight runs, lines are fitted to them and intersected, and the vertices
are moved until the polygon's own mask is the given one: by least squares on the areas if the mask is
anti-aliased, by lines that part the inside from the outside pixels if it is binary. Then vertices are added
where the masks still differ and removed where they make no difference.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import scipy.ndimage
import shapely
import shapely.geometry.polygon
from numpy.typing import NDArray
from shapely import MultiPoint, Polygon

from sherd.core.errors import ArgumentError, InvalidPolygonError
from sherd.core.geometry import make_polygon
from sherd.core.grid import Grid
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

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# A mask is anti-aliased if at least this share of its contour passes through pixels between black and white.
LEAST_GREY = 0.05
GREY = (0.02, 0.98)
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
# Mean square error that is rounding alone: of float32 areas, and of areas stored in 8 bits.
EXACT_ERROR = 1e-9
BYTE_ERROR = (0.7 / 255.0) ** 2
# A vertex this near to the line between its neighbours, or at the end of an edge this short, is in doubt.
DOUBT_PX = {False: 0.5, True: 1.5}
SHORT_EDGE_PX = {False: 2.0, True: 4.0}
# Specks below this area are noise, not pieces.
LEAST_AREA_PX = 2.0
MARGIN_PX = 3


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
    values, parts = _components(mask, grid)
    if parts.max() > 1:
        whole = _window(values, parts > 0)
        outline = _fit(whole)
        if outline.error <= whole.rounding and len(outline.rings()) == 1:
            return _to_polygons(outline, whole, grid)[0]
    return max(vectorise_all(mask, grid), key=lambda polygon: polygon.area)


def vectorise_all(mask: NDArray[np.generic], grid: Grid) -> list[Polygon]:
    """The outlines of all components of a mask, with their holes, in world coordinates."""
    values, parts = _components(mask, grid)
    polygons: list[Polygon] = []
    for part in range(1, parts.max() + 1):
        window = _window(values, parts == part)
        if window.mask.sum() >= LEAST_AREA_PX:
            polygons += _to_polygons(_fit(window), window, grid)
    if not polygons:
        raise InvalidPolygonError(f"the mask has no component of at least {LEAST_AREA_PX:g} pixels")
    return polygons


@dataclass(frozen=True)
class _Window:
    """A component cut out of the padded mask: its pixels, where they lie, and the error to be reached."""

    mask: Floats
    row: int
    column: int
    binary: bool
    rounding: float
    to_own: Floats

    def far_out(self, points: Floats) -> float:
        """How far the farthest of some points lies from the pixels that show anything of the component."""
        height, width = self.mask.shape
        column, row = np.clip(points.astype(np.int64), 0, (width - 1, height - 1)).T
        return float(self.to_own[row, column].max())


def _components(mask: NDArray[np.generic], grid: Grid) -> tuple[Floats, Ints]:
    """The mask's values with a margin around them, and the number of each pixel's component, 0 for none."""
    values = np.asarray(mask, dtype=np.float64)
    if values.shape != (grid.size_px, grid.size_px):
        raise ArgumentError(f"the mask has shape {values.shape}, the grid {grid.size_px} px a side")
    if not (np.isfinite(values).all() and values.min() >= 0.0 and values.max() <= 1.0):
        raise ArgumentError("the mask has values that are not between 0 and 1")
    if not values.any():
        raise InvalidPolygonError("the mask is empty")
    values = np.pad(values, MARGIN_PX)
    if _is_binary(values):
        values = np.where(values >= INSIDE, 1.0, 0.0)
    labels = np.zeros(values.shape, dtype=np.int64)
    scipy.ndimage.label(values > 0.0, np.ones((3, 3)), output=labels)
    return values, labels


def _is_binary(values: Floats) -> bool:
    grey = np.count_nonzero((values > GREY[0]) & (values < GREY[1]))
    return grey <= LEAST_GREY * np.sqrt(np.count_nonzero(values >= INSIDE))


def _window(values: Floats, own: NDArray[np.bool_]) -> _Window:
    """Some of the padded mask's pixels cut out, with a margin."""
    rows, columns = np.flatnonzero(own.any(axis=1)), np.flatnonzero(own.any(axis=0))
    top, bottom = int(rows[0]) - MARGIN_PX, int(rows[-1]) + MARGIN_PX + 1
    left, right = int(columns[0]) - MARGIN_PX, int(columns[-1]) + MARGIN_PX + 1
    cut = np.where(own, values, 0.0)[top:bottom, left:right]
    binary = _is_binary(values)
    in_bytes = np.abs(cut * 255.0 - np.round(cut * 255.0)).max() < 1e-3
    rounding = 2.0 * sum(cut.shape) * (BYTE_ERROR if in_bytes else EXACT_ERROR)
    to_own = np.asarray(scipy.ndimage.distance_transform_edt(cut == 0.0), dtype=np.float64)
    return _Window(np.ascontiguousarray(cut), top, left, binary, 0.0 if binary else rounding, to_own)


def _fit(window: _Window) -> TracedOutline:
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


def _as_traced(window: _Window) -> Iterator[TracedOutline]:
    """The component's contours themselves, not fitted: rough, but none crosses itself."""
    for level in {level for level, _ in (BINARY_STARTS if window.binary else GREY_STARTS)}:
        if window.mask.max() >= level:
            points, _, starts = trace(window.mask, level)
            yield _measured(window, points, starts)


def _with_likely_ends(window: _Window, outline: TracedOutline) -> TracedOutline:
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


def _blunted(window: _Window, outline: TracedOutline) -> TracedOutline:
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


def _rank(window: _Window, outline: TracedOutline) -> tuple[float, float]:
    """Smaller is better: the error first, then the length of outline, which invisible sharp tips add to."""
    return max(outline.error, window.rounding), outline.perimeter + VERTEX_WORTH_PX * len(outline.vertices)


def _spike(window: _Window, outline: TracedOutline) -> tuple[int, float]:
    """The corner that stands out farthest from a binary mask, and how far; areas show every corner."""
    if not window.binary:
        return 0, 0.0
    rows, columns = np.nonzero(window.mask >= INSIDE)
    centres = np.stack([columns, rows], axis=-1) + 0.5
    distance = np.array([np.hypot(*(centres - vertex).T).min() for vertex in outline.vertices])
    return int(distance.argmax()), float(distance.max())


def _starting_points(window: _Window) -> Iterator[tuple[Floats, Ints]]:
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


def _rings(window: _Window, level: float, trim: int) -> list[Floats]:
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


def _fitted(window: _Window, vertices: Floats, starts: Ints) -> TracedOutline:
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


def _measured(window: _Window, vertices: Floats, starts: Ints) -> TracedOutline:
    difference = residual(vertices, starts, window.mask, window.binary)
    outline = TracedOutline(vertices, starts, float((difference * difference).sum()))
    beyond = np.maximum(-vertices, vertices - np.array(window.mask.shape)[::-1]).max()
    if beyond > FARTHEST_PX or (not window.binary and window.far_out(vertices) > SPIKE_PX):
        return replace(outline, error=np.inf)
    if all(Polygon(ring).is_valid for ring in outline.rings()):
        return outline
    return replace(outline, error=np.inf)


def _with_missing(window: _Window, outline: TracedOutline) -> TracedOutline:
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


def _worst_place(window: _Window, outline: TracedOutline) -> Floats:
    """The centre of the pixel where the masks differ most; of equal ones, the farthest from any edge."""
    difference = np.abs(residual(outline.vertices, outline.starts, window.mask, window.binary))
    rows, columns = np.nonzero(difference >= difference.max())
    centres = np.stack([columns, rows], axis=-1).astype(np.float64) + 0.5
    nearest, _ = outline.nearest_on_edges(centres)
    return centres[nearest.min(axis=1).argmax()]


def _without_doubtful(window: _Window, outline: TracedOutline) -> TracedOutline:
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


def _simpler(window: _Window, outline: TracedOutline, k: int) -> TracedOutline | None:
    """The outline without vertex k, or with the shorter edge at k drawn together, if it is as good."""
    for vertices, starts in (outline.without_vertex(k), outline.without_edge(k)):
        trial = _fitted(window, vertices, starts)
        longer = trial.perimeter - outline.perimeter
        credible = longer <= VERTEX_WORTH_PX or outline.shorter_edge(k) < BLUNT_END_PX
        if credible and trial.error <= max(window.rounding, outline.error):
            return trial
    return None


def _doubtful(window: _Window, outline: TracedOutline) -> list[int]:
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


def _to_polygons(outline: TracedOutline, window: _Window, grid: Grid) -> list[Polygon]:
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

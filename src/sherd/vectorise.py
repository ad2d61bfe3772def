"""Masks to polygons with sub-pixel vertices.

The mask's contour is divided into straight runs, lines are fitted to them and intersected, and the vertices
are moved until the polygon's own mask is the given one: by least squares on the areas if the mask is
anti-aliased, by lines that part the inside from the outside pixels if it is binary. Then vertices are added
where the masks still differ and removed where they make no difference.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import scipy.ndimage
from numpy.typing import NDArray
from shapely import Polygon

from sherd.contours import INSIDE, polygon_of_runs, separable_lengths, straight_runs, trace
from sherd.errors import InvalidPolygonError
from sherd.fitting import fit_areas, fit_sides, residual
from sherd.geometry import make_polygon
from sherd.raster import Grid
from sherd.scanline import signed_area

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# A mask is anti-aliased if at least this share of its contour passes through pixels between black and white.
LEAST_GREY = 0.05
GREY = (0.02, 0.98)
# Slivers thinner than a pixel have no half covered pixels; their contour is found lower.
LEVELS = (INSIDE, 0.2, 0.05)
# What one more run must save, in squared pixels, and how many points at either end of a run its line does
# not follow, for anti-aliased and binary masks. A run of a binary mask must also be separable: the penalty
# there only has to outweigh the steps of a long edge.
PENALTY = {False: 1.0, True: 20.0}
CORNER_POINTS = {False: 1, True: 2}
SEPARABLE_SLACK_PX = 0.02
# Mean square error that is rounding alone: of float32 areas, and of areas stored in 8 bits.
EXACT_ERROR = 1e-9
BYTE_ERROR = (0.7 / 255.0) ** 2
# A vertex this near to the line between its neighbours, or at the end of an edge this short, is in doubt.
DOUBT_PX = {False: 0.3, True: 1.5}
SHORT_EDGE_PX = {False: 1.0, True: 4.0}
# Specks below this area are noise, not pieces.
LEAST_AREA_PX = 2.0
MARGIN_PX = 3


def vectorise(mask: NDArray[np.generic], grid: Grid) -> Polygon:
    """The outline of a mask (size_px, size_px) in 0 .. 1 as a polygon in world coordinates.

    Anti-aliased and binary masks are told apart by their values. If the mask has several components, the
    largest is taken; see `vectorise_all`.

    >>> from sherd.raster import masks
    >>> grid = Grid(32, left=0.0, top=1.0, pixel=1 / 32)
    >>> triangle = Polygon([(0.1, 0.1), (0.9, 0.2), (0.3, 0.8)])
    >>> shapely.hausdorff_distance(vectorise(masks([triangle], grid)[0], grid), triangle) < 1e-6
    True
    """
    return max(vectorise_all(mask, grid), key=lambda polygon: polygon.area)


def vectorise_all(mask: NDArray[np.generic], grid: Grid) -> list[Polygon]:
    """The outlines of all components of a mask, with their holes, in world coordinates."""
    values = np.asarray(mask, dtype=np.float64)
    if values.shape != (grid.size_px, grid.size_px):
        raise ValueError(f"the mask has shape {values.shape}, the grid {grid.size_px} px a side")
    if not (np.isfinite(values).all() and values.min() >= 0.0 and values.max() <= 1.0):
        raise ValueError("the mask has values that are not between 0 and 1")
    if not values.any():
        raise InvalidPolygonError("the mask is empty")
    polygons = [_to_polygon(_fit(window), window, grid) for window in _windows(np.pad(values, MARGIN_PX))]
    if not polygons:
        raise InvalidPolygonError(f"the mask has no component of at least {LEAST_AREA_PX:g} pixels")
    return polygons


@dataclass(frozen=True)
class _Window:
    """One component cut out of the padded mask: its pixels, where they lie, and the error to be reached."""

    mask: Floats
    row: int
    column: int
    binary: bool
    rounding: float


@dataclass(frozen=True)
class _Outline:
    """Rings in pixel coordinates of a window, and the squared error of their mask (mismatches if binary)."""

    vertices: Floats
    starts: Ints
    error: float

    def neighbours(self, k: int) -> tuple[int, int]:
        """The vertices before and after vertex k on its ring."""
        ring = int(np.searchsorted(self.starts, k, side="right")) - 1
        begin, end = int(self.starts[ring]), int(self.starts[ring + 1])
        return (k - 1 if k > begin else end - 1), (k + 1 if k + 1 < end else begin)


def _windows(mask: Floats) -> Iterator[_Window]:
    grey = (mask > GREY[0]) & (mask < GREY[1])
    binary = bool(grey.sum() <= LEAST_GREY * np.sqrt((mask >= INSIDE).sum()))
    in_bytes = bool(np.abs(mask * 255.0 - np.round(mask * 255.0)).max() < 1e-3)
    labels, _ = scipy.ndimage.label(mask >= INSIDE if binary else mask > 0.0, np.ones((3, 3)))
    for label, box in enumerate(scipy.ndimage.find_objects(labels), start=1):
        rows = slice(box[0].start - MARGIN_PX, box[0].stop + MARGIN_PX)
        columns = slice(box[1].start - MARGIN_PX, box[1].stop + MARGIN_PX)
        own = np.where(labels[rows, columns] == label, mask[rows, columns], 0.0)
        if binary:
            own = np.where(own >= INSIDE, 1.0, 0.0)
        if own.sum() >= LEAST_AREA_PX:
            contour_px = 2 * (own.shape[0] + own.shape[1])
            rounding = 0.0 if binary else contour_px * (BYTE_ERROR if in_bytes else EXACT_ERROR)
            yield _Window(own, rows.start, columns.start, binary, rounding)


def _fit(window: _Window) -> _Outline:
    """The best outline of a component; a lower contour is tried where a higher one leads nowhere."""
    best: _Outline | None = None
    for level in LEVELS[:1] if window.binary else LEVELS:
        if window.mask.max() < level:
            continue
        start = _first_outline(window, level)
        outline = _without_doubtful(window, _with_missing(window, start))
        if best is None or outline.error < best.error:
            best = outline
        if best.error <= window.rounding:
            break
    assert best is not None  # a component of some area has a pixel above the lowest level
    return best


def _first_outline(window: _Window, level: float) -> _Outline:
    points, inner, chains = trace(window.mask, level)
    rings: list[Floats] = []
    for begin, end in zip(chains[:-1], chains[1:], strict=True):
        chain, trim = points[begin:end], CORNER_POINTS[window.binary]
        if window.binary:
            lengths = separable_lengths(chain, inner[begin:end], SEPARABLE_SLACK_PX)
        else:
            lengths = np.full(len(chain), len(chain))
        runs = straight_runs(chain, lengths, PENALTY[window.binary], trim)
        ring = polygon_of_runs(chain, runs, trim) if len(runs) >= 3 else chain[:: max(1, len(chain) // 4)]
        rings.append(np.ascontiguousarray(ring))
    starts = np.concatenate([[0], np.cumsum([len(ring) for ring in rings])])
    return _fitted(window, np.concatenate(rings), starts)


def _fitted(window: _Window, vertices: Floats, starts: Ints) -> _Outline:
    fit = fit_sides if window.binary else fit_areas
    moved = fit(vertices, starts, window.mask)
    difference = residual(moved, starts, window.mask, window.binary)
    return _Outline(moved, starts, float((difference * difference).sum()))


def _with_missing(window: _Window, outline: _Outline) -> _Outline:
    """Add vertices, one at a time, where the outline's mask differs most, as long as that helps."""
    while outline.error > max(window.rounding, 2.0 if window.binary else 0.0):
        difference = np.abs(residual(outline.vertices, outline.starts, window.mask, window.binary))
        row, column = np.unravel_index(difference.argmax(), difference.shape)
        at = np.array([column + 0.5, row + 0.5])
        trials = [
            _fitted(window, *changed) for changed in (_split_corner(outline, at), _split_edge(outline, at))
        ]
        best = min(trials, key=lambda trial: trial.error)
        if best.error > 0.5 * outline.error:
            break
        outline = best
    return outline


def _split_corner(outline: _Outline, at: Floats) -> tuple[Floats, Ints]:
    """Two vertices for the one nearest to a point, a little way along its two edges."""
    vertices = outline.vertices
    k = int(np.hypot(*(vertices - at).T).argmin())
    ends = [vertices[j] - vertices[k] for j in outline.neighbours(k)]
    pair = [vertices[k] + end * min(0.3, 1.0 / max(float(np.hypot(*end)), 1e-9)) for end in ends]
    ring = int(np.searchsorted(outline.starts, k, side="right")) - 1
    return (
        np.concatenate([vertices[:k], pair, vertices[k + 1 :]]),
        outline.starts + (np.arange(len(outline.starts)) > ring),
    )


def _split_edge(outline: _Outline, at: Floats) -> tuple[Floats, Ints]:
    """One more vertex on the edge nearest to a point."""
    vertices = outline.vertices
    ends = vertices[[outline.neighbours(k)[1] for k in range(len(vertices))]]
    along, to = ends - vertices, at - vertices
    share = np.clip((along * to).sum(axis=1) / np.maximum((along * along).sum(axis=1), 1e-12), 0.1, 0.9)
    new = vertices + share[:, None] * along
    k = int(np.hypot(*(new - at).T).argmin())
    ring = int(np.searchsorted(outline.starts, k, side="right")) - 1
    return (
        np.concatenate([vertices[: k + 1], new[k : k + 1], vertices[k + 1 :]]),
        outline.starts + (np.arange(len(outline.starts)) > ring),
    )


def _without_doubtful(window: _Window, outline: _Outline) -> _Outline:
    """Remove vertices, the least needed first, as long as the outline's mask gets no worse."""
    while True:
        for k in _doubtful(window, outline):
            trial = _fitted(window, *_drop(outline, k))
            if trial.error <= max(window.rounding, outline.error):
                outline = trial
                break
        else:
            return outline


def _doubtful(window: _Window, outline: _Outline) -> list[int]:
    vertices = outline.vertices
    doubts: list[tuple[float, int]] = []
    for k, vertex in enumerate(vertices):
        before, after = outline.neighbours(k)
        if before == after or outline.neighbours(before)[0] == after:
            continue  # a triangle needs all its corners
        chord = vertices[after] - vertices[before]
        to = vertex - vertices[before]
        height = abs(chord[0] * to[1] - chord[1] * to[0]) / max(float(np.hypot(*chord)), 1e-9)
        edge = min(np.hypot(*to), np.hypot(*(vertices[after] - vertex)))
        if height < DOUBT_PX[window.binary] or edge < SHORT_EDGE_PX[window.binary]:
            doubts.append((float(height), k))
    return [k for _, k in sorted(doubts)]


def _drop(outline: _Outline, k: int) -> tuple[Floats, Ints]:
    ring = int(np.searchsorted(outline.starts, k, side="right")) - 1
    return np.delete(outline.vertices, k, axis=0), outline.starts - (np.arange(len(outline.starts)) > ring)


def _to_polygon(outline: _Outline, window: _Window, grid: Grid) -> Polygon:
    offset = (window.column - MARGIN_PX, window.row - MARGIN_PX)
    rings = [outline.vertices[a:b] for a, b in zip(outline.starts[:-1], outline.starts[1:], strict=True)]
    # Outlines run counter-clockwise in the world, so clockwise where rows point down.
    shells = [grid.to_world(ring + offset) for ring in rings if signed_area(ring) < 0.0]
    holes = [grid.to_world(ring + offset) for ring in rings if signed_area(ring) >= 0.0]
    shell = max(shells, key=lambda ring: float(Polygon(ring).area), default=np.zeros((0, 2)))
    return make_polygon(shell, holes)

"""Where outlines run along each other: how long, and in which directions that holds a piece."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import shapely
from numpy.typing import NDArray

from sherd.core.arrays import Floats, Ints
from sherd.core.geometry import Region
from sherd.layout.layout import Layout

# Edges touch only if they run along each other within this angle, whatever their distance at a corner.
FACING = np.cos(np.radians(30.0))


@dataclass(frozen=True)
class Contacts:
    """Lengths in the drawing's unit, for the N placed pieces of a layout in order.

    pairs   of the outline of one piece along another, by both numbers, where there is any
    edge    (N,)  along the target's own outline
    beside  (N,)  along other pieces
    total   (N,)  along anything, each stretch once
    grip    (N,)  what there is of it against being pushed in the direction in which it is held least
    touch   which pieces touch each piece at all, be it in a point
    """

    pairs: Mapping[tuple[int, int], float]
    edge: Floats
    beside: Floats
    total: Floats
    grip: Floats
    touch: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class _OwnedEdges:
    """All edges of some polygons: starts and unit directions (S, 2), lengths and owners (S,)."""

    starts: Floats
    along: Floats
    lengths: Floats
    owners: Ints
    lines: NDArray[np.object_]


def find_contacts(layout: Layout) -> Contacts:
    """How far each placed piece touches others and the target's edge, within the layout's tolerance."""
    count, reach = len(layout.fitted), layout.tolerance
    edges = _edges([*layout.fitted, layout.target])
    tree = shapely.STRtree(edges.lines)
    first, second = tree.query(edges.lines, predicate="dwithin", distance=reach)
    owner, other = edges.owners[first], edges.owners[second]
    # The target has its inside where the piece has it, so that touching edges run the same way there.
    sense = np.where(other == count, 1.0, -1.0)
    facing = sense * (edges.along[first] * edges.along[second]).sum(axis=1) >= FACING
    kept = (owner != other) & (owner < count) & facing
    first, second, other = first[kept], second[kept], other[kept]
    low, high = _stretches(edges, first, second, reach)
    real = high > low
    first, other, low, high = first[real], other[real], low[real], high[real]

    pairs: defaultdict[tuple[int, int], float] = defaultdict(float)
    rim, beside = np.zeros(count), np.zeros(count)
    keys = first * np.int64(count + 1) + other
    for key, length in zip(*(each.tolist() for each in _united(keys, low, high)), strict=True):
        number, who = divmod(key, count + 1)
        owned = int(edges.owners[number])
        if who == count:
            rim[owned] += length
        else:
            pairs[owned, who] += length
            beside[owned] += length
    held = np.zeros(len(edges.lengths))
    which, lengths = _united(first, low, high)
    held[which] = lengths
    total = np.zeros(count + 1)
    np.add.at(total, edges.owners, held)
    touch: list[list[int]] = [[] for _ in range(count)]
    if count:
        near = shapely.STRtree(layout.fitted).query(layout.fitted, predicate="dwithin", distance=reach)
        for one, who in near.T.tolist():
            if one != who:
                touch[one].append(who)
    grip = _grip(edges, held, count)
    return Contacts(dict(pairs), rim, beside, total[:count], grip, tuple(tuple(sorted(k)) for k in touch))


def _edges(polygons: list[Region]) -> _OwnedEdges:
    starts: list[Floats] = []
    ends: list[Floats] = []
    owners: list[int] = []
    for owner, polygon in enumerate(polygons):
        for ring in shapely.get_rings(shapely.orient_polygons(shapely.get_parts(polygon))):
            points = shapely.get_coordinates(ring)
            moved = (np.diff(points, axis=0) != 0.0).any(axis=1)
            starts.append(points[:-1][moved])
            ends.append(points[1:][moved])
            owners += [owner] * int(moved.sum())
    first, last = np.concatenate(starts), np.concatenate(ends)
    lengths = np.hypot(*(last - first).T)
    lines = shapely.linestrings(np.stack([first, last], axis=1))
    return _OwnedEdges(first, (last - first) / lengths[:, None], lengths, np.array(owners), np.asarray(lines))


def _stretches(edges: _OwnedEdges, first: Ints, second: Ints, reach: float) -> tuple[Floats, Floats]:
    """From where to where on each first edge the second one lies beside it, no farther than ``reach``."""
    along = edges.along[first]
    across = np.stack([-along[:, 1], along[:, 0]], axis=1)
    start = edges.starts[second] - edges.starts[first]
    end = start + edges.along[second] * edges.lengths[second][:, None]
    at = np.stack([(start * along).sum(axis=1), (end * along).sum(axis=1)])
    off = np.stack([(start * across).sum(axis=1), (end * across).sum(axis=1)])
    order = np.argsort(at, axis=0)
    at, off = np.take_along_axis(at, order, axis=0), np.take_along_axis(off, order, axis=0)
    low, high = np.maximum(at[0], 0.0), np.minimum(at[1], edges.lengths[first])
    # The distance grows evenly from one end to the other: cut off where it is too large.
    slope = (off[1] - off[0]) / np.maximum(at[1] - at[0], np.finfo(np.float64).tiny)
    with np.errstate(divide="ignore", invalid="ignore"):
        bounds = np.stack([at[0] + (limit - off[0]) / slope for limit in (-reach, reach)])
    flat = np.abs(slope) * np.maximum(high - low, 0.0) <= 1e-6 * reach
    inside = np.abs(off[0]) <= reach * (1.0 + 1e-6)
    low = np.where(flat, np.where(inside, low, high), np.maximum(low, bounds.min(axis=0)))
    high = np.where(flat, high, np.minimum(high, bounds.max(axis=0)))
    return low, high


def _united(keys: Ints, low: Floats, high: Floats) -> tuple[Ints, Floats]:
    """The different keys, and for each the length that its stretches cover, each place once."""
    found: dict[int, float] = {}
    reached: dict[int, float] = {}
    for k in np.lexsort((low, keys)).tolist():
        key, start, end = int(keys[k]), float(low[k]), float(high[k])
        start = max(start, reached.get(key, start))
        if end > start:
            found[key] = found.get(key, 0.0) + end - start
            reached[key] = end
    return np.array(list(found), dtype=np.int64), np.array(list(found.values()))


def _grip(edges: _OwnedEdges, held: Floats, count: int) -> Floats:
    """The smaller eigenvalue of n n^T summed over the held length, n the normal: 0 if a piece can slide."""
    normal = np.stack([edges.along[:, 1], -edges.along[:, 0]], axis=1)
    xx, xy, yy = (
        np.bincount(edges.owners, held * normal[:, i] * normal[:, k], minlength=count + 1)[:count]
        for i, k in ((0, 0), (0, 1), (1, 1))
    )
    middle, spread = (xx + yy) / 2.0, np.hypot((xx - yy) / 2.0, xy)
    return np.maximum(middle - spread, 0.0)

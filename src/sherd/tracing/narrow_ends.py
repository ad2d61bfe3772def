"""Narrow ends of outlines traced from binary masks.

Where a piece is few pixels wide, its pixels say little about how it ends: a slanted end that reaches far
beyond them explains them as well as a square one. Of all ends that do, the average is taken, each weighted by
how likely its slant is if edges run in any direction.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from sherd.core.compiled import compiled
from sherd.tracing.contours import INSIDE
from sherd.tracing.fitting import TIE
from sherd.tracing.scanline import add_areas

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Ends up to this wide are in doubt, between nearly parallel sides at least LEAST_SIDES times as long.
WIDEST_PX = 5.0
LEAST_SIDES = 1.5
LEAST_COSINE = 0.8
# Ends are tried from so far before the last pixel to so far beyond it.
BEFORE_PX, BEYOND_PX, STEP_PX = 9.0, 4.0, 0.5
# Ends more slanted than this, as their tangent, are also tried square, with their sides fitted anew.
MOST_SLANTED = 3.0
# Pixels beside the sides belong to the end too, this far; and the piece must be this wide where it ends.
BESIDE_PX = 1.5
LEAST_WIDTH_PX = 0.05


def with_likely_ends(vertices: Floats, starts: Ints, mask: Floats) -> Floats:
    """The vertices (V, 2) of rings as in `tracing.scanline`, those at narrow ends moved along their sides."""
    vertices = vertices.copy()
    inside = _centres(mask)
    for around in _quadruples(starts):
        moved = _likely_end(vertices, starts, mask, inside, around)
        if moved is not None:
            vertices[around[1:3]] = moved
    return vertices


def with_squared_end(vertices: Floats, starts: Ints, mask: Floats, k: int) -> Floats | None:
    """The vertices with the end between vertex k and the next, if narrow and much slanted, cut off square.

    Where an end is drawn too slanted, its sides may be a little off for it, and are still to be fitted.
    """
    around = next((around for around in _quadruples(starts) if around[1] == k), None)
    end = None if around is None else _narrow_end(vertices[around], _centres(mask))
    if around is None or end is None or abs(end.slant) <= MOST_SLANTED * end.width:
        return None
    changed = vertices.copy()
    changed[around[1:3]] = np.concatenate(end.places(np.array([end.reach + STEP_PX])))
    return changed


def _centres(mask: Floats) -> Floats:
    """The centres of the pixels inside, (P, 2)."""
    rows, columns = np.nonzero(mask >= INSIDE)
    return np.stack([columns, rows], axis=-1).astype(np.float64) + 0.5


def _quadruples(starts: Ints) -> Iterator[list[int]]:
    """Four vertices in turn from everywhere on each ring that has as many."""
    for begin, end in pairwise(starts.tolist()):
        for k in range(end - begin if end - begin >= 4 else 0):
            yield [begin + (k + step) % (end - begin) for step in (-1, 0, 1, 2)]


@dataclass(frozen=True)
class _End:
    """Two corners between sides that run along an axis; distances along it are from the first corner."""

    corners: Floats  # (2, 2)
    sides: Floats  # (2, 2) directions towards the corners
    axis: Floats
    across: Floats  # from the first corner's side to the second's
    width: float
    slant: float  # how much farther the second corner is than the first
    start: float  # where the shorter side begins
    reach: float  # of the last pixel

    def places(self, at: Floats) -> tuple[Floats, Floats]:
        """Where the corners are, each on the line of its side, at some distances (D,): (D, 2) each."""
        first, second = (
            corner + (at - own)[:, None] * side / float(side @ self.axis)
            for corner, side, own in zip(self.corners, self.sides, (0.0, self.slant), strict=True)
        )
        return first, second


def _narrow_end(corners: Floats, inside: Floats) -> _End | None:
    """What four corners (4, 2) make, if the middle two end something narrow."""
    before, first, second, beyond = corners
    sides = np.stack([first - before, second - beyond])
    lengths = np.hypot(sides[:, 0], sides[:, 1])
    if lengths.min() <= STEP_PX:
        return None
    sides /= lengths[:, None]
    axis = sides.sum(axis=0)
    if sides[0] @ sides[1] < LEAST_COSINE:
        return None
    axis /= np.hypot(*axis)
    across = np.array([-axis[1], axis[0]])
    width = float((second - first) @ across)
    if abs(width) > WIDEST_PX or lengths.min() < LEAST_SIDES * abs(width):
        return None
    if width < 0.0:
        across, width = -across, -width
    offset = inside - first
    beside = (offset @ across > -BESIDE_PX) & (offset @ across < width + BESIDE_PX)
    if not beside.any():
        return None
    return _End(
        corners=corners[1:3],
        sides=sides,
        axis=axis,
        across=across,
        width=width,
        slant=float((second - first) @ axis),
        start=max(float((corner - first) @ axis) for corner in (before, beyond)),
        reach=float((offset @ axis)[beside].max()),
    )


def _likely_end(
    vertices: Floats, starts: Ints, mask: Floats, inside: Floats, around: list[int]
) -> Floats | None:
    """Where the middle two of four vertices on the way around an end (2, 2) most likely are, if in doubt."""
    end = _narrow_end(vertices[around], inside)
    if end is None:
        return None
    first, second = end.corners
    at = np.arange(max(end.reach - BEFORE_PX, end.start + STEP_PX), end.reach + BEYOND_PX, STEP_PX)
    if len(at) < 2:
        return None
    places = end.places(at)
    widths = (places[1][None, :] - places[0][:, None]) @ end.across  # (F, S)
    tried = np.concatenate([*places, vertices[around[1:3]]])
    top_left = np.clip(np.floor(tried.min(axis=0)) - 1.0, 0.0, None).astype(np.int64)
    bottom_right = np.ceil(tried.max(axis=0)).astype(np.int64) + 1
    crop = np.ascontiguousarray(mask[top_left[1] : bottom_right[1], top_left[0] : bottom_right[0]])
    if not crop.size:
        return None
    left, top = top_left.tolist()
    arguments = (vertices, starts, crop, left, top, around[1], around[2])
    wrong = mismatches(*arguments, places[0], places[1])
    as_it_is = int(mismatches(*arguments, first[None], second[None])[0, 0])
    possible = (wrong <= as_it_is) & (widths > LEAST_WIDTH_PX)
    if not possible.any():
        return None
    slant = (at[:, None] - at[None, :]) / np.maximum(widths, LEAST_WIDTH_PX)
    weight = np.where(possible, 1.0 / (1.0 + slant * slant), 0.0)
    weight /= weight.sum()
    middle = np.stack([weight.sum(axis=1) @ places[0], weight.sum(axis=0) @ places[1]])
    if int(mismatches(*arguments, middle[:1], middle[1:])[0, 0]) <= as_it_is:
        return middle
    far = ((places[0] - middle[0]) ** 2).sum(axis=1)[:, None] + ((places[1] - middle[1]) ** 2).sum(axis=1)
    i, j = np.unravel_index(int(np.where(possible, far, np.inf).argmin()), far.shape)
    return np.stack([places[0][i], places[1][j]])


@compiled
def mismatches(
    vertices: Floats,
    starts: Ints,
    crop: Floats,
    left: int,
    top: int,
    k: int,
    after: int,
    firsts: Floats,
    seconds: Floats,
) -> Ints:
    """How many pixels of a crop of a binary mask (H, W), its corner at (left, top), come out wrong.

    That is counted for vertex ``k`` at each of some places (F, 2) and vertex ``after`` at each of others
    (S, 2), as (F, S).
    """
    vertices = vertices.copy()
    counts = np.zeros((len(firsts), len(seconds)), dtype=np.int64)
    cover = np.empty(crop.shape)
    for i in range(len(firsts)):
        for j in range(len(seconds)):
            vertices[k, 0], vertices[k, 1] = firsts[i, 0], firsts[i, 1]
            vertices[after, 0], vertices[after, 1] = seconds[j, 0], seconds[j, 1]
            cover[:] = 0.0
            add_areas(vertices, starts, left, top, cover)
            for row in range(crop.shape[0]):
                for column in range(crop.shape[1]):
                    side = 1.0 if crop[row, column] >= INSIDE else -1.0
                    if side * (cover[row, column] - INSIDE) < -TIE:
                        counts[i, j] += 1
    return counts

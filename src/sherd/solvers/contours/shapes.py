"""All outlines of a puzzle in flat arrays, with fields that tell the nearest point of an outline."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sherd.core.compiled import compiled
from sherd.solvers.contours.outlines import Ring

FAR = -1  # a cell far outside
DEEP = -2  # a cell far inside


class Shapes(NamedTuple):
    """Points of piece p are ``starts[p]:starts[p + 1]``; the field of p is ``columns[p]`` cells wide.

    ``telling`` is how far the outline about a point is from straight, ``bending`` the same over a longer
    way, as a logarithm of tolerances; ``corners`` is the corner of a straight stretch that it lies beside,
    if any. ``nearest`` holds, cell by cell and
    row by row from ``cells[p]`` on, the index of the nearest point, or FAR or DEEP. ``outer`` marks a
    target, whose inside is everything around it. ``centres`` and ``radii`` bound the pieces. ``colours``
    (n, 3) and their variances ``doubts`` are those of painted pieces, and ``chance`` is how much colours
    differ by chance; 0 where nothing is painted.
    """

    starts: NDArray[np.int64]
    points: NDArray[np.complex128]
    normals: NDArray[np.complex128]
    telling: NDArray[np.float64]
    bending: NDArray[np.float64]
    corners: NDArray[np.complex128]
    origins: NDArray[np.complex128]
    columns: NDArray[np.int64]
    rows: NDArray[np.int64]
    cells: NDArray[np.int64]
    nearest: NDArray[np.int32]
    outer: NDArray[np.bool_]
    centres: NDArray[np.complex128]
    radii: NDArray[np.float64]
    cell: float
    spacing: float
    colours: NDArray[np.float64]
    doubts: NDArray[np.float64]
    chance: float


def make_shapes(
    outlines: Sequence[tuple[Ring, ...]],
    telling: Sequence[NDArray[np.float64]],
    bending: Sequence[NDArray[np.float64]],
    corners: Sequence[NDArray[np.complex128]],
    *,
    spacing: float,
    band: float,
    outer: int | None,
    painted: tuple[NDArray[np.float64], NDArray[np.float64], float] | None = None,
) -> Shapes:
    """Flat arrays of outlines; fields know the nearest point up to ``band`` away; ``outer`` is the target."""
    rings = [np.concatenate([ring.points for ring in outline]) for outline in outlines]
    normals = [np.concatenate([ring.normals for ring in outline]) for outline in outlines]
    starts = np.cumsum([0, *(len(points) for points in rings)])
    cell = spacing
    low = [complex(p.real.min() - band, p.imag.min() - band) for p in rings]
    columns = np.array(
        [int((p.real.max() + band - z.real) / cell) + 1 for p, z in zip(rings, low, strict=True)]
    )
    rows = np.array([int((p.imag.max() + band - z.imag) / cell) + 1 for p, z in zip(rings, low, strict=True)])
    cells = np.cumsum([0, *(columns * rows)])
    nearest = np.full(int(cells[-1]), FAR, dtype=np.int32)
    is_outer = np.zeros(len(rings), dtype=np.bool_)
    if outer is not None:
        is_outer[outer] = True
    centres = np.array([complex(p.real.min() + p.real.max(), p.imag.min() + p.imag.max()) / 2 for p in rings])
    radii = np.array([np.abs(p - c).max() for p, c in zip(rings, centres, strict=True)])
    for piece, outline in enumerate(outlines):
        field = nearest[cells[piece] : cells[piece + 1]].reshape(rows[piece], columns[piece])
        # Rings are closed one by one, so that no false edge joins a hole to the exterior.
        bounds = np.cumsum([0, *(len(ring.points) for ring in outline)])
        _stamp(rings[piece], low[piece], cell, band, int(starts[piece]), field)
        _fill(rings[piece], bounds, low[piece], cell, bool(is_outer[piece]), field)
    colours, doubts, chance = painted or (np.zeros((1, 3)), np.zeros(1), 0.0)
    return Shapes(
        starts=starts,
        points=np.concatenate(rings),
        normals=np.concatenate(normals),
        telling=np.concatenate(list(telling)),
        bending=np.concatenate(list(bending)),
        corners=np.concatenate(list(corners)),
        origins=np.array(low),
        columns=columns,
        rows=rows,
        cells=cells,
        nearest=nearest,
        outer=is_outer,
        centres=centres,
        radii=radii,
        cell=cell,
        spacing=spacing,
        colours=colours,
        doubts=doubts,
        chance=chance,
    )


@compiled
def _stamp(
    points: NDArray[np.complex128],
    low: complex,
    cell: float,
    band: float,
    first: int,
    field: NDArray[np.int32],
) -> None:
    """Write the nearest point into every cell that has one within the band."""
    rows, columns = field.shape
    best = np.full((rows, columns), band * band)
    reach = int(band / cell) + 1
    for k in range(len(points)):
        x, y = (points[k].real - low.real) / cell, (points[k].imag - low.imag) / cell
        for row in range(max(0, int(y) - reach), min(rows, int(y) + reach + 1)):
            for column in range(max(0, int(x) - reach), min(columns, int(x) + reach + 1)):
                square = ((column + 0.5 - x) ** 2 + (row + 0.5 - y) ** 2) * cell * cell
                if square < best[row, column]:
                    best[row, column] = square
                    field[row, column] = first + k


@compiled
def _fill(
    points: NDArray[np.complex128],
    bounds: NDArray[np.int64],
    low: complex,
    cell: float,
    outer: bool,
    field: NDArray[np.int32],
) -> None:
    """Mark cells inside and beyond the band as DEEP."""
    rows, columns = field.shape
    crossings = np.empty(len(points))
    for row in range(rows):
        y = low.imag + (row + 0.5) * cell
        count = 0
        for ring in range(len(bounds) - 1):
            before = points[bounds[ring + 1] - 1]
            for k in range(bounds[ring], bounds[ring + 1]):
                after = points[k]
                if (before.imag <= y) != (after.imag <= y):
                    share = (y - before.imag) / (after.imag - before.imag)
                    crossings[count] = before.real + share * (after.real - before.real)
                    count += 1
                before = after
        ordered = np.sort(crossings[:count])
        passed = 0
        for column in range(columns):
            x = low.real + (column + 0.5) * cell
            while passed < count and ordered[passed] <= x:
                passed += 1
            inside = (passed % 2 == 1) != outer
            if inside and field[row, column] < 0:
                field[row, column] = DEEP


@compiled
def nearest_to(shapes: Shapes, piece: int, z: complex) -> int:
    """The index of the point of a piece's outline nearest to z, or FAR or DEEP."""
    x = (z.real - shapes.origins[piece].real) / shapes.cell
    y = (z.imag - shapes.origins[piece].imag) / shapes.cell
    if x < 0.0 or y < 0.0 or x >= shapes.columns[piece] or y >= shapes.rows[piece]:
        return DEEP if shapes.outer[piece] else FAR
    return int(shapes.nearest[int(shapes.cells[piece]) + int(y) * int(shapes.columns[piece]) + int(x)])

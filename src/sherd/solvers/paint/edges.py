"""Joints of straight edges, judged by the paint along them.

No cut ends in a corner, and where one does end, two pieces have a corner there and share an edge that leaves
it. So the joints that are needed lay an edge on another with an end of each together, and all of them can be
compared at once: by the colours at equal steps from the ends of all edges.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import shapely
from numpy.typing import NDArray

from sherd.core.arrays import Floats, Ints
from sherd.core.geometry import TAU, Rotations
from sherd.core.texture import Texture
from sherd.solvers.paint.rims import Contrast, rim_at
from sherd.solvers.paint.seams import ON_THE_TARGET, Seams

# Corners that stick out by less than this many pixels are none.
CORNER_PX = 0.02
# How far, in radians, edges may be from lying on each other at an allowed turn.
TURN_SLACK = 1e-3
# Colours are compared in this number of points of the longest edge, at most.
MOST_STEPS = 64


class PaintedEdges(NamedTuple):
    """Pairs of pieces by number, the second's motion into the first's frame, and the evidence, (J,) each.

    The best first; each joint is there either way round. The target's number is the highest.
    """

    first: Ints
    second: Ints
    turns: NDArray[np.complex128]
    shifts: NDArray[np.complex128]
    evidence: Floats


class _Edges(NamedTuple):
    """All edges (E,) of all outlines: whose, from where to where, as complex numbers."""

    owner: Ints
    begin: NDArray[np.complex128]
    end: NDArray[np.complex128]

    @property
    def length(self) -> Floats:
        return np.abs(self.end - self.begin)


def edge_joints(seams: Seams) -> PaintedEdges:
    """Every joint of two edges that share an end, of pieces that may be turned so."""
    edges, rotations = _edges_of(seams), seams.puzzle.rotations
    longest = float(edges.length.max())
    step = max(seams.pixel, longest / MOST_STEPS)
    at = np.arange(0.5, math.ceil(longest / step), dtype=np.float64) * step
    textures = [one.texture for one in seams.puzzle.fragments if one.texture is not None]
    from_begin = _colours(edges.begin, edges, textures, at)
    from_end = _colours(edges.end, edges, textures, at)
    evidence = (
        step / seams.pixel * _evidence(from_begin, from_end, at < edges.length[:, None], seams.contrast)
    )
    angles = np.angle(edges.end - edges.begin)
    turn = _allowed(angles[:, None] + math.pi - angles, rotations)
    one, other = np.nonzero((edges.owner[:, None] != edges.owner) & np.isfinite(turn))
    turns = np.exp(1j * turn[one, other])
    shifts = (edges.begin[one] - turns * edges.end[other], edges.end[one] - turns * edges.begin[other])
    found = PaintedEdges(
        np.tile(edges.owner[one], 2),
        np.tile(edges.owner[other], 2),
        np.tile(turns, 2),
        np.concatenate(shifts),
        np.concatenate([evidence[one, other], evidence[other, one]]),
    )
    order = np.argsort(-found.evidence, kind="stable")
    return PaintedEdges(
        found.first[order],
        found.second[order],
        found.turns[order],
        found.shifts[order],
        found.evidence[order],
    )


def _allowed(turns: Floats, rotations: Rotations) -> Floats:
    """The turns, each as the nearest that is allowed, nan where none is near."""
    if rotations.bins is None:
        return turns
    near = np.round(turns * rotations.bins / TAU) * TAU / rotations.bins
    return np.where(np.abs(near - turns) < TURN_SLACK, near, np.nan)


def _edges_of(seams: Seams) -> _Edges:
    """The edges of all pieces, and of the target run through the other way, as of a piece around it."""
    plain = shapely.simplify(shapely.orient_polygons(seams.outlines), CORNER_PX * seams.pixel)
    rings = [np.asarray(outline.exterior.coords)[:-1] for outline in plain]
    if seams.puzzle.has_target:
        rings[-1] = rings[-1][::-1]
    corners = [ring[:, 0] + 1j * ring[:, 1] for ring in rings]
    return _Edges(
        np.repeat(np.arange(len(rings)), [len(ring) for ring in rings]),
        np.concatenate(corners),
        np.concatenate([np.roll(ring, -1) for ring in corners]),
    )


def _colours(
    starts: NDArray[np.complex128], edges: _Edges, textures: Sequence[Texture], at: Floats
) -> tuple[Floats, Floats]:
    """Colours (E, K, 3) and doubts (E, K) at steps from one end of the edges; endless doubt without paint."""
    along = (edges.end - edges.begin) / edges.length
    way = np.where(starts == edges.begin, along, -along)
    places = starts[:, None] + at * way[:, None]  # (E, K)
    colours, doubts = np.zeros((*places.shape, 3)), np.full(places.shape, np.inf)
    for number, texture in enumerate(textures):
        own = edges.owner == number
        points, normals = places[own].ravel(), np.repeat(-1j * along[own], len(at))
        rim = rim_at(texture, _pairs(points), _pairs(normals))
        colours[own] = rim.colours.reshape(-1, len(at), 3)
        doubts[own] = rim.doubts.reshape(-1, len(at))
    return colours, doubts


def _pairs(numbers: NDArray[np.complex128]) -> Floats:
    return np.stack([numbers.real, numbers.imag], axis=1)


def _evidence(
    one: tuple[Floats, Floats], other: tuple[Floats, Floats], inside: NDArray[np.bool_], contrast: Contrast
) -> Floats:
    """The sum over all steps of every pair of edges, (E, E), the first's begin on the second's end."""
    total = np.empty((len(inside), len(inside)))
    for k, (colours, doubts) in enumerate(zip(*one, strict=True)):
        squares, both = ((colours - other[0]) ** 2).mean(axis=-1), doubts + other[1]
        values = np.full(squares.shape, ON_THE_TARGET)
        painted = np.isfinite(both)
        rarity = np.broadcast_to(contrast.rarity(colours), squares.shape)
        values[painted] = contrast.evidence(squares[painted], both[painted], rarity[painted])
        total[k] = np.where(inside[k] & inside, values, 0.0).sum(axis=1)
    return total

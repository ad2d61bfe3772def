"""Pieces and target made ready: outlines, fields, and how finely they are known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import MultiPolygon, Polygon
from shapely.affinity import scale

from sherd.core.geometry import Region, polygons_in
from sherd.core.texture import Texture
from sherd.solvers.contours.edges import Edges, corners_beside, edges_of, on_edges
from sherd.solvers.contours.outlines import Complexes, Floats, Ring, outline_of, typical_size
from sherd.solvers.contours.params import ContoursParams
from sherd.solvers.contours.screen import make_windows
from sherd.solvers.contours.shapes import Shapes, make_shapes
from sherd.solvers.paint.rims import contrast_of, rim_at

# Outlines that have more corners when they are to grow are simplified further.
MOST_GROWN_CORNERS = 1000


@dataclass(frozen=True)
class Scene:
    """Outlines in units of the typical piece; the target, where there is one, is the last and reversed.

    ``polygons`` are the same before they were smoothed, ``edges`` their straight stretches. ``tolerance`` is
    how far apart outlines that touch may lie.
    """

    polygons: list[Region]
    outlines: list[tuple[Ring, ...]]
    edges: list[Edges]
    shapes: Shapes
    unit: float
    spacing: float
    tolerance: float
    pieces: int

    @property
    def has_target(self) -> bool:
        return len(self.outlines) > self.pieces


def make_scene(
    pieces: Sequence[Polygon],
    target: Region | None,
    params: ContoursParams,
    *,
    tolerance: float,
    growth: float | Sequence[float] = 0.0,
    textures: Sequence[Texture] = (),
    unit: float | None = None,
) -> Scene:
    """Outlines and fields of pieces and target, grown by what is worn away from edges, in units.

    Each piece may have a growth of its own; a target grows by their mean. The unit is that of the pieces
    unless it is given.
    """
    unit = unit or typical_size(pieces)
    own = list(growth) if isinstance(growth, Sequence) else [growth] * len(pieces)
    growth = float(np.mean(own))
    every = [*zip(pieces, own, strict=True), *([(target, growth)] if target is not None else [])]
    polygons = [grown(scale(one, 1 / unit, 1 / unit, origin=(0, 0)), by) for one, by in every]
    outlines = [
        outline_of(polygon, spacing=params.spacing, smoothing=params.smoothing * tolerance)
        for polygon in polygons
    ]
    if target is not None:
        outlines[-1] = tuple(ring.reversed() for ring in outlines[-1])
    edges = [
        edges_of(outline, polygon, tolerance, params)
        for outline, polygon in zip(outlines, polygons, strict=True)
    ]
    telling, bending = (
        [np.concatenate([telling_of(ring, length, params) for ring in outline]) for outline in outlines]
        for length in (params.telling_length, params.bending_length)
    )
    shapes = make_shapes(
        outlines,
        telling,
        [
            # Between corners that are near, what is beyond them must not count.
            np.where(on_edges(outline, own, 2.0 * tolerance), 0.0, np.log1p((bend / tolerance) ** 2))
            for bend, outline, own in zip(bending, outlines, edges, strict=True)
        ],
        [corners_beside(outline, own, params.spacing) for outline, own in zip(outlines, edges, strict=True)],
        spacing=params.spacing,
        band=params.band,
        outer=len(pieces) if target is not None else None,
        painted=_painted(outlines, textures, unit, growth) if textures else None,
    )
    return Scene(polygons, outlines, edges, shapes, unit, params.spacing, tolerance, len(pieces))


def pairs_of(scene: Scene) -> NDArray[np.int64]:
    """All pairs of pieces, and the target with each: (P, 2), the target first."""
    first, second = np.triu_indices(scene.pieces, 1)
    pairs = np.stack([first, second], axis=1)
    if scene.has_target:
        whole = np.full(scene.pieces, scene.pieces)
        pairs = np.concatenate([pairs, np.stack([whole, np.arange(scene.pieces)], axis=1)])
    return pairs.astype(np.int64)


def _painted(
    outlines: Sequence[tuple[Ring, ...]], textures: Sequence[Texture], unit: float, growth: float
) -> tuple[Floats, Floats, float]:
    """The colours along outlines, their variances, and how much colours differ by chance."""
    rims = [
        rim_at(
            texture,
            unit * _pairs([ring.points for ring in outline]),
            _pairs([ring.normals for ring in outline]),
            growth * unit,
        )
        for texture, outline in zip(textures, outlines, strict=False)
    ]
    rest = sum(len(ring.points) for outline in outlines[len(rims) :] for ring in outline)
    colours = np.concatenate([*(rim.colours for rim in rims), np.zeros((rest, 3))])
    doubts = np.concatenate([*(rim.doubts for rim in rims), np.ones(rest)])
    contrast = contrast_of(rims)
    return colours, doubts + contrast.noise, contrast.chance


def _pairs(rings: Sequence[Complexes]) -> Floats:
    numbers = np.concatenate(rings)
    return np.stack([numbers.real, numbers.imag], axis=1)


def telling_of(ring: Ring, length: float, params: ContoursParams) -> Floats:
    """How far from straight an outline is on either side of each point, whichever is less, (n,).

    So the straight edge beside a corner tells no more than any other.
    """
    samples = round(length / params.spacing) | 1
    windows = make_windows([(ring,)], samples=samples, degrees=params.degrees)
    if len(windows.point) < len(ring.points):  # too short a ring
        return np.zeros(len(ring.points))
    bend = np.sqrt(windows.bend).astype(np.float64)
    half = samples // 2
    return np.minimum(np.roll(bend, half), np.roll(bend, -half))


def grown(polygon: Region, growth: float) -> Region:
    """The shape with its edges moved outwards, corners kept sharp where they are not too acute."""
    if growth <= 0.0:
        return polygon
    simple = polygon
    for share in (0.05, 0.2, 1.0):  # a jagged outline of many corners takes minutes and gigabytes to grow
        simple = polygon.simplify(share * growth)
        if shapely.get_num_coordinates(simple) <= MOST_GROWN_CORNERS:
            break
    wider = simple.buffer(growth, join_style="mitre", mitre_limit=2.0)
    parts = polygons_in(wider)
    if isinstance(polygon, MultiPolygon):
        return MultiPolygon(parts)
    return max(parts, key=lambda part: part.area) if parts else polygon

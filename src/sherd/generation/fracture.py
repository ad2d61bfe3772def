"""Every way in which a target comes apart along lines that are not all straight cuts from side to side."""

from __future__ import annotations

import numpy as np
from shapely import Polygon

from sherd.core.arrays import Floats
from sherd.core.geometry import Rotations
from sherd.core.puzzle import Sample
from sherd.generation.bowed import BowedParams, bowed_outlines
from sherd.generation.broken import BrokenParams, broken_outlines
from sherd.generation.cracks import CracksParams, cracked_outlines
from sherd.generation.crosscut import CrosscutParams, crosscut_outlines
from sherd.generation.jigsaw import JigsawParams, jigsaw_outlines
from sherd.generation.scattering import FREE, scattered
from sherd.generation.sectors import SectorsParams, sector_outlines
from sherd.generation.voronoi import VoronoiParams, voronoi_outlines

Fracture = (
    BrokenParams | CracksParams | BowedParams | SectorsParams | JigsawParams | CrosscutParams | VoronoiParams
)


def fractured(
    target: Polygon,
    fracture: Fracture,
    rng: np.random.Generator,
    *,
    rotations: Rotations = FREE,
    mirror: bool = False,
) -> Sample:
    """A puzzle of the pieces that a target comes apart into, and its answer.

    >>> from sherd.generation.shapes import named_shape
    >>> sample = fractured(named_shape("star").outline, BrokenParams(pieces=5), np.random.default_rng(0))
    >>> len(sample.puzzle.fragments), str(sample.puzzle.rotations)
    (5, 'free')
    """
    outlines = fracture_outlines(target, fracture, rng)
    return scattered(target, outlines, rng, rotations=rotations, mirror=mirror)


def fracture_outlines(target: Polygon, fracture: Fracture, rng: np.random.Generator) -> list[Floats]:
    """The pieces in place, as counter-clockwise rings (n, 2) that fill the target."""
    match fracture:
        case BrokenParams():
            return broken_outlines(target, fracture, rng)
        case CracksParams():
            return cracked_outlines(target, fracture, rng)
        case BowedParams():
            return bowed_outlines(target, fracture, rng)
        case SectorsParams():
            return sector_outlines(target, fracture, rng)
        case JigsawParams():
            return jigsaw_outlines(target, fracture, rng)
        case CrosscutParams():
            return crosscut_outlines(target, fracture, rng)
        case VoronoiParams():
            return voronoi_outlines(target, fracture, rng)

"""Pieces put together from stretches of outline, with a target or without: the whole path."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import shapely
from shapely import MultiPolygon, Polygon

from sherd.core.geometry import Region, Rotations
from sherd.core.texture import Texture
from sherd.solvers.contours.groups import NO_JOINTS, Groups, OnGroups
from sherd.solvers.contours.guessing import Guessing
from sherd.solvers.contours.outlines import has_outline, typical_size
from sherd.solvers.contours.params import ContoursParams
from sherd.solvers.contours.straight.search import StraightSearch
from sherd.solvers.contours.undertaking import Undertaking
from sherd.solvers.stop import Stop

FREE = Rotations(None)
SPECK = 1e-3  # of the mean area: smaller pieces are left alone


def assemble_contours(
    pieces: Sequence[Polygon],
    target: Region | None,
    *,
    stop: Stop,
    rng: np.random.Generator,
    rotations: Rotations = FREE,
    params: ContoursParams | None = None,
    textures: Sequence[Texture] = (),
    pixel: float | None = None,
    on_progress: OnGroups | None = None,
) -> Groups:
    """Groups of pieces whose outlines fit, in the target's frame where there is one.

    ``textures`` are those of all pieces, if they are painted; ``pixel`` is the size of a pixel of the picture
    that pieces were traced from. Searches until everything lies together and
    nothing better comes, or ``stop`` says so.
    """
    unit = typical_size(pieces)
    usable = [k for k, piece in enumerate(pieces) if has_outline(piece) and piece.area > SPECK * unit**2]
    # Of two pieces the outline of the latter is held against the former: a piece that lies within another is
    # seen there only if it is the smaller one that comes after.
    usable.sort(key=lambda k: -pieces[k].area)
    if not usable or (len(usable) == 1 and target is None):
        return Groups(alone=tuple(range(len(pieces))), note=NO_JOINTS)
    chosen = [pieces[k] for k in usable]
    whole = target if target is not None and has_outline(target) else None

    def report(groups: Groups) -> None:
        if on_progress is not None:
            on_progress(groups.numbered(usable, len(pieces)))

    listener = report if on_progress is not None else None
    # Corners know nothing of paint, nor of wholes in several parts.
    if not textures and are_few_corners(chosen) and not isinstance(whole, MultiPolygon):
        found = StraightSearch(chosen, whole, rotations, stop, rng, listener).run()
    else:
        own = [textures[k] for k in usable] if textures else ()
        task = Undertaking(chosen, whole, rotations, stop, rng, params or ContoursParams(), own, pixel)
        found = Guessing(task, listener).run()
    return found.numbered(usable, len(pieces))


def are_few_corners(pieces: Sequence[Polygon]) -> bool:
    """Whether most pieces have straight edges between few corners."""
    fewer = [piece.simplify(FEW_WITHIN * math.sqrt(piece.area)) for piece in pieces]
    return float(np.mean(shapely.get_num_coordinates(fewer))) - 1.0 <= FEW_CORNERS


FEW_WITHIN, FEW_CORNERS = 0.005, 10

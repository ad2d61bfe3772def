"""What a solver is shown of a sample: exact outlines, or outlines traced from masks."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from shapely import Polygon

from sherd.bench.cell import DEFAULT_SIZE_PX, Input
from sherd.core.assembly import Assembly, Placement
from sherd.core.errors import InvalidPolygonError
from sherd.core.geometry import Pose, size_of
from sherd.core.grid import Grid
from sherd.core.puzzle import Fragment, Puzzle, Sample
from sherd.tracing.raster import masks

# Grey masks have the steps of an 8-bit picture: exact areas would give away more than any picture can.
GREY_LEVELS = 255
# Empty pixels around a piece: room for the random offset and for the tracer to see the background.
MARGIN_PX = 4


@dataclass(frozen=True)
class Observation:
    """The puzzle as a solver sees it, and how its fragments' frames lie in those of the true ones.

    ``frames`` has, by fragment id, the pose that moves the true fragment's frame into the observed one's.
    """

    puzzle: Puzzle
    frames: Mapping[str, Pose]

    def seen(self, truth: Assembly) -> Assembly:
        """Poses of the true fragments as poses of the observed ones, as far as these can be seen."""
        return Assembly(
            tuple(
                Placement(at.id, at.pose @ self.frames[at.id].inverse())
                for at in truth.placements
                if at.id in self.frames
            )
        )

    def meant(self, answer: Assembly) -> Assembly:
        """Poses of the observed fragments as poses of the true ones."""
        return Assembly(tuple(Placement(at.id, at.pose @ self.frames[at.id]) for at in answer.placements))


def observe(
    sample: Sample, kind: Input, rng: np.random.Generator, *, size_px: int = DEFAULT_SIZE_PX
) -> Observation:
    """The sample's puzzle as it is, or as it can be told from masks of its target and fragments.

    The target's longer side spans ``size_px`` pixels, and all pieces are drawn at the same scale, each on a
    grid of its own and at a random offset of less than a pixel. The target keeps its frame; the frame of a
    traced fragment is at its own area centroid, as a solver expects. Fragments too small to be seen in a
    mask are set aside.
    """
    puzzle = sample.puzzle
    if kind == "polygons":
        return Observation(puzzle, {fragment.id: Pose() for fragment in puzzle.fragments})
    pixel = size_of(puzzle.target) / size_px
    black_and_white = kind == "binary"
    target = _trace(puzzle.one_part, pixel, black_and_white, rng)
    fragments: list[Fragment] = []
    frames: dict[str, Pose] = {}
    unseen: list[str] = []
    for fragment in puzzle.fragments:
        try:
            traced = _trace(fragment.polygon, pixel, black_and_white, rng)
        except InvalidPolygonError:
            unseen.append(fragment.id)
            continue
        frame = Pose(-traced.centroid.x, -traced.centroid.y)
        texture = None if fragment.texture is None else fragment.texture.moved(frame.x, frame.y)
        fragments.append(Fragment(fragment.id, frame.apply(traced), texture))
        frames[fragment.id] = frame
    set_aside = (*puzzle.set_aside, *unseen)
    seen = replace(puzzle, target=target, fragments=tuple(fragments), set_aside=set_aside, pixel=pixel)
    return Observation(seen, frames)


def _trace(polygon: Polygon, pixel: float, black_and_white: bool, rng: np.random.Generator) -> Polygon:
    from sherd.tracing.vectorise import vectorise  # takes a moment to load, and polygons alone do not need it

    low_x, low_y, high_x, high_y = polygon.bounds
    off_x, off_y = rng.uniform(-0.5 * pixel, 0.5 * pixel, 2).tolist()
    centre = ((low_x + high_x) / 2.0 + off_x, (low_y + high_y) / 2.0 + off_y)
    grid = Grid.centred(centre, pixel, math.ceil(size_of(polygon) / pixel) + 2 * MARGIN_PX)
    levels = 1 if black_and_white else GREY_LEVELS
    mask = np.floor(masks([polygon], grid)[0] * levels + 0.5) / levels
    return vectorise(mask, grid)

"""Scores as the authors' released code counts them (github.com/POSTECH-CVLab/LAGS): in rounded pixels.

There the target spans 128 pixels and is drawn without an outline, every piece with one of a point's width at
128 dots an inch, so that pieces overlap a little and stick out of the target by about a pixel. The images are
added, cut off at 1 and rounded; coverage and IoU are counts of pixels, IoU on a canvas that is a quarter
wider on each side. The truth itself then covers everything and has an IoU of about 0.97.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely.geometry.base import BaseGeometry

from sherd.core.assembly import Assembly
from sherd.core.geometry import AREA_TOLERANCE, size_of
from sherd.core.grid import Grid
from sherd.core.puzzle import Sample
from sherd.core.symmetry import allowed_symmetries
from sherd.tracing.raster import masks

SIZE_PX = 128
# Beyond the target's box, on each side.
PAD_PX = SIZE_PX // 4
# Pieces drawn at once: bounds the memory that this takes.
DRAWN_AT_ONCE = 64
# Half the width of a line of one point, drawn at 128 dots an inch.
HALF_OUTLINE_PX = SIZE_PX / 72.0 / 2.0


@dataclass(frozen=True, kw_only=True)
class RasterScores:
    """Of one assembly: the share of the target's pixels that is covered, and the IoU of pixels."""

    coverage: float
    iou: float


def raster_score(assembly: Assembly, sample: Sample) -> RasterScores:
    """An assembly against the target without what damage took away, up to the symmetries that count."""
    puzzle = sample.puzzle
    grid = Grid.around(puzzle.target, SIZE_PX + 2 * PAD_PX, PAD_PX)
    outline = HALF_OUTLINE_PX * grid.pixel
    drawn = [piece.buffer(outline, join_style="mitre") for piece in puzzle.placed(assembly)]
    cover = np.zeros((grid.size_px, grid.size_px), dtype=np.float32)
    for first in range(0, len(drawn), DRAWN_AT_ONCE):
        cover += masks(drawn[first : first + DRAWN_AT_ONCE], grid).sum(axis=0)
    together = _rounded(cover)
    damaged = puzzle.target.area - sample.reference.area > AREA_TOLERANCE * size_of(puzzle.target) ** 2
    references: list[BaseGeometry] = (
        [symmetry.apply(sample.reference) for symmetry in allowed_symmetries(puzzle)]
        if damaged
        else [puzzle.target]
    )
    return max((_scores(together, reference, grid) for reference in references), key=lambda s: s.iou)


def _scores(together: NDArray[np.bool_], reference: BaseGeometry, grid: Grid) -> RasterScores:
    parts = [part for part in shapely.get_parts(reference).tolist() if part.geom_type == "Polygon"]
    aim = _rounded(masks(parts, grid).sum(axis=0))
    shared = int((aim & together).sum())
    return RasterScores(coverage=shared / max(int(aim.sum()), 1), iou=shared / int((aim | together).sum()))


def _rounded(cover: NDArray[np.float32]) -> NDArray[np.bool_]:
    return np.round(np.clip(cover, 0.0, 1.0)) > 0.0

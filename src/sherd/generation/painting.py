"""Painting a puzzle: the target with an image, and each fragment with its own part of it."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import shapely
from scipy import ndimage

from sherd.core.geometry import LENGTH_TOLERANCE, Pose, size_of
from sherd.core.grid import Grid
from sherd.core.puzzle import Fragment, Sample
from sherd.core.texture import Pixels, Texture
from sherd.generation.patterns import fit_square


def paint(sample: Sample, image: Pixels, *, size_px: int = 128) -> Sample:
    """The sample with the middle square of an image (H, W, 3) laid over its target's bounding square.

    Each fragment carries its patch in its own frame, with pixels of the same size, so that a fragment
    that is turned has its patch turned with it. Damage comes first, paint after: what a damaged fragment
    has lost is not painted.
    """
    puzzle = sample.puzzle
    target = Texture(fit_square(image, size_px), Grid.around(puzzle.target, size_px))
    fragments = tuple(
        replace(fragment, texture=_patch(fragment, sample.truth[fragment.id], target))
        for fragment in puzzle.fragments
    )
    return Sample(replace(puzzle, fragments=fragments, texture=target), sample.truth)


def _patch(fragment: Fragment, pose: Pose, target: Texture) -> Texture:
    """The fragment's part of the target's texture.

    The pixels just beyond the outline take the colour of the nearest point of the fragment, so that
    colours interpolated inside it are right up to its edge, and none gives away what lies beyond.
    """
    outline, pixel = fragment.polygon, target.grid.pixel
    low_x, low_y, high_x, high_y = outline.bounds
    centre = ((low_x + high_x) / 2.0, (low_y + high_y) / 2.0)
    # Rounding must not decide whether one pixel more is needed; 2 pixels on each side hold the rim.
    size_px = math.ceil(size_of(outline) / pixel * (1.0 - LENGTH_TOLERANCE)) + 5
    grid = Grid.centred(centre, pixel, size_px)
    row, column = np.indices((size_px, size_px))
    at = grid.to_world(np.stack([column, row], axis=-1) + 0.5)  # pixel centres (S, S, 2)

    shapely.prepare(outline)
    painted = shapely.contains_xy(outline, at[..., 0], at[..., 1])
    along_edge = grid.to_pixels(shapely.get_coordinates(shapely.segmentize(outline, pixel / 2.0)))
    edge_column, edge_row = along_edge.astype(np.int64).T
    near_edge = np.zeros(painted.shape, dtype=np.float64)
    near_edge[edge_row, edge_column] = 1.0
    maybe_rim = (ndimage.maximum_filter(near_edge, size=5) > 0.0) & ~painted
    to_nearest = shapely.shortest_line(outline, shapely.points(at[maybe_rim]))
    close = shapely.length(to_nearest) < math.sqrt(2.0) * pixel
    rim = maybe_rim.copy()
    rim[maybe_rim] = close
    at[rim] = shapely.get_coordinates(to_nearest)[::2][close]
    painted |= rim

    colours = np.zeros((size_px, size_px, 3), dtype=np.uint8)
    # Half a level exactly goes up even if rounding left a little less of it: quarter turns are exact.
    exact = target.sample(pose.points(at[painted]))
    colours[painted] = np.floor(exact + 0.5 + LENGTH_TOLERANCE).astype(np.uint8)
    return Texture(colours, grid, np.where(painted, 255, 0).astype(np.uint8))

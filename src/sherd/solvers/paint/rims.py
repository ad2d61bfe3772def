"""Rims: the colours of painted pieces along their outlines, as far as paint shows what lies beyond."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import shapely
from numpy.typing import NDArray

from sherd.core.arrays import Floats
from sherd.core.compiled import compiled
from sherd.core.errors import ArgumentError
from sherd.core.puzzle import Fragment, Puzzle
from sherd.core.texture import Texture

# How deep inside of the outline colours are looked at, in pixels: the outermost ones mix with what is beyond.
OUTER_PX, INNER_PX = 0.75, 2.25
# By how many pixels the paint of two pieces may be off along a joint: each is drawn on a grid of its own.
OFF_PX = 0.7
# The least that colours may differ across a right joint, of 255: rounding, twice resampled.
LEAST_NOISE = 1.5
# The variance of a colour of which nothing is known.
UNKNOWN = 1e8
# Pairs of points that chance is told from.
CHANCE_PAIRS = 4096
# Channels change together: three of them tell about as much as this many.
DEGREES = 1.5
MOST_EVIDENCE = 3.0


@dataclass(frozen=True)
class Rim:
    """Colours at points of an outline.

    points   (n, 2)  in the piece's frame
    normals  (n, 2)  of unit length, outwards
    colours  (n, 3)  0 to 255, carried on to the outline as they change on the way there
    doubts   (n,)    the variance of that, a channel
    """

    points: Floats
    normals: Floats
    colours: Floats
    doubts: Floats


def rim_of(fragment: Fragment, spacing: float) -> Rim:
    """The rim of a painted piece, its points about ``spacing`` apart."""
    if fragment.texture is None:
        raise ArgumentError(f"the piece {fragment.id!r} is not painted")
    points: list[Floats] = []
    normals: list[Floats] = []
    oriented = shapely.orient_polygons(fragment.polygon)
    for ring in (oriented.exterior, *oriented.interiors):
        corners = np.asarray(ring.coords)
        for begin, edge in zip(corners[:-1], np.diff(corners, axis=0), strict=True):
            length = float(np.hypot(*edge))
            if length > 0.0:
                count = max(1, round(length / spacing))
                points.append(begin + (np.arange(count)[:, None] + 0.5) / count * edge)
                normals.append(np.tile([edge[1] / length, -edge[0] / length], (count, 1)))
    return rim_at(fragment.texture, np.concatenate(points), np.concatenate(normals))


def rim_at(texture: Texture, points: Floats, normals: Floats, beyond: float = 0.0) -> Rim:
    """The rim of a painted piece at points (n, 2) that lie ``beyond`` its own outline."""
    pixel = texture.grid.pixel
    along = np.stack([-normals[:, 1], normals[:, 0]], axis=1) * pixel
    edge = points - normals * (beyond + OUTER_PX * pixel)
    outer, inner = texture.sample(edge), texture.sample(points - normals * (beyond + INNER_PX * pixel))
    slope = (outer - inner) / (INNER_PX - OUTER_PX)  # a pixel
    aside = (texture.sample(edge + along) - texture.sample(edge - along)) / 2.0
    reach = OUTER_PX + beyond / pixel
    doubts = (OFF_PX**2 + reach**2 / 2.0) * (slope**2).mean(axis=1) + OFF_PX**2 * (aside**2).mean(axis=1)
    colours = np.clip(outer + slope * min(reach, INNER_PX), 0.0, 255.0)
    unknown = ~_is_own(texture, edge)
    return Rim(points, normals, colours, np.where(unknown, UNKNOWN, doubts + LEAST_NOISE**2))


def _is_own(texture: Texture, points: Floats) -> NDArray[np.bool_]:
    """Which points (n, 2) show the piece, and not what lies behind it."""
    if texture.alpha is None:
        return np.ones(len(points), dtype=np.bool_)
    column, row = np.clip(texture.grid.to_pixels(points), 0, texture.grid.size_px - 1).astype(np.int64).T
    return texture.alpha[row, column] == 255


def faces_of(fragment: Fragment, spacing: float) -> Rim:
    """The same of points inside of a painted piece, on a lattice; normals say nothing."""
    if fragment.texture is None:
        raise ArgumentError(f"the piece {fragment.id!r} is not painted")
    low_x, low_y, high_x, high_y = fragment.polygon.bounds
    x, y = np.meshgrid(np.arange(low_x, high_x, spacing), np.arange(low_y, high_y, spacing))
    points = np.stack([x.ravel(), y.ravel()], axis=1)
    core = fragment.polygon.buffer(-2.0 * fragment.texture.grid.pixel)
    points = points[shapely.contains_xy(core, points[:, 0], points[:, 1])]
    if not len(points):  # a thin piece
        points = shapely.get_coordinates(fragment.polygon.representative_point())
    return Rim(
        points, np.zeros_like(points), fragment.texture.sample(points), _unevenness(fragment.texture, points)
    )


def _unevenness(texture: Texture, points: Floats) -> Floats:
    """The variance of colours, a channel, at points that may be off."""
    total = np.full(len(points), LEAST_NOISE**2)
    for way in np.eye(2) * texture.grid.pixel:
        slope = (texture.sample(points + way) - texture.sample(points - way)) / 2.0
        total += OFF_PX**2 * (slope**2).mean(axis=1)
    return total


def pixel_of(puzzle: Puzzle) -> float | None:
    """The size of the largest pixel of all pieces' paint, None if some piece has none."""
    pixels = [0.0 if one.texture is None else one.texture.grid.pixel for one in puzzle.fragments]
    return max(pixels) if min(pixels) > 0.0 else None


@dataclass(frozen=True)
class Contrast:
    """How much colours differ by chance: the mean square between points of different pieces, a channel.

    ``noise`` is the variance that a picture has by itself, as a photograph does.
    """

    chance: float
    noise: float = 0.0

    def evidence(self, squares: Floats, doubts: Floats) -> Floats:
        """How much likelier differences are across a joint than by chance: logarithms, of any shape.

        ``squares`` are means over the channels, ``doubts`` the variances expected across a joint, those of
        both sides together. Bounded, so that no few points decide.
        """
        doubts = doubts + 2.0 * self.noise
        by_chance = self.chance + doubts
        gain = np.log(by_chance / doubts) - squares * (1.0 / doubts - 1.0 / by_chance)
        return np.clip(0.5 * DEGREES * gain, -MOST_EVIDENCE, MOST_EVIDENCE)


@compiled
def evidence_of(one: NDArray[np.float64], other: NDArray[np.float64], doubts: float, chance: float) -> float:
    """The same as `Contrast.evidence` of two colours (3,), compiled."""
    square = 0.0
    for channel in range(3):
        square += (one[channel] - other[channel]) ** 2 / 3.0
    by_chance = chance + doubts
    gain = np.log(by_chance / doubts) - square * (1.0 / doubts - 1.0 / by_chance)
    return min(max(0.5 * DEGREES * gain, -MOST_EVIDENCE), MOST_EVIDENCE)


def contrast_of(rims: Sequence[Rim]) -> Contrast:
    """Of pieces with these rims."""
    colours = np.concatenate([rim.colours for rim in rims])
    owner = np.repeat(np.arange(len(rims)), [len(rim.points) for rim in rims])
    first, second = np.random.default_rng(0).integers(0, len(colours), (2, CHANCE_PAIRS))
    squares = ((colours[first] - colours[second]) ** 2).mean(axis=1)[owner[first] != owner[second]]
    grain = [_grain(rim.colours) for rim in rims]
    return Contrast(float(squares.mean()) if len(squares) else 0.0, float(np.median(np.concatenate(grain))))


def _grain(colours: Floats) -> Floats:
    """The variance of single points against those beside them, from colours (n, 3) along an outline."""
    bent = np.diff(colours, n=2, axis=0) if len(colours) > 2 else np.zeros((1, 3))
    return (bent**2).mean(axis=1) / 6.0

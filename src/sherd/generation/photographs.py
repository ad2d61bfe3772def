"""Photographs of pieces on a table, with light, shadow, lens, tilt, noise and JPEG, whose truth is known.

The table is painted from above first, at a finer scale, and then seen through a camera. Lengths on the table
are millimetres, x right and y up, with (0, 0) at its lower left corner.
"""

from __future__ import annotations

import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
import scipy.ndimage
import shapely
from numpy.typing import NDArray
from PIL import Image
from shapely import Polygon

from sherd.core.geometry import Pose
from sherd.core.grid import Grid
from sherd.core.texture import Texture
from sherd.tracing.raster import masks

Floats = NDArray[np.float64]
Colour = tuple[float, float, float]

# Times: through a lens, the table is painted this much finer than it is seen.
FINER = 1.4
# How far above the table the camera is, in widths of what it sees.
CAMERA_HEIGHT = 1.7
SHADOW_DIRECTION_DEG = -40.0


@dataclass(frozen=True)
class LyingPiece:
    """A piece on the table: its outline and print in its own frame, and the pose that lays it there.

    ``paper`` is its colour where it has no print.
    """

    outline: Polygon
    pose: Pose
    print: Texture | None = None
    paper: Colour = (236.0, 224.0, 198.0)


@dataclass(frozen=True, kw_only=True)
class PhotographParams:
    """How a table is photographed.

    px_per_mm    how fine the picture is, in its middle
    table        the colour of the table
    grain        how rough the table looks, in grey levels
    light        by how much the darkest corner is darker than the middle, as a share
    shadow       how dark shadows are, as a share; they fall ``shadow_mm`` away from the pieces, half as soft
    tilt_deg     how far the camera is from looking straight down
    distortion   by how much the lens moves the corners, as a share; above 0 is a barrel
    blur_px      how soft the picture is
    noise        of the sensor, in grey levels
    quality      of the JPEG file; None for PNG
    strip        a strip of another table along the right border: its colour
    """

    px_per_mm: float = 6.0
    table: Colour = (52.0, 58.0, 64.0)
    grain: float = 2.0
    light: float = 0.15
    shadow: float = 0.35
    shadow_mm: float = 1.5
    tilt_deg: float = 0.0
    distortion: float = 0.0
    blur_px: float = 0.6
    noise: float = 2.0
    quality: int | None = 88
    strip: Colour | None = None

    @property
    def is_straight(self) -> bool:
        """Whether lines of the table are lines of the picture, at one scale."""
        return self.tilt_deg == 0.0 and self.distortion == 0.0


@dataclass(frozen=True)
class PaperOnTable:
    """A printed sheet on the table, under the pieces: its picture (H, W, 3) and its place."""

    corner: tuple[float, float]
    width_mm: float
    height_mm: float
    print: NDArray[np.uint8]


def photograph(
    pieces: Sequence[LyingPiece],
    size_mm: tuple[float, float],
    params: PhotographParams,
    rng: np.random.Generator,
    sheets: Sequence[PaperOnTable] = (),
) -> bytes:
    """A picture of a table of a size, as a file."""
    finer = params.px_per_mm * (1.0 if params.is_straight else FINER)
    table = _painted(pieces, size_mm, finer, params, rng, sheets)
    if not params.is_straight:
        table = _through_lens(table, size_mm, finer, params)
    height, width = table.shape[:2]
    down, across = np.meshgrid(np.linspace(-1, 1, height), np.linspace(-1, 1, width), indexing="ij")
    way = rng.uniform(0.0, 2.0 * math.pi)
    fall = (
        0.35 * (down**2 + across**2) / 2.0
        + 0.325 * (1.0 + down * math.sin(way) + across * math.cos(way)) / 1.0
    )
    table *= (1.0 - params.light * np.clip(fall, 0.0, 1.0))[..., None]
    if params.blur_px:
        table = _blurred(table, (params.blur_px, params.blur_px, 0))
    table += rng.normal(0.0, params.noise, table.shape)
    image = Image.fromarray(np.clip(np.round(table), 0, 255).astype(np.uint8))
    stream = io.BytesIO()
    if params.quality is None:
        image.save(stream, format="PNG", dpi=(25.4 * params.px_per_mm,) * 2)
    else:
        image.save(stream, format="JPEG", quality=params.quality)
    return stream.getvalue()


def lay_apart(
    outlines: Mapping[str, Polygon], rng: np.random.Generator, gap_mm: float, *, turned: bool = True
) -> tuple[dict[str, Pose], tuple[float, float]]:
    """Where pieces lie in rows on a table, each turned anyhow, and the size of the table."""
    area = sum(outline.area for outline in outlines.values())
    widest = max(shapely.minimum_bounding_radius(outline) for outline in outlines.values())
    row_width = max(2.0 * widest, 2.0 * math.sqrt(area)) + gap_mm
    poses: dict[str, Pose] = {}
    x, y, height, used = gap_mm, gap_mm, 0.0, 0.0
    for name in rng.permutation(sorted(outlines)).tolist():
        turn = Pose(0.0, 0.0, rng.uniform(0.0, 2.0 * math.pi) if turned else 0.0)
        low_x, low_y, high_x, high_y = turn.apply(outlines[name]).bounds
        if x > gap_mm and x + high_x - low_x > row_width:
            x, y, height = gap_mm, y + height + gap_mm, 0.0
        poses[name] = Pose(x - low_x, y - low_y) @ turn
        x += high_x - low_x + gap_mm
        used, height = max(used, x), max(height, high_y - low_y)
    return poses, (used, y + height + gap_mm)


def _painted(
    pieces: Sequence[LyingPiece],
    size_mm: tuple[float, float],
    px_per_mm: float,
    params: PhotographParams,
    rng: np.random.Generator,
    sheets: Sequence[PaperOnTable],
) -> Floats:
    """The table from straight above, (H, W, 3)."""
    width, height = (math.ceil(length * px_per_mm) for length in size_mm)
    grain = _blurred(rng.normal(0.0, 1.0, (height, width)), 1.0)
    table = np.array(params.table) + params.grain * (grain / grain.std())[..., None]
    for sheet in sheets:
        _lay_sheet(table, sheet, px_per_mm)
    if params.strip is not None:
        table[:, round(0.94 * width) :] = params.strip
    shadow = np.zeros((height, width))
    covers: list[tuple[LyingPiece, NDArray[np.float32], Grid]] = []
    for piece in pieces:
        lying = piece.pose.apply(piece.outline)
        low_x, low_y, high_x, high_y = lying.bounds
        left, top = math.floor(low_x * px_per_mm) - 1, math.floor(height - high_y * px_per_mm) - 1
        side = math.ceil(max(high_x - low_x, high_y - low_y) * px_per_mm) + 4
        grid = Grid(side, left / px_per_mm, (height - top) / px_per_mm, 1.0 / px_per_mm)
        cover = masks([lying], grid)[0]
        covers.append((piece, cover, grid))
        window, part = _shared(shadow, cover, left, top)
        np.maximum(window, part, out=window)
    if params.shadow:
        way = math.radians(SHADOW_DIRECTION_DEG)
        off = params.shadow_mm * px_per_mm * np.array([-math.sin(way), math.cos(way)])
        thrown = cast("Floats", scipy.ndimage.shift(shadow, off, order=1))
        soft = _blurred(thrown, 0.5 * params.shadow_mm * px_per_mm)
        table *= (1.0 - params.shadow * np.clip(soft, 0.0, 1.0))[..., None]
    for piece, cover, grid in covers:
        left, top = round(grid.left * px_per_mm), round(height - grid.top * px_per_mm)
        window, part = _shared(table, cover, left, top)
        colours = np.broadcast_to(np.array(piece.paper), (*cover.shape, 3))
        if piece.print is not None:
            row, column = np.indices(cover.shape)
            centres = grid.to_world(np.stack([column, row], axis=-1) + 0.5)
            colours = piece.print.sample(piece.pose.inverse().points(centres.reshape(-1, 2))).reshape(
                *cover.shape, 3
            )
        _, shown = _shared(table, colours, left, top)
        window += part[..., None] * (shown - window)
    return table


def _shared(
    whole: Floats, part: NDArray[np.floating], left: int, top: int
) -> tuple[Floats, NDArray[np.floating]]:
    """The views of a picture and of a part laid on it at (left, top) that show the same pixels."""
    rows = slice(max(0, top), min(whole.shape[0], top + part.shape[0]))
    columns = slice(max(0, left), min(whole.shape[1], left + part.shape[1]))
    return whole[rows, columns], part[
        rows.start - top : rows.stop - top, columns.start - left : columns.stop - left
    ]


def _lay_sheet(table: Floats, sheet: PaperOnTable, px_per_mm: float) -> None:
    size = round(sheet.width_mm * px_per_mm), round(sheet.height_mm * px_per_mm)
    shown = np.asarray(Image.fromarray(sheet.print).resize(size, Image.Resampling.LANCZOS), dtype=np.float64)
    left = round(sheet.corner[0] * px_per_mm)
    top = table.shape[0] - round((sheet.corner[1] + sheet.height_mm) * px_per_mm)
    window, part = _shared(table, shown, left, top)
    window[:] = part


def _through_lens(
    table: Floats, size_mm: tuple[float, float], finer: float, params: PhotographParams
) -> Floats:
    """The table as a camera sees it that is tilted and whose lens bends lines."""
    width_mm, height_mm = size_mm
    tilt = math.radians(params.tilt_deg)
    far = CAMERA_HEIGHT * max(size_mm)
    corners = np.array([(x, y) for x in (-0.5, 0.5) for y in (-0.5, 0.5)]) * size_mm
    seen = np.array([(x, y * math.cos(tilt)) for x, y in corners]) / (far + corners[:, 1:] * math.sin(tilt))
    low, high = seen.min(axis=0), seen.max(axis=0)
    middle, half = (low + high) / 2.0, 1.02 * (high - low) / 2.0
    shape_px = np.ceil(2.0 * half * far * params.px_per_mm).astype(int)  # (width, height)
    wide, high_px = int(shape_px[0]), int(shape_px[1])
    column, row = np.meshgrid(np.arange(wide) + 0.5, np.arange(high_px) + 0.5)
    u = np.stack([2.0 * column / wide - 1.0, 1.0 - 2.0 * row / high_px], axis=-1)
    aspect = half / half.max()
    radius = ((u * aspect) ** 2).sum(axis=-1, keepdims=True) / (aspect**2).sum()
    u = u * (1.0 - params.distortion + params.distortion * radius)
    across, up = np.moveaxis(middle + u * half, -1, 0)
    # The ray (across, up, 1) meets the tilted table at depth far + y sin(tilt), and y cos(tilt) = up * depth.
    y = up * far / (math.cos(tilt) - up * math.sin(tilt))
    x = across * (far + y * math.sin(tilt))
    at = np.stack([(height_mm / 2.0 - y) * finer - 0.5, (x + width_mm / 2.0) * finer - 0.5])
    softened = _blurred(table, (0.4 * FINER, 0.4 * FINER, 0))
    channels = [
        cast("Floats", scipy.ndimage.map_coordinates(softened[..., k], at, order=1, mode="nearest"))
        for k in range(3)
    ]
    return np.stack(channels, axis=-1)


def _blurred(image: Floats, width_px: float | tuple[float, float, float]) -> Floats:
    return cast("Floats", scipy.ndimage.gaussian_filter(image, width_px))

"""Pieces in pictures: cut out by transparency, told apart by labels, or lying on a plain background."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import scipy.ndimage
from numpy.typing import NDArray

from sherd.core.errors import FileFormatError
from sherd.io.drawings.tracing import PicturePart, connected, parts_of
from sherd.tracing.contours import INSIDE

Bytes = NDArray[np.uint8]
Floats = NDArray[np.float32]

# The frame in which only background is expected, as a share of the shorter side.
FRAME_SHARE = 0.01
LEAST_FRAME_PX = 2
# Pixels stand out from the background if they differ by this many grey levels at least, and by this much
# more than pixels of the frame commonly do, and by this share of what most that stand out differ by.
LEAST_CONTRAST = 12.0
NOISE_FACTOR = 3.0
CONTRAST_SHARE = 0.35
# A frame in which more than this share of pixels stands out is no plain background.
MOST_FRAME_SHARE = 0.25
# A piece whose colours vary by more than this share of its contrast is textured: its rim says nothing.
TEXTURED = 0.2
# A picture is a map of labels if it has no more values than this, and all but this share of its pixels lie
# in patches of one value that are more than specks.
MOST_LABELS = 2000
LABEL_SPECK_PX = 4
SAMPLED_ROWS = 50
LABEL_SPECK_SHARE = 1e-4


def is_label_map(labels: NDArray[np.integer]) -> bool:
    """Whether flat patches make up the picture: at least two kinds beside the background, no soft edges."""
    if len(np.unique(labels[:: max(1, labels.shape[0] // SAMPLED_ROWS)])) > MOST_LABELS:
        return False  # a photograph, told by a few of its rows
    values, counts = np.unique(labels, return_counts=True)
    if not 3 <= len(values) <= MOST_LABELS or counts.min() < LABEL_SPECK_PX:
        return False
    alike = np.zeros(labels.shape, dtype=np.uint8)
    for axis in (0, 1):
        same = np.diff(labels, axis=axis) == 0
        before, after = [slice(None)] * 2, [slice(None)] * 2
        before[axis], after[axis] = slice(None, -1), slice(1, None)
        alike[tuple(before)] += same
        alike[tuple(after)] += same
    return int(np.count_nonzero(alike <= 1)) <= max(LABEL_SPECK_SHARE * labels.size, 8 * len(values))


def label_background(labels: NDArray[np.integer], coloured: bool) -> int | None:
    """The value that is no piece: 0 in a map of numbers, else what fills most of the border."""
    if not coloured and (labels == 0).any():
        return 0
    border = np.concatenate([labels[0], labels[-1], labels[:, 0], labels[:, -1]])
    values, counts = np.unique(border, return_counts=True)
    return int(values[counts.argmax()]) if counts.max() > 0.5 * len(border) else None


def labelled_parts(
    labels: NDArray[np.integer], background: int | None
) -> tuple[list[tuple[int, PicturePart]], int]:
    """Each connected patch of each value, and how many specks were dropped."""
    values, inverse = np.unique(labels, return_inverse=True)
    numbered = inverse.reshape(labels.shape) + 1
    found: list[tuple[int, PicturePart]] = []
    specks = 0
    boxes = cast(list[tuple[slice, slice] | None], scipy.ndimage.find_objects(numbered))
    for number, box in enumerate(boxes):
        if box is None or int(values[number]) == background:
            continue
        parts, dropped = parts_of((numbered[box] == number + 1).astype(np.float32))
        specks += dropped
        rows, columns = box
        found += [
            (int(values[number]), PicturePart(part.cover, part.row + rows.start, part.column + columns.start))
            for part in parts
        ]
    return found, specks


def parts_on_background(picture: Bytes) -> tuple[list[PicturePart], int]:
    """The pieces that lie apart on a plain background of a picture (H, W, C), and how many specks there were.

    The background is a plane of colour through the frame of the picture, so that light may fall off to one
    side. The outline of a piece runs where its colour and the background's are mixed half and half.
    """
    contrast = _contrast(picture)
    frame = _frame(contrast)
    floor = max(LEAST_CONTRAST, NOISE_FACTOR * float(np.quantile(frame, 0.9)))
    if np.count_nonzero(frame > LEAST_CONTRAST) > MOST_FRAME_SHARE * len(frame):
        raise FileFormatError(
            "the background is not plain: the border of the picture has more than one colour"
        )
    standing_out = contrast[contrast > floor]
    if standing_out.size == 0:
        raise FileFormatError("nothing stands out from the background")
    threshold = max(floor, CONTRAST_SHARE * float(np.quantile(standing_out, 0.25)))
    parts, specks = parts_of((contrast >= threshold).astype(np.float32))
    return [_with_soft_rim(part, contrast) for part in parts], specks


def _frame(values: NDArray[Any]) -> NDArray[Any]:
    """The pixels along the border, (P, ...)."""
    width = max(LEAST_FRAME_PX, round(FRAME_SHARE * min(values.shape[:2])))
    sides = (values[:width], values[-width:], values[width:-width, :width], values[width:-width, -width:])
    return np.concatenate([side.reshape(-1, *values.shape[2:]) for side in sides])


def _contrast(picture: Bytes) -> Floats:
    """How far each pixel's colour is from the background's, in grey levels."""
    height, width = picture.shape[:2]
    rows, columns = np.linspace(-1, 1, height, dtype=np.float32), np.linspace(-1, 1, width, dtype=np.float32)
    down, across = (_frame(grid) for grid in np.broadcast_arrays(rows[:, None], columns[None, :]))
    places = np.stack([np.ones(len(down)), down, across], axis=-1)
    square = np.zeros((height, width), dtype=np.float32)
    for channel in range(picture.shape[2]):
        colours = _frame(picture[..., channel]).astype(np.float64)
        usual = np.median(colours)
        # Pieces that touch the border are no background.
        plain = np.abs(colours - usual) <= max(
            LEAST_CONTRAST, NOISE_FACTOR * np.median(np.abs(colours - usual))
        )
        plane = np.linalg.lstsq(places[plain], colours[plain], rcond=None)[0].astype(np.float32)
        background = plane[0] + plane[1] * rows[:, None] + plane[2] * columns[None, :]
        square += (picture[..., channel] - background) ** 2
    return np.sqrt(square / picture.shape[2])


def _with_soft_rim(part: PicturePart, contrast: Floats) -> PicturePart:
    """The part with a grey rim, as the mixture of colours has it, if its own colour is even."""
    height, width = part.cover.shape
    window = contrast[part.row : part.row + height, part.column : part.column + width]
    own = part.cover >= INSIDE
    inner = np.asarray(scipy.ndimage.binary_erosion(own, np.ones((3, 3)), iterations=2), dtype=np.bool_)
    if not inner.any():
        return PicturePart(part.cover, part.row, part.column, True)
    usual = float(np.median(window[inner]))
    if float(np.median(np.abs(window[inner] - usual))) > TEXTURED * usual:
        return PicturePart(part.cover, part.row, part.column, True)
    reach = np.asarray(scipy.ndimage.binary_dilation(own, np.ones((3, 3))), dtype=np.bool_)
    soft = np.clip(window / usual, 0.0, 1.0)
    cover = np.where(inner, 1.0, np.where(reach, soft, 0.0)).astype(np.float64)
    # Where the rim turns out to be shadow the part may fall apart; the largest remains.
    labels, count = connected(cover >= INSIDE)
    if count > 1:
        largest = int(np.bincount(labels.ravel())[1:].argmax()) + 1
        cover = np.where((labels == largest) | (labels == 0), cover, 0.0)
    noise = float(np.quantile(np.abs(window[inner] - usual), 0.9))
    return PicturePart(cover, part.row, part.column, noise > 0.02 * usual)

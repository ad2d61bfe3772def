"""Pieces in pictures in which each has a colour or number of its own."""

from __future__ import annotations

from typing import cast

import numpy as np
import scipy.ndimage
from numpy.typing import NDArray

from sherd.tracing.parts import PicturePart, check_windows, parts_of

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
    numbered = inverse.reshape(labels.shape).astype(np.int32) + 1
    found: list[tuple[int, PicturePart]] = []
    specks = 0
    boxes = cast(list[tuple[slice, slice] | None], scipy.ndimage.find_objects(numbered))
    check_windows(
        box for number, box in enumerate(boxes) if box is not None and int(values[number]) != background
    )
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

"""The connected parts of a picture: which pixels belong together, and what is only a speck."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import cast

import numpy as np
import scipy.ndimage
from numpy.typing import NDArray

from sherd.core.errors import FileFormatError
from sherd.tracing.contours import INSIDE

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

# Parts below this many pixels, or below this share of the largest, are specks.
LEAST_SPECK_PX = 16
SPECK_SHARE = 0.002
# Holes below this share of their part are specks too.
LEAST_HOLE_SHARE = 0.001
# How far the grey rim of a part reaches.
RIM_PX = 2
MOST_PARTS = 5000
# The windows of parts that lie around one another may be many times as large as the picture.
MOST_WINDOWS_PX = 40_000_000
# Fewer are always read; above that, a pixel lies in no more windows than this, on average.
FEW_WINDOWS_PX = 8_000_000
MOST_AROUND = 4


@dataclass(frozen=True)
class PicturePart:
    """One connected part of a picture: how much of each pixel of a window it covers, 0 .. 1.

    ``at_border`` says that it reaches the picture's border, and so may be cut off there, and ``has_hole``
    that the background of a photograph shows through it.
    """

    cover: Floats
    row: int
    column: int
    noisy: bool = False
    at_border: bool = False
    has_hole: bool = False


def connected(mask: Mask) -> tuple[NDArray[np.int32], int]:
    """The number of each pixel's connected part, 0 for none, and how many parts there are."""
    labels = np.zeros(mask.shape, dtype=np.int32)
    scipy.ndimage.label(mask, output=labels)
    return labels, int(labels.max(initial=0))


def check_windows(boxes: Iterable[tuple[slice, slice]], factor: int = 1) -> None:
    """`FileFormatError` if the windows around parts have more pixels together than there is room for.

    The boxes are those of a picture that is coarser by ``factor``. However small the picture, each of its
    pixels may lie in a few windows only: many rings around one another take minutes.
    """
    boxes = list(boxes)
    sizes = [(rows.stop - rows.start) * (columns.stop - columns.start) for rows, columns in boxes]
    pixels = factor**2 * sum(sizes)
    if pixels <= FEW_WINDOWS_PX:
        return
    high, wide = (max(box[k].stop for box in boxes) - min(box[k].start for box in boxes) for k in (0, 1))
    most = min(MOST_WINDOWS_PX, max(FEW_WINDOWS_PX, MOST_AROUND * factor**2 * high * wide))
    if pixels > most:
        raise FileFormatError(
            f"parts that lie around one another, {pixels / 1e6:,.0f} megapixels in all, "
            f"and no more than {most // 10**6} are read: scale the picture down"
        )


def parts_of(cover: NDArray[np.floating]) -> tuple[list[PicturePart], int]:
    """The connected parts of a mask (H, W) in 0 .. 1, the largest first, and how many specks were dropped."""
    labels, count = connected(cover >= INSIDE)
    sizes = np.bincount(labels.ravel(), minlength=count + 1)[1:]
    if count == 0:
        return [], 0
    least = max(LEAST_SPECK_PX, SPECK_SHARE * sizes.max())
    order: list[int] = [k for k in np.argsort(-sizes, kind="stable").tolist() if sizes[k] >= least]
    boxes = cast(list[tuple[slice, slice]], scipy.ndimage.find_objects(labels))
    check_windows(boxes[k] for k in order[:MOST_PARTS])
    parts = [_part(cover, labels, k + 1, boxes[k]) for k in order[:MOST_PARTS]]
    return parts, count - len(order)


def _part(
    cover: NDArray[np.floating], labels: NDArray[np.integer], label: int, box: tuple[slice, slice]
) -> PicturePart:
    """A part with the grey pixels of its rim, as far as they are not those of another."""
    rows, columns = (slice(max(0, side.start - RIM_PX), side.stop + RIM_PX) for side in box)
    own = labels[rows, columns] == label
    near = np.asarray(scipy.ndimage.binary_dilation(own, np.ones((3, 3)), iterations=RIM_PX), dtype=np.bool_)
    near &= (labels[rows, columns] == 0) | own
    window = np.where(near, cover[rows, columns], 0.0).astype(np.float64)
    return PicturePart(_without_pinholes(window, own), rows.start, columns.start)


def _without_pinholes(window: Floats, own: Mask) -> Floats:
    labels, count = connected(~own)
    sizes = np.bincount(labels.ravel(), minlength=count + 1)
    small = np.flatnonzero(sizes < max(LEAST_SPECK_PX, LEAST_HOLE_SHARE * own.sum()))
    rim = np.unique(np.concatenate([labels[0], labels[-1], labels[:, 0], labels[:, -1]]))
    holes = np.isin(labels, np.setdiff1d(small, np.append(rim, 0)))
    return np.where(holes, 1.0, window)

"""The pieces of a photograph, whatever lies at its border, with the edge of each between pixels."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, cast

import numpy as np
import scipy.ndimage
from numpy.typing import NDArray

from sherd.core.errors import FileFormatError
from sherd.tracing.contours import INSIDE
from sherd.tracing.parts import LEAST_HOLE_SHARE, LEAST_SPECK_PX, SPECK_SHARE, PicturePart, check_windows, connected
from sherd.tracing.photo.background import Background, Colour, find_background, reduced
from sherd.tracing.photo.filters import eroded, filled
from sherd.tracing.photo.segment import segment
from sherd.tracing.photo.soft_edge import soft_cover
from sherd.tracing.photo.touching import told_apart

Bytes = NDArray[np.uint8]
Mask = NDArray[np.bool_]
Holes = Literal["keep", "fill"]

# Pieces are told from the background on a picture of at most this many pixels a side.
LONGEST_PX = 1600
# What runs along this share of a side of the picture is no piece but the edge of the table.
STRIP_SHARE = 0.5
# Nor is what reaches the border and stands out by less than this share of what does most.
FAINT_SHARE = 0.35
# Around a piece, in pixels of the smaller picture.
MARGIN_PX = 8
# A piece whose colours are noisier than this share of its contrast is traced as noisy.
CLEAN_SHARE = 0.02
SIDES = ("upper", "lower", "left", "right")


class NothingSeenError(FileFormatError):
    """No piece stands out from the background."""


@dataclass(frozen=True, kw_only=True)
class PhotoParams:
    """What is known about a photograph.

    background   its colour, if the border does not show it
    threshold    from which difference to the background on, in grey levels, a pixel is a piece's
    specks       smaller parts are dirt, in pixels of area
    holes        whether what shows the background inside of a piece is a hole ("keep") or print ("fill")
    touching     whether parts that hang together by a narrow neck are told apart
    """

    background: Colour | None = None
    threshold: float | None = None
    specks: float | None = None
    holes: Holes | None = None
    touching: bool = True


@dataclass(frozen=True)
class PhotoParts:
    """The pieces found, and what was seen on the way.

    ``specks`` is how many were dropped, ``strips`` at which sides something ran along the border, and
    ``touching`` how many parts were told apart into several.
    """

    parts: tuple[PicturePart, ...]
    specks: int = 0
    strips: tuple[str, ...] = ()
    touching: int = 0


def find_pieces(picture: Bytes, params: PhotoParams | None = None) -> PhotoParts:
    """The pieces that lie on the plain background of a picture (H, W, 3)."""
    params = params or PhotoParams()
    factor = math.ceil(max(picture.shape[:2]) / LONGEST_PX)
    small = reduced(picture, factor)
    background = find_background(small, params.background, params.threshold)
    found = segment(small, background, params.threshold)
    labels, count = connected(found.pieces)
    sizes = np.bincount(labels.ravel(), minlength=count + 1)
    strips = _strips(labels, count, background.contrast(small))
    was = sizes.copy()
    for label in strips:
        sizes[label] = 0
    sizes[0] = 0
    if not sizes.any():
        raise NothingSeenError(
            "nothing stands out from the background: take one that is unlike the pieces, "
            f"or set threshold below {found.threshold:.0f} grey levels"
        )
    least = (
        max(LEAST_SPECK_PX, SPECK_SHARE * sizes.max()) if params.specks is None else params.specks / factor**2
    )
    by_size: list[int] = np.argsort(-sizes, kind="stable").tolist()
    order = [k for k in by_size if sizes[k] >= least and sizes[k] > 0]
    boxes = cast(list[tuple[slice, slice]], scipy.ndimage.find_objects(labels))
    check_windows((boxes[k - 1] for k in order), factor)
    parts = [
        _part(picture, small, labels, k, boxes[k - 1], factor, background, found.holes, params.holes)
        for k in order
    ]
    specks = int(np.count_nonzero(sizes)) - len(order)
    touching = 0
    if params.touching:
        parts, touching = told_apart(parts)
    sides = tuple(dict.fromkeys(side for label, side in strips.items() if was[label] >= least))
    return PhotoParts(tuple(parts), specks, sides, touching)


def _strips(labels: NDArray[np.int32], count: int, contrast: NDArray[np.float32]) -> dict[int, str]:
    """The parts that belong to the table, and at which side of the picture they are.

    They run along the border, or reach it and hardly stand out.
    """
    found: dict[int, str] = {}
    own = labels > 0
    strength = np.bincount(labels[own], contrast[own], minlength=count + 1)
    sizes = np.bincount(labels[own], minlength=count + 1)
    strongest = float((strength / np.maximum(sizes, 1))[sizes >= LEAST_SPECK_PX].max(initial=0.0))
    for name, side in zip(SIDES, (labels[0], labels[-1], labels[:, 0], labels[:, -1]), strict=True):
        along = np.bincount(side, minlength=count + 1)
        is_faint = strength < FAINT_SHARE * strongest * sizes
        # What is longer along the border than it is deep is the edge of something.
        is_edge = (along > STRIP_SHARE * len(side)) | (along.astype(np.float64) ** 2 > 2.0 * sizes) | is_faint
        for label in np.flatnonzero(is_edge & (along > 0)).tolist():
            if label and sizes[label]:
                found.setdefault(label, name)
    return found


def _part(
    picture: Bytes,
    small: NDArray[np.float32],
    labels: NDArray[np.int32],
    label: int,
    box: tuple[slice, slice],
    factor: int,
    background: Background,
    holes: Mask,
    keep: Holes | None,
) -> PicturePart:
    """A part of the smaller picture as it is in the full one."""
    rows, columns = (
        slice(max(0, side.start - MARGIN_PX), min(length, side.stop + MARGIN_PX))
        for side, length in zip(box, labels.shape, strict=True)
    )
    window = labels[rows, columns]
    own = _filled(window == label, holes[rows, columns], keep)
    others = (window > 0) & ~own
    top, left = rows.start * factor, columns.start * factor
    bottom, right = min(picture.shape[0], rows.stop * factor), min(picture.shape[1], columns.stop * factor)
    fine = picture[top:bottom, left:right]
    near = small[rows, columns]
    cover = soft_cover(fine, near, own, others, factor)
    contrast = _contrast(near, own, others)
    at_border = bool(own[0].any() and rows.start == 0) or bool(own[-1].any() and rows.stop == labels.shape[0])
    at_border |= bool(own[:, 0].any() and columns.start == 0)
    at_border |= bool(own[:, -1].any() and columns.stop == labels.shape[1])
    noisy = background.noise > CLEAN_SHARE * contrast or _is_printed(fine, cover)
    has_hole = bool((filled(own) & ~own).any())
    return PicturePart(cover, top, left, noisy, at_border, has_hole)


def _filled(own: Mask, holes: Mask, keep: Holes | None) -> Mask:
    """The part with all that it encloses, but for holes that are more than specks."""
    whole = filled(own)
    if keep == "fill":
        return whole
    inside, count = connected(whole & ~own & holes)
    sizes = np.bincount(inside.ravel(), minlength=count + 1)
    least = max(LEAST_SPECK_PX, LEAST_HOLE_SHARE * own.sum())
    is_hole = sizes >= least
    is_hole[0] = False
    return whole & ~is_hole[inside]


def _contrast(colours: NDArray[np.float32], own: Mask, others: Mask) -> float:
    """How far the usual colours of a part and of what is around it are apart, in grey levels."""
    outside = ~own & ~others
    if not own.any() or not outside.any():
        return 0.0
    apart = np.median(colours[own], axis=0) - np.median(colours[outside], axis=0)
    return float(np.sqrt((apart**2).mean()))


def _is_printed(fine: Bytes, cover: NDArray[np.float64]) -> bool:
    """Whether the colours inside of a part vary, so that its rim is not as exact as it looks."""
    inner = eroded(cover >= INSIDE, 2)
    if not inner.any():
        return True
    pixels = fine[inner].astype(np.float32)
    usual = np.median(pixels, axis=0)
    return float(np.quantile(np.abs(pixels - usual).max(axis=1), 0.9)) > 3.0

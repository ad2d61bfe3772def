"""Pieces that touch in a picture, told apart where they hang together by a narrow neck."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from sherd.tracing.contours import INSIDE
from sherd.tracing.parts import PicturePart, connected
from sherd.tracing.photo.filters import depth_of, watershed

Mask = NDArray[np.bool_]

# A neck is narrower than this share of what it joins, at the widest place of the narrower side.
NECK_SHARE = 0.25
# Each side is at least this share of a usual piece, or of the other side: the knob of a jigsaw is less.
LEAST_BODY = 0.3
MOST_PIECES = 12
# Where there are 3 parts or more, only those 1.2 times as large as the usual one can be several.
LEAST_PARTS = 3
LARGER = 1.2


def told_apart(parts: Sequence[PicturePart]) -> tuple[list[PicturePart], int]:
    """The parts with those that consist of several bodies parted at the necks, and how many those were."""
    several = len(parts) >= LEAST_PARTS
    usual = float(np.median([part.cover.sum() for part in parts])) if several else 0.0
    found: list[PicturePart] = []
    count = 0
    for part in parts:
        own = part.cover >= INSIDE
        depth = depth_of(np.pad(own, 1))[1:-1, 1:-1]
        markers = _bodies(own, depth, usual)
        labels = None if markers is None else watershed(-depth, markers, part.cover > 0.0)
        if labels is None:
            found.append(part)
            continue
        count += 1
        found += _separate(part, labels)
    return found, count


def _bodies(own: Mask, depth: NDArray[np.float64], usual: float) -> NDArray[np.int32] | None:
    """The cores of the bodies that hang together by necks, numbered; None if there is only one."""
    widest = float(depth.max(initial=0.0))
    if own.sum() < LARGER * usual:
        return None
    inside = np.flatnonzero(depth > 0.0)  # of a thin ring that is little of its window
    depths = depth.ravel()[inside]
    shares = np.linspace(0.02, NECK_SHARE, 10) * widest
    for level in np.unique(np.concatenate([np.arange(0.0, min(8.0, widest)), shares])).tolist():
        labels, count = connected(depth > level)
        if count < 2:
            continue
        owners = labels.ravel()[inside]
        areas = np.bincount(owners, minlength=count + 1)[1:].astype(np.float64)
        radii = np.zeros(count + 1)
        np.maximum.at(radii, owners, depths)
        least = LEAST_BODY * min(usual or np.inf, float(areas.max()))
        is_body = (areas >= least) & (level <= NECK_SHARE * radii[1:])
        if 2 <= np.count_nonzero(is_body) <= MOST_PIECES:
            number = np.zeros(count + 1, dtype=np.int32)
            number[1:][is_body] = np.arange(1, np.count_nonzero(is_body) + 1)
            return number[labels]
    return None


def _separate(part: PicturePart, labels: NDArray[np.int32]) -> Iterator[PicturePart]:
    for number in range(1, int(labels.max()) + 1):
        own = labels == number
        rows, columns = np.flatnonzero(own.any(axis=1)), np.flatnonzero(own.any(axis=0))
        window = slice(max(0, rows[0] - 2), rows[-1] + 3), slice(max(0, columns[0] - 2), columns[-1] + 3)
        yield PicturePart(
            np.where(own, part.cover, 0.0)[window],
            part.row + window[0].start,
            part.column + window[1].start,
            True,
            part.at_border,
        )

"""The marker page: eight targets around an empty frame, found again in a photograph.

A target is a black dot in a white ring in a black ring. The dot of the lower left one is larger, and on
letter paper also that of the upper right one, so that a page is known however it lies.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import cast

import numpy as np
import scipy.ndimage
from numpy.typing import NDArray
from PIL import Image

from sherd.core.errors import FileFormatError
from sherd.tracing.parts import connected
from sherd.tracing.photo.background import reduced
from sherd.tracing.photo.filters import blurred, dilated, filled
from sherd.tracing.photo.table_plane import Plane, fit_plane

Floats = NDArray[np.float64]

# Radii of a target, in mm, and of its dot where that is large.
OUTER_MM, INNER_MM, DOT_MM, LARGE_DOT_MM = 7.0, 5.0, 2.2, 3.6
# From the page's edge to the middles of the targets, and to the frame in which pieces lie.
INSET_MM = 14.0
FRAME_MM = 24.0
PAPERS_MM = {"a4": (210.0, 297.0), "letter": (215.9, 279.4)}
# Targets are looked for on a picture of at most this many pixels a side.
LONGEST_PX = 2400
LEAST_DOT_PX = 6
# A target is dark against its surroundings, whatever the light: this share of the longer side about it, as
# seen on a picture that is coarser by so much.
AROUND_SHARE = 25.0
COARSE = 8
# What the area of a dot is of that of its target, as seen from anywhere.
SMALL_SHARE = (DOT_MM / OUTER_MM) ** 2
LARGE_SHARE = (LARGE_DOT_MM / OUTER_MM) ** 2
SHARES = (0.5 * SMALL_SHARE, 1.6 * LARGE_SHARE)
BETWEEN = math.sqrt(SMALL_SHARE * LARGE_SHARE)
# Millimetres that a target's place may be off; more, and the page is not flat.
MOST_OFF_MM = 1.5


@dataclass(frozen=True)
class Target:
    """A target in a picture: its middle (column, row), its size in pixels, and whether its dot is large."""

    column: float
    row: float
    size_px: float
    is_large: bool


def target_places(paper: str) -> list[tuple[float, float]]:
    """The middles of the targets in mm from the page's lower left corner, that one's first."""
    width, height = PAPERS_MM[paper]
    low, right, top = INSET_MM, width - INSET_MM, height - INSET_MM
    corners = [(low, low), (right, low), (right, top), (low, top)]
    sides = [(width / 2.0, low), (right, height / 2.0), (width / 2.0, top), (low, height / 2.0)]
    return corners + sides


def large_dots(paper: str) -> tuple[int, ...]:
    """Which of the targets have a large dot."""
    return (0, 2) if paper == "letter" else (0,)


def find_targets(picture: NDArray[np.uint8]) -> list[Target]:
    """All targets of a picture (H, W, 3)."""
    factor = math.ceil(max(picture.shape[:2]) / LONGEST_PX)
    grey = reduced(picture, factor).mean(axis=2)
    dark, count = connected(grey < 0.72 * _around(grey))
    if count == 0:
        return []
    boxes = cast(list[tuple[slice, slice]], scipy.ndimage.find_objects(dark))
    found: list[Target] = []
    for label, (rows, columns) in enumerate(boxes, start=1):
        height, width = rows.stop - rows.start, columns.stop - columns.start
        if min(height, width) < 2 * LEAST_DOT_PX or max(height, width) > 3 * min(height, width):
            continue
        own = dark[rows, columns] == label
        whole = filled(own)
        if not 0.6 < whole.sum() / (height * width) < 0.9 or own.sum() > 0.85 * whole.sum():
            continue
        target = _target(grey[rows, columns], dark[rows, columns], label, whole)
        if target is not None:
            row, column, share = target
            found.append(
                Target(
                    (columns.start + column) * factor,
                    (rows.start + row) * factor,
                    math.sqrt(height * width) * factor,
                    share > BETWEEN,
                )
            )
    return found


def _around(grey: NDArray[np.float32]) -> NDArray[np.float32]:
    """The light about each pixel (H, W), from a smaller picture: a wide blur of the whole takes seconds."""
    height, width = grey.shape
    coarse = Image.fromarray(grey).reduce(COARSE)
    wide = blurred(np.asarray(coarse), max(grey.shape) / AROUND_SHARE / COARSE)
    large = Image.fromarray(wide).resize((coarse.width * COARSE, coarse.height * COARSE))
    return np.asarray(large)[:height, :width]


def _target(
    grey: NDArray[np.float32], dark: NDArray[np.int32], ring: int, whole: NDArray[np.bool_]
) -> tuple[float, float, float] | None:
    """The middle (row, column) of the dot within a ring, and its share of all; None if there is none."""
    inside = np.where(whole & (dark != ring), dark, 0)
    labels, counts = np.unique(inside[inside > 0], return_counts=True)
    if not len(labels):
        return None
    dot = inside == labels[counts.argmax()]
    share = float(dot.sum() / whole.sum())
    if not SHARES[0] <= share <= SHARES[1]:
        return None
    rows, columns = np.nonzero(dot)
    ring_rows, ring_columns = np.nonzero(whole)
    size = math.sqrt(whole.sum())
    if math.hypot(rows.mean() - ring_rows.mean(), columns.mean() - ring_columns.mean()) > 0.1 * size:
        return None
    # Between pixels: every pixel counts by how dark it is.
    near = dilated(dot, 2, within=whole)
    weight = np.where(near, np.maximum(float(grey[near].max()) - grey, 0.0), 0.0)
    row, column = np.indices(grey.shape)
    total = float(weight.sum())
    return float((weight * (row + 0.5)).sum()) / total, float((weight * (column + 0.5)).sum()) / total, share


def page_in(picture: NDArray[np.uint8]) -> tuple[Plane, str] | None:
    """How the marker page of a picture lies, in mm from its lower left corner, and which paper it is.

    None where there is none; `FileFormatError` if there is one that cannot be used.
    """
    targets = find_targets(picture)
    if len(targets) < 4:
        if len(targets) >= 2:
            raise FileFormatError(
                f"only {len(targets)} of the marker page's 8 targets are seen: uncover its four corners"
            )
        return None
    at = np.array([(target.column, target.row) for target in targets])
    corners = _corners(at)
    large = [k for k in corners if targets[k].is_large]
    if not large:
        raise FileFormatError("the marker page's lower left target, which has the larger dot, is not seen")
    paper = "letter" if len(large) == 2 else "a4"
    start = corners.index(large[0])
    ordered = corners[start:] + corners[:start]
    places = np.array(target_places(paper))
    shape = picture.shape[0], picture.shape[1]
    plane, _ = fit_plane(at[ordered], places[:4], shape)
    # The others, by where they should be.
    seen, true = [at[k] for k in ordered], [places[k] for k in range(4)]
    for place in places[4:]:
        expected = plane.to_picture(place)
        off = np.hypot(*(at - expected).T)
        if off.min() <= targets[int(off.argmin())].size_px:
            seen.append(at[int(off.argmin())])
            true.append(place)
    plane, off_mm = fit_plane(np.array(seen), np.array(true), shape)
    if off_mm > MOST_OFF_MM:
        raise FileFormatError(
            f"the marker page's targets are off by {off_mm:.1f} mm: lay it flat, and print it at 100 %"
        )
    return plane, paper


def _corners(at: Floats) -> list[int]:
    """Of points in a picture, the four that span the largest area, counter-clockwise as seen."""
    middle = at.mean(axis=0)
    best: tuple[float, list[int]] = (0.0, [])
    order = sorted(range(len(at)), key=lambda k: math.atan2(-(at[k][1] - middle[1]), at[k][0] - middle[0]))
    count = len(order)
    for a in range(count):
        for b in range(a + 1, count):
            for c in range(b + 1, count):
                for d in range(c + 1, count):
                    four = [order[k] for k in (a, b, c, d)]
                    x, y = at[four].T
                    area = 0.5 * abs(float(x @ np.roll(y, 1) - y @ np.roll(x, 1)))
                    if area > best[0]:
                        best = area, four
    return best[1]

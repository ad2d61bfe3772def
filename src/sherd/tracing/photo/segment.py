"""Which pixels of a photograph are pieces: all that the background, and soft shadows on it, do not reach.

The background floods the picture from its border, where the colour is its own. What it does not reach is
print, of whatever colour, or shadow close to a piece, where the colour is only darker; a watershed on the
steepness of colours parts these. Holes are only what shows the very colour of the background.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sherd.tracing.parts import connected
from sherd.tracing.photo.background import Background
from sherd.tracing.photo.filters import (
    blurred,
    depth_of,
    dilated,
    eroded,
    opened,
    spread,
    steepness,
    watershed,
)

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]

# Pixels are not the background's if they differ by 12 grey levels, or by 4 times the noise.
LEAST_CONTRAST = 12.0
NOISE_FACTOR = 4.0
# A shadow leaves at least 0.4 of the light, and changes the colour by no more than 5 grey levels, or 0.12 of
# what it takes.
DARKEST_SHADOW = 0.4
SHADOW_HUE = 5.0
SHADOW_HUE_SHARE = 0.12
# A hole shows the background's colour to 4 grey levels, or once the noise.
HOLE_SLACK = 4.0
HOLE_NOISE = 1.0
# It changes by no more than 14 grey levels a pixel, or 3 times the noise.
STEEPEST_SHADOW = 14.0
STEEP_NOISE = 3.0
EDGE_PX = 3
# Shadow close to a piece is no wider than this, or this share of the longer side; deeper inside all is piece.
LEAST_SHADOW_PX = 12
SHADOW_SHARE = 0.03


@dataclass(frozen=True)
class Segmentation:
    """Which pixels are pieces (H, W), which of the rest are holes in them, and from which contrast on."""

    pieces: Mask
    holes: Mask
    threshold: float


def segment(picture: Floats, background: Background, threshold: float | None = None) -> Segmentation:
    """The pieces of a picture (H, W, 3), with holes only where the background shows through."""
    soft = blurred(picture, 0.7)
    contrast = background.contrast(soft if background.noise > 0.5 else picture)
    least = threshold or max(LEAST_CONTRAST, NOISE_FACTOR * background.noise)
    plain = contrast < least
    open_ = opened(plain) | _rim(plain)
    labels, count = connected(open_)
    outside = np.zeros(count + 1, dtype=np.bool_)
    outside[_at_border(labels)] = True
    outside |= _shows_background(labels, count, picture, background, plain)
    outside[0] = False
    reached = dilated(outside[labels], within=plain)
    pieces = _without_shadow(soft, reached, _is_shadow(soft, background), background.noise)
    border, _ = connected(~pieces)
    holes = ~pieces & ~np.isin(border, _at_border(border))
    return Segmentation(pieces, holes, least)


def _without_shadow(picture: Floats, reached: Mask, is_shadow: Mask, noise: float) -> Mask:
    """What was not reached, without the shadow along its rim: that ends at the steepest place."""
    depth = depth_of(~reached)
    steep = steepness(picture)
    # Shadow is soft; what changes faster is print, or the edge of a piece.
    doubtful = ~reached & is_shadow & (steep <= max(STEEPEST_SHADOW, STEEP_NOISE * noise))
    doubtful &= depth <= max(LEAST_SHADOW_PX, SHADOW_SHARE * max(reached.shape))
    # It is only where the background comes in from outside.
    doubtful = spread(reached, reached | doubtful) & ~reached
    if not doubtful.any():
        return ~reached
    # The edge itself, a few pixels wide, is neither side's before the watershed.
    sure = ~reached & ~doubtful & ~(dilated(doubtful, EDGE_PX) & is_shadow)
    # Of what could all be shadow, the inner half is piece.
    labels, count = connected(~reached)
    deepest = np.zeros(count + 1)
    np.maximum.at(deepest, labels.ravel(), depth.ravel())
    has_sure = np.bincount(labels[sure], minlength=count + 1) > 0
    sure |= ~reached & ~has_sure[labels] & (depth > 0.5 * deepest[labels])
    markers = np.where(reached, 1, np.where(sure, 2, 0)).astype(np.int32)
    near = dilated(markers == 0, 2)
    parted = watershed(steep, markers, near)
    # Scans have no shadows worth it, and so are read without the extra "photo".
    return ~reached if parted is None else np.where(near, parted != 1, sure)


def _at_border(labels: NDArray[np.int32]) -> NDArray[np.int32]:
    """The numbers, above 0, that come along the border of the picture."""
    found = np.unique(np.concatenate([labels[0], labels[-1], labels[:, 0], labels[:, -1]]))
    return found[found > 0]


def _rim(passable: Mask) -> Mask:
    """What is passable along the border of the picture, where there is no room to open."""
    rim = np.zeros_like(passable)
    for side in ((0, slice(None)), (-1, slice(None)), (slice(None), 0), (slice(None), -1)):
        rim[side] = passable[side]
    return rim


def _is_shadow(picture: Floats, background: Background) -> Mask:
    """Where the colour is the background's in less light."""
    own = background.colours
    square = np.maximum(np.einsum("ijk,ijk->ij", own, own), 1.0)
    light = np.einsum("ijk,ijk->ij", picture, own) / square
    hue = picture - light[..., None] * own
    off = np.sqrt(np.einsum("ijk,ijk->ij", hue, hue) / 3.0)
    taken = (1.0 - light) * np.sqrt(square / 3.0)
    slack = np.maximum(SHADOW_HUE, background.noise) + SHADOW_HUE_SHARE * taken
    return (light >= DARKEST_SHADOW) & (light <= 1.0) & (off <= slack)


def _shows_background(
    labels: NDArray[np.int32], count: int, picture: Floats, background: Background, plain: Mask
) -> Mask:
    """For each patch, whether it has the very colour of the background, as a hole would."""
    inner = eroded(plain & (labels > 0), 1)
    where = labels[inner]
    counts = np.bincount(where, minlength=count + 1)
    off = np.zeros(count + 1)
    for channel in range(3):
        difference = (picture[..., channel] - background.colours[..., channel])[inner]
        mean = np.bincount(where, difference, minlength=count + 1) / np.maximum(counts, 1)
        off = np.maximum(off, np.abs(mean))
    sizes = np.bincount(labels.ravel(), minlength=count + 1)
    slack = max(HOLE_SLACK, HOLE_NOISE * background.noise)
    return (counts > 0.4 * sizes) & (off <= slack)

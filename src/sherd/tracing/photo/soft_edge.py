"""Where the edge of a piece runs between pixels: colours inside and outside are taken from nearby."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sherd.tracing.contours import INSIDE
from sherd.tracing.parts import connected
from sherd.tracing.photo.filters import blurred, depth_of, nearest_in

Floats = NDArray[np.float64]
Floats32 = NDArray[np.float32]
Mask = NDArray[np.bool_]

# A pixel this far inside or outside of the rough edge is no mixture; both in pixels of the small picture.
MIXED_PX = 2.5
COLOUR_SIGMA_PX = 2.0
# Where the colours differ by less, in grey levels, the rough edge stays.
LEAST_DIFFERENCE = 10.0
# A colour off the line between the two by this many grey levels, and this share of its length, is print.
PRINT_DIFFERENCE = 20.0
PRINT_SHARE = 0.35
# Smaller shares of a piece that fall off at its rim are no pieces.
CRUMB_SHARE = 0.1


def soft_cover(picture: NDArray[np.uint8], small: Floats32, own: Mask, others: Mask, factor: int) -> Floats:
    """How much of each pixel of a window (H, W, 3) a piece covers, 0 .. 1, from a rough mask of it.

    The mask, ``others``, which are pixels of other pieces, and the colours nearby are those of a ``small``
    picture of the same window, coarser by ``factor``; the rough edge may be off by one of its pixels or so.
    """
    shape = picture.shape[:2]
    # A piece that touches the window's rim goes on beyond it.
    depth = depth_of(np.pad(own, 1, mode="edge"))[1:-1, 1:-1]
    away = depth_of(~own)
    inner = depth > min(MIXED_PX + 0.5 / factor, 0.6 * float(depth.max()))
    outer = (away > MIXED_PX) & ~others
    if not inner.any() or not outer.any():
        return enlarged(own, factor, shape).astype(np.float64)
    near = (depth <= MIXED_PX + 0.5 / factor) & (away <= MIXED_PX) & ~others
    band = enlarged(near, factor, shape)
    rows, columns = np.nonzero(band)
    where = rows // factor, columns // factor
    colours = picture[band].astype(np.float32)
    within, without = (_nearby(small, one)[where] for one in (inner, outer))
    difference = within - without
    square = np.einsum("ik,ik->i", difference, difference)
    share = np.einsum("ik,ik->i", colours - without, difference) / np.maximum(square, 1e-6)
    share = np.clip(share, 0.0, 1.0)
    # What is no mixture of the two, inside of the rough edge, is print.
    beside = colours - without - share[:, None] * difference
    unlike = np.einsum("ik,ik->i", beside, beside)
    is_print = own[where] & (unlike > np.maximum(3.0 * PRINT_DIFFERENCE**2, PRINT_SHARE**2 * square))
    share = np.where(is_print, 1.0, share)
    rough = blurred(enlarged(own, factor, shape).astype(np.float32), 0.5 * factor)[band]
    is_clear = square >= 3.0 * LEAST_DIFFERENCE**2
    cover = enlarged((own | inner) & ~others, factor, shape).astype(np.float64)
    cover[band] = np.where(is_clear, share, rough)
    return _without_crumbs(cover)


def enlarged(mask: Mask, factor: int, shape: tuple[int, int]) -> Mask:
    """The mask of a smaller picture as one of this shape."""
    if factor == 1:
        return mask
    return np.repeat(np.repeat(mask, factor, axis=0), factor, axis=1)[: shape[0], : shape[1]]


def _nearby(colours: Floats32, where: Mask) -> Floats32:
    """The colours of some pixels, averaged a little, and carried to all others from the nearest."""
    sigma = COLOUR_SIGMA_PX
    weight = blurred(where.astype(np.float32), sigma, 2.0)
    mean = (
        blurred(np.where(where[..., None], colours, np.float32(0.0)), sigma, 2.0)
        / np.maximum(weight, np.float32(1e-6))[..., None]
    )
    return np.asarray(mean[nearest_in(where)], dtype=np.float32)


def _without_crumbs(cover: Floats) -> Floats:
    """The cover without what little fell off at the rim; pieces that only seemed to touch fall apart."""
    labels, count = connected(cover >= INSIDE)
    if count <= 1:
        return cover
    sizes = np.bincount(labels.ravel())
    sizes[0] = sizes[1:].max()
    return np.where(sizes[labels] >= CRUMB_SHARE * sizes[0], cover, 0.0)

"""What is needed of scipy and scikit-image, with the types of what comes back."""

from __future__ import annotations

import importlib

import numpy as np
import scipy.ndimage
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]
Labels = NDArray[np.int32]

SQUARE = np.ones((3, 3), dtype=np.bool_)


def blurred(values: NDArray[np.number], sigma: float, truncate: float = 4.0) -> Floats:
    """Gaussian blur of a picture (H, W) or (H, W, C)."""
    sigmas = (sigma, sigma, 0.0)[: values.ndim]
    return np.asarray(scipy.ndimage.gaussian_filter(values, sigmas, truncate=truncate), dtype=np.float32)


def eroded(mask: Mask, times: int) -> Mask:
    """The mask without its outermost pixels."""
    return np.asarray(scipy.ndimage.binary_erosion(mask, SQUARE, iterations=times), dtype=np.bool_)


def dilated(mask: Mask, times: int = 1, within: Mask | None = None) -> Mask:
    """The mask and the pixels around it, as far as they are ``within``."""
    return np.asarray(
        scipy.ndimage.binary_dilation(mask, SQUARE, iterations=times, mask=within), dtype=np.bool_
    )


def opened(mask: Mask) -> Mask:
    """The mask without what is narrower than three pixels."""
    return np.asarray(scipy.ndimage.binary_opening(mask, SQUARE), dtype=np.bool_)


def filled(mask: Mask) -> Mask:
    """The mask with all that it encloses."""
    return np.asarray(scipy.ndimage.binary_fill_holes(mask), dtype=np.bool_)


def spread(mask: Mask, within: Mask) -> Mask:
    """All that can be reached from a mask without leaving ``within``."""
    return np.asarray(scipy.ndimage.binary_propagation(mask, mask=within), dtype=np.bool_)


def depth_of(mask: Mask) -> NDArray[np.float64]:
    """How far each pixel of a mask is from the nearest that is none of it."""
    return np.asarray(scipy.ndimage.distance_transform_edt(mask), dtype=np.float64)


def nearest_in(mask: Mask) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each pixel, row and column of the nearest one of the mask."""
    rows, columns = np.asarray(
        scipy.ndimage.distance_transform_edt(~mask, return_distances=False, return_indices=True),
        dtype=np.int64,
    )
    return rows, columns


def steepness(picture: Floats) -> Floats:
    """How fast the colours (H, W, C) change, in grey levels a pixel (H, W)."""
    slopes = [
        np.asarray(scipy.ndimage.gaussian_gradient_magnitude(picture[..., k], 0.7), dtype=np.float32)
        for k in range(picture.shape[2])
    ]
    return np.stack(slopes).max(axis=0)


def watershed(heights: NDArray[np.floating], markers: Labels, within: Mask) -> Labels | None:
    """Numbers spread from markers until they meet on the ridges; None without the extra ``photo``."""
    try:
        found = importlib.import_module("skimage.segmentation").watershed(heights, markers, mask=within)
    except ModuleNotFoundError:
        return None
    return np.asarray(found, dtype=np.int32)

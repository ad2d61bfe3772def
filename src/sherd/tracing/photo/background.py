"""The background of a photograph as a smooth surface of colour: light may fall off in any direction."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from sherd.core.errors import FileFormatError
from sherd.tracing.photo.filters import blurred, eroded, spread

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]
Colour = tuple[float, float, float]

# The frame along the border, as a share of the shorter side.
FRAME_SHARE = 0.01
LEAST_FRAME_PX = 2
# A surface is fitted to the pixels this near to the one before, in grey levels, nearer and nearer.
NEARER = (45.0, 36.0, 28.0, 22.0, 18.0)
SAMPLED_PX = 40_000
# Colours along the border are the same within this, in grey levels.
SAME_COLOUR = 4.0
# The surface is found on a picture of at most this many pixels a side.
SURFACE_PX = 600
# Light that no surface of the second degree follows is followed within these shares of the longer side.
LOCAL_SHARES = (0.06, 0.04, 0.03)
# Beyond this noise, in grey levels, nothing is plain; nor where less than this share of the border, or of
# the whole picture, is background.
MOST_NOISE = 16.0
LEAST_BORDER_SHARE = 0.3
LEAST_SHARE = 0.03
# Grey levels that a colour which was named may be off, as light has it.
NAMED_SLACK = 70.0


@dataclass(frozen=True)
class Background:
    """How the background looks at each pixel (H, W, 3), and the noise around that in grey levels."""

    colours: Floats
    noise: float

    def contrast(self, picture: NDArray[np.number]) -> Floats:
        """How far each pixel's colour is from the background's, in grey levels (H, W)."""
        difference = picture - self.colours
        return np.sqrt(np.einsum("ijk,ijk->ij", difference, difference) / 3.0)


def find_background(
    picture: Floats, given: Colour | None = None, threshold: float | None = None
) -> Background:
    """The surface that the border of a picture (H, W, 3) shows, or one near the colour that is given.

    Of several colours along the border, the one that most of the picture has is the background, so that a
    strip of something else at one side does no harm. What differs by more than the threshold is none of it.
    """
    slack = NEARER[-1] if threshold is None else min(threshold, NEARER[-1])
    small = reduced(picture, math.ceil(max(picture.shape[:2]) / SURFACE_PX))
    if given is not None:
        found = _grown(small, given, NAMED_SLACK, slack)
        if found is None or found[1].mean() < LEAST_SHARE:
            raise FileFormatError(
                f"hardly anything has the background's colour {in_hex(given)}: the border is mostly "
                f"{in_hex(_median(frame_of(picture)))}"
            )
    else:
        grown = [_grown(small, colour, NEARER[0], slack) for colour in _candidates(small)]
        fits = [one for one in grown if one is not None]
        found = max(fits, key=lambda one: int(one[1].sum()), default=None)
    if found is None or (given is None and not _is_plain(small, *found)):
        raise FileFormatError(
            "the background is not plain: lay the pieces on one colour, such as a sheet of paper, "
            "or name its colour (the setting background)"
        )
    colours, own = found
    followed, own = _followed(small, colours, own, slack)
    surface = _as_large(followed, picture.shape)
    step = max(1, int(np.sqrt(picture.shape[0] * picture.shape[1] / SAMPLED_PX)))
    is_own = _as_large(own.astype(np.float32)[..., None], picture.shape)[::step, ::step, 0] > 0.5
    if not is_own.any():
        is_own[:] = True
    off = np.abs(picture[::step, ::step] - surface[::step, ::step])[is_own]
    return Background(surface, 1.4826 * float(np.median(off)))


def reduced(picture: NDArray[np.number], factor: int) -> Floats:
    """The picture with ``factor`` x ``factor`` pixels averaged to one; the last ones may be fewer."""
    if factor == 1:
        return picture.astype(np.float32)
    height, width = (-(-length // factor) for length in picture.shape[:2])
    beyond = (0, height * factor - picture.shape[0]), (0, width * factor - picture.shape[1]), (0, 0)
    padded = np.pad(picture, beyond, mode="edge")
    total = np.zeros((height, width, 3), dtype=np.float32)
    for row in range(factor):
        for column in range(factor):
            total += padded[row::factor, column::factor]
    return (total / np.float32(factor**2)).astype(np.float32)


def _as_large(values: Floats, shape: tuple[int, ...]) -> Floats:
    """A small picture (h, w, C) drawn out to the size of a large one."""
    height, width = shape[:2]
    if values.shape[:2] == (height, width):
        return values
    factor = max(math.ceil(height / values.shape[0]), math.ceil(width / values.shape[1]))
    size = (values.shape[1] * factor, values.shape[0] * factor)
    channels = [
        np.asarray(Image.fromarray(values[..., k]).resize(size, Image.Resampling.BILINEAR))
        for k in range(values.shape[2])
    ]
    return np.stack(channels, axis=-1)[:height, :width]


def in_hex(colour: Sequence[float]) -> str:
    """A colour as #rrggbb."""
    return "#" + "".join(f"{round(channel):02x}" for channel in colour)


def frame_of(values: NDArray[np.generic]) -> NDArray[np.generic]:
    """The pixels along the border, (P, ...)."""
    return np.concatenate([side.reshape(-1, *values.shape[2:]) for side in _sides(values)])


def _sides(values: NDArray[np.generic]) -> tuple[NDArray[np.generic], ...]:
    width = max(LEAST_FRAME_PX, round(FRAME_SHARE * min(values.shape[:2])))
    return values[:width], values[-width:], values[width:-width, :width], values[width:-width, -width:]


def _candidates(picture: Floats) -> list[Colour]:
    """The usual colour of the whole border, and of each of its sides where that is another."""
    found = [_median(frame_of(picture))]
    for side in _sides(picture):
        if side.size:
            colour = _median(side.reshape(-1, 3))
            # Of colours that are nearly the same, one surface grows.
            if all(np.abs(np.subtract(colour, one)).max() > SAME_COLOUR for one in found):
                found.append(colour)
    return found


def _median(pixels: NDArray[np.generic]) -> Colour:
    red, green, blue = np.median(pixels.astype(np.float64), axis=0)
    return float(red), float(green), float(blue)


def _is_plain(picture: Floats, colours: Floats, own: Mask) -> bool:
    noise = 1.4826 * float(np.median(np.abs(picture - colours)[own]))
    return noise <= MOST_NOISE and float(frame_of(own).mean()) >= LEAST_BORDER_SHARE


def _grown(picture: Floats, colour: Colour, first: float, last: float) -> tuple[Floats, Mask] | None:
    """The surface that starts as one colour and takes in all pixels near it, and which those are."""
    height, width = picture.shape[:2]
    step = max(1, int(np.sqrt(height * width / SAMPLED_PX)))
    some = picture[::step, ::step].reshape(-1, 3)
    terms = _terms(height, width)[:, ::step, ::step].reshape(6, -1).T
    surface = np.zeros((6, 3), dtype=np.float32)
    surface[0] = colour
    for k, near in enumerate((first, *NEARER[1:], last, last)):
        is_near = np.abs(some - terms @ surface).max(axis=1) <= near
        degree = 1 if k == 0 else 3 if k == 1 else 6
        if np.count_nonzero(is_near) < max(min(12, len(some)), LEAST_SHARE * len(some)):
            return None
        surface[:] = 0.0
        fit = np.linalg.lstsq(terms[is_near, :degree], some[is_near], rcond=None)[0]
        surface[:degree] = fit
    colours = np.einsum("kij,kc->ijc", _terms(height, width), surface)
    off = np.abs(picture - colours).max(axis=2)
    own = off <= last
    return (colours, own) if own.any() else None


def _terms(height: int, width: int) -> Floats:
    """1, x, y, x x, x y and y y over a picture, (6, H, W)."""
    y, x = np.meshgrid(
        np.linspace(-1, 1, height, dtype=np.float32),
        np.linspace(-1, 1, width, dtype=np.float32),
        indexing="ij",
    )
    return np.stack([np.ones_like(x), x, y, x * x, x * y, y * y])


def _followed(picture: Floats, surface: Floats, own: Mask, slack: float) -> tuple[Floats, Mask]:
    """The surface moved to where the background's own pixels are nearby, and which those then are."""
    for share in LOCAL_SHARES:
        # Near pieces the background is in their shadow, and their own rim looks like it. What does not
        # hang together with the border may be print.
        clear = eroded(_at_border(own), 2)
        clear = clear if clear.any() else own
        sigma = share * max(picture.shape[:2])
        weight = np.maximum(blurred(clear.astype(np.float32), sigma, 2.5), 0.05)
        off = np.where(clear[..., None], picture - surface, np.float32(0.0))
        surface = np.asarray(surface + blurred(off, sigma, 2.5) / weight[..., None], dtype=np.float32)
        own = np.abs(picture - surface).max(axis=2) <= slack
    return surface, own


def _at_border(own: Mask) -> Mask:
    """The part of a mask that hangs together with the border of the picture."""
    rim = own.copy()
    rim[1:-1, 1:-1] = False
    return spread(rim, own)

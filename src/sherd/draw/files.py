"""Pictures into files, whole or not at all."""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from scipy.spatial import KDTree

from sherd.core.assembly import Assembly
from sherd.core.errors import ArgumentError
from sherd.core.puzzle import Puzzle
from sherd.draw.png import to_image, to_png
from sherd.draw.scene import Picture
from sherd.draw.steps import draw_frames
from sherd.draw.svg import to_svg
from sherd.io.atomic import write_atomically

FLAT_COLOURS = 48
MIXED_COLOURS = 80


def write(picture: Picture, path: str | os.PathLike[str], *, zoom: float = 2.0) -> None:
    """Write an SVG or a PNG file, as the path's ending says; ``zoom`` is the PNG's pixels a page pixel."""
    match Path(path).suffix.lower():
        case ".svg":
            write_atomically(path, to_svg(picture))
        case ".png":
            write_atomically(path, to_png(picture, zoom=zoom))
        case ending:
            raise ArgumentError(f"a picture's file must end in .svg or .png, not {ending!r}")


def write_gif(
    puzzle: Puzzle, steps: Sequence[Assembly], path: str | os.PathLike[str], *, seconds: float = 0.7
) -> None:
    """Write an animation that shows each step for some seconds and the last one longer, over and over."""
    if not seconds > 0.0:
        raise ArgumentError(f"a frame must be shown for more than 0 seconds, not {seconds}")
    images = [to_image(picture) for picture in draw_frames(puzzle, steps)]
    palette = _shared_palette([images[0], images[len(images) // 2], images[-1]])
    frames = [_in_palette(image, palette) for image in images]
    milliseconds = [round(1000 * seconds)] * (len(frames) - 1) + [round(4000 * seconds)]
    stream = io.BytesIO()
    frames[0].save(
        stream, format="GIF", save_all=True, append_images=frames[1:], duration=milliseconds, loop=0
    )
    write_atomically(path, stream.getvalue())


def _shared_palette(images: Sequence[Image.Image]) -> NDArray[np.uint8]:
    """Colours (C, 3) for all frames, so that none flickers.

    The commonest colours, which are the flat ones, are kept exactly; the smooth edges between them, and
    paintings, share the rest.
    """
    sheet = Image.new("RGB", (images[0].width, len(images) * images[0].height))
    for k, image in enumerate(images):
        sheet.paste(image, (0, k * image.height))
    colours, counts = np.unique(_codes(sheet), return_counts=True)
    flat = _decode(colours[np.argsort(-counts, kind="stable")][:FLAT_COLOURS])
    mixed = sheet.quantize(MIXED_COLOURS, dither=Image.Dither.NONE).getpalette() or []
    return np.concatenate([flat, np.array(mixed, dtype=np.uint8).reshape(-1, 3)])


def _in_palette(image: Image.Image, palette: NDArray[np.uint8]) -> Image.Image:
    """The image with every colour replaced by the nearest one; Pillow's own search is not exact."""
    colours, where = np.unique(_codes(image), return_inverse=True)
    nearest = np.asarray(KDTree(palette).query(_decode(colours))[1], dtype=np.uint8)
    indices = nearest[where].reshape(image.height, image.width)
    indexed = Image.fromarray(indices)
    indexed.putpalette(palette.tobytes())
    return indexed


def _codes(image: Image.Image) -> NDArray[np.int64]:
    """Every pixel's colour as one number."""
    return np.asarray(image).reshape(-1, 3) @ np.array([65536, 256, 1])


def _decode(codes: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Numbers back into colours (C, 3)."""
    return np.stack([codes >> 16, codes >> 8 & 255, codes & 255], axis=-1).astype(np.uint8)

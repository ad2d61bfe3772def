"""Pictures into files, whole or not at all."""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PIL import Image

from sherd.assembly import Assembly
from sherd.draw.png import to_image, to_png
from sherd.draw.scene import Picture
from sherd.draw.steps import draw_frames
from sherd.draw.svg import to_svg
from sherd.io.atomic import write_atomically
from sherd.puzzle import Puzzle

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
            raise ValueError(f"a picture's file must end in .svg or .png, not {ending!r}")


def write_gif(
    puzzle: Puzzle, steps: Sequence[Assembly], path: str | os.PathLike[str], *, seconds: float = 0.7
) -> None:
    """Write an animation that shows each step for some seconds and the last one longer, over and over."""
    if not seconds > 0.0:
        raise ValueError(f"a frame must be shown for more than 0 seconds, not {seconds}")
    images = [to_image(picture) for picture in draw_frames(puzzle, steps)]
    palette = _shared_palette([images[0], images[len(images) // 2], images[-1]])
    frames = [image.quantize(palette=palette, dither=Image.Dither.NONE) for image in images]
    milliseconds = [round(1000 * seconds)] * (len(frames) - 1) + [round(4000 * seconds)]
    stream = io.BytesIO()
    frames[0].save(
        stream, format="GIF", save_all=True, append_images=frames[1:], duration=milliseconds, loop=0
    )
    write_atomically(path, stream.getvalue())


def _shared_palette(images: Sequence[Image.Image]) -> Image.Image:
    """A palette for all frames, so that colours do not flicker.

    The commonest colours, which are the flat ones, are kept exactly; the smooth edges between them take
    the nearest. Paintings have no flat colours and share the rest of the palette.
    """
    sheet = Image.new("RGB", (images[0].width, len(images) * images[0].height))
    for k, image in enumerate(images):
        sheet.paste(image, (0, k * image.height))
    pixels = np.asarray(sheet).reshape(-1, 3)
    colours, counts = np.unique(pixels @ np.array([65536, 256, 1]), return_counts=True)
    commonest = colours[np.argsort(-counts, kind="stable")][:FLAT_COLOURS].tolist()
    flat = [channel for colour in commonest for channel in colour.to_bytes(3, "big")]
    mixed = sheet.quantize(MIXED_COLOURS, dither=Image.Dither.NONE).getpalette() or []
    palette = Image.new("P", (1, 1))
    palette.putpalette(flat + mixed)
    return palette

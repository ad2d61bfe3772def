"""Pictures to paint puzzles with: image files, and patterns that a seed makes."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import cast

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont, ImageOps
from scipy import ndimage
from scipy.spatial import KDTree

from sherd.core.errors import FileFormatError
from sherd.core.texture import Floats, Pixels

IMAGE_SUFFIXES = frozenset({".bmp", ".gif", ".jpeg", ".jpg", ".png", ".tif", ".tiff", ".webp"})
MOST_PIXELS = 100_000_000
LETTERS = "aaabcdeeeefghiiijklmnnnooprrsssttuuvwy"


def images_in(folder: Path) -> list[Path]:
    """The image files of a folder, by name."""
    if not folder.is_dir():
        raise FileFormatError(f"{folder}: there is no such folder")
    found = sorted(path for path in folder.iterdir() if path.suffix.lower() in IMAGE_SUFFIXES)
    if not found:
        raise FileFormatError(f"{folder}: no images there ({', '.join(sorted(IMAGE_SUFFIXES))})")
    return found


def load_image(path: Path) -> Pixels:
    """An image file as (H, W, 3), upright as its camera held it, what is transparent made white."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)  # the check below is ours
            with Image.open(path) as picture:
                if picture.width * picture.height > MOST_PIXELS:
                    raise Image.DecompressionBombError
                upright = ImageOps.exif_transpose(picture).convert("RGBA")
    except Image.DecompressionBombError:
        raise FileFormatError(f"{path}: larger than {MOST_PIXELS // 10**6} megapixels") from None
    except FileNotFoundError:
        raise FileFormatError(f"{path}: there is no such file") from None
    except (OSError, SyntaxError, ValueError):
        raise FileFormatError(f"{path}: not a readable image") from None
    white = Image.new("RGBA", upright.size, "white")
    return np.array(Image.alpha_composite(white, upright).convert("RGB"))


def fit_square(image: Pixels, size_px: int) -> Pixels:
    """The middle square of an image (H, W, 3), resampled to (``size_px``, ``size_px``, 3)."""
    height, width = image.shape[:2]
    side = min(height, width)
    top, left = (height - side) // 2, (width - side) // 2
    square = image[top : top + side, left : left + side]
    if side == size_px:
        return square.copy()
    return np.array(Image.fromarray(square).resize((size_px, size_px), Image.Resampling.LANCZOS))


# Five colours each, from dark to light, that stay apart in lightness too.
PALETTES: tuple[tuple[str, ...], ...] = (
    ("264653", "2a9d8f", "8ab17d", "e9c46a", "faedcd"),
    ("3d2c2e", "a44a3f", "d4856a", "e8c39e", "f7ede2"),
    ("1d3557", "457b9d", "7fb7be", "c9e4e7", "f1faee"),
    ("2d2a32", "6b4e71", "b07d9e", "e0b1cb", "f9eef5"),
    ("283618", "606c38", "a3b18a", "dda15e", "fefae0"),
)


def _palette(rng: np.random.Generator) -> Floats:
    """The colours (5, 3) of one palette, 0 to 255."""
    colours = PALETTES[rng.integers(len(PALETTES))]
    return np.array([list(bytes.fromhex(colour)) for colour in colours], dtype=np.float64)


def _shade(level: Floats, colours: Floats) -> Pixels:
    """Levels (S, S), 0 to 1, as colours blended along the palette."""
    at = np.clip(level, 0.0, 1.0) * (len(colours) - 1)
    channels: list[Floats] = [np.interp(at, np.arange(len(colours)), channel) for channel in colours.T]
    return np.stack(channels, axis=-1).round().astype(np.uint8)


def _plane(size_px: int) -> tuple[Floats, Floats]:
    """x and y (S, S) of pixel centres over the unit square."""
    centre = (np.arange(size_px) + 0.5) / size_px
    x, y = np.meshgrid(centre, centre[::-1])
    return x, y


def _clouds(size_px: int, rng: np.random.Generator) -> Floats:
    """Smooth noise (S, S) of several scales, spread over 0 to 1."""
    total = np.zeros((size_px, size_px))
    for octave, cells in enumerate((4, 8, 16, 32)):
        coarse = rng.standard_normal((cells + 3, cells + 3))
        at = (np.arange(size_px) + 0.5) / size_px * cells + 1.0
        total += ndimage.map_coordinates(coarse, np.meshgrid(at, at, indexing="ij"), order=3) / 2.0**octave
    low, high = total.min(), total.max()
    return (total - low) / max(high - low, np.finfo(np.float64).tiny)


def stripes(size_px: int, rng: np.random.Generator) -> Pixels:
    """Slanted bands that sway a little, five colours in turn."""
    x, y = _plane(size_px)
    angle, bands, sway = rng.uniform(0.0, np.pi), rng.uniform(8.0, 12.0), rng.uniform(0.02, 0.05)
    along, across = x * np.cos(angle) + y * np.sin(angle), y * np.cos(angle) - x * np.sin(angle)
    position = (across + sway * np.sin(2.0 * np.pi * (along + rng.random()))) * bands
    band = np.floor(position)
    # The last tenth of a band runs into the next, so that no edge is jagged.
    blend = np.clip((position - band - 0.9) * 10.0, 0.0, 1.0)[..., None]
    colours = _palette(rng)[rng.permutation(5)]
    here, after = (colours[(band + step).astype(np.int64) % 5] for step in (0, 1))
    return (here * (1.0 - blend) + after * blend).round().astype(np.uint8)


def checker(size_px: int, rng: np.random.Generator) -> Pixels:
    """Tiles in the colours of one palette, no two the same shade."""
    tiles = int(rng.integers(6, 10))
    colours = _palette(rng)
    rows, columns = np.indices((tiles, tiles))
    dark = (rows + columns) % 2 == 0
    warm, cold = rng.integers(0, 2, (tiles, tiles)), rng.integers(2, 5, (tiles, tiles))
    pick = np.where(dark, warm, cold)
    shade = colours[pick] + rng.uniform(-12.0, 12.0, (tiles, tiles, 1))
    board = Image.fromarray(np.clip(shade, 0.0, 255.0).round().astype(np.uint8))
    fine = tiles * -(-2 * size_px // tiles)
    sharp = board.resize((fine, fine), Image.Resampling.NEAREST)
    return np.array(sharp.resize((size_px, size_px), Image.Resampling.BOX))


def marble(size_px: int, rng: np.random.Generator) -> Pixels:
    """Veins drawn out by noise."""
    x, y = _plane(size_px)
    angle = rng.uniform(0.0, np.pi)
    along = x * np.cos(angle) + y * np.sin(angle)
    veins = np.sin(2.0 * np.pi * (1.5 * along + 0.9 * _clouds(size_px, rng)))
    return _shade(1.0 - 0.75 * np.abs(veins) ** 0.6 - 0.25 * _clouds(size_px, rng), _palette(rng))


def noise(size_px: int, rng: np.random.Generator) -> Pixels:
    """Soft clouds."""
    return _shade(_clouds(size_px, rng), _palette(rng))


def gradient(size_px: int, rng: np.random.Generator) -> Pixels:
    """One palette from side to side, and a little light across it."""
    x, y = _plane(size_px)
    angle = rng.uniform(0.0, 2.0 * np.pi)
    along = (x - 0.5) * np.cos(angle) + (y - 0.5) * np.sin(angle)
    across = (y - 0.5) * np.cos(angle) - (x - 0.5) * np.sin(angle)
    base = _shade(0.5 + along / np.sqrt(2.0), _palette(rng)).astype(np.float64)
    return np.clip(base * (1.0 + 0.3 * across[..., None]), 0.0, 255.0).round().astype(np.uint8)


def terrazzo(size_px: int, rng: np.random.Generator) -> Pixels:
    """Chips of stone in light mortar: the cells of random points, shrunk."""
    fine = 2 * size_px
    x, y = _plane(fine)
    colours = _palette(rng)
    chips = rng.random((90, 2))
    tree, places = KDTree(chips), np.stack([x, y], axis=-1)
    distance, nearest = cast("tuple[Floats, NDArray[np.int64]]", tree.query(places, k=2))
    gap = distance[..., 1] - distance[..., 0]
    pick = rng.integers(0, 4, len(chips))
    shade = colours[pick] + rng.uniform(-15.0, 15.0, (len(chips), 1))
    picture = np.where((gap > 0.02)[..., None], shade[nearest[..., 0]], colours[4])
    sharp = Image.fromarray(np.clip(picture, 0.0, 255.0).round().astype(np.uint8))
    return np.array(sharp.resize((size_px, size_px), Image.Resampling.BOX))


def page(size_px: int, rng: np.random.Generator) -> Pixels:
    """A printed page: lines of words on white paper, a heading, and a picture between them."""
    colours = _palette(rng)
    fine = 2 * size_px
    line = fine / 28.0
    sheet = Image.new("RGB", (fine, fine), (250, 249, 246))
    pen = ImageDraw.Draw(sheet)
    picture_top, picture_lines = int(rng.integers(8, 14)), 9
    for row in range(2, 26):
        if picture_top <= row < picture_top + picture_lines:
            continue
        is_heading = row == 2
        font = ImageFont.load_default(max(1.0, (1.1 if is_heading else 0.75) * line))
        ink = tuple(int(c) for c in colours[1]) if is_heading else (35, 34, 38)
        words = ("".join(rng.choice(list(LETTERS), rng.integers(2, 10))) for _ in range(20))
        text, room = "", 24.0 * line
        for word in words:
            if font.getlength(f"{text}{word} ") > room:
                break
            text += f"{word} "
        pen.text((2.0 * line, row * line), text, fill=ink, font=font)
    left, top = round(2.0 * line), round((picture_top + 0.3) * line)
    box = (left, top, round(26.0 * line), round((picture_top + picture_lines - 0.3) * line))
    sheet.paste(Image.fromarray(marble(fine, rng)).crop(box), (left, top))
    return np.array(sheet.resize((size_px, size_px), Image.Resampling.BOX))


PROCEDURAL: dict[str, Callable[[int, np.random.Generator], Pixels]] = {
    "checker": checker,
    "gradient": gradient,
    "marble": marble,
    "noise": noise,
    "page": page,
    "stripes": stripes,
    "terrazzo": terrazzo,
}

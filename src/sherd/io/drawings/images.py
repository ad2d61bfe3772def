"""Image files, and folders of them, as figures in pixels or, where the resolution is known, millimetres."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps, UnidentifiedImageError

from sherd.core.errors import FileFormatError, InvalidPolygonError
from sherd.io.drawings.figures import MOST_FIGURES, Notes
from sherd.io.drawings.model import MM_PER, Figure
from sherd.io.drawings.params import Picture
from sherd.io.drawings.pictures import is_label_map, label_background, labelled_parts, parts_on_background
from sherd.io.drawings.pixels import texture_of
from sherd.io.drawings.tracing import PicturePart, outlines, parts_of

SUFFIXES = frozenset(
    (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp", ".webp", ".gif", ".pgm", ".ppm", ".pbm")
)
# Below where Pillow begins to warn; about 25 bytes a pixel are needed on the way.
MOST_PIXELS = 80_000_000
# What cameras and drawing programs write when they know no resolution.
MEANINGLESS_DPI = (1.0, 72.0, 96.0)
NUMBERED_MODES = ("P", "L", "I", "I;16", "I;16B", "I;16L")
# A second part of one mask, smaller than this share of the first, is not a piece but dirt.
DIRT_SHARE = 0.05


def read_image(path: Path, kind: Picture | None, notes: Notes) -> tuple[list[Figure], float | None]:
    """The pieces of one picture in pixels with y up, and the size of a pixel in mm if the file says so."""
    image = _opened(path)
    if kind is None:
        kind = "alpha" if _is_cut_out(image) else "labels" if is_label_map(_labels(image)) else "photo"
    if kind == "labels":
        return _from_labels(image, notes), _mm_per_px(image, path.name, notes)
    picture = _colours(image)
    parts, specks = parts_of(_alpha(image)) if kind == "alpha" else parts_on_background(picture)
    _note_specks(specks, path.stem, notes)
    figures: list[Figure] = []
    # In reading order, so that numbers can be found on the picture again.
    for part in sorted(parts, key=lambda part: (part.row + part.cover.shape[0] / 2, part.column)):
        figures += _figures(part, f"piece {len(figures) + 1}", image.height, notes, picture)
    return figures, _mm_per_px(image, path.name, notes)


def read_masks(
    folder: Path, kind: Picture | None, notes: Notes, *, sized: bool = False
) -> tuple[list[Figure], float | None]:
    """One piece from every picture of a folder, named as its file is.

    All must have one resolution, unless the size of a pixel is known (``sized``).
    """
    paths = sorted(path for path in folder.iterdir() if path.suffix.lower() in SUFFIXES and path.is_file())
    if len(paths) > MOST_FIGURES:
        raise FileFormatError(f"{len(paths):,} pictures, and no more than {MOST_FIGURES:,} are read")
    figures: list[Figure] = []
    sizes: set[float | None] = set()
    for path in paths:
        try:
            image = _opened(path)
            parts, specks, picture = _mask_parts(image, kind)
        except FileFormatError as error:
            raise FileFormatError(f"{path.name}: {error}") from None
        sizes.add(_mm_per_px(image, path.name, notes))
        _note_specks(specks, path.stem, notes)
        for part in parts:
            if part.cover.sum() >= DIRT_SHARE * parts[0].cover.sum():
                figures += _figures(part, path.stem, image.height, notes, picture)
    if len(sizes) > 1 and not sized:
        raise FileFormatError("mixed units: the pictures have different resolutions; give --mm-per-px")
    return figures, sizes.pop() if len(sizes) == 1 else None


def _mask_parts(
    image: Image.Image, kind: Picture | None
) -> tuple[list[PicturePart], int, NDArray[np.uint8] | None]:
    """The parts of a picture of one piece, how many specks there were, and the colours if it shows any."""
    if kind == "alpha" or (kind is None and _is_cut_out(image)):
        return *parts_of(_alpha(image)), np.asarray(image.convert("RGB"))
    if image.mode in ("1", "L") and kind is None:
        values = np.asarray(image.convert("L"))
        if len(np.unique(values)) <= 2 or not _is_photo(values):
            cover = values.astype(np.float32) / max(1, int(values.max()))
            corners = cover[[0, 0, -1, -1], [0, -1, 0, -1]]
            return *parts_of(1.0 - cover if corners.min() >= 0.5 and cover.min() < 0.5 else cover), None
    picture = _colours(image)
    return *parts_on_background(picture), picture


def _is_photo(values: NDArray[np.uint8]) -> bool:
    """Whether more than a rim is between black and white."""
    middle = np.count_nonzero((values > 12) & (values < 243))
    return middle > 20 * np.sqrt(values.size)


def _figures(
    part: PicturePart, name: str, height_px: int, notes: Notes, picture: NDArray[np.uint8] | None = None
) -> list[Figure]:
    """The outlines of a part, with its pixels where the picture shows what the piece looks like."""
    texture = None if picture is None else texture_of(part, picture)
    try:
        return [Figure(name, polygon, texture=texture) for polygon in outlines(part, height_px)]
    except InvalidPolygonError as error:
        notes.add(f"left out ({error})", name)
        return []


def _from_labels(image: Image.Image, notes: Notes) -> list[Figure]:
    labels = _labels(image)
    coloured = image.mode not in NUMBERED_MODES
    parts, specks = labelled_parts(labels, label_background(labels, coloured))
    _note_specks(specks, "labels", notes)
    if len(parts) > MOST_FIGURES:
        raise FileFormatError(f"{len(parts):,} patches of colour, and no more than {MOST_FIGURES:,} are read")
    figures: list[Figure] = []
    for value, part in parts:
        figures += _figures(part, f"#{value:06x}" if coloured else str(value), image.height, notes)
    return figures


def _note_specks(count: int, name: str, notes: Notes) -> None:
    if count:
        notes.add(f"{count:,} {'speck was' if count == 1 else 'specks were'} taken for dirt", name)


def _opened(path: Path) -> Image.Image:
    """The first frame of a picture, upright; errors do not name the file."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of size, which is checked below, and of broken metadata
            with Image.open(path) as image:
                if image.width * image.height > MOST_PIXELS:
                    raise FileFormatError(_too_large(image.width * image.height))
                info = dict(image.info)
                image.load()
                upright = ImageOps.exif_transpose(image)
    except UnidentifiedImageError:
        raise FileFormatError("not an image that can be read") from None
    except Image.DecompressionBombError:
        raise FileFormatError(_too_large(None)) from None
    except MemoryError:
        raise
    except OSError as error:
        if error.errno is not None:
            raise
        raise FileFormatError(f"the image is broken: {error}") from None
    except FileFormatError:
        raise
    except Exception as error:  # broken files bring decoders to raise almost anything
        raise FileFormatError(f"the image is broken: {type(error).__name__}") from None
    upright.info = info
    return upright


def _too_large(pixels: int | None) -> str:
    said = f"{pixels / 1e6:,.0f} megapixels" if pixels is not None else "hundreds of megapixels"
    return f"{said}, and no more than {MOST_PIXELS // 10**6} are read: scale the picture down"


def _is_cut_out(image: Image.Image) -> bool:
    if "A" not in image.getbands() and "transparency" not in image.info:
        return False
    low, _ = image.convert("RGBA").getchannel("A").getextrema()
    return int(low) < 128  # pyright: ignore[reportArgumentType]


def _alpha(image: Image.Image) -> NDArray[np.float32]:
    return np.asarray(image.convert("RGBA").getchannel("A"), dtype=np.float32) / 255.0


def _labels(image: Image.Image) -> NDArray[np.integer]:
    if image.mode in NUMBERED_MODES:
        return np.asarray(image).astype(np.int32)
    rgb = np.asarray(image.convert("RGB"))
    labels = rgb[..., 0].astype(np.int32)
    for channel in (1, 2):
        labels = (labels << 8) | rgb[..., channel]
    return labels


def _colours(image: Image.Image) -> NDArray[np.uint8]:
    """Red, green and blue of each pixel, (H, W, 3); greys are three views of one channel."""
    if image.mode in ("I", "I;16", "I;16B", "I;16L", "F"):
        values = np.nan_to_num(np.asarray(image).astype(np.float64))
        span = float(np.ptp(values)) or 1.0
        return _grey(((values - values.min()) / span * 255.0).round().astype(np.uint8))
    if image.mode in ("1", "L"):
        return _grey(np.asarray(image.convert("L")))
    if "A" in image.getbands() or "transparency" in image.info:
        white = Image.new("RGBA", image.size, "white")
        return np.asarray(Image.alpha_composite(white, image.convert("RGBA")).convert("RGB"))
    return np.asarray(image.convert("RGB"))


def _grey(values: NDArray[np.uint8]) -> NDArray[np.uint8]:
    return np.broadcast_to(values[..., None], (*values.shape, 3))


def _mm_per_px(image: Image.Image, name: str, notes: Notes) -> float | None:
    """The size of a pixel, if the file tells a resolution that somebody measured."""
    try:
        across, down = (float(value) for value in image.info["dpi"])
    except (KeyError, TypeError, ValueError, ZeroDivisionError):
        return None
    if not 1.0 < across < 1e5 or any(abs(across - value) < 0.1 for value in MEANINGLESS_DPI):
        return None
    if abs(across - down) > 0.01 * across:
        notes.add("mixed units, so that its resolution is not used", f"{name} ({across:g} by {down:g} dpi)")
        return None
    return MM_PER["in"] / across

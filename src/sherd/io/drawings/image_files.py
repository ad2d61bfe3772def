"""Image files as arrays: upright, in colours, in numbers or as transparency, and their resolution."""

from __future__ import annotations

import importlib
import math
import warnings
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps, UnidentifiedImageError

from sherd.core.errors import FileFormatError
from sherd.io.drawings.figures import Notes
from sherd.io.drawings.model import MM_PER

HEIC = frozenset((".heic", ".heif"))
SUFFIXES = HEIC | frozenset(
    (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp", ".webp", ".gif", ".pgm", ".ppm", ".pbm")
)
# Below where Pillow begins to warn.
MOST_PIXELS = 80_000_000
MOST_SIDE_PX = 65_535
# What is larger is made smaller by a whole number before it is looked at: some 50 bytes a pixel are needed.
LARGEST_PX = 16_000_000
LONGEST_PX = 12_000
# What cameras and drawing programs write when they know no resolution.
MEANINGLESS_DPI = (1.0, 72.0, 96.0)
NUMBERED_MODES = ("P", "L", "I", "I;16", "I;16B", "I;16L")


def opened(path: Path) -> Image.Image:
    """The first frame of a picture, upright; errors do not name the file."""
    if path.suffix.lower() in HEIC:
        _learn_heic()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of size, which is checked below, and of broken metadata
            with Image.open(path) as image:
                if image.width * image.height > MOST_PIXELS:
                    raise FileFormatError(_too_large(image.width * image.height))
                if max(image.size) > MOST_SIDE_PX:
                    raise FileFormatError(
                        f"{max(image.size):,} pixels long, and no more than {MOST_SIDE_PX:,} are read"
                    )
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


def times_smaller(image: Image.Image) -> int:
    """By which whole number a picture is to be made smaller; most are small enough.

    >>> times_smaller(Image.new("1", (4000, 3000))), times_smaller(Image.new("1", (10000, 8000)))
    (1, 3)
    """
    width, height = image.size
    return math.ceil(max(math.sqrt(width * height / LARGEST_PX), max(width, height) / LONGEST_PX))


def smaller(image: Image.Image, times: int, *, mixed: bool) -> Image.Image:
    """The picture with each ``times`` x ``times`` pixels one, their mean if colours may be mixed."""
    if times == 1:
        return image
    info = dict(image.info)
    if mixed and image.mode in ("1", "P"):
        image = image.convert("L" if image.mode == "1" else "RGBA" if "transparency" in info else "RGB")
    if mixed and image.mode not in NUMBERED_MODES[2:]:
        found = image.reduce(times)
    else:
        size = max(1, image.width // times), max(1, image.height // times)
        found = image.resize(size, Image.Resampling.NEAREST)
    found.info = info
    return found


def _learn_heic() -> None:
    """Teach Pillow the format of telephones, if what that takes is installed."""
    try:
        importlib.import_module("pillow_heif").register_heif_opener()
    except ModuleNotFoundError:
        raise FileFormatError(
            "HEIC pictures need one more package (pip install pillow-heif); or save it as JPEG"
        ) from None


def _too_large(pixels: int | None) -> str:
    said = f"{pixels / 1e6:,.0f} megapixels" if pixels is not None else "hundreds of megapixels"
    return f"{said}, and no more than {MOST_PIXELS // 10**6} are read: scale the picture down"


def is_cut_out(image: Image.Image) -> bool:
    if "A" not in image.getbands() and "transparency" not in image.info:
        return False
    low, _ = image.convert("RGBA").getchannel("A").getextrema()
    return int(low) < 128  # pyright: ignore[reportArgumentType]


def alpha_of(image: Image.Image) -> NDArray[np.float32]:
    return np.asarray(image.convert("RGBA").getchannel("A"), dtype=np.float32) / 255.0


def labels_of(image: Image.Image) -> NDArray[np.integer]:
    if image.mode in NUMBERED_MODES:
        return np.asarray(image).astype(np.int32)
    rgb = np.asarray(image.convert("RGB"))
    labels = rgb[..., 0].astype(np.int32)
    for channel in (1, 2):
        labels = (labels << 8) | rgb[..., channel]
    return labels


def colours_of(image: Image.Image) -> NDArray[np.uint8]:
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


def mm_per_px_of(image: Image.Image, name: str, notes: Notes) -> float | None:
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

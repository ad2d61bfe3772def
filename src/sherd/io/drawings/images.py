"""Pictures of pieces, and folders of them, as figures in pixels, and how large a pixel is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import shapely
from numpy.typing import NDArray
from PIL import Image

from sherd.core.errors import FileFormatError, InvalidPolygonError
from sherd.core.texture import Texture
from sherd.io.drawings.figures import MOST_FIGURES, Notes
from sherd.io.drawings.image_files import (
    NUMBERED_MODES,
    SUFFIXES,
    alpha_of,
    colours_of,
    is_cut_out,
    labels_of,
    mm_per_px_of,
    opened,
    smaller,
    times_smaller,
)
from sherd.io.drawings.model import Figure
from sherd.io.drawings.params import ReadParams
from sherd.io.drawings.pictures import is_label_map, label_background, labelled_parts
from sherd.io.drawings.pixels import scan_of, squared, squared_scan, texture_of
from sherd.io.drawings.tracing import outlines
from sherd.tracing.parts import PicturePart, parts_of
from sherd.tracing.photo.find_pieces import PhotoParts, find_pieces
from sherd.tracing.photo.on_sheet import find_on_sheet
from sherd.tracing.photo.table_plane import Plane

Bytes = NDArray[np.uint8]

# A second part of one mask, smaller than this share of the first, is not a piece but dirt.
DIRT_SHARE = 0.05
# Of a piece on a light table, what its picture in colour is called: the name and this.
COLOUR_ENDINGS = ("_color", "_colour")
# One part 1.7 times as large as the usual one, while all others are nearly alike, may be two that touch.
TWICE = 1.7
ALIKE = (0.6, 1.5)
LEAST_ALIKE = 4


@dataclass(frozen=True)
class _Seen:
    """The parts of a picture, its colours if it shows what pieces look like, and how the table lies in it.

    All are those of a picture that was made ``times`` smaller.
    """

    parts: Sequence[PicturePart]
    colours: Bytes | None
    height_px: int
    plane: Plane | None = None
    times: int = 1


@dataclass(frozen=True)
class PictureFigures:
    """Pieces in pixels with y up, the size of a pixel in mm if files say so, and what they were read from.

    ``pixel`` is the size of the pixels that were looked at: larger ones where a picture was made smaller, in
    mm where it was squared up.
    """

    figures: Sequence[Figure]
    mm_per_px: float | None
    scan: Texture | None = None
    pixel: float = 1.0


def read_image(path: Path, params: ReadParams, notes: Notes) -> PictureFigures:
    """The pieces of one picture."""
    image = opened(path)
    times = times_smaller(image)
    kind = params.picture
    if kind is None:
        some = smaller(image, times, mixed=False)
        kind = "alpha" if is_cut_out(some) else "labels" if is_label_map(labels_of(some)) else "photo"
        del some
    image = _made_smaller(image, times, path.name, notes, mixed=kind != "labels")
    if kind == "labels":
        scale = mm_per_px_of(image, path.name, notes)
        scan = scan_of(colours_of(image)).scaled(times)
        return PictureFigures(_from_labels(image, times, notes), scale, scan, float(times))
    seen = (
        _cut_out(image, times, path.stem, notes)
        if kind == "alpha"
        else _photographed(image, times, path.stem, params, notes)
    )
    figures: list[Figure] = []
    # In reading order, so that numbers can be found on the picture again.
    for part in sorted(seen.parts, key=lambda part: (part.row + part.cover.shape[0] / 2, part.column)):
        figures += _figures(part, f"piece {len(figures) + 1}", seen, notes)
    _note_large(figures, notes)
    scan = None if seen.colours is None else scan_of(seen.colours).scaled(times)
    if seen.plane is not None and seen.colours is not None:
        bounds = shapely.total_bounds([figure.polygon for figure in figures]).tolist()
        scan = squared_scan(seen.colours, seen.plane, bounds) if figures else None
        return PictureFigures(figures, 1.0, scan, _pixel_of(figures, times))
    return PictureFigures(figures, mm_per_px_of(image, path.name, notes), scan, float(times))


def read_folder(folder: Path, params: ReadParams, notes: Notes) -> PictureFigures:
    """The pieces of all pictures of a folder, each named as its file is: one a picture, or several.

    All must have one resolution, unless the size of a pixel is known. Where a picture NAME_color lies beside
    NAME, as of pieces on a light table, the outline is NAME's and the colours are the other's.
    """
    paths = sorted(path for path in folder.iterdir() if path.suffix.lower() in SUFFIXES and path.is_file())
    if len(paths) > MOST_FIGURES:
        raise FileFormatError(f"{len(paths):,} pictures, and no more than {MOST_FIGURES:,} are read")
    in_colour = _colour_pictures(paths)
    figures: list[Figure] = []
    sizes: set[float | None] = set()
    pixel = 0.0
    for path in (path for path in paths if path not in in_colour.values()):
        try:
            image = opened(path)
            times = times_smaller(image)
            image = _made_smaller(image, times, path.name, notes)
            seen = _one_of_folder(image, times, path.stem, params, notes)
            if path in in_colour:
                seen = _coloured(seen, image.size, in_colour[path], notes)
        except FileFormatError as error:
            raise FileFormatError(f"{path.name}: {error}") from None
        sizes.add(mm_per_px_of(image, path.name, notes) if seen.plane is None else 1.0)
        largest = max((part.cover.sum() for part in seen.parts), default=0.0)
        for part in seen.parts:
            if part.cover.sum() >= DIRT_SHARE * largest:
                figures += (found := _figures(part, path.stem, seen, notes))
                pixel = max(pixel, float(times) if seen.plane is None else _pixel_of(found, times))
    if len(sizes) > 1 and params.mm_per_px is None:
        raise FileFormatError(
            "mixed units: the pictures have different resolutions; give the setting mm_per_px"
        )
    return PictureFigures(figures, sizes.pop() if len(sizes) == 1 else None, pixel=pixel or 1.0)


def _pixel_of(figures: Sequence[Figure], times: int) -> float:
    """How large the pixels are of figures that were squared up."""
    return min((one.texture.grid.pixel for one in figures if one.texture is not None), default=float(times))


def _colour_pictures(paths: Sequence[Path]) -> dict[Path, Path]:
    """For each picture of a silhouette, that of the same piece in colour."""
    by_stem = {path.stem.casefold(): path for path in paths}
    found: dict[Path, Path] = {}
    for path in paths:
        for ending in COLOUR_ENDINGS:
            if (other := by_stem.get(path.stem.casefold() + ending)) is not None:
                found[path] = other
    return found


def _coloured(seen: _Seen, size: tuple[int, int], path: Path, notes: Notes) -> _Seen:
    image = opened(path)
    image = smaller(image, times_smaller(image), mixed=True)
    if image.size != size:
        notes.add("not used for colours, since it has another size", path.name)
        return seen
    return replace(seen, colours=colours_of(image))


def _one_of_folder(image: Image.Image, times: int, name: str, params: ReadParams, notes: Notes) -> _Seen:
    kind = params.picture
    if kind == "alpha" or (kind is None and is_cut_out(image)):
        return _cut_out(image, times, name, notes)
    if image.mode in ("1", "L") and kind is None:
        values = np.asarray(image.convert("L"))
        if len(np.unique(values)) <= 2 or not _is_photo(values):
            cover = values.astype(np.float32) / max(1, int(values.max()))
            corners = cover[[0, 0, -1, -1], [0, -1, 0, -1]]
            parts, specks = parts_of(1.0 - cover if corners.min() >= 0.5 and cover.min() < 0.5 else cover)
            _note_specks(specks, name, notes)
            return _Seen(parts, None, image.height, times=times)
    return _photographed(image, times, name, params, notes)


def _cut_out(image: Image.Image, times: int, name: str, notes: Notes) -> _Seen:
    """The parts of a picture that are not transparent."""
    parts, specks = parts_of(alpha_of(image))
    _note_specks(specks, name, notes)
    return _Seen(parts, np.asarray(image.convert("RGBA").convert("RGB")), image.height, times=times)


def _photographed(image: Image.Image, times: int, name: str, params: ReadParams, notes: Notes) -> _Seen:
    """The parts of a picture that lie on its background, or on a sheet whose size is known."""
    picture = colours_of(image)
    plane, sheet, photo = None, "", params.photo
    if photo.specks is not None:
        photo = replace(photo, specks=photo.specks / times**2)
    if params.mm_per_px is None:
        found, plane, sheet = find_on_sheet(picture, photo, params.sheet)
    else:
        found = find_pieces(picture, photo)
    _note_seen(found, name, notes)
    if plane is not None:
        notes.add(f"squared up and measured by the {sheet}", name)
    return _Seen(found.parts, picture, image.height, plane, times)


def _note_seen(found: PhotoParts, name: str, notes: Notes) -> None:
    _note_specks(found.specks, name, notes)
    for side in found.strips:
        notes.add(f"something along the {side} border was taken for the edge of the table", name)
    if found.touching:
        parts = "part was" if found.touching == 1 else "parts were"
        notes.add(
            f'{found.touching} {parts} told apart into pieces that touch (touching = "one" leaves them)', name
        )


def _made_smaller(
    image: Image.Image, times: int, name: str, notes: Notes, *, mixed: bool = True
) -> Image.Image:
    if times > 1:
        notes.add(f"looked at {times} times smaller than it is, to spare memory", name)
    return smaller(image, times, mixed=mixed)


def _is_photo(values: Bytes) -> bool:
    """Whether more than a rim is between black and white."""
    middle = np.count_nonzero((values > 12) & (values < 243))
    return middle > 20 * np.sqrt(values.size)


def _figures(part: PicturePart, name: str, seen: _Seen, notes: Notes) -> list[Figure]:
    """The outlines of a part, with its pixels where the picture shows what the piece looks like."""
    texture = None if seen.colours is None else texture_of(part, seen.colours)
    try:
        found = [Figure(name, polygon, texture=texture) for polygon in outlines(part, seen.height_px)]
        if seen.plane is not None:
            found = [squared(figure, seen.plane, seen.height_px) for figure in found]
        elif seen.times > 1:
            found = [figure.scaled(seen.times) for figure in found]
    except InvalidPolygonError as error:
        notes.add(f"left out ({error})", name)
        return []
    if part.at_border:
        notes.add("reaches the border of the picture, and may be cut off there", name)
    if part.has_hole:
        notes.add('has a hole through which the background shows (holes = "fill" if that is print)', name)
    return found


def _note_large(figures: Sequence[Figure], notes: Notes) -> None:
    """Say which part is about twice as large as all others, which are nearly alike."""
    areas = np.array([figure.polygon.area for figure in figures])
    if len(areas) <= LEAST_ALIKE:
        return
    usual = float(np.median(areas))
    large = areas > TWICE * usual
    others = areas[~large]
    if 0 < np.count_nonzero(large) <= len(areas) // 4 and (
        others.min() > ALIKE[0] * usual and others.max() < ALIKE[1] * usual
    ):
        for k in np.flatnonzero(large).tolist():
            notes.add(
                f"{areas[k] / usual:.1f} times as large as the others: lay pieces that touch apart",
                figures[k].id,
            )


def _from_labels(image: Image.Image, times: int, notes: Notes) -> list[Figure]:
    labels = labels_of(image)
    coloured = image.mode not in NUMBERED_MODES
    parts, specks = labelled_parts(labels, label_background(labels, coloured))
    _note_specks(specks, "labels", notes)
    if len(parts) > MOST_FIGURES:
        raise FileFormatError(f"{len(parts):,} patches of colour, and no more than {MOST_FIGURES:,} are read")
    figures: list[Figure] = []
    for value, part in parts:
        seen = _Seen((part,), None, image.height, times=times)
        figures += _figures(part, f"#{value:06x}" if coloured else str(value), seen, notes)
    return figures


def _note_specks(count: int, name: str, notes: Notes) -> None:
    if count:
        notes.add(f"{count:,} {'speck was' if count == 1 else 'specks were'} taken for dirt", name)

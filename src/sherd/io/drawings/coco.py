"""Annotations in COCO's form: polygons in pixels, or masks as run lengths, plain or packed into text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sherd.core.errors import FileFormatError, InvalidPolygonError
from sherd.io.document import is_list, is_object
from sherd.io.drawings.curves import polyline
from sherd.io.drawings.figures import Notes
from sherd.io.drawings.image_files import MOST_PIXELS
from sherd.io.drawings.model import clean_name
from sherd.io.drawings.strokes import Stroke
from sherd.io.drawings.tracing import outlines
from sherd.tracing.parts import parts_of

# The boxes around all masks of a file have no more pixels than this.
MOST_MASKED = 40_000_000
# A run length of this many packed digits would be longer than any picture.
MOST_DIGITS = 8


def is_coco(document: Any) -> bool:
    """Whether a JSON document holds annotations."""
    return is_object(document) and is_list(document.get("annotations"))


def read_coco(document: dict[str, Any], notes: Notes) -> list[Stroke]:
    """The outlines of all annotations in pixels, y up; layers are pictures (if several) and categories."""
    categories = {
        item["id"]: clean_name(str(item.get("name", ""))) for item in _items(document, "categories")
    }
    images = {item["id"]: item for item in _items(document, "images")}
    strokes: list[Stroke] = []
    room = MOST_MASKED
    for number, annotation in enumerate(document["annotations"]):
        where = f"annotations[{number}]"
        if not is_object(annotation):
            raise FileFormatError(f"{where}: expected an object")
        image: dict[str, Any] = images.get(_key(annotation.get("image_id")), {})
        category = categories.get(_key(annotation.get("category_id")), "")
        picture = clean_name(str(image.get("file_name", ""))) if len(images) > 1 else ""
        name = str(annotation.get("name") or f"{category or 'piece'} {annotation.get('id', number + 1)}")
        groups = tuple(group for group in (picture, category) if group)
        height = _height(image, annotation, where)
        segmentation = annotation.get("segmentation")
        if is_object(segmentation):
            room -= _box_area(*_lengths(segmentation, where))
            if room < 0:
                raise FileFormatError(
                    f"{where}: the masks up to here take more than {MOST_MASKED // 10**6} megapixels: "
                    "save them as polygons, or smaller"
                )
        for rings in _rings(segmentation, height, where, name, notes):
            element = len(strokes) + 1
            strokes += [Stroke(polyline(ring, True), name, groups, element) for ring in rings]
    return strokes


def _items(document: dict[str, Any], key: str) -> list[dict[str, Any]]:
    items = document.get(key, [])
    if not is_list(items) or not all(is_object(item) and _key(item.get("id")) is not None for item in items):
        raise FileFormatError(f"{key}: expected a list of objects with an id")
    return items


def _key(value: Any) -> int | str | None:
    return value if isinstance(value, (int, str)) else None


def _height(image: dict[str, Any], annotation: dict[str, Any], where: str) -> int:
    """The height of the picture, from which y is counted up; 0 where nothing tells it."""
    height = image.get("height", 0)
    segmentation = annotation.get("segmentation")
    if is_object(segmentation) and "size" in segmentation:
        return _size(segmentation, where)[0]
    if type(height) is not int or not 0 <= height <= MOST_PIXELS:
        raise FileFormatError(f"{where}: the height of its picture is not a number of pixels")
    return height


def _rings(
    segmentation: Any, height: int, where: str, name: str, notes: Notes
) -> Iterator[list[NDArray[np.float64]]]:
    """Lists of rings, each list one shape."""
    if is_list(segmentation):
        for flat in segmentation:
            try:
                points = np.array(flat, dtype=np.float64).reshape(-1, 2)
            except (TypeError, ValueError, OverflowError):
                raise FileFormatError(f"{where}: a polygon is not a list of x, y, x, y ...") from None
            if len(points) == 0:
                raise FileFormatError(f"{where}: a polygon is empty")
            yield [np.stack([points[:, 0], height - points[:, 1]], axis=-1)]
    elif is_object(segmentation):
        mask = decode_runs(segmentation, where)
        rows, columns = (np.flatnonzero(mask.any(axis=axis)) for axis in (1, 0))
        if not len(rows):
            return
        top, left = int(rows[0]), int(columns[0])
        box = mask[top : int(rows[-1]) + 1, left : int(columns[-1]) + 1]
        parts, specks = parts_of(box.astype(np.float32))
        if specks:
            notes.add(f"{specks:,} {'speck was' if specks == 1 else 'specks were'} taken for dirt", name)
        for part in parts:
            try:
                there = replace(part, row=part.row + top, column=part.column + left)
                for polygon in outlines(there, mask.shape[0]):
                    yield [np.array(ring.coords)[:-1] for ring in (polygon.exterior, *polygon.interiors)]
            except InvalidPolygonError as error:
                notes.add(f"left out ({error})", name)
    else:
        raise FileFormatError(f"{where}: the segmentation is neither polygons nor run lengths")


def _size(runs: dict[str, Any], where: str) -> tuple[int, int]:
    size = runs.get("size")
    if not is_list(size) or len(size) != 2 or not all(type(n) is int and n > 0 for n in size):
        raise FileFormatError(f"{where}: the size of a mask is [height, width] in pixels")
    height, width = size
    if height * width > MOST_PIXELS:
        raise FileFormatError(
            f"{where}: {height * width / 1e6:,.0f} megapixels, more than {MOST_PIXELS // 10**6} are not read"
        )
    return height, width


def decode_runs(runs: dict[str, Any], where: str = "mask") -> NDArray[np.bool_]:
    """The mask (H, W) of run lengths, which go down the columns and begin with the outside.

    >>> decode_runs({"size": [2, 3], "counts": [1, 2, 3]}).astype(int).tolist()
    [[0, 1, 0], [1, 0, 0]]
    >>> decode_runs({"size": [2, 3], "counts": "123"}).astype(int).tolist()
    [[0, 1, 0], [1, 0, 0]]
    """
    lengths, height = _lengths(runs, where)
    values = np.repeat(np.arange(len(lengths)) % 2 == 1, lengths)
    return values.reshape(-1, height).T


def _lengths(runs: dict[str, Any], where: str) -> tuple[NDArray[np.int64], int]:
    """The run lengths of a mask, and its height."""
    height, width = _size(runs, where)
    counts = runs.get("counts")
    lengths = _unpacked(counts, where) if isinstance(counts, str) else counts
    if not is_list(lengths) or not all(type(n) is int and n >= 0 for n in lengths):
        raise FileFormatError(f"{where}: the run lengths are not whole numbers")
    if sum(lengths) != height * width:
        raise FileFormatError(
            f"{where}: the run lengths add up to {sum(lengths):,}, not {height * width:,} pixels"
        )
    return np.array(lengths, dtype=np.int64), height


def _box_area(lengths: NDArray[np.int64], height: int) -> int:
    """The pixels of the box around a mask, from its run lengths alone."""
    ends = np.cumsum(lengths)
    inside = (np.arange(len(lengths)) % 2 == 1) & (lengths > 0)
    first, last = (ends - lengths)[inside], ends[inside] - 1
    if not len(first):
        return 0
    if (first // height != last // height).any():  # a run that goes on in the next column
        rows = height
    else:
        rows = int((last % height).max() - (first % height).min()) + 1
    return rows * int(last[-1] // height - first[0] // height + 1)


def _unpacked(text: str, where: str) -> list[int]:
    """Run lengths from text: 5 bits a character, the third one on relative to the last but one."""
    counts: list[int] = []
    value = digits = 0
    for character in text:
        code = ord(character) - 48
        if not 0 <= code < 64 or digits >= MOST_DIGITS:
            raise FileFormatError(f"{where}: the packed run lengths are broken")
        value |= (code & 0x1F) << (5 * digits)
        digits += 1
        if code & 0x20:
            continue
        if code & 0x10:
            value -= 1 << (5 * digits)
        counts.append(value + (counts[-2] if len(counts) > 2 else 0))
        value = digits = 0
    if digits:
        raise FileFormatError(f"{where}: the packed run lengths are cut off")
    return counts

"""Pieces that lie on a sheet of known size, or beside it, and how the table lies in the picture."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import shapely
from numpy.typing import NDArray
from PIL import Image, ImageDraw
from shapely import Polygon

from sherd.core.errors import FileFormatError
from sherd.tracing.contours import INSIDE, trace
from sherd.tracing.parts import PicturePart
from sherd.tracing.photo.filters import nearest_in
from sherd.tracing.photo.find_pieces import NothingSeenError, PhotoParams, PhotoParts, find_pieces
from sherd.tracing.photo.marker import FRAME_MM, PAPERS_MM, page_in
from sherd.tracing.photo.sheet import SHEETS_MM, sheet_plane
from sherd.tracing.photo.table_plane import Plane

Bytes = NDArray[np.uint8]
Mask = NDArray[np.bool_]

# The edge of a sheet, and its shadow, are no part of where pieces lie on it, nor of what lies beside it.
EDGE_MM = 3.0
MARKER = "marker"


def find_on_sheet(
    picture: Bytes, params: PhotoParams, sheet: str | None
) -> tuple[PhotoParts, Plane | None, str]:
    """The pieces of a picture, how the table lies in it, and the sheet that tells so, "" if none does.

    A marker page is found by itself; other paper only if it is named. Pieces lie on the sheet, or all of them
    beside it.
    """
    if sheet is None or sheet == MARKER:
        try:
            page = page_in(picture)
        except FileFormatError:
            if sheet == MARKER:
                raise
            page = None
        if page is not None:
            plane, paper = page
            found = _on_or_beside(picture, params, plane, PAPERS_MM[paper], FRAME_MM + 1.0)
            return found, plane, "marker page"
        if sheet == MARKER:
            raise FileFormatError("no marker page is seen: print one (sherd marker), and uncover its corners")
        return find_pieces(picture, params), None, ""
    everything = find_pieces(picture, replace(params, holes="fill", touching=False, specks=None))
    outlines = [_outline(part, picture.shape[0]) for part in everything.parts]
    plane, _ = sheet_plane(outlines, sheet, (picture.shape[0], picture.shape[1]))
    found = _on_or_beside(picture, params, plane, SHEETS_MM[sheet], EDGE_MM)
    return found, plane, f"sheet of {sheet.upper()}"


def _on_or_beside(
    picture: Bytes, params: PhotoParams, plane: Plane, size_mm: tuple[float, float], inset_mm: float
) -> PhotoParts:
    """The pieces within a sheet or, if nothing lies there, those outside of it."""
    width, height = size_mm
    inside = _mask(picture, plane, shapely.box(inset_mm, inset_mm, width - inset_mm, height - inset_mm))
    try:
        return find_pieces(_only(picture, inside), params)
    except NothingSeenError:
        sheet = shapely.box(-EDGE_MM, -EDGE_MM, width + EDGE_MM, height + EDGE_MM)
        return find_pieces(_only(picture, ~_mask(picture, plane, sheet)), params)


def _mask(picture: Bytes, plane: Plane, region: Polygon) -> Mask:
    """Which pixels of a picture show a region of the table."""
    ring = plane.to_picture(shapely.get_coordinates(region.segmentize(5.0)))
    mask = Image.new("1", (picture.shape[1], picture.shape[0]))
    ImageDraw.Draw(mask).polygon([(x - 0.5, y - 0.5) for x, y in ring.tolist()], fill=1)
    return np.asarray(mask, dtype=np.bool_)


def _only(picture: Bytes, region: Mask) -> Bytes:
    """The picture with all outside of a region painted as the nearest place of it."""
    if not region.any():
        raise NothingSeenError("the sheet is not in the picture")
    return picture[nearest_in(region)]


def _outline(part: PicturePart, height_px: int) -> Polygon:
    """The outer contour of a part, in pixels with y up."""
    points, _, starts = trace(np.pad(part.cover, 1), INSIDE)
    longest = int(np.diff(starts).argmax())
    ring = points[starts[longest] : starts[longest + 1]] - 1.0
    return Polygon(np.stack([ring[:, 0] + part.column, height_px - (ring[:, 1] + part.row)], axis=-1)).buffer(
        0
    )

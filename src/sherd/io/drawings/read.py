"""`read_drawing`: any file that holds shapes, by its suffix and what is in it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from sherd.core.errors import FileFormatError
from sherd.io.document import is_object
from sherd.io.drawings.coco import is_coco, read_coco
from sherd.io.drawings.curves import Affine
from sherd.io.drawings.dxf import MOST_BYTES as MOST_DXF_BYTES
from sherd.io.drawings.dxf import read_dxf
from sherd.io.drawings.figures import (
    MOST_FIGURES,
    MOST_STROKES,
    FigureParams,
    Notes,
    figures_from_strokes,
    finish,
    never,
)
from sherd.io.drawings.image_files import SUFFIXES as IMAGE_SUFFIXES
from sherd.io.drawings.images import read_folder, read_image
from sherd.io.drawings.model import MM_PER, Drawing, Figure, Unit
from sherd.io.drawings.params import ReadParams
from sherd.io.drawings.strokes import Stroke
from sherd.io.drawings.svg import MOST_BYTES as MOST_SVG_BYTES
from sherd.io.drawings.svg import read_svg
from sherd.io.drawings.text_formats import read_csv, read_geojson, read_wkt

FOR_MEMORY = "make pictures smaller, and leave out what is no piece"
MOST_TEXT_BYTES = 64 * 2**20
NEWLINE = b"\n"
SVG, DXF, WKT, CSV, JSON = (
    frozenset((".svg", ".svgz")),
    frozenset((".dxf",)),
    frozenset((".wkt", ".txt")),
    frozenset((".csv", ".tsv")),
    frozenset((".geojson", ".json")),
)
# What says that a JSON file is a drawing, not one of our own puzzles, near its beginning.
GEOJSON_TYPES = frozenset(
    ("FeatureCollection", "Feature", "GeometryCollection", "Polygon", "MultiPolygon", "LineString")
)


_AS_SVG = "open it in Inkscape or the like, and save it as SVG"
_AS_DXF = "save it as DXF from the program that made it"
_FLAT = "it holds bodies, not outlines: save a drawing of the parts seen from above as DXF or SVG"
# What people have instead of a drawing, and what to do with it.
INSTEAD = {
    **dict.fromkeys((".pdf", ".ai", ".eps", ".ps", ".cdr", ".emf", ".wmf"), _AS_SVG),
    **dict.fromkeys((".dwg", ".dwf", ".dgn"), _AS_DXF),
    **dict.fromkeys((".stl", ".obj", ".3mf", ".ply", ".step", ".stp", ".iges", ".igs"), _FLAT),
    **dict.fromkeys((".heic", ".heif", ".avif", ".raw", ".dng", ".cr2", ".nef"), "save it as JPEG or PNG"),
    **dict.fromkeys((".shp", ".gpkg", ".kml", ".kmz", ".topojson"), "save it as GeoJSON, in a plane"),
    **dict.fromkeys((".xlsx", ".ods"), "save it as CSV, with a column wkt"),
}


def is_drawing(path: str | os.PathLike[str]) -> bool:
    """Whether a path is a drawing, an image or a folder of images rather than a file of puzzles."""
    path = Path(path)
    suffix = path.suffix.lower()
    known = SVG | DXF | WKT | CSV | IMAGE_SUFFIXES | INSTEAD.keys()
    if path.is_dir() or suffix in known or suffix == ".geojson":
        return True
    if suffix != ".json" or not path.is_file():
        return False
    document = _json_or_none(path)
    return is_coco(document) or (is_object(document) and document.get("type") in GEOJSON_TYPES)


def read_drawing(
    path: str | os.PathLike[str],
    params: ReadParams | None = None,
    is_over: Callable[[], bool] = never,
) -> Drawing:
    """The figures of a drawing, an image, or a folder of images, in one unit and with y up.

    What cannot be used is left out and said in the notes; `FileFormatError` if nothing remains, or the file
    is broken or too large, or ``is_over`` says that time is up. Nothing but the file itself is opened.
    """
    path, params = Path(path), params or ReadParams()
    notes = Notes()
    try:
        with np.errstate(all="ignore"):  # what is not finite is found and left out later
            if path.is_dir() or path.suffix.lower() in IMAGE_SUFFIXES:
                drawing = _read_pictures(path, params, notes)
            else:
                figures, unit = _read(path, params, notes, is_over)
                drawing = Drawing("", figures, unit)
    except FileFormatError as error:
        said = str(error)
        separator = ":" if said[:1].isdigit() and ":" in said else ": "
        raise FileFormatError(f"{path}{separator}{said}") from None
    except RecursionError:
        raise FileFormatError(f"{path}: nested too deeply") from None
    except MemoryError:
        raise FileFormatError(f"{path}: there is not enough memory to read it: {FOR_MEMORY}") from None
    drawing = replace(drawing, source=path.name or str(path.resolve().name), notes=notes.lines())
    if drawing.unit != "mm" and params.mm_per_px is not None:
        drawing = drawing.scaled(params.mm_per_px, "mm")
    if params.unit == "km":
        drawing = drawing.scaled(1.0 / MM_PER["km"], "km")
    if not drawing.figures:
        raise FileFormatError("; ".join([f"{path}: there is no closed shape in it", *drawing.notes]))
    return drawing


def _read(
    path: Path, params: ReadParams, notes: Notes, is_over: Callable[[], bool]
) -> tuple[tuple[Figure, ...], Unit]:
    suffix = path.suffix.lower()
    if suffix in INSTEAD and path.is_file():
        raise FileFormatError(f"{suffix[1:].upper()} is not read: {INSTEAD[suffix]}")
    if suffix in SVG:
        strokes, unit = read_svg(_bytes(path, MOST_SVG_BYTES), params.unit, notes)
        return _of_strokes(strokes, unit, params, notes, FigureParams(), is_over)
    if suffix in DXF:
        if path.stat().st_size > MOST_DXF_BYTES:
            raise FileFormatError(_too_long(MOST_DXF_BYTES))
        strokes, unit = read_dxf(path, params.unit, notes)
        return _of_strokes(strokes, unit, params, notes, FigureParams(nested="holes"), is_over)
    data = _bytes(path, MOST_TEXT_BYTES)
    apart = FigureParams(drop_doubles=False)
    unit: Unit = "unknown"
    if suffix in WKT | CSV:
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise FileFormatError(f"{1 + data.count(NEWLINE, 0, error.start)}: not UTF-8 text") from None
        strokes = read_wkt(text, notes) if suffix in WKT else read_csv(text, notes)
    elif suffix in JSON:
        document = _json(data)
        unit = "px" if is_coco(document) else "unknown"
        strokes = read_coco(document, notes) if is_coco(document) else read_geojson(document, notes)
    else:
        known = sorted(SVG | DXF | WKT | CSV | JSON | IMAGE_SUFFIXES)
        raise FileFormatError(f"a drawing ends in {', '.join(known)}, or is a folder of images")
    if params.unit is not None:
        scale = Affine(MM_PER[params.unit], 0.0, 0.0, MM_PER[params.unit])
        strokes = [replace(stroke, path=stroke.path.moved(scale)) for stroke in strokes]
        unit = "mm"
    return _of_strokes(strokes, unit, params, notes, apart, is_over)


def _read_pictures(path: Path, params: ReadParams, notes: Notes) -> Drawing:
    """The pieces of a picture, or of a folder of them, in mm where a pixel's size is known."""
    seen = (read_folder if path.is_dir() else read_image)(path, params, notes)
    named = finish(seen.figures, FigureParams(drop_doubles=False), Notes())
    drawing = Drawing("", named, "px", scan=seen.scan, pixel=seen.pixel)
    if params.mm_per_px is None and seen.mm_per_px is not None:
        return drawing.scaled(seen.mm_per_px, "mm")
    return drawing


def _of_strokes(
    strokes: Sequence[Stroke],
    unit: Unit,
    params: ReadParams,
    notes: Notes,
    usual: FigureParams,
    is_over: Callable[[], bool],
) -> tuple[tuple[Figure, ...], Unit]:
    if len(strokes) > MOST_STROKES:
        raise FileFormatError(f"{len(strokes):,} lines, and no more than {MOST_STROKES:,} are read")
    # Lengths that were given in mm are needed in the unit of the strokes.
    per_mm = 1.0 / params.mm_per_px if unit != "mm" and params.mm_per_px is not None else 1.0
    wanted = replace(
        usual,
        flatten=None if params.flatten is None else params.flatten * per_mm,
        gap=None if params.gap is None else params.gap * per_mm,
        nested=params.nested or usual.nested,
        drop_doubles=usual.drop_doubles if params.doubles is None else params.doubles == "drop",
        in_mm=unit == "mm" and params.unit != "km",
    )
    figures = figures_from_strokes(strokes, wanted, notes, is_over)
    if len(figures) > MOST_FIGURES:
        raise FileFormatError(f"{len(figures):,} shapes, and no more than {MOST_FIGURES:,} are read")
    return figures, unit


def _bytes(path: Path, most: int) -> bytes:
    with path.open("rb") as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise FileFormatError(_too_long(most))
    if not data.strip():
        raise FileFormatError("the file is empty")
    return data


def _too_long(most: int) -> str:
    return f"longer than {most // 2**20} MiB, which is more than is read: leave out what is no piece"


def _json(data: bytes) -> Any:
    try:
        return json.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise FileFormatError("not UTF-8 text") from None
    except json.JSONDecodeError as error:
        raise FileFormatError(f"{error.lineno}: not JSON: {error.msg[0].lower()}{error.msg[1:]}") from None
    except ValueError:  # Python's limit on the digits of a whole number
        raise FileFormatError("a number has thousands of digits") from None


def _json_or_none(path: Path) -> Any:
    try:
        return _json(_bytes(path, MOST_TEXT_BYTES))
    except (OSError, FileFormatError, RecursionError):
        return None

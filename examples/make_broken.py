"""Draws and scans the broken things among the examples: ``python examples/make_broken.py``, always the same.

Each is broken as `sherd generate` breaks things, laid out as its owner might have found it, and written
twice: as a drawing, and as a scan of the pieces on a dark lid.
"""

from __future__ import annotations

import io
import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import shapely
from make_drawings import CUT, DIGITS, FOLDER, Pieces, _laid_out, _rng, _scaled, _svg, _turned
from PIL import Image
from shapely import Polygon

from sherd.core.grid import Grid
from sherd.generation.broken import BrokenParams
from sherd.generation.cracks import CracksParams
from sherd.generation.fracture import Fracture, fracture_outlines
from sherd.generation.jigsaw import JigsawParams
from sherd.generation.shapes import named_shape
from sherd.io.atomic import write_atomically
from sherd.tracing.raster import masks

SPACE_MM = 6.0
LID, MARGIN_MM = (52, 58, 64), 8.0


@dataclass(frozen=True)
class Broken:
    """A thing that broke: its whole outline, None if nobody knows it, its pieces in place, and its colour."""

    target: Polygon | None
    pieces: Pieces
    colour: tuple[int, int, int]
    dpi: int
    width_mm: float  # of the table on which the pieces lie


def main() -> None:
    """Write the drawing and the scan of every example into its folder."""
    for name, data in drawings().items():
        path = FOLDER / name
        path.parent.mkdir(exist_ok=True)
        write_atomically(path, data)


def drawings() -> dict[str, bytes]:
    """All drawings and scans, by their paths in this folder."""
    made: dict[str, bytes] = {}
    for name, thing in broken_things().items():
        lying = _laid_out(_turned(thing.pieces, _rng(name)), thing.width_mm, SPACE_MM)
        drawn = _pieces_alone(lying) if thing.target is None else _svg(thing.target, lying)
        made[f"{name}/{name}.svg"] = drawn
        made[f"{name}/{name}-scan.png"] = _scan(lying, thing)
    return made


def broken_things() -> dict[str, Broken]:
    """The four examples, by the names of their folders."""
    plate = _scaled(named_shape("disc").outline, 240.0)
    sherds = _broken("plate", plate, CracksParams(pieces=13, roughness=0.06), "sherd")
    del sherds["sherd 5"]  # nobody found it
    return {
        "letter": _letter(),
        "plate": Broken(plate, sherds, (222, 226, 228), 100, 420.0),
        "jigsaw": _jigsaw(),
        "box": _box(),
    }


def _letter() -> Broken:
    """A sheet of A5 torn into sixteen scraps."""
    sheet = shapely.box(0.0, 0.0, 148.0, 210.0)
    scraps = _broken("letter", sheet, BrokenParams(pieces=16), "scrap")
    return Broken(sheet, scraps, (236, 224, 198), 150, 250.0)


def _jigsaw() -> Broken:
    """A jigsaw of four rows and six columns."""
    board = shapely.box(0.0, 0.0, 240.0, 160.0)
    pieces = _broken("jigsaw", board, JigsawParams(rows=4, columns=6), "piece")
    return Broken(board, pieces, (214, 190, 150), 100, 330.0)


def _box() -> Broken:
    """Two broken tiles in one box, of seven and eight pieces, and no drawing of either."""
    blue = _broken(
        "blue", shapely.box(0.0, 0.0, 150.0, 150.0), CracksParams(pieces=7, roughness=0.07), "tile"
    )
    other = _broken("red", shapely.box(0.0, 0.0, 200.0, 100.0), BrokenParams(pieces=8), "tile")
    pieces = [*blue.values(), *other.values()]
    return Broken(None, {f"bit {k}": piece for k, piece in enumerate(pieces, 1)}, (205, 120, 92), 100, 380.0)


def _broken(name: str, whole: Polygon, fracture: Fracture, called: str) -> Pieces:
    """The pieces of a whole, in place."""
    rings = fracture_outlines(whole, fracture, _rng(name))
    return {f"{called} {k}": Polygon(ring) for k, ring in enumerate(rings, start=1)}


def _pieces_alone(lying: Mapping[str, Polygon]) -> bytes:
    """A drawing in millimetres of pieces that no shape is known for."""
    low_x, low_y, high_x, high_y = shapely.total_bounds(np.array(list(lying.values()))).tolist()
    width, height = (math.ceil(size + 2 * MARGIN_MM) for size in (high_x - low_x, high_y - low_y))
    lines = [
        '<svg xmlns="http://www.w3.org/2000/svg" '
        'xmlns:inkscape="http://www.inkscape.org/namespaces/inkscape" '
        f'width="{width}mm" height="{height}mm" viewBox="0 0 {width} {height}">',
    ]
    for name, piece in lying.items():
        corners = " ".join(
            f"{x - low_x + MARGIN_MM:.{DIGITS}f},{high_y - y + MARGIN_MM:.{DIGITS}f}"
            for x, y in piece.exterior.coords[:-1]
        )
        label = f'id="{name.replace(" ", "-")}" inkscape:label="{name}"'
        lines.append(f'<polygon {label} {CUT} points="{corners}"/>')
    return ("\n".join([*lines, "</svg>"]) + "\n").encode()


def _scan(lying: Mapping[str, Polygon], thing: Broken) -> bytes:
    """The pieces as a scanner sees them, in one colour each with what little its lamp differs."""
    mm_per_px = 25.4 / thing.dpi
    pieces = list(lying.values())
    low_x, low_y, high_x, high_y = shapely.total_bounds(np.array(pieces)).tolist()
    wide, high = (math.ceil((size + 2 * MARGIN_MM) / mm_per_px) for size in (high_x - low_x, high_y - low_y))
    grid = Grid(max(wide, high), low_x - MARGIN_MM, high_y + MARGIN_MM, mm_per_px)
    cover = np.zeros((max(wide, high), max(wide, high)))
    for piece in pieces:
        cover += masks([piece], grid)[0]
    lid, colour = np.array(LID, dtype=float), np.array(thing.colour, dtype=float)
    picture = np.round(lid + cover[:high, :wide, None] * (colour - lid)).astype(np.uint8)
    buffer = io.BytesIO()
    Image.fromarray(picture).save(buffer, format="PNG", dpi=(thing.dpi, thing.dpi), optimize=True)
    return buffer.getvalue()


if __name__ == "__main__":
    main()

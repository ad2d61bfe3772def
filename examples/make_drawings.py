"""Draws the pieces of all worked examples: ``python examples/make_drawings.py``, the same bytes each time.

Every example is cut here from a whole, so that the answer is known, and then laid out as its owner might have
found it: pieces apart and turned anyhow, beside the shape that they fill.
"""

from __future__ import annotations

import io
import json
import math
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import shapely
from ezdxf._options import options
from ezdxf.filemanagement import new
from ezdxf.units import MM
from PIL import Image
from shapely import LineString, Polygon
from shapely.ops import polygonize

from sherd.core.geometry import TAU, Pose, size_of
from sherd.core.grid import Grid
from sherd.core.proper_polygons import make_polygon
from sherd.generation.fragmentation import FragmentationParams, generate
from sherd.generation.merged_parts import DissectionParams, dissect
from sherd.generation.shapes import Shape
from sherd.generation.tangram import PIECES, silhouette, tangram
from sherd.io.atomic import write_atomically
from sherd.tracing.raster import masks

FOLDER = Path(__file__).parent
SEED = 37
# Drawing programs write so many digits after the point of a millimetre.
DIGITS = 5
CUT = 'fill="none" stroke="#c2102f" stroke-width="0.2"'
TARGET = 'fill="#e8e4da"'

Pieces = dict[str, Polygon]


def main() -> None:
    """Write the drawing of every example into its folder."""
    for name, data in drawings().items():
        path = FOLDER / name
        path.parent.mkdir(exist_ok=True)
        write_atomically(path, data)


def drawings() -> dict[str, bytes]:
    """The drawings of all examples, by their paths in this folder."""
    return {
        "tangram/tangram.svg": draw_tangram(),
        "tile/tile.dxf": draw_tile(),
        "sheet/scan.png": draw_sheet(),
        "glass/glass.svg": draw_glass(),
        "puzzle/puzzle.geojson": draw_puzzle(),
        "mixed/mixed.csv": draw_mixed(),
    }


# The six examples.


def draw_tangram() -> bytes:
    """The swan, 120 mm across, and the seven pieces beside it."""
    sample = tangram("swan", _rng("tangram"), mirror=False)
    pieces = {fragment.id: _scaled(fragment.polygon, 120.0) for fragment in sample.puzzle.fragments}
    assert list(pieces) == list(PIECES)
    return _svg(_scaled(silhouette("swan"), 120.0), _laid_out(pieces, 260.0, 8.0))


TILE_MM = 150.0
TILE_SEED = 7
LOST = 3


def broken_tile() -> tuple[Polygon, Pieces, Polygon]:
    """A square tile, the pieces that are left of it as they lay in it, and the one that is lost."""
    tile = shapely.box(0.0, 0.0, TILE_MM, TILE_MM)
    params = FragmentationParams(pieces=9)
    sample = next(generate(Shape("tile", tile), params, count=1, seed=TILE_SEED))
    whole = [sample.truth[fragment.id].apply(fragment.polygon) for fragment in sample.puzzle.fragments]
    lost = whole.pop(LOST)
    return tile, {f"sherd {letter}": part for letter, part in zip("ABCDEFGH", whole, strict=True)}, lost


def draw_tile() -> bytes:
    """A square tile, the pieces that are left of it, each on a layer of its own."""
    tile, pieces, _ = broken_tile()
    lying = _laid_out(_turned(pieces, _rng("tile")), 330.0, 12.0)
    options.write_fixed_meta_data_for_testing = True  # else the time and a random id are in the file
    document = new("R2000", units=MM)
    space = document.modelspace()
    for name, polygon in {"TARGET": _moved(tile, -180.0, 0.0), **lying}.items():
        document.layers.add(name, color=7 if name == "TARGET" else 3)
        space.add_lwpolyline(_corners(polygon), close=True, dxfattribs={"layer": name})
    stream = io.StringIO()
    document.write(stream)
    return stream.getvalue().encode()


SHEET_MM = (105.0, 148.0)
SCAN_DPI = 200


def torn_sheet() -> list[Polygon]:
    """The pieces of a sheet of A6, each tear a line that wanders a little."""
    rng = _rng("tears")
    width, height = SHEET_MM
    edge = LineString([(0, 0), (width, 0), (width, height), (0, height), (0, 0)])
    first = _tear((0.0, 92.0), (width, 70.0), rng)
    second = _tear((48.0, 0.0), _on(first, 0.55), rng)
    third = _tear((62.0, height), _on(first, 0.4), rng)
    fourth = _tear((0.0, 35.0), _on(second, 0.45), rng)
    fifth = _tear((width, 120.0), _on(third, 0.5), rng)
    sixth = _tear((width, 30.0), _on(second, 0.7), rng)
    return _regions(edge, first, second, third, fourth, fifth, sixth)


def draw_sheet() -> bytes:
    """A scan of the torn sheet: cream paper on a dark lid, not lit quite evenly."""
    mm_per_px = 25.4 / SCAN_DPI
    pieces = _turned({str(k): piece for k, piece in enumerate(torn_sheet())}, _rng("sheet"))
    lying = list(_laid_out(pieces, 200.0, 6.0).values())
    low_x, low_y, high_x, high_y = shapely.total_bounds(np.array(lying)).tolist()
    margin = 8.0
    size_px = math.ceil((max(high_x - low_x, high_y - low_y) + 2 * margin) / mm_per_px)
    grid = Grid(size_px, low_x - margin, high_y + margin, mm_per_px)
    cover = masks(lying, grid).sum(axis=0)[: math.ceil((high_y - low_y + 2 * margin) / mm_per_px)]
    rows, columns = np.indices(cover.shape)
    light = 1.0 - 0.06 * rows / cover.shape[0] - 0.04 * columns / cover.shape[1]
    lid, paper = np.array([52.0, 58.0, 64.0]), np.array([236.0, 224.0, 198.0])
    colours = (lid + cover[..., None] * (paper - lid)) * light[..., None]
    buffer = io.BytesIO()
    picture = Image.fromarray(np.round(colours).astype(np.uint8))
    picture.save(buffer, format="PNG", dpi=(SCAN_DPI, SCAN_DPI), optimize=True)
    return buffer.getvalue()


GLASS_MM = (200.0, 260.0)
KERF_MM = 1.6


def glass_panel() -> tuple[Polygon, list[Polygon]]:
    """A window with half a sun on the horizon, its rays, and hills in front; and its panes, without kerf."""
    width, height = GLASS_MM
    panel = shapely.box(0.0, 0.0, width, height)
    middle = np.array([88.0, 142.0])
    radius = 50.0
    arc = [middle + radius * _way(degrees) for degrees in range(0, 181, 5)]
    # Rays and cuts end in corners of the arc: a stub left beside a corner would be lost by the kerf.
    rays = [
        LineString([middle + radius * _way(degrees), middle + 400.0 * _way(degrees)])
        for degrees in (30, 65, 95, 140)
    ]
    lines = (
        [(0.0, 150.0), (30.0, 142.0), (150.0, 142.0), (width, 134.0)],
        [(100.0, 142.0), middle + radius * _way(110.0)],
        [(0.0, 60.0), (60.0, 92.0), (118.0, 74.0), (width, 108.0)],
        [(60.0, 92.0), (48.0, 142.0)],
        [(0.0, 22.0), (80.0, 46.0), (width, 30.0)],
        [(118.0, 74.0), (96.0, 0.0)],
    )
    return panel, _regions(panel.exterior, LineString(arc), *rays, *map(LineString, lines))


def draw_glass() -> bytes:
    """The panes of the panel as they are cut: smaller all around by half of what the lead between takes."""
    panel, panes = glass_panel()
    cut = {
        f"pane {k}": pane.buffer(-KERF_MM / 2.0, join_style="mitre", mitre_limit=20.0)
        for k, pane in enumerate(panes, start=1)
    }
    return _svg(panel, _laid_out(_turned(cut, _rng("glass")), 420.0, 10.0))


# Of this one, nineteen pieces are not convex, and none is narrower than 7 mm anywhere.
PUZZLE_SEED = 383


def puzzle_pieces() -> tuple[Polygon, Pieces]:
    """A board of 240 by 180 mm cut into thirty pieces of any shape, turned anyhow."""
    board = shapely.box(0.0, 0.0, 240.0, 180.0)
    sample = dissect(board, DissectionParams(pieces=30), _rng("puzzle", PUZZLE_SEED))
    return board, {f"p{k:02}": fragment.polygon for k, fragment in enumerate(sample.puzzle.fragments, 1)}


def draw_puzzle() -> bytes:
    """The pieces of the puzzle and its board, a feature each, the board's layer called target."""
    board, pieces = puzzle_pieces()
    shapes = {"board": _moved(board, -260.0, 0.0), **_laid_out(pieces, 330.0, 8.0)}
    features = [
        {
            "type": "Feature",
            "properties": {"name": name, "layer": "target" if name == "board" else "pieces"},
            "geometry": {"type": "Polygon", "coordinates": [[*_corners(shape), _corners(shape)[0]]]},
        }
        for name, shape in shapes.items()
    ]
    lines = ",\n".join(json.dumps(feature) for feature in features)
    return f'{{"type": "FeatureCollection", "features": [\n{lines}\n]}}\n'.encode()


OWN = ("finch", "heron", "kite", "lark", "magpie", "owl", "robin", "stork", "swift", "wren")
FOREIGN = ("crow", "tern")


def mixed_pieces() -> tuple[Polygon, Pieces, Pieces]:
    """A hexagonal tray in cm, its ten pieces, and two from another set, all turned anyhow."""
    tray = make_polygon(
        [(12 + 12 * math.cos(k * TAU / 6), 11 + 12 * math.sin(k * TAU / 6)) for k in range(6)]
    )
    rng = _rng("mixed")
    own = dissect(tray, DissectionParams(pieces=len(OWN)), rng).puzzle.fragments
    other = dissect(
        make_polygon([(0, 0), (22, 0), (25, 14), (11, 24), (-3, 14)]), DissectionParams(pieces=9), rng
    ).puzzle.fragments
    stout = sorted((fragment.polygon for fragment in other), key=lambda piece: piece.length**2 / piece.area)
    return (
        tray,
        {name: fragment.polygon for name, fragment in zip(OWN, own, strict=True)},
        dict(zip(FOREIGN, stout, strict=False)),
    )


def draw_mixed() -> bytes:
    """A table of the pieces of both sets, as a GIS program writes it."""
    tray, own, foreign = mixed_pieces()
    lying = _laid_out(dict(sorted({**own, **foreign}.items())), 50.0, 1.0)
    rows = [
        f'{name},"{_wkt(shape)}"' for name, shape in {"target": _moved(tray, -30.0, 0.0), **lying}.items()
    ]
    return ("\n".join(["name,wkt", *rows]) + "\n").encode()


# What they share.


def _rng(name: str, seed: int = SEED) -> np.random.Generator:
    """A stream of its own for each use, so that a change of one example leaves the others as they are."""
    return np.random.default_rng([seed, *name.encode()])


def _way(degrees: float) -> np.ndarray:
    return np.array([math.cos(math.radians(degrees)), math.sin(math.radians(degrees))])


def _scaled(polygon: Polygon, factor: float) -> Polygon:
    return shapely.transform(polygon, lambda points: points * factor)


def _moved(polygon: Polygon, x: float, y: float) -> Polygon:
    return Pose(x, y, 0.0).apply(polygon)


def _turned(pieces: Mapping[str, Polygon], rng: np.random.Generator) -> Pieces:
    """The pieces, each turned by any angle, in a random order."""
    names = list(pieces)
    order = [names[k] for k in rng.permutation(len(names)).tolist()]
    turns = {name: Pose(0.0, 0.0, float(rng.uniform(0.0, TAU))) for name in order}
    return {new: turns[old].apply(pieces[old]) for new, old in zip(names, order, strict=True)}


def _laid_out(pieces: Mapping[str, Polygon], width: float, space: float) -> Pieces:
    """The pieces as they are turned, in rows from the top, none wider than the width."""
    x = y = deep = 0.0
    lying: Pieces = {}
    for name, piece in pieces.items():
        low_x, low_y, high_x, high_y = piece.bounds
        if x > 0.0 and x + high_x - low_x > width:
            x, y, deep = 0.0, y - deep - space, 0.0
        lying[name] = _moved(piece, x - low_x, y - high_y)
        x, deep = x + high_x - low_x + space, max(deep, high_y - low_y)
    return lying


def _regions(*lines: LineString) -> list[Polygon]:
    """The regions that lines close in, from the bottom to the top; each line may end a little short."""
    longer = [line if line.is_closed else _prolonged(line) for line in lines]
    found = list(polygonize(shapely.node(shapely.GeometryCollection(longer))))
    return sorted(found, key=lambda region: (region.centroid.y, region.centroid.x))


def _prolonged(line: LineString) -> LineString:
    """The line, longer by a hundredth at both ends, so that it crosses what it should only reach."""
    points = shapely.get_coordinates(line)
    points[0] += (points[0] - points[1]) / 100.0
    points[-1] += (points[-1] - points[-2]) / 100.0
    return LineString(points)


def _tear(start: tuple[float, float], end: tuple[float, float], rng: np.random.Generator) -> LineString:
    """A line that wanders to both sides of the straight way, most in the middle."""
    begin, way = np.array(start), np.array(end) - start
    along = np.linspace(0.0, 1.0, 2 + round(math.hypot(*way) / 10.0))
    along[1:-1] += rng.uniform(-0.3, 0.3, len(along) - 2) / len(along)
    aside = np.concatenate([[0.0], rng.uniform(-2.0, 2.0, len(along) - 2), [0.0]])
    across = np.array([-way[1], way[0]]) / math.hypot(*way)
    return LineString(begin + along[:, None] * way + aside[:, None] * across)


def _on(line: LineString, share: float) -> tuple[float, float]:
    point = line.interpolate(share, normalized=True)
    return point.x, point.y


def _corners(polygon: Polygon) -> list[tuple[float, float]]:
    return [(round(x, DIGITS), round(y, DIGITS)) for x, y in polygon.exterior.coords[:-1]]


def _wkt(polygon: Polygon) -> str:
    return shapely.to_wkt(polygon, rounding_precision=DIGITS + 1)


def _svg(target: Polygon, pieces: Mapping[str, Polygon]) -> bytes:
    """A drawing in millimetres: the target on the left, the pieces right of it, names as labels."""
    margin = 10.0
    beside = size_of(target) + margin
    shapes = {"target": _moved(target, -target.bounds[0], -target.bounds[3])}
    shapes |= {name: _moved(piece, beside, 0.0) for name, piece in pieces.items()}
    low_x, low_y, high_x, high_y = shapely.total_bounds(np.array(list(shapes.values()))).tolist()
    width, height = math.ceil(high_x - low_x + 2 * margin), math.ceil(high_y - low_y + 2 * margin)
    lines = [
        '<svg xmlns="http://www.w3.org/2000/svg" '
        'xmlns:inkscape="http://www.inkscape.org/namespaces/inkscape" '
        f'width="{width}mm" height="{height}mm" viewBox="0 0 {width} {height}">',
    ]
    for name, shape in shapes.items():
        corners = " ".join(
            f"{x - low_x + margin:.{DIGITS}f},{high_y - y + margin:.{DIGITS}f}"
            for x, y in shape.exterior.coords[:-1]
        )
        label = f'id="{name.replace(" ", "-")}" inkscape:label="{name}"'
        lines.append(f'<polygon {label} {TARGET if name == "target" else CUT} points="{corners}"/>')
    return ("\n".join([*lines, "</svg>"]) + "\n").encode()


if __name__ == "__main__":
    main()

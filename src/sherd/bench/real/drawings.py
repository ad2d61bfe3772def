"""Kinds of drawings that people brought, rebuilt: maps, tangrams, jigsaws, windows, and what goes wrong."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import shapely
from shapely import Polygon
from shapely.geometry.base import BaseGeometry
from shapely.ops import substring

from sherd.bench.real.job import RealJob
from sherd.bench.real.writing import Floats, write_csv, write_dxf, write_geojson, write_svg
from sherd.core.geometry import TAU, Pose, Region, polygons_in, union
from sherd.core.kerf import grow, scaled
from sherd.core.proper_polygons import make_polygon
from sherd.core.puzzle import Sample
from sherd.generation.broken import BrokenParams
from sherd.generation.fractal import fractal_line
from sherd.generation.fracture import fracture_outlines
from sherd.generation.fragmentation import FragmentationParams, generate
from sherd.generation.jigsaw import JigsawParams
from sherd.generation.shapes import regular
from sherd.generation.tangram import SILHOUETTES, parted_tangram, tangram
from sherd.generation.voronoi import VoronoiParams
from sherd.workshop import JobParams

Rng = np.random.Generator
Shapes = dict[str, Polygon]

SIDE = 200.0


def _larger(shape: Region, scale: float) -> Region:
    return shapely.transform(shape, lambda points: points * scale)


def _strewn(places: Mapping[str, Polygon], rng: Rng, beside: float) -> Shapes:
    """The pieces turned at random, in rows beside the target."""
    found: Shapes = {}
    step = 1.5 * max(max(p.bounds[2] - p.bounds[0], p.bounds[3] - p.bounds[1]) for p in places.values())
    across = max(1, round(len(places) ** 0.5))
    order: list[int] = rng.permutation(len(places)).tolist()
    for k, number in enumerate(order):
        name = list(places)[number]
        place = places[name].centroid
        there = Pose(beside + step * (1 + k % across), step * (1 + k // across), float(rng.uniform(0.0, TAU)))
        found[name] = there.apply(Pose(-place.x, -place.y).apply(places[name]))
    return found


def _cut_square(rng: Rng, pieces: int) -> tuple[Polygon, Shapes]:
    """A square of 200 cut by straight lines, and where its pieces lie."""
    from sherd.generation.shapes import named_shape

    params = FragmentationParams(pieces=pieces)
    (sample,) = generate(named_shape("square"), params, count=1, seed=int(rng.integers(10**6)))
    return make_polygon([[0, 0], [SIDE, 0], [SIDE, SIDE], [0, SIDE]]), _places(sample)


def _places(sample: Sample) -> Shapes:
    return {
        placement.id: _polygon(_larger(placement.pose.apply(sample.puzzle[placement.id].polygon), SIDE))
        for placement in sample.truth
    }


def _polygon(shape: BaseGeometry) -> Polygon:
    assert isinstance(shape, Polygon)
    return shape


def _named(outlines: list[Floats], scale: float) -> Shapes:
    return {f"p{k}": make_polygon(outline * scale) for k, outline in enumerate(outlines)}


def states(rng: Rng, folder: Path) -> RealJob:
    """States of a land: borders and coast wriggle, each state simplified for itself, in metres of a map."""
    coast = fractal_ring(rng)
    lands = fracture_outlines(coast, BrokenParams(pieces=int(rng.integers(5, 9))), rng)
    size, corner = 3e5, np.array([4.5e5, 5.2e6])

    def on_map(shape: Polygon) -> Polygon:
        return _polygon(_moved(_larger(_polygon(shape.simplify(0.002)), size), corner))

    places = {name: on_map(land) for name, land in _named(lands, 1.0).items()}
    strewn = _strewn(places, rng, float(corner[0]) + 2.0 * size)
    shapes = {"target": on_map(coast), **strewn}
    return RealJob(path=write_geojson(folder / "states.geojson", shapes), places=places)


def fractal_ring(rng: Rng) -> Polygon:
    """A coast: a pentagon in the unit box whose sides wriggle."""
    corners = shapely.get_coordinates(regular(5))[:-1] * rng.uniform(0.8, 1.0, (5, 1))
    while True:
        sides = [
            fractal_line(corners[k], corners[(k + 1) % 5], 0.06, 0.01, rng)[:-1] for k in range(len(corners))
        ]
        ring = Polygon(np.concatenate(sides))
        if ring.is_valid:
            return make_polygon(np.concatenate(sides))


def tangram_page(rng: Rng, folder: Path) -> RealJob:
    """A silhouette and its seven pieces strewn beside it."""
    return _tangram_job(tangram(str(rng.choice(list(SILHOUETTES))), rng), rng, folder)


def several_parts(rng: Rng, folder: Path) -> RealJob:
    """A tangram figure of several parts, drawn as one path."""
    return _tangram_job(parted_tangram(str(rng.choice(list(SILHOUETTES))), rng), rng, folder)


def _tangram_job(sample: Sample, rng: Rng, folder: Path) -> RealJob:
    places = _places(sample)
    shapes: dict[str, Region] = {"target": _larger(sample.puzzle.target, SIDE), **_strewn(places, rng, SIDE)}
    params = JobParams(mirror=True)
    return RealJob(path=write_svg(folder / "tangram.svg", shapes), params=params, places=places)


def _jigsaw(rng: Rng) -> tuple[Polygon, Shapes]:
    rows, columns = int(rng.integers(2, 4)), int(rng.integers(2, 5))
    whole = make_polygon([[0, 0], [1, 0], [1, rows / columns], [0, rows / columns]])
    outlines = fracture_outlines(whole, JigsawParams(rows=rows, columns=columns), rng)
    return _polygon(_larger(whole, SIDE)), _named(outlines, SIDE)


def jigsaw_cuts(rng: Rng, folder: Path) -> RealJob:
    """A border with the cuts of a jigsaw across it, each drawn once, in SVG or DXF."""
    whole, places = _jigsaw(rng)
    inner = shapely.difference(
        union([place.boundary for place in places.values()]), whole.boundary.buffer(1e-6)
    )
    cuts = [shapely.get_coordinates(line) for line in shapely.get_parts(shapely.line_merge(inner))]
    ordered = sorted(places.values(), key=lambda place: -place.area)
    named = {f"{k}": place for k, place in enumerate(ordered)}
    write = write_svg if rng.random() < 0.5 else write_dxf
    path = write(folder / ("cuts.svg" if write is write_svg else "cuts.dxf"), {"border": whole}, cuts)
    return RealJob(path=path, places=_as_read(path, named))


def _as_read(path: Path, places: Mapping[str, Polygon]) -> Shapes:
    """The places by the names that regions get when they are read."""
    from sherd.io.drawings import read_drawing

    drawing = read_drawing(path)
    found: Shapes = {}
    low_x, low_y, *_ = shapely.total_bounds([figure.polygon for figure in drawing.targets]).tolist()
    for place in places.values():
        here = Pose(low_x, low_y).apply(place)
        figure = min(drawing.pieces, key=lambda one: one.polygon.centroid.distance(here.centroid))
        found[figure.id] = here
    return found


def jigsaw_strewn(rng: Rng, folder: Path) -> RealJob:
    """The pieces of a jigsaw strewn, each with its whole outline."""
    whole, places = _jigsaw(rng)
    shapes = {"target": whole, **_strewn(places, rng, SIDE)}
    return RealJob(path=write_dxf(folder / "jigsaw.dxf", shapes), places=places)


def rose_window(rng: Rng, folder: Path) -> RealJob:
    """A window of rings and sectors; arcs as chords that neighbours share."""
    sides = 120
    turn = np.arange(sides) * TAU / sides
    circle = np.stack([np.cos(turn), np.sin(turn)], axis=-1) * SIDE / 2.0
    outer, inner = Polygon(circle), Polygon(circle * float(rng.uniform(0.3, 0.6)))
    rim = np.sort(rng.choice(sides, size=int(rng.integers(4, 8)), replace=False)).tolist()
    cuts = [shapely.LineString([(0, 0), tuple(circle[k] * 1.1)]) for k in rim]
    faces = shapely.polygonize(
        list(shapely.get_parts(shapely.union_all([outer.boundary, inner.boundary, *cuts])))
    )
    kept = [face for face in polygons_in(faces) if face.area > 1e-3 * outer.area]
    places = {f"p{k}": make_polygon(face.exterior.coords[:-1]) for k, face in enumerate(kept)}
    shapes: dict[str, Region] = {"target": make_polygon(circle), **_strewn(places, rng, SIDE)}
    return RealJob(path=write_svg(folder / "rose.svg", shapes), places=places)


def disc_sectors(rng: Rng, folder: Path) -> RealJob:
    """Five to eight sectors of a disc, their arcs drawn as arcs, each turned; the target is a circle."""
    radius, count = SIDE / 2.0, int(rng.integers(5, 9))
    shares = 0.4 / count + 0.6 * rng.dirichlet(np.ones(count))
    ends = np.concatenate([[0.0], np.cumsum(shares)]) * TAU
    drawn = [f'<circle id="target" cx="{radius}" cy="{-radius}" r="{radius}"/>']
    places: Shapes = {}
    for k in rng.permutation(count).tolist():
        (ax, ay), (bx, by) = (
            (radius * math.cos(end), -radius * math.sin(end)) for end in (ends[k], ends[k + 1])
        )
        arc = f"A{radius},{radius} 0 {int(shares[k] > 0.5)} 0 {bx!r},{by!r}"
        there = f"translate({SIDE * (1.5 + len(places))},{-SIDE}) rotate({float(rng.uniform(0.0, 360.0))!r})"
        drawn.append(f'<path id="p{k}" transform="{there}" d="M0,0L{ax!r},{ay!r}{arc}Z"/>')
        turns = np.linspace(ends[k], ends[k + 1], 200)
        rim = radius * np.stack([1.0 + np.cos(turns), 1.0 + np.sin(turns)], axis=-1)
        places[f"p{k}"] = make_polygon([[radius, radius], *rim.tolist()])
    return RealJob(path=write_svg(folder / "disc.svg", {}, extra="".join(drawn)), places=places)


def forgotten_kerf(rng: Rng, folder: Path) -> RealJob:
    """Pieces that a laser cut took 0.1 to 0.6 mm of, or that were drawn around as much too wide."""
    width = float(rng.uniform(0.1, 0.6)) * float(rng.choice([-1.0, 1.0]))
    return _changed(rng, folder, lambda polygon: grow(polygon, -width / 2.0))


def wrong_scale(rng: Rng, folder: Path) -> RealJob:
    """Pieces scanned 0.4 to 2.8 % too large or too small."""
    off = float(rng.uniform(0.004, 0.028)) * float(rng.choice([-1.0, 1.0]))
    return _changed(rng, folder, lambda polygon: scaled(polygon, 1.0 + off))


def _changed(rng: Rng, folder: Path, change: Callable[[Polygon], Polygon]) -> RealJob:
    whole, places = _cut_square(rng, int(rng.integers(5, 10)))
    shapes = {"target": whole, **{n: change(p) for n, p in _strewn(places, rng, SIDE).items()}}
    return RealJob(path=write_dxf(folder / "changed.dxf", shapes), places=places)


def left_over(rng: Rng, folder: Path) -> RealJob:
    """One or two pieces of another square among those of one."""
    whole, places = _cut_square(rng, int(rng.integers(5, 9)))
    _, others = _cut_square(rng, 8)
    strange = {f"strange {name}": others[name] for name in list(others)[: int(rng.integers(1, 3))]}
    shapes = {"target": whole, **_strewn({**places, **strange}, rng, SIDE)}
    return RealJob(path=write_csv(folder / "box.csv", shapes), places=places)


def lost_piece(rng: Rng, folder: Path) -> RealJob:
    """A tile of which a piece is lost."""
    whole, places = _cut_square(rng, int(rng.integers(6, 10)))
    del places[str(rng.choice(list(places)))]
    shapes: dict[str, Region] = {"target": whole, **_strewn(places, rng, SIDE)}
    return RealJob(path=write_svg(folder / "tile.svg", shapes), places=places)


def lost_and_strange(rng: Rng, folder: Path) -> RealJob:
    """A piece is lost, and one of another tile is in the box."""
    whole, places = _cut_square(rng, int(rng.integers(6, 9)))
    _, others = _cut_square(rng, 8)
    strange = {"strange": next(iter(others.values()))}
    del places[str(rng.choice(list(places)))]
    shapes: dict[str, Region] = {"target": whole, **_strewn({**places, **strange}, rng, SIDE)}
    return RealJob(path=write_svg(folder / "tile.svg", shapes), places=places)


def tray_with_play(rng: Rng, folder: Path) -> RealJob:
    """A tray that is wider than its pieces, by a play that is told."""
    whole, places = _cut_square(rng, int(rng.integers(5, 9)))
    play = float(rng.uniform(0.5, 4.0))
    shapes: dict[str, Region] = {"target": grow(whole, play / 2.0), **_strewn(places, rng, SIDE)}
    return RealJob(path=write_svg(folder / "tray.svg", shapes), params=JobParams(play=play), places=places)


def mosaic(rng: Rng, folder: Path) -> RealJob:
    """Cells of a mosaic in a hexagon, in a DXF file in metres far from the origin."""
    whole = regular(6)
    outlines = fracture_outlines(whole, VoronoiParams(pieces=int(rng.integers(6, 13))), rng)
    corner = np.array([6.1e5, -2.4e5])
    places = {n: _polygon(_moved(p, corner)) for n, p in _named(outlines, 2.0).items()}
    strewn = _strewn(places, rng, float(corner[0]) + 4.0)
    path = write_dxf(
        folder / "mosaic.dxf", {"target": _polygon(_moved(_larger(whole, 2.0), corner)), **strewn}, unit=6
    )
    return RealJob(path=path, places={n: _polygon(_larger(p, 1000.0)) for n, p in places.items()})


def _moved(shape: Region, by: Floats) -> Region:
    return shapely.transform(shape, lambda points: points + by)


def nesting(rng: Rng, folder: Path) -> RealJob:
    """A few parts and a sheet to lay them on, which is no reassembly."""
    whole, places = _cut_square(rng, 12)
    some = dict(list(places.items())[: int(rng.integers(2, 5))])
    shapes: dict[str, Region] = {"target": whole, **_strewn(some, rng, SIDE)}
    return RealJob(path=write_svg(folder / "sheet.svg", shapes), is_solvable=False)


def border_alone(rng: Rng, folder: Path) -> RealJob:
    """A border whose cuts are dashed, so that no line of them closes in anything."""
    whole, places = _cut_square(rng, 6)
    inner = union([place.boundary for place in places.values()]).difference(whole.boundary.buffer(1.0))
    dashes = [
        shapely.get_coordinates(substring(line, at, at + 3.0))
        for line in shapely.get_parts(shapely.line_merge(inner))
        for at in np.arange(0.0, line.length - 3.0, 8.0).tolist()
    ]
    path = write_svg(folder / "border.svg", {"border": whole}, dashes)
    return RealJob(path=path, params=JobParams(target=f"square:{SIDE:g}"), is_solvable=False)


# Every kind of job by name: a function from a generator and a folder to write into.
KINDS: dict[str, Callable[[Rng, Path], RealJob]] = {
    "states": states,
    "tangram": tangram_page,
    "several parts": several_parts,
    "jigsaw, border and cuts": jigsaw_cuts,
    "jigsaw, strewn": jigsaw_strewn,
    "rose window": rose_window,
    "sectors of a disc": disc_sectors,
    "forgotten kerf": forgotten_kerf,
    "wrong scale": wrong_scale,
    "left over": left_over,
    "lost piece": lost_piece,
    "lost and strange": lost_and_strange,
    "tray with play": tray_with_play,
    "mosaic, far away": mosaic,
    "nesting": nesting,
    "border alone": border_alone,
}

"""Kinds of photographs that people take: torn pages, jigsaws and tiles, in any light, straight and tilted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import shapely
from shapely import Polygon
from shapely.ops import nearest_points

from sherd.bench.real.job import RealJob
from sherd.core.geometry import TAU, Pose, Rotations
from sherd.core.texture import Texture
from sherd.draw import to_image
from sherd.draw.marker_page import draw_marker_page
from sherd.generation.dataset import Dissection, PuzzleKind, make_samples
from sherd.generation.painting import paint
from sherd.generation.patterns import PROCEDURAL
from sherd.generation.photographs import (
    Colour,
    LyingPiece,
    PaperOnTable,
    PhotographParams,
    lay_apart,
    photograph,
)
from sherd.workshop import JobParams

Rng = np.random.Generator

SIDE_MM = 120.0
PX_PER_MM = 4.0
GAP_MM = 6.0
A4_MM = (210.0, 297.0)
PRINT_PX = 512
# Tables that are unlike paper and most print, and those that are only unlike dark pieces.
TABLES: tuple[Colour, ...] = ((48, 52, 58), (40, 120, 60), (50, 80, 160), (120, 70, 35), (160, 165, 172))
LIGHT_TABLES: tuple[Colour, ...] = ((205, 200, 190), (170, 175, 180), (190, 160, 120))


@dataclass(frozen=True)
class _Strewn:
    """The pieces of a square as they lie on a table of a size, and where they belong in it."""

    lying: list[LyingPiece]
    size_mm: tuple[float, float]
    places: list[Polygon]

    def moved(self, x: float) -> _Strewn:
        """All pieces farther to the right, on a larger table."""
        there = [replace(piece, pose=Pose(x, 0.0) @ piece.pose) for piece in self.lying]
        width, height = self.size_mm
        return _Strewn(there, (width + x, height), self.places)

    def job(self, path: Path, params: JobParams) -> RealJob:
        """Pieces are named in the order in which they are read, so that any of them may lie in any place."""
        return RealJob(
            path=path, params=params, places={f"piece {k}": one for k, one in enumerate(self.places, start=1)}
        )


def _strewn(
    rng: Rng, dissection: Dissection, pieces: int, printed: str | None, paper: Colour = (236, 224, 198)
) -> _Strewn:
    kind = PuzzleKind(dissection=dissection, pieces=pieces, rotations=Rotations(None))
    sample = next(make_samples(kind, seed=int(rng.integers(10**6)), stop=1))
    if printed is not None:
        sample = paint(sample, PROCEDURAL[printed](PRINT_PX, rng), size_px=PRINT_PX)
    low_x, low_y, high_x, high_y = sample.puzzle.target.bounds
    scale = SIDE_MM / max(high_x - low_x, high_y - low_y)

    def larger(shape: Polygon) -> Polygon:
        return shapely.transform(shape, lambda xy: (xy - (low_x, low_y)) * scale)

    places = [larger(place) for place in sample.puzzle.placed(sample.truth)]
    outlines = {
        one.id: shapely.transform(one.polygon, lambda xy: xy * scale) for one in sample.puzzle.fragments
    }
    prints: Mapping[str, Texture | None] = {
        one.id: None if one.texture is None else one.texture.scaled(scale) for one in sample.puzzle.fragments
    }
    poses, size = lay_apart(outlines, rng, GAP_MM)
    lying = [LyingPiece(outlines[name], poses[name], prints[name], paper) for name in outlines]
    return _Strewn(lying, size, places)


def _camera(rng: Rng, tables: Sequence[Colour]) -> PhotographParams:
    """A camera and a light as anybody may have them."""
    return PhotographParams(
        px_per_mm=PX_PER_MM,
        table=tables[int(rng.integers(len(tables)))],
        light=float(rng.uniform(0.05, 0.35)),
        shadow=float(rng.uniform(0.15, 0.4)),
        shadow_mm=float(rng.uniform(0.6, 1.6)),
        noise=float(rng.uniform(1.0, 3.0)),
        quality=int(rng.integers(80, 95)),
    )


def _straight(strewn: _Strewn, camera: PhotographParams, rng: Rng, folder: Path) -> RealJob:
    path = folder / "photo.jpg"
    path.write_bytes(photograph(strewn.lying, strewn.size_mm, camera, rng))
    return strewn.job(path, JobParams(target=f"square:{SIDE_MM:g}", mm_per_px=1.0 / PX_PER_MM))


def torn_page(rng: Rng, folder: Path) -> RealJob:
    """A printed page torn into eight."""
    return _straight(_strewn(rng, "broken", 8, "page"), _camera(rng, TABLES), rng, folder)


def printed_jigsaw(rng: Rng, folder: Path) -> RealJob:
    """A jigsaw of twelve with a picture on it."""
    printed = ("marble", "checker", "stripes")[int(rng.integers(3))]
    return _straight(_strewn(rng, "jigsaw", 12, printed), _camera(rng, TABLES[:4]), rng, folder)


def dark_tile(rng: Rng, folder: Path) -> RealJob:
    """A dark tile broken along straight lines, on a light table."""
    strewn = _strewn(rng, "cuts", 8, None, (38, 34, 32))
    return _straight(strewn, _camera(rng, LIGHT_TABLES), rng, folder)


def edge_of_the_table(rng: Rng, folder: Path) -> RealJob:
    """A strip of something else along the right border."""
    strewn = _strewn(rng, "broken", 8, "marble")
    wide = _Strewn(strewn.lying, (1.1 * strewn.size_mm[0], strewn.size_mm[1]), strewn.places)
    return _straight(wide, replace(_camera(rng, TABLES[:3]), strip=(150, 100, 60)), rng, folder)


def touching(rng: Rng, folder: Path) -> RealJob:
    """Two of eight pieces lie so that they touch."""
    strewn = _strewn(rng, "broken", 8, "page")
    lying = strewn.lying
    outlines = [piece.pose.apply(piece.outline) for piece in lying]
    near = sorted(
        ((outlines[a].distance(outlines[b]), a, b) for a in range(len(lying)) for b in range(a)),
        key=lambda one: one[0],
    )
    _, a, b = near[0]
    there, here = nearest_points(outlines[a], outlines[b])
    step = Pose(1.02 * (there.x - here.x), 1.02 * (there.y - here.y))
    lying[b] = replace(lying[b], pose=step @ lying[b].pose)
    return _straight(_Strewn(lying, strewn.size_mm, strewn.places), _camera(rng, TABLES[:3]), rng, folder)


def _beside_a_sheet(rng: Rng, folder: Path, page: np.ndarray, bend: float, params: JobParams) -> RealJob:
    strewn = _strewn(rng, "broken", 6, "page", (236, 224, 198)).moved(A4_MM[0] + 3.0 * GAP_MM)
    size = strewn.size_mm[0], max(strewn.size_mm[1], A4_MM[1] + 4.0 * GAP_MM)
    camera = replace(
        _camera(rng, TABLES[:4]),
        tilt_deg=float(rng.uniform(5.0, 20.0)),
        distortion=bend * float(rng.uniform(-1, 1)),
    )
    sheet = PaperOnTable((2.0 * GAP_MM, 2.0 * GAP_MM), *A4_MM, page)
    path = folder / "photo.jpg"
    path.write_bytes(photograph(strewn.lying, size, camera, rng, [sheet]))
    return strewn.job(path, replace(params, target=f"square:{SIDE_MM:g}"))


def tilted_by_marker(rng: Rng, folder: Path) -> RealJob:
    """A tilted camera with a lens that bends lines, and the marker page beside the pieces."""
    page = np.asarray(to_image(draw_marker_page("a4"), zoom=2.0))
    return _beside_a_sheet(rng, folder, page, 0.03, JobParams())


def tilted_by_sheet(rng: Rng, folder: Path) -> RealJob:
    """A tilted camera, and a plain sheet of A4 beside the pieces."""
    page = np.full((297, 210, 3), 246, dtype=np.uint8)
    return _beside_a_sheet(rng, folder, page, 0.0, JobParams(sheet="a4"))


def one_a_picture(rng: Rng, folder: Path) -> RealJob:
    """A jigsaw, a photograph a piece."""
    strewn = _strewn(rng, "jigsaw", 6, "checker")
    camera = _camera(rng, TABLES[:3])
    pictures = folder / "pieces"
    pictures.mkdir()
    for k, piece in enumerate(strewn.lying):
        turned = Pose(0.0, 0.0, float(rng.uniform(0.0, TAU)))
        low_x, low_y, high_x, high_y = turned.apply(piece.outline).bounds
        there = Pose(2.0 * GAP_MM - low_x, 2.0 * GAP_MM - low_y) @ turned
        size = high_x - low_x + 4.0 * GAP_MM, high_y - low_y + 4.0 * GAP_MM
        data = photograph([replace(piece, pose=there)], size, camera, rng)
        (pictures / f"piece {k + 1}.jpg").write_bytes(data)
    return strewn.job(pictures, JobParams(target=f"square:{SIDE_MM:g}", mm_per_px=1.0 / PX_PER_MM))


PHOTOGRAPHS: dict[str, Callable[[Rng, Path], RealJob]] = {
    "photo, torn page": torn_page,
    "photo, jigsaw": printed_jigsaw,
    "photo, dark tile": dark_tile,
    "photo, edge of the table": edge_of_the_table,
    "photo, touching": touching,
    "photo, marker page": tilted_by_marker,
    "photo, sheet of A4": tilted_by_sheet,
    "photo, one a piece": one_a_picture,
}

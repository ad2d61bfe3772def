"""The same puzzle in every format of drawings."""

from __future__ import annotations

import json
from pathlib import Path

import ezdxf
import pytest
import shapely

from sherd.core.errors import FileFormatError
from sherd.core.geometry import Pose, Rotations, union
from sherd.generation.dataset import PuzzleKind, make_samples
from sherd.generation.shapes import named_shape
from sherd.io.drawings import ReadParams, is_drawing, read_drawing
from sherd.solvers import assemble
from sherd.workshop.job import make_job
from sherd.workshop.params import JobParams


def _places(polygon: shapely.Polygon) -> list[tuple[float, float]]:
    return [(x, y) for x, y in polygon.exterior.coords[:-1]]


def _svg(path: Path, shapes: dict[str, shapely.Polygon]) -> None:
    body = "".join(
        f'<path id="{name}" d="M{" L".join(f"{x!r} {-y!r}" for x, y in _places(polygon))}z"/>'
        for name, polygon in shapes.items()
    )
    path.write_text(f'<svg width="100mm" height="100mm" viewBox="0 -100 100 100">{body}</svg>')


def _dxf(path: Path, shapes: dict[str, shapely.Polygon]) -> None:
    document = ezdxf.new("R2010")  # pyright: ignore
    document.header["$INSUNITS"] = 4
    for name, polygon in shapes.items():
        document.modelspace().add_lwpolyline(_places(polygon), close=True, dxfattribs={"layer": name})
    document.saveas(path)


def _geojson(path: Path, shapes: dict[str, shapely.Polygon]) -> None:
    features = [
        {"type": "Feature", "id": name, "properties": {}, "geometry": shapely.geometry.mapping(polygon)}
        for name, polygon in shapes.items()
    ]
    path.write_text(json.dumps({"type": "FeatureCollection", "features": features}))


def _csv(path: Path, shapes: dict[str, shapely.Polygon]) -> None:
    rows = [f'{name},"{shapely.to_wkt(shape, rounding_precision=-1)}"\n' for name, shape in shapes.items()]
    path.write_text("id,wkt\n" + "".join(rows))


def _coco(path: Path, shapes: dict[str, shapely.Polygon]) -> None:
    annotations = [
        {"id": k, "name": name, "segmentation": [[value for x, y in _places(shape) for value in (x, -y)]]}
        for k, (name, shape) in enumerate(shapes.items())
    ]
    path.write_text(json.dumps({"annotations": annotations}))


WRITERS = {"a.svg": _svg, "a.dxf": _dxf, "a.geojson": _geojson, "a.csv": _csv, "a.json": _coco}


@pytest.mark.parametrize("name", WRITERS)
def test_a_drawing_of_a_known_puzzle_is_put_together(tmp_path: Path, name: str) -> None:
    kind = PuzzleKind(shape=named_shape("hexagon"), rotations=Rotations(None))
    (sample,) = make_samples(kind, seed=3, stop=1)
    # Apart from each other: the file shows where pieces lie on the table, not where they belong.
    shapes = {
        fragment.id: Pose(100 * k, 500.0).apply(_hundredfold(fragment.polygon))
        for k, fragment in enumerate(sample.puzzle.fragments)
    }
    WRITERS[name](tmp_path / name, {**shapes, "target": _hundredfold(sample.puzzle.target)})
    job = make_job(read_drawing(tmp_path / name), JobParams(rotations=sample.puzzle.rotations))
    assert {figure.id for figure in job.figures} == set(shapes)
    result = assemble(job.puzzle, seconds=5.0)
    placed = union([job.placed_figure(placement) for placement in result.assembly])
    assert placed.symmetric_difference(job.puzzle.target).area <= 1e-6 * job.puzzle.target.area


def _hundredfold(polygon: shapely.Polygon) -> shapely.Polygon:
    return shapely.transform(polygon, lambda xy: 100.0 * xy)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("plan.PDF", "PDF is not read: open it in Inkscape or the like, and save it as SVG"),
        ("part.stl", "STL is not read: it holds bodies, not outlines"),
        ("house.dwg", "DWG is not read: save it as DXF"),
        ("land.shp", "SHP is not read: save it as GeoJSON"),
    ],
)
def test_what_people_have_instead_gets_a_line_of_its_own(name: str, said: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(b"whatever")
    assert is_drawing(tmp_path / name)
    with pytest.raises(FileFormatError, match=said):
        read_drawing(tmp_path / name)


def test_maps_are_told_in_kilometres(tmp_path: Path) -> None:
    (tmp_path / "land.wkt").write_text("POLYGON ((450000 0, 450300 0, 450300 200, 450000 200, 450000 0))")
    found = read_drawing(tmp_path / "land.wkt", ReadParams(unit="km"))
    assert found.unit == "km"
    assert found.figures[0].polygon.bounds == pytest.approx((450000, 0, 450300, 200))
    (tmp_path / "piece.wkt").write_text("MULTIPOLYGON (((0 0, 1 0, 1 1, 0 0)), ((2 0, 3 0, 3 1, 2 0)))")
    assert read_drawing(tmp_path / "piece.wkt").notes == (
        "in several parts, each of which is taken for a piece: line 1",
    )

"""Import, assemble, export, import again: whatever the format, the target is rebuilt."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest
import shapely

from sherd.cli import run
from sherd.geometry import Pose, difference, size_of, union
from sherd.io.drawings import read_drawing
from sherd.io.exports import layout_to_dxf, layout_to_svg
from sherd.plan import Layout, Piece
from sherd.tangram import tangram


@pytest.fixture(scope="module")
def strewn() -> Layout:
    """A tangram of 120 mm whose pieces lie beside the target, turned."""
    sample = tangram("square", np.random.default_rng(4))
    pieces = tuple(
        Piece(
            fragment.id,
            shapely.transform(fragment.polygon, lambda points: points * 120.0),
            Pose(250.0 + 130.0 * k, 40.0, 0.7 * k),
            f"sheet {k % 2}",
        )
        for k, fragment in enumerate(sample.puzzle.fragments)
    )
    target = shapely.transform(sample.puzzle.target, lambda points: points * 120.0)
    return Layout("tangram", target, pieces, "mm")


def as_table(layout: Layout) -> str:
    stream = io.StringIO()
    rows = csv.writer(stream)
    rows.writerow(["name", "layer", "wkt"])
    rows.writerow(["target", "", shapely.to_wkt(layout.target, rounding_precision=-1)])
    for piece in layout.pieces:
        rows.writerow([piece.id, piece.layer, shapely.to_wkt(piece.placed, rounding_precision=-1)])
    return stream.getvalue()


def as_geojson(layout: Layout) -> str:
    named = [("target", "", layout.target), *((p.id, p.layer, p.placed) for p in layout.pieces)]
    features = [
        {
            "type": "Feature",
            "properties": {"name": name, "layer": layer},
            "geometry": json.loads(shapely.to_geojson(outline)),
        }
        for name, layer, outline in named
    ]
    return json.dumps({"type": "FeatureCollection", "features": features})


WRITERS = {"svg": layout_to_svg, "dxf": layout_to_dxf, "csv": as_table, "geojson": as_geojson}


@pytest.mark.parametrize("ending", WRITERS)
def test_what_comes_in_comes_out_assembled(ending: str, strewn: Layout, tmp_path: Path) -> None:
    source, out = tmp_path / f"tangram.{ending}", tmp_path / "out"
    source.write_text(WRITERS[ending](strewn))
    options = ["--unit", "mm"] * (ending in ("csv", "geojson"))
    command = ["assemble", str(source), "--out", str(out), "--export", "svg,dxf,geojson", "--check"]
    assert run([*command, *options]) == 0
    for again in ("svg", "dxf", "geojson"):
        drawing = read_drawing(out / f"tangram.assembled.{again}")
        (target,) = drawing.targets
        together = union([figure.polygon for figure in drawing.pieces])
        off = difference(target.polygon, together).area + difference(together, target.polygon).area
        assert off <= 1e-6 * size_of(target.polygon) ** 2
        assert target.polygon.area == pytest.approx(strewn.target.area, rel=1e-9)
        assert {(f.id, f.layer) for f in drawing.pieces} == {(p.id, p.layer) for p in strewn.pieces}

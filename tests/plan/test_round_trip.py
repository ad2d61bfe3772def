"""Import, assemble, export, import again: whatever the format, the target is rebuilt."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import shapely
from PIL import Image

from sherd.cli import run
from sherd.core.geometry import Pose, difference, size_of, union
from sherd.generation.tangram import tangram
from sherd.io.drawings import Drawing, read_drawing
from sherd.plan import DrawnPiece, Layout
from sherd.plan.formats import layout_to_dxf, layout_to_svg


@pytest.fixture(scope="module")
def strewn() -> Layout:
    """A tangram of 120 mm whose pieces lie beside the target, turned."""
    sample = tangram("square", np.random.default_rng(4))
    pieces = tuple(
        DrawnPiece(
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


def as_coco(layout: Layout) -> str:
    """In pixels with y down, the target in a category of that name."""
    named = [("target", "target", layout.target), *((p.id, p.layer, p.placed) for p in layout.pieces)]
    layers = sorted({layer for _, layer, _ in named})
    annotations = [
        {
            "id": number,
            "image_id": 1,
            "name": name,
            "category_id": layers.index(layer),
            "segmentation": [(shapely.get_coordinates(outline)[:-1] * [1, -1] + [0, 500]).ravel().tolist()],
        }
        for number, (name, layer, outline) in enumerate(named)
    ]
    categories = [{"id": number, "name": layer} for number, layer in enumerate(layers)]
    images = [{"id": 1, "width": 2000, "height": 500}]
    return json.dumps({"images": images, "categories": categories, "annotations": annotations})


WRITERS = {
    "json": as_coco,
    "svg": layout_to_svg,
    "dxf": layout_to_dxf,
    "csv": as_table,
    "geojson": as_geojson,
}


@pytest.mark.parametrize("ending", WRITERS)
def test_what_comes_in_comes_out_assembled(ending: str, strewn: Layout, tmp_path: Path) -> None:
    source, out = tmp_path / f"tangram.{ending}", tmp_path / "out"
    source.write_text(WRITERS[ending](strewn))
    options = ["--unit", "mm"] * (ending in ("csv", "geojson")) + ["--mm-per-px", "1"] * (ending == "json")
    command = ["assemble", str(source), "--out", str(out), "--export", "svg,dxf,geojson", "--check"]
    assert run([*command, *options]) == 0
    for again in ("svg", "dxf", "geojson"):
        drawing = rebuilt(out / f"tangram.assembled.{again}", strewn.target.area)
        assert {(f.id, f.layer) for f in drawing.pieces} == {(p.id, p.layer) for p in strewn.pieces}


def rebuilt(path: Path, area: float, share: float = 1e-6) -> Drawing:
    """What was exported, whose pieces make the target, which has this area, to a share of its size."""
    drawing = read_drawing(path)
    (target,) = drawing.targets
    together = union([figure.polygon for figure in drawing.pieces])
    off = difference(target.polygon, together).area + difference(together, target.polygon).area
    assert off <= share * size_of(target.polygon) ** 2
    assert target.polygon.area == pytest.approx(area, rel=1e-9 if share == 1e-6 else 5.0 * share)
    return drawing


def test_lines_of_wkt_come_out_assembled(strewn: Layout, tmp_path: Path) -> None:
    source, tray, out = tmp_path / "tangram.wkt", tmp_path / "tray.wkt", tmp_path / "out"
    source.write_text(
        "\n".join(shapely.to_wkt(piece.placed, rounding_precision=-1) for piece in strewn.pieces)
    )
    tray.write_text(shapely.to_wkt(strewn.target, rounding_precision=-1))
    options = ["--unit", "mm", "--target", str(tray), "--out", str(out), "--check"]
    assert run(["assemble", str(source), *options, "--export", "svg,dxf,geojson"]) == 0
    for again in ("svg", "dxf", "geojson"):
        assert len(rebuilt(out / f"tangram.assembled.{again}", strewn.target.area).pieces) == 7


# Outlines that are traced from pixels are off by some hundredths of one.
TRACED = 2e-3
# A target of 40 x 20 pixels, and its three pieces by number: rows, columns.
PATCHES = ((slice(10, 30), slice(60, 70)), (slice(40, 50), slice(60, 90)), (slice(60, 70), slice(60, 90)))


def labels(path: Path) -> list[str]:
    values = np.zeros((80, 110), dtype=np.uint8)
    for number, patch in enumerate(PATCHES, start=1):
        values[patch] = number
    Image.fromarray(values).save(path / "in.png")
    return ["in.png", "--target", "rect:40x20"]


def scan(path: Path) -> list[str]:
    values = np.full((80, 110, 3), 230, dtype=np.uint8)
    for patch in PATCHES:
        values[patch] = (40, 60, 50)
    Image.fromarray(values).save(path / "in.png")
    return ["in.png", "--target", "rect:40x20"]


def masks(path: Path) -> list[str]:
    (path / "in").mkdir()
    for number, patch in enumerate((*PATCHES, (slice(5, 25), slice(5, 45)))):
        cover = np.zeros((80, 110, 4), dtype=np.uint8)
        cover[patch] = 255
        Image.fromarray(cover).save(path / "in" / f"{'target' if number == len(PATCHES) else number}.png")
    return ["in"]


def runs(path: Path) -> list[str]:
    annotations: list[object] = []
    for number, patch in enumerate(PATCHES):
        mask = np.zeros((80, 110), dtype=np.int64)
        mask[patch] = 1
        changes = np.flatnonzero(np.diff(mask.ravel(order="F"), prepend=0, append=0))
        counts = np.diff(np.concatenate([[0], changes, [mask.size]])).tolist()
        annotations.append({"id": number, "segmentation": {"size": [80, 110], "counts": counts}})
    (path / "in.json").write_text(json.dumps({"annotations": annotations}))
    return ["in.json", "--target", "rect:40x20"]


@pytest.mark.parametrize("draw", [labels, scan, masks, runs])
def test_pixels_come_out_assembled(
    draw: Callable[[Path], list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    options = ["--mm-per-px", "1", "--out", "out", "--check", "--export", "svg,dxf,geojson"]
    assert run(["assemble", *draw(tmp_path), *options]) == 0
    for again in ("svg", "dxf", "geojson"):
        assert len(rebuilt(tmp_path / "out" / f"in.assembled.{again}", 800.0, TRACED).pieces) == 3

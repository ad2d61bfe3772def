"""Shapes into files as drawing programs write them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import Polygon

from sherd.core.geometry import Region

Floats = NDArray[np.float64]


def write_svg(
    path: Path, shapes: Mapping[str, Region], lines: Iterable[Floats] = (), extra: str = ""
) -> Path:
    """Closed shapes by id, and open lines, on a page of 1,000 mm with y down."""
    body = [f'<path id="{name}" d="{_rings(shape)}"/>' for name, shape in shapes.items()]
    body += [f'<path d="{_through(line)}"/>' for line in lines]
    page = 'width="1000mm" height="1000mm" viewBox="0 -1000 1000 1000"'
    path.write_text(f'<svg xmlns="http://www.w3.org/2000/svg" {page}>{"".join(body)}{extra}</svg>')
    return path


def write_dxf(path: Path, shapes: Mapping[str, Polygon], lines: Iterable[Floats] = (), unit: int = 4) -> Path:
    """The same as polylines, each on a layer of its name, in millimetres unless it is said."""
    from ezdxf.filemanagement import new  # takes a moment

    document = new("R2010")
    document.header["$INSUNITS"] = unit
    space = document.modelspace()
    for name, shape in shapes.items():
        for ring in shapely.get_rings(shape):
            space.add_lwpolyline(
                shapely.get_coordinates(ring)[:-1].tolist(), close=True, dxfattribs={"layer": name}
            )
    for line in lines:
        space.add_lwpolyline(line.tolist(), dxfattribs={"layer": "cuts"})
    document.saveas(path)
    return path


def write_geojson(path: Path, shapes: Mapping[str, Region]) -> Path:
    """A feature a shape."""
    features = [
        {"type": "Feature", "properties": {"name": name}, "geometry": shapely.geometry.mapping(shape)}
        for name, shape in shapes.items()
    ]
    path.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    return path


def write_csv(path: Path, shapes: Mapping[str, Region]) -> Path:
    """A table with columns name and wkt."""
    rows = (f'{name},"{shapely.to_wkt(shape, rounding_precision=-1)}"' for name, shape in shapes.items())
    path.write_text("\n".join(["name,wkt", *rows]))
    return path


def _rings(shape: Region) -> str:
    rings = shapely.get_rings(shapely.get_parts(shape))
    return "".join(_through(shapely.get_coordinates(ring)[:-1]) + "Z" for ring in rings)


def _through(points: Floats) -> str:
    return "M" + "L".join(f"{x!r},{-y!r}" for x, y in points.tolist())

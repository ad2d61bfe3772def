"""Layouts as GeoJSON: a feature for the target, or each group, and each placed piece, in plain x and y."""

from __future__ import annotations

import json
from typing import Any

import shapely

from sherd.core.geometry import Region
from sherd.io.puzzle_files import rotation_deg
from sherd.plan.plan import Plan


def plan_to_geojson(plan: Plan) -> str:
    """A feature collection, one feature a line; ``pose`` takes the drawn piece to its place.

    GeoJSON means degrees on the globe unless both sides agree otherwise; these are lengths in ``unit``.
    """
    layout = plan.layout
    features: list[dict[str, Any]] = []
    if not layout.target.is_empty:
        features.append(_feature("target", layout.target, {"name": "target", "role": "target"}))
    for number, group in enumerate(plan.groups, start=1):
        name = f"group {number}"
        features.append(_feature(name, group.outline, {"name": name, "role": "outline"}))
    for piece in plan.in_order:
        assert piece.pose is not None
        pose, hold = piece.pose, plan.holds[piece.id]
        properties: dict[str, Any] = {
            "name": piece.id,
            "role": "piece",
            "number": plan.numbers[piece.id],
            "pose": {
                "x": pose.x,
                "y": pose.y,
                "rotation_deg": rotation_deg(pose),
                "mirrored": pose.mirrored,
                "matrix": list(pose.matrix),
            },
            "held": hold.band,
        }
        if piece.layer:
            properties["layer"] = piece.layer
        features.append(_feature(piece.id, piece.placed, properties))
    about = {"unit": layout.unit, "set_aside": list(layout.set_aside)}
    rows = ",\n".join(json.dumps(feature, ensure_ascii=False, allow_nan=False) for feature in features)
    return (
        f'{{"type": "FeatureCollection", "sherd": {json.dumps(about, ensure_ascii=False)}, '
        f'"features": [\n{rows}\n]}}\n'
    )


def _feature(id_: str, region: Region, properties: dict[str, Any]) -> dict[str, Any]:
    parts = [
        [shapely.get_coordinates(ring).tolist() for ring in shapely.get_rings(shapely.orient_polygons(part))]
        for part in shapely.get_parts(region)
    ]
    is_one = len(parts) == 1
    return {
        "type": "Feature",
        "id": id_,
        "properties": properties,
        "geometry": {
            "type": "Polygon" if is_one else "MultiPolygon",
            "coordinates": parts[0] if is_one else parts,
        },
    }

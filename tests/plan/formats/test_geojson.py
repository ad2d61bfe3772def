"""Assemblies as GeoJSON."""

from __future__ import annotations

import json
import math
from pathlib import Path

import shapely

from sherd.core.geometry import Pose
from sherd.plan import make_plan
from sherd.plan.files import export
from sherd.workshop.job_layout import lay_out_job

from ..conftest import Answered, saved_of


def test_geojson_features_carry_id_pose_and_number(strewn: Answered, tmp_path: Path) -> None:
    job, assembly = strewn
    plan = make_plan(lay_out_job(job, assembly, name="four"))
    (path,) = export(plan, saved_of(assembly), tmp_path, ["geojson"])
    document = json.loads(path.read_text())
    assert document["sherd"] == {"unit": "mm", "set_aside": []}
    target, *pieces = document["features"]
    assert target["properties"]["role"] == "target"
    assert [feature["properties"]["number"] for feature in pieces] == [1, 2, 3, 4]
    for feature, piece in zip(pieces, plan.in_order, strict=True):
        pose = feature["properties"]["pose"]
        assert piece.pose is not None
        assert feature["id"] == piece.id
        assert Pose(pose["x"], pose["y"], math.radians(pose["rotation_deg"])).is_close(piece.pose, 1e-9)
        assert shapely.geometry.shape(feature["geometry"]).equals_exact(piece.placed, 1e-9, normalize=True)

"""For other programs: exact SVG, DXF and GeoJSON of a layout, cut files of its gaps, and a table."""

from __future__ import annotations

from sherd.plan.formats.csv import plan_to_csv
from sherd.plan.formats.dxf import gaps_to_dxf, layout_to_dxf
from sherd.plan.formats.geojson import plan_to_geojson
from sherd.plan.formats.names import path_inside, safe_file_name
from sherd.plan.formats.svg import gaps_to_svg, layout_to_svg

__all__ = [
    "gaps_to_dxf",
    "gaps_to_svg",
    "layout_to_dxf",
    "layout_to_svg",
    "path_inside",
    "plan_to_csv",
    "plan_to_geojson",
    "safe_file_name",
]

"""Layouts and gaps as DXF, by ezdxf.

A piece is a block of the drawn outline, on the piece's own layer, inserted where it goes; gaps are plain
closed polylines.
"""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from typing import Any

import shapely

from sherd.core.geometry import Region
from sherd.layout.gaps import Gap
from sherd.layout.layout import Layout
from sherd.plan.formats.names import dxf_name, unique

VERSION = "R2010"
MILLIMETRES, NO_UNIT = 4, 0
APPLICATION = "SHERD"
TARGET_LAYER, PIECES_LAYER, GAPS_LAYER = "target", "pieces", "gaps"
STRING = 1000  # the group code of a text in extended data, of up to 255 bytes
LONGEST_STRING = 250


def layout_to_dxf(layout: Layout) -> str:
    """The target, if any, on a layer of that name, and each placed piece on the layer from which it came."""
    document = _new(layout.unit)
    space = document.modelspace()
    if not layout.target.is_empty:
        document.layers.add(TARGET_LAYER, color=8)
        _outline(space, layout.target, TARGET_LAYER)
    taken = [block.name for block in document.blocks]
    names = unique((dxf_name(piece.id, "piece") for piece in layout.placed), taken)
    for piece, name in zip(layout.placed, names, strict=True):
        assert piece.pose is not None
        layer = dxf_name(piece.layer, PIECES_LAYER)
        if layer not in document.layers:
            document.layers.add(layer)
        _outline(document.blocks.new(name), piece.drawn, "0")
        pose = piece.pose
        insert = space.add_blockref(
            name,
            (pose.x, pose.y),
            dxfattribs={
                "layer": layer,
                "rotation": math.degrees(pose.theta),
                "xscale": -1.0 if pose.mirrored else 1.0,
            },
        )
        exact = piece.id.encode("utf-8", "replace")[:LONGEST_STRING].decode(errors="ignore")
        insert.set_xdata(APPLICATION, [(STRING, exact.replace("\n", " ").replace("\r", " "))])
    return _text(document)


def gaps_to_dxf(gaps: Sequence[Gap], layout: Layout) -> str:
    """The outlines of the gaps where they lie in the target, to be cut."""
    document = _new(layout.unit)
    document.layers.add(GAPS_LAYER, color=1)
    for gap in gaps:
        _outline(document.modelspace(), gap.polygon, GAPS_LAYER)
    return _text(document)


def _new(unit: str) -> Any:
    from ezdxf.filemanagement import new  # takes a moment, and only DXF files need it

    document = new(VERSION)
    document.header["$INSUNITS"] = MILLIMETRES if unit == "mm" else NO_UNIT
    document.header["$MEASUREMENT"] = 1
    document.appids.add(APPLICATION)
    return document


def _outline(space: Any, region: Region, layer: str) -> None:
    for ring in shapely.get_rings(shapely.get_parts(region)):
        space.add_lwpolyline(list(ring.coords)[:-1], close=True, dxfattribs={"layer": layer})


def _text(document: Any) -> str:
    stream = io.StringIO()
    document.write(stream)
    return stream.getvalue()

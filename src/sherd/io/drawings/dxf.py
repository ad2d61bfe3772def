"""Drawings in DXF, by ezdxf: lines, arcs, circles, ellipses, polylines and splines, in nested blocks too.

Only what lies in the model space is read, and not what is on layers that are off or frozen. Arcs stay arcs:
`ezdxf.path` would make cubic curves of them that miss them by up to 0.03 % of the radius, or as many for a
small fillet as a large arc needs, before the drawing's tolerance is known.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Iterator, Sequence
from itertools import islice, pairwise
from pathlib import Path as FilePath
from typing import Any

import numpy as np

from sherd.core.errors import FileFormatError
from sherd.io.document import LARGEST_NUMBER
from sherd.io.drawings.curves import Affine, Arc, Cubic, Curve, Line, Path, polyline
from sherd.io.drawings.figures import Notes
from sherd.io.drawings.model import MM_PER, Unit, clean_name
from sherd.io.drawings.strokes import Stroke

MOST_BYTES = 32 * 2**20
MOST_BLOCKS_DEEP = 20
MOST_DRAWN = 100_000
# $INSUNITS: what one unit is in mm; 0 and the astronomic ones are no unit at all.
UNITS = {
    1: MM_PER["in"],
    2: MM_PER["ft"],
    4: 1.0,
    5: 10.0,
    6: 1000.0,
    8: 25.4e-6,
    9: 25.4e-3,
    10: 914.4,
    13: 1e-3,
    14: 100.0,
}
# A spline that is no chain of cubic curves is flattened to this share of its own size: less than any
# tolerance that is asked for.
SPLINE_SHARE = 1e-5
MOST_SPLINE_POINTS = 100_000
# A bulge below this bends an edge by less than rounding does.
STRAIGHT_BULGE = 1e-12
_CONTROL_VERTEX = 16


def read_dxf(path: FilePath, unit: str | None, notes: Notes) -> tuple[list[Stroke], Unit]:
    """The strokes of the model space, in mm if the file says what its unit is, or it is given."""
    import ezdxf.filemanagement  # takes a moment, and only DXF files need it

    if not (logger := logging.getLogger("ezdxf")).handlers:
        logger.addHandler(logging.NullHandler())  # its warnings are no words for users
    try:
        document = ezdxf.filemanagement.readfile(path)
        code = int(document.header.get("$INSUNITS", 0))
        hidden = {
            layer.dxf.name.casefold() for layer in document.layers if layer.is_off() or layer.is_frozen()
        }
        reader = _DxfReader(MM_PER[unit] if unit is not None else UNITS.get(code, 1.0), hidden, notes)
        reader.count(document.modelspace(), document.blocks)
        strokes = [stroke for entity in document.modelspace() for stroke in reader.strokes(entity, (), 0)]
    except (OSError, FileFormatError) as error:
        if isinstance(error, OSError) and error.errno is None:  # ezdxf says so where a file is not DXF
            raise FileFormatError("not a DXF file") from None
        raise
    except MemoryError:
        raise
    except RecursionError:
        raise FileFormatError("blocks nested too deeply") from None
    except Exception as error:  # a broken file can bring ezdxf to raise almost anything
        reason = clean_name(str(error).splitlines()[0] if str(error) else type(error).__name__)
        raise FileFormatError(f"cannot be read as DXF: {reason}") from None
    return strokes, "mm" if unit is not None or code in UNITS else "unknown"


class _DxfReader:
    def __init__(self, scale: float, hidden: set[str], notes: Notes) -> None:
        self._to_mm = Affine(scale, 0.0, 0.0, scale)
        self._hidden = hidden
        self._notes = notes
        self._drawn = 0

    def count(self, entities: Any, blocks: Any) -> None:
        """`FileFormatError` if copies of blocks make too many of these entities, before one is made."""
        counts: dict[str, int] = {}

        def drawn(entities: Any, depth: int) -> int:
            if depth > MOST_BLOCKS_DEEP:
                raise FileFormatError(f"blocks nested more than {MOST_BLOCKS_DEEP} deep")
            count = 0
            for entity in entities:
                count += 1
                if entity.dxftype() == "INSERT":
                    name = str(entity.dxf.get("name", "")).casefold()
                    if name not in counts:
                        block = blocks.get(name)
                        counts[name] = 0 if block is None else drawn(block, depth + 1)
                    count += max(1, int(entity.mcount)) * counts[name]
            return count

        if drawn(entities, 0) > MOST_DRAWN:
            raise FileFormatError(_too_many())

    def strokes(self, entity: Any, blocks: tuple[str, ...], depth: int, layer: str = "0") -> Iterator[Stroke]:
        """All strokes of an entity; what is on layer 0 of a block is on the layer of its copy."""
        self._drawn += 1
        if self._drawn > MOST_DRAWN:
            raise FileFormatError(_too_many())
        own = str(entity.dxf.get("layer", "0"))
        layer = layer if blocks and own == "0" else own
        if entity.dxf.get("invisible", 0) or own.casefold() in self._hidden:
            return
        kind = entity.dxftype()
        if kind == "INSERT":
            yield from self._copy(entity, blocks, depth, layer)
            return
        make = _ENTITIES.get(kind)
        if make is None:
            self._notes.add("left out (no outline)", kind)
            return
        groups = (clean_name(layer), *blocks)
        name = next((name for name in reversed(groups) if name and name != "0"), "")
        try:
            paths = make(entity)
        except (ValueError, ArithmeticError, LookupError, TypeError, AttributeError):
            self._notes.add(f"left out (this {kind} makes no sense)", name)
            return
        for path in paths:
            if len(path.curves) > 0:
                yield Stroke(path.moved(self._to_mm), name, groups, self._drawn)

    def _copy(self, insert: Any, blocks: tuple[str, ...], depth: int, layer: str) -> Iterator[Stroke]:
        if depth >= MOST_BLOCKS_DEEP:
            raise FileFormatError(f"blocks nested more than {MOST_BLOCKS_DEEP} deep")
        inside = (*blocks, clean_name(str(insert.dxf.get("name", ""))))
        if insert.mcount > MOST_DRAWN:
            raise FileFormatError(_too_many())
        copies = insert.multi_insert() if insert.mcount > 1 else (insert,)
        for copy in copies:
            for entity in copy.virtual_entities():
                yield from self.strokes(entity, inside, depth + 1, layer)


def _too_many() -> str:
    return f"more than {MOST_DRAWN:,} shapes, counting copies of blocks"


def _flat(vector: Any) -> np.ndarray:
    return np.array([vector[0], vector[1]], dtype=np.float64)


def _line(entity: Any) -> list[Path]:
    return [polyline([_flat(entity.dxf.start), _flat(entity.dxf.end)])]


def _arc(entity: Any) -> list[Path]:
    """An arc, a circle or (part of) an ellipse, in its own plane and seen from above."""
    import ezdxf.math

    if entity.dxftype() == "ELLIPSE":
        tool = entity.construction_tool()
    else:
        about = entity.dxf.all_existing_dxf_attribs()
        known = ("center", "radius", "extrusion", "start_angle", "end_angle")
        tool = ezdxf.math.ConstructionEllipse.from_arc(
            **{name: about[name] for name in known if name in about}
        )
    start, sweep = tool.start_param, tool.param_span
    is_whole = not 1e-9 < sweep < 2.0 * math.pi - 1e-9
    sweep = 2.0 * math.pi if is_whole else sweep
    arc = Arc(_flat(tool.center), _flat(tool.major_axis), _flat(tool.minor_axis), start, sweep)
    return [Path(arc.at(start), (arc,), is_whole)]


def _light_polyline(entity: Any) -> list[Path]:
    points = [(x, y, bulge) for x, y, bulge in entity.get_points("xyb")]
    return _bulged(points, bool(entity.closed), entity.ocs(), entity.dxf.elevation)


def _polyline(entity: Any) -> list[Path]:
    if entity.is_poly_face_mesh or entity.is_polygon_mesh:
        raise ValueError("a mesh")
    vertices = [v for v in entity.vertices if not v.dxf.get("flags", 0) & _CONTROL_VERTEX]
    if entity.is_3d_polyline:
        points = [_flat(vertex.dxf.location) for vertex in vertices]
        return [polyline(points, bool(entity.is_closed))] if points else []
    places = [(v.dxf.location.x, v.dxf.location.y, v.dxf.get("bulge", 0.0)) for v in vertices]
    elevation = entity.dxf.get("elevation", (0.0, 0.0, 0.0))[2]
    return _bulged(places, bool(entity.is_closed), entity.ocs(), elevation)


def _bulged(
    points: Sequence[tuple[float, float, float]], closed: bool, system: Any, elevation: float
) -> list[Path]:
    """Edges that are straight, or arcs where the first vertex has a bulge, tan(turn / 4)."""
    import ezdxf.math

    if not points:
        return []
    places = [_flat(system.to_wcs((x, y, elevation))) for x, y, _ in points]
    mirrored = system.transform and system.uz.z < 0.0
    curves: list[Curve] = []
    numbers = [*range(len(points)), 0] if closed else range(len(points))
    for first, last in pairwise(numbers):
        bulge = -points[first][2] if mirrored else points[first][2]
        start, end = places[first], places[last]
        if abs(bulge) <= STRAIGHT_BULGE or (start == end).all():
            curves.append(Line(end[None]))
            continue
        centre = _flat(ezdxf.math.bulge_center(start, end, bulge))
        x, y = (start - centre).tolist()
        u, v = np.array([x, y]), np.array([-y, x])
        curves.append(Arc(centre, u, v, 0.0, 4.0 * math.atan(bulge), end))
    return [Path(places[0], tuple(curves), closed)]


def _spline(entity: Any) -> list[Path]:
    curve = entity.construction_tool()
    controls = np.array([_flat(point) for point in curve.control_points])
    size = float(np.ptp(controls, axis=0).max())
    if not 0.0 < size <= LARGEST_NUMBER:
        raise ValueError("a spline without size")
    if curve.is_clamped and not curve.is_rational and curve.degree in (2, 3):
        parts = [np.array([_flat(point) for point in part]) for part in curve.bezier_decomposition()]
        cubics = tuple(Cubic(part) if len(part) == 4 else Cubic.quadratic(part) for part in parts)
        return [Path(parts[0][0], cubics, bool(entity.closed))]
    # Knots and weights beyond all measure are halved without end.
    flattened = curve.flattening(size * SPLINE_SHARE, segments=4)
    points = [_flat(point) for point in islice(flattened, MOST_SPLINE_POINTS + 1)]
    if len(points) > MOST_SPLINE_POINTS:
        raise ValueError("a spline without end")
    return [polyline(points, bool(entity.closed))]


_ENTITIES: dict[str, Callable[[Any], list[Path]]] = {
    "LINE": _line,
    "ARC": _arc,
    "CIRCLE": _arc,
    "ELLIPSE": _arc,
    "LWPOLYLINE": _light_polyline,
    "POLYLINE": _polyline,
    "SPLINE": _spline,
}

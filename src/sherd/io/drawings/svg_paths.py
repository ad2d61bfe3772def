"""Path data of SVG, the attribute ``d``: fontTools walks through the commands, and curves are kept exact.

What it would pass over in silence (words between numbers, ``1.e5``, a number too many) is refused before.
"""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
from fontTools.pens.basePen import AbstractPen
from fontTools.svgLib.path import parser
from fontTools.svgLib.path.arc import EllipticalArc

from sherd.io.drawings.curves import Arc, Cubic, Curve, Line, Path
from sherd.io.drawings.svg_values import NUMBER, numbers

Point = tuple[float, float]

_COMMAND = re.compile("([MmZzLlHhVvCcSsQqTtAa])")
_WANTED = {"M": 2, "Z": 0, "L": 2, "H": 1, "V": 1, "C": 6, "S": 4, "Q": 4, "T": 2, "A": 7}
# The flags of an arc may be written without anything around them. Numbers are atomic, or a long row of digits
# could be cut into numbers in more ways than there is time to try.
_NEXT = rf"((?>{NUMBER}))[\s,]*"
_ARC = re.compile(rf"[\s,]*{_NEXT * 3}([01])[\s,]*([01])[\s,]*{_NEXT * 2}")


def path_data(text: str) -> list[Path]:
    """The sub-paths of an attribute ``d``; `ValueError` where it breaks.

    >>> [len(path.curves) for path in path_data("M0 0h10v10zm20 0l5 5 5-5z")]
    [3, 3]
    """
    before, *parts = _COMMAND.split(text)
    if before.strip(" ,\t\r\n") or (parts and parts[0] not in "Mm"):
        raise ValueError("the path data does not begin with a move")
    plain = "".join(
        command + " ".join(repr(value).removesuffix(".0") for value in _arguments(command, written))
        for command, written in zip(parts[::2], parts[1::2], strict=True)
    )
    pen = _Pen()
    parser.parse_path(plain, pen)
    return pen.paths


def _arguments(command: str, text: str) -> list[float]:
    """The numbers after a command, as many as it takes, once or several times."""
    values = _arc_numbers(text) if command in "Aa" else numbers(text)
    wanted = _WANTED[command.upper()]
    if (len(values) % wanted or not values) if wanted else values:
        raise ValueError(f"the path data has {len(values)} in place of {wanted} numbers after {command}")
    if not all(map(math.isfinite, values)):
        raise ValueError("the path data has a number that is not finite")
    return values


def _arc_numbers(text: str) -> list[float]:
    values: list[float] = []
    at = 0
    while at < len(text) and (match := _ARC.match(text, at)):
        values += map(float, match.groups())
        at = match.end()
    if text[at:].strip():
        raise ValueError(f"the path data has {text[at : at + 20]!r} where the numbers of an arc should be")
    return values


class _Pen(AbstractPen):
    """Collects sub-paths; one without any line or curve is none."""

    def __init__(self) -> None:
        self.paths: list[Path] = []
        self._curves: list[Curve] = []
        self._start: Point = (0.0, 0.0)
        self._at: Point = (0.0, 0.0)

    def moveTo(self, pt: Point) -> None:  # noqa: N802 - the names are those of the base class
        self._start = self._at = pt

    def lineTo(self, pt: Point) -> None:  # noqa: N802
        self._add(Line(np.array([pt])), pt)

    def curveTo(self, *points: Point) -> None:  # noqa: N802
        self._add(Cubic(np.array([self._at, *points])), points[-1])

    def qCurveTo(self, *points: Point | None) -> None:  # noqa: N802
        self._add(Cubic.quadratic([self._at, *points]), points[-1] or self._at)

    def arcTo(  # noqa: N802
        self, rx: float, ry: float, rotation: float, large: bool, sweep: bool, pt: Point
    ) -> None:
        """An arc that stays one: the cubic curves of fontTools miss it by up to 0.03 % of its radius."""
        start = complex(*self._at)
        # From 0 on, where its centre is found to the last digit however far away it is drawn.
        arc: Any = EllipticalArc(0j, rx, ry, rotation, large, sweep, complex(*pt) - start)
        try:
            is_bent: bool = arc._parametrize()
        except ArithmeticError:
            raise ValueError("the path data has an arc whose numbers are too large or too small") from None
        if not is_bent:
            self.lineTo(pt)
            return
        u = arc.rx * complex(math.cos(arc.angle), math.sin(arc.angle))
        v = arc.ry * complex(-math.sin(arc.angle), math.cos(arc.angle))
        centre = start + arc.center_point.real * u + arc.center_point.imag * v
        middle, first, second = (np.array([place.real, place.imag]) for place in (centre, u, v))
        self._add(Arc(middle, first, second, arc.theta1, arc.theta_arc, np.array(pt)), pt)

    def _add(self, curve: Curve, end: Point) -> None:
        self._curves.append(curve)
        self._at = end

    def closePath(self) -> None:  # noqa: N802
        self._leave(True)

    def endPath(self) -> None:  # noqa: N802
        self._leave(False)

    def _leave(self, closed: bool) -> None:
        if self._curves:
            self.paths.append(Path(np.array(self._start), tuple(self._curves), closed))
        self._curves = []
        self._at = self._start

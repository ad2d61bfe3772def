"""The small languages inside SVG attributes: numbers, lengths, transforms and path data."""

from __future__ import annotations

import math
import re

import numpy as np

from sherd.io.drawings.curves import Affine, Arc, Cubic, Curve, Floats, Line, Path
from sherd.io.drawings.model import MM_PER

_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_BETWEEN = re.compile(r"[\s,]*")
_LENGTH = re.compile(r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*([a-zA-Z%]*)\s*")
_TRANSFORM = re.compile(r"\s*,?\s*([a-zA-Z]+)\s*\(([^()]*)\)")
_COMMANDS = frozenset("MmZzLlHhVvCcSsQqTtAa")
_WANTED = {"M": 2, "L": 2, "H": 1, "V": 1, "C": 6, "S": 4, "Q": 4, "T": 2, "A": 7}


def numbers(text: str) -> list[float]:
    """All numbers of a list such as ``points``; `ValueError` on anything else.

    >>> numbers("1,2 -3.5.5")
    [1.0, 2.0, -3.5, 0.5]
    """
    found: list[float] = []
    at = _skip(text, 0)
    while at < len(text):
        value, at = _number(text, at)
        found.append(value)
    return found


def length(text: str | None, percent_of: float = math.nan) -> tuple[float, str]:
    """A length in px and its unit as written ("" for none); `ValueError` if it is none.

    >>> length("1in"), length(" 12 ")
    ((96.0, 'in'), (12.0, ''))
    """
    match = _LENGTH.fullmatch(text or "")
    if match is None:
        raise ValueError(f"{(text or '')[:40]!r} is not a length")
    value, unit = float(match[1]), match[2]
    if unit == "%":
        return value / 100.0 * percent_of, unit
    unit = unit if unit == "Q" else unit.lower()
    if unit and (unit not in MM_PER or unit in ("m", "ft")):
        raise ValueError(f"{text!r} has a unit that is not known")
    return value * MM_PER[unit or "px"] / MM_PER["px"], unit


def transform(text: str) -> Affine:
    """A list of transforms as one; `ValueError` if it is none.

    >>> transform("translate(10) scale(2,3)")([[1.0, 1.0]]).tolist()
    [[12.0, 3.0]]
    """
    whole = Affine()
    at = 0
    for match in _TRANSFORM.finditer(text):
        if text[at : match.start()].strip(" ,\t\r\n"):
            break
        whole = whole @ _one_transform(match[1], numbers(match[2]))
        at = match.end()
    if text[at:].strip(" ,\t\r\n") and text.strip() != "none":
        raise ValueError(f"the transform {text[:40]!r} cannot be read")
    return whole


def _one_transform(name: str, values: list[float]) -> Affine:
    match name, values:
        case "matrix", [a, b, c, d, e, f]:
            return Affine(a, b, c, d, e, f)
        case "translate", [x]:
            return Affine(e=x)
        case "translate", [x, y]:
            return Affine(e=x, f=y)
        case "scale", [s]:
            return Affine(s, 0.0, 0.0, s)
        case "scale", [x, y]:
            return Affine(x, 0.0, 0.0, y)
        case "rotate", [angle]:
            return _rotation(angle)
        case "rotate", [angle, x, y]:
            return Affine(e=x, f=y) @ _rotation(angle) @ Affine(e=-x, f=-y)
        case "skewX", [angle]:
            return Affine(c=math.tan(math.radians(angle)))
        case "skewY", [angle]:
            return Affine(b=math.tan(math.radians(angle)))
        case _:
            raise ValueError(f"the transform {name[:20]}({len(values)} numbers) is not known")


def _rotation(degrees: float) -> Affine:
    quarter, rest = divmod(degrees, 90.0)
    if rest == 0.0:  # without rounding
        cos, sin = ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))[int(quarter) % 4]
    else:
        cos, sin = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return Affine(cos, sin, -sin, cos)


def path_data(text: str) -> list[Path]:
    """The sub-paths of an attribute ``d``; `ValueError` where it breaks.

    >>> [len(path.curves) for path in path_data("M0 0h10v10zm20 0l5 5 5-5z")]
    [2, 2]
    """
    pen = _Pen()
    at = _skip(text, 0)
    command = ""
    while at < len(text):
        if text[at] in _COMMANDS:
            command = text[at]
            at = _skip(text, at + 1)
            if command in "Zz":
                pen.close()
                continue
        elif command in ("", "Z", "z"):
            raise ValueError(f"the path data has {text[at : at + 10]!r} where a command should be")
        values: list[float] = []
        for k in range(_WANTED[command.upper()]):
            is_flag = command in "Aa" and k in (3, 4)
            value, at = _flag(text, at) if is_flag else _number(text, at)
            values.append(value)
        pen.draw(command.upper(), command.islower(), values)
        command = {"M": "L", "m": "l"}.get(command, command)
    return pen.finished()


class _Pen:
    """Where the pen is while path data are read, and what it has drawn."""

    def __init__(self) -> None:
        self._paths: list[Path] = []
        self._start = np.zeros(2)
        self._at = np.zeros(2)
        self._curves: list[Curve] = []
        self._begun = False
        self._handle: tuple[str, Floats] | None = None

    def finished(self) -> list[Path]:
        self._leave(False)
        return self._paths

    def close(self) -> None:
        if not self._begun:
            raise ValueError("the path data does not begin with a move")
        self._leave(True)
        self._at = self._start

    def _leave(self, closed: bool) -> None:
        if self._curves:
            self._paths.append(Path(self._start, tuple(self._curves), closed))
        self._curves = []
        self._handle = None

    def draw(self, command: str, relative: bool, values: list[float]) -> None:
        if not all(map(math.isfinite, values)):
            raise ValueError("the path data has a number that is not finite")
        base = self._at if relative else np.zeros(2)
        if command == "M":
            self._leave(False)
            self._start = self._at = base + values
            self._begun = True
            return
        if not self._begun:
            raise ValueError("the path data does not begin with a move")
        if not self._curves:
            self._start = self._at
        handle: tuple[str, Floats] | None = None
        if command == "H":
            end = np.array([base[0] + values[0], self._at[1]])
        elif command == "V":
            end = np.array([self._at[0], base[1] + values[0]])
        else:
            end = base + values[-2:]
        if command == "A":
            curve = _arc(self._at, end, *values[:3], large=bool(values[3]), sweep=bool(values[4]))
        elif command in "CS":
            pairs = np.reshape(values, (-1, 2)) + base
            first = pairs[0] if command == "C" else self._reflected("C")
            curve = Cubic(np.stack([self._at, first, pairs[-2], end]))
            handle = ("C", pairs[-2])
        elif command in "QT":
            middle = base + values[:2] if command == "Q" else self._reflected("Q")
            curve = Cubic.quadratic([self._at, middle, end])
            handle = ("Q", middle)
        else:
            curve = Line(end[None])
        self._curves.append(curve)
        self._at, self._handle = end, handle

    def _reflected(self, kind: str) -> Floats:
        if self._handle is None or self._handle[0] != kind:
            return self._at
        return 2.0 * self._at - self._handle[1]


def _arc(
    start: Floats, end: Floats, radius_x: float, radius_y: float, tilt: float, *, large: bool, sweep: bool
) -> Curve:
    """SVG's arc from one point to another, as appendix B.2 of the standard finds its centre."""
    radius_x, radius_y = abs(radius_x), abs(radius_y)
    if radius_x == 0.0 or radius_y == 0.0 or (start == end).all():
        return Line(end[None])
    cos, sin = math.cos(math.radians(tilt)), math.sin(math.radians(tilt))
    across = (start - end) / 2.0
    x, y = cos * across[0] + sin * across[1], -sin * across[0] + cos * across[1]
    excess = math.hypot(x / radius_x, y / radius_y)
    if excess > 1.0:
        radius_x, radius_y = radius_x * excess, radius_y * excess
    share = (x / radius_x) ** 2 + (y / radius_y) ** 2
    factor = math.sqrt(max(0.0, 1.0 / share - 1.0)) if share > 0.0 else 0.0
    if large == sweep:
        factor = -factor
    shift_x, shift_y = factor * radius_x * y / radius_y, -factor * radius_y * x / radius_x
    middle = (start + end) / 2.0
    centre = middle + np.array([cos * shift_x - sin * shift_y, sin * shift_x + cos * shift_y])
    first = math.atan2((y - shift_y) / radius_y, (x - shift_x) / radius_x)
    turn = (math.atan2((-y - shift_y) / radius_y, (-x - shift_x) / radius_x) - first) % (2.0 * math.pi)
    return Arc(
        centre,
        np.array([cos * radius_x, sin * radius_x]),
        np.array([-sin * radius_y, cos * radius_y]),
        first,
        turn if sweep else turn - 2.0 * math.pi,
        end,
    )


def _skip(text: str, at: int) -> int:
    match = _BETWEEN.match(text, at)
    return match.end() if match else at


def _number(text: str, at: int) -> tuple[float, int]:
    match = _NUMBER.match(text, at)
    if match is None:
        raise ValueError(f"{text[at : at + 10]!r} is not a number")
    return float(match[0]), _skip(text, match.end())


def _flag(text: str, at: int) -> tuple[float, int]:
    if text[at : at + 1] not in ("0", "1"):
        raise ValueError(f"{text[at : at + 10]!r} is not the flag of an arc")
    return float(text[at]), _skip(text, at + 1)

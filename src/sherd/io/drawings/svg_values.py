"""The small languages inside SVG attributes: numbers, lengths and transforms."""

from __future__ import annotations

import math
import re

from sherd.io.drawings.curves import UNMOVED, Affine
from sherd.io.drawings.model import MM_PER

NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_ITEM = re.compile(rf"[\s,]*({NUMBER})[\s,]*")
_LENGTH = re.compile(rf"\s*({NUMBER})\s*([a-zA-Z%]*)\s*")
_TRANSFORM = re.compile(r"\s*,?\s*([a-zA-Z]+)\s*\(([^()]*)\)")


def numbers(text: str) -> list[float]:
    """All numbers of a list such as ``points``; `ValueError` on anything else.

    >>> numbers("1,2 -3.5.5")
    [1.0, 2.0, -3.5, 0.5]
    """
    found: list[float] = []
    text = text.strip()
    at = 0
    while at < len(text):
        match = _ITEM.match(text, at)
        if match is None:
            raise ValueError(f"{text[at : at + 10]!r} is not a number")
        found.append(float(match[1]))
        at = match.end()
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
    if unit and (unit not in MM_PER or unit in ("m", "km", "ft")):
        raise ValueError(f"{text!r} has a unit that is not known")
    return value * MM_PER[unit or "px"] / MM_PER["px"], unit


def transform(text: str) -> Affine:
    """A list of transforms as one; `ValueError` if it is none.

    >>> transform("translate(10) scale(2,3)")([[1.0, 1.0]]).tolist()
    [[12.0, 3.0]]
    """
    whole, at = UNMOVED, 0
    if not text:
        return whole
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

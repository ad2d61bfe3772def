"""How a file of shapes is read."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

from sherd.io.drawings.model import MM_PER

Nested = Literal["holes", "pieces"]
Doubles = Literal["drop", "keep"]
Picture = Literal["alpha", "labels", "photo"]


@dataclass(frozen=True, kw_only=True)
class ReadParams:
    """What can be said about a file of shapes; lengths are in mm where it has a physical unit.

    ``unit`` is what one unit of the file is, if the file says nothing or the wrong thing, and ``mm_per_px``
    how large a pixel is; ``flatten`` is how far a curve may be missed, ``gap`` how far apart ends may be and
    still be joined; ``nested`` is what shapes inside others are, ``doubles`` what happens to shapes that lie
    on each other; ``picture`` is what kind of picture an image is.
    """

    unit: str | None = None
    mm_per_px: float | None = None
    flatten: float | None = None
    gap: float | None = None
    nested: Nested | None = None
    doubles: Doubles | None = None
    picture: Picture | None = None

    def __post_init__(self) -> None:
        if self.unit is not None and self.unit not in MM_PER:
            raise ValueError(f"unknown unit {self.unit!r}: choose {', '.join(MM_PER)}")
        for name in ("mm_per_px", "flatten"):
            value = getattr(self, name)
            if value is not None and not 0.0 < value < math.inf:
                raise ValueError(f"{name} must be above 0, not {value:g}")
        if self.gap is not None and not 0.0 <= self.gap < math.inf:
            raise ValueError(f"gap must be at least 0, not {self.gap:g}")
        for name, kind in (("nested", Nested), ("doubles", Doubles), ("picture", Picture)):
            value = getattr(self, name)
            if value is not None and value not in get_args(kind):
                raise ValueError(f"{name} must be one of {', '.join(get_args(kind))}, not {value!r}")

"""How a file of shapes is read."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

from PIL import ImageColor

from sherd.core.errors import ArgumentError
from sherd.io.document import LARGEST_NUMBER
from sherd.io.drawings.model import MM_PER
from sherd.tracing.photo.find_pieces import PhotoParams

Nested = Literal["holes", "pieces"]
Doubles = Literal["drop", "keep"]
Picture = Literal["alpha", "labels", "photo"]
Holes = Literal["keep", "fill"]
Touching = Literal["apart", "one"]
Sheet = Literal["marker", "a5", "a4", "a3", "letter"]


@dataclass(frozen=True, kw_only=True)
class ReadParams:
    """What can be said about a file of shapes; lengths are in mm where it has a physical unit.

    ``unit`` is what one unit of the file is, if the file says nothing or the wrong thing, and ``mm_per_px``
    how large a pixel is; ``flatten`` is how far a curve may be missed, ``gap`` how far apart ends may be and
    still be joined; ``nested`` is what shapes inside others are, ``doubles`` what happens to shapes that lie
    on each other; ``picture`` is what kind of picture an image is. Of photographs, ``background`` is the
    colour of the background, ``threshold`` how many grey levels (1 to 255) a piece differs from it at least,
    ``specks`` the area in pixels below which a part is dirt, ``holes`` whether the background that shows
    inside of a piece is a hole or print, and ``touching`` whether parts that hang together by a narrow neck
    are told apart; ``sheet`` is the paper in the picture that tells its scale: a marker page, or a plain one.
    """

    unit: str | None = None
    mm_per_px: float | None = None
    flatten: float | None = None
    gap: float | None = None
    nested: Nested | None = None
    doubles: Doubles | None = None
    picture: Picture | None = None
    background: str | None = None
    threshold: float | None = None
    specks: float | None = None
    holes: Holes | None = None
    touching: Touching | None = None
    sheet: Sheet | None = None

    def __post_init__(self) -> None:
        if self.unit is not None and self.unit not in MM_PER:
            raise ArgumentError(f"unknown unit {self.unit!r}: choose {', '.join(MM_PER)}")
        for name, value in vars(self).items():
            if isinstance(value, float) and math.isfinite(value) and abs(value) > LARGEST_NUMBER:
                raise ArgumentError(f"{name} is a number beyond all measure")
        if self.mm_per_px is not None and 0.0 < self.mm_per_px < 1.0 / LARGEST_NUMBER:
            raise ArgumentError("mm_per_px is too small a number to mean anything")
        for name in ("mm_per_px", "flatten"):
            value = getattr(self, name)
            if value is not None and not 0.0 < value < math.inf:
                raise ArgumentError(f"{name} must be above 0, not {value:g}")
        if self.gap is not None and not 0.0 <= self.gap < math.inf:
            raise ArgumentError(f"gap must be at least 0, not {self.gap:g}")
        if self.threshold is not None and not 1.0 <= self.threshold <= 255.0:
            raise ArgumentError(f"threshold must be between 1 and 255 grey levels, not {self.threshold:g}")
        if self.specks is not None and not 0.0 <= self.specks < math.inf:
            raise ArgumentError(f"specks must be at least 0 pixels, not {self.specks:g}")
        if self.sheet is not None and self.mm_per_px is not None:
            raise ArgumentError("both a sheet and mm_per_px tell how large things are: choose one")
        self.photo  # noqa: B018  (checks the colour)
        kinds = {
            "nested": Nested,
            "doubles": Doubles,
            "picture": Picture,
            "holes": Holes,
            "touching": Touching,
            "sheet": Sheet,
        }
        for name, kind in kinds.items():
            value = getattr(self, name)
            if value is not None and value not in get_args(kind):
                raise ArgumentError(f"{name} must be one of {', '.join(get_args(kind))}, not {value!r}")

    @property
    def photo(self) -> PhotoParams:
        """What is said about photographs."""
        colour: tuple[float, float, float] | None = None
        if self.background is not None:
            try:
                red, green, blue = ImageColor.getrgb(self.background)[:3]
            except ValueError:
                raise ArgumentError(
                    f"background must be a colour such as #20a040 or green, not {self.background!r}"
                ) from None
            colour = float(red), float(green), float(blue)
        return PhotoParams(
            background=colour,
            threshold=self.threshold,
            specks=self.specks,
            holes=self.holes,
            touching=self.touching != "one",
        )

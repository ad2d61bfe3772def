"""An answer in terms of the pieces as they were drawn: what a builder, a cutter or another program needs."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from shapely import GeometryCollection, Polygon

from sherd.core.assembly import Assembly, Placement
from sherd.core.errors import ArgumentError
from sherd.core.geometry import Pose, Region, apply_each, size_of
from sherd.core.puzzle import Puzzle
from sherd.core.texture import Texture

# Outlines this close touch, as a share of the target's size, where nothing else is said.
TOUCH_SHARE = 1e-3
TOUCH_PX = 2.5  # or, of a picture, in pixels
NO_PLACE = "no place was found"


@dataclass(frozen=True)
class DrawnPiece:
    """A piece as it was drawn, and the pose that takes the drawing's frame to the target's (None: set aside).

    ``grown`` is the outline that was fitted, in the drawing's frame too, where that is not the drawn one:
    pieces are grown by what the cut took away. ``reason`` says why a piece is set aside, and ``texture`` what
    it looks like.
    """

    id: str
    drawn: Polygon
    pose: Pose | None = None
    layer: str = ""
    grown: Polygon | None = None
    reason: str = ""
    texture: Texture | None = field(default=None, compare=False)

    @property
    def placed(self) -> Polygon:
        """The drawn outline in its place."""
        assert self.pose is not None, "set aside"
        return self.pose.apply(self.drawn)

    @property
    def fitted(self) -> Polygon:
        """The outline that was fitted, in its place."""
        assert self.pose is not None, "set aside"
        return self.pose.apply(self.drawn if self.grown is None else self.grown)


@dataclass(frozen=True)
class Layout:
    """A target, empty where there is none, and all pieces that were drawn, placed or not.

    Lengths are in one unit ("" if unknown). ``tolerance`` is how far apart outlines may lie and still touch,
    where none is given a share of the size of the target, or else of all that is placed. ``without_area``
    names pieces that came with hardly any. ``pixel`` is how large one is where pieces were read from a
    picture: outlines are then not known better than to a few.
    """

    name: str
    target: Region
    pieces: tuple[DrawnPiece, ...]
    unit: str = ""
    tolerance: float = 0.0
    without_area: tuple[str, ...] = ()
    pixel: float = 0.0
    is_tolerance_given: bool = field(init=False)

    def __post_init__(self) -> None:
        if not self.tolerance >= 0.0:
            raise ArgumentError(f"the tolerance must be at least 0, not {self.tolerance}")
        object.__setattr__(self, "is_tolerance_given", self.tolerance > 0.0)
        if not self.is_tolerance_given:
            whole = GeometryCollection(self.fitted) if self.target.is_empty else self.target
            size = 0.0 if whole.is_empty else size_of(whole)
            touch = max(TOUCH_SHARE * size, TOUCH_PX * self.pixel)
            object.__setattr__(self, "tolerance", touch)

    @cached_property
    def placed(self) -> tuple[DrawnPiece, ...]:
        """The pieces that have a place."""
        return tuple(piece for piece in self.pieces if piece.pose is not None)

    @cached_property
    def fitted(self) -> tuple[Polygon, ...]:
        """The fitted outlines of the placed pieces, in their places."""
        poses = [one.pose for one in self.placed if one.pose is not None]
        return tuple(
            apply_each(poses, [one.drawn if one.grown is None else one.grown for one in self.placed])
        )

    @cached_property
    def set_aside(self) -> dict[str, str]:
        """The names of the pieces that have no place, and why."""
        loose = {piece.id: piece.reason for piece in self.pieces if piece.pose is None}
        return {**loose, **dict.fromkeys(self.without_area, "hardly any area")}

    @property
    def pixels(self) -> list[tuple[Texture, Pose]]:
        """What the placed pieces look like, and where that goes."""
        return [
            (one.texture, one.pose) for one in self.placed if one.texture is not None and one.pose is not None
        ]

    @cached_property
    def assembly(self) -> Assembly:
        """The answer as poses from the drawing's frame, so that it refers to the coordinates in the file."""
        return Assembly(tuple(Placement(one.id, one.pose) for one in self.placed if one.pose is not None))


def lay_out(puzzle: Puzzle, assembly: Assembly, *, name: str = "pieces", unit: str = "") -> Layout:
    """The layout of an answer to a puzzle whose fragments are the pieces as they are."""
    poses = {placement.id: placement.pose for placement in assembly}
    pieces = [
        DrawnPiece(
            fragment.id,
            fragment.polygon,
            pose=poses.get(fragment.id),
            reason="" if fragment.id in poses else NO_PLACE,
        )
        for fragment in puzzle.fragments
    ]
    return Layout(name, puzzle.target, tuple(pieces), unit, without_area=puzzle.set_aside)

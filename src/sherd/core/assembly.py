"""An answer, partial or full: which fragment goes where, and what belongs together where nothing tells."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sherd.core.geometry import Pose
from sherd.core.showing import shown

# So many pieces are named in a line about an assembly.
MOST_NAMED = 8


@dataclass(frozen=True, slots=True)
class Placement:
    """One fragment, by id, and its pose in the target's frame, or in its group's where there is none."""

    id: str
    pose: Pose


@dataclass(frozen=True, repr=False)
class Assembly:
    """Placements in the order in which they were made; immutable.

    >>> empty = Assembly()
    >>> one = empty.place("f0", Pose(0.5, 0.5))
    >>> len(empty), len(one), one["f0"].x
    (0, 1, 0.5)
    """

    placements: tuple[Placement, ...] = ()

    def __post_init__(self) -> None:
        if len({placement.id for placement in self.placements}) < len(self.placements):
            raise ValueError("a fragment is placed twice")

    def __repr__(self) -> str:
        names = ", ".join(placement.id for placement in self.placements[:MOST_NAMED])
        more = ", ..." if len(self) > MOST_NAMED else ""
        return f"<Assembly of {len(self)}: {names}{more}>" if len(self) else "<Assembly of 0>"

    def _repr_svg_(self) -> str:
        return shown("poses_in_svg", self)

    def place(self, fragment_id: str, pose: Pose) -> Assembly:
        """A new assembly with one more fragment placed."""
        return Assembly((*self.placements, Placement(fragment_id, pose)))

    def __getitem__(self, fragment_id: str) -> Pose:
        for placement in self.placements:
            if placement.id == fragment_id:
                return placement.pose
        raise KeyError(fragment_id)

    def __contains__(self, fragment_id: object) -> bool:
        return any(placement.id == fragment_id for placement in self.placements)

    def __iter__(self) -> Iterator[Placement]:
        return iter(self.placements)

    def __len__(self) -> int:
        return len(self.placements)


@dataclass(frozen=True, slots=True)
class Joint:
    """Two pieces, or the target (None) and a piece, whose outlines may lie together.

    ``pose`` is the second's in the frame of the first. ``length`` is how much of the outlines touches,
    ``residual`` how far they are apart there, as a root mean square, and ``likelihood`` how likely this is
    right.
    """

    first: str | None
    second: str
    pose: Pose
    length: float
    residual: float
    likelihood: float


def likeliest(joints: Iterable[Joint], most: int) -> list[Joint]:
    """The first joint of each pair of a list that has the likeliest first, up to ``most`` of them."""
    best: dict[tuple[str | None, str], Joint] = {}
    for joint in joints:
        best.setdefault((joint.first, joint.second), joint)
    return list(best.values())[:most]


@dataclass(frozen=True)
class Group:
    """Pieces that lie together, in a frame of their own, and the joints that they lie in."""

    assembly: Assembly
    joints: tuple[Joint, ...] = ()

    def __len__(self) -> int:
        return len(self.assembly)

"""An answer, partial or full: which fragment goes where, and what belongs together where nothing tells."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import overload

from sherd.core.errors import ArgumentError
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
            raise ArgumentError("a fragment is placed twice")

    def __repr__(self) -> str:
        names = ", ".join(placement.id for placement in self.placements[:MOST_NAMED])
        more = ", ..." if len(self) > MOST_NAMED else ""
        return f"<Assembly of {len(self)}: {names}{more}>" if len(self) else "<Assembly of 0>"

    def _repr_svg_(self) -> str:
        return shown("poses_in_svg", self)

    def place(self, fragment_id: str, pose: Pose) -> Assembly:
        """A new assembly with one more fragment placed."""
        return Assembly((*self.placements, Placement(fragment_id, pose)))

    @cached_property
    def _by_id(self) -> dict[str, Pose]:
        return {placement.id: placement.pose for placement in self.placements}

    def __getitem__(self, fragment_id: str) -> Pose:
        return self._by_id[fragment_id]

    def __contains__(self, fragment_id: object) -> bool:
        return fragment_id in self._by_id

    def __iter__(self) -> Iterator[Placement]:
        return iter(self.placements)

    def __len__(self) -> int:
        return len(self.placements)


@dataclass(frozen=True)
class StepByStep(Sequence[Assembly]):
    """An assembly after each of its placements; made when asked for, as all of them grow with the square.

    >>> whole = Assembly().place("f0", Pose()).place("f1", Pose())
    >>> [len(step) for step in StepByStep(whole)], StepByStep(whole)[-1] == whole
    ([1, 2], True)
    """

    whole: Assembly

    def __len__(self) -> int:
        return len(self.whole)

    @overload
    def __getitem__(self, index: int) -> Assembly: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Assembly, ...]: ...

    def __getitem__(self, index: int | slice) -> Assembly | tuple[Assembly, ...]:
        if isinstance(index, slice):
            return tuple(self[k] for k in range(len(self))[index])
        return Assembly(self.whole.placements[: range(len(self))[index] + 1])


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


def in_percent(likelihood: float) -> str:
    """A likelihood for people: no joint is ever certain.

    >>> in_percent(0.898), in_percent(0.9999)
    ('90%', 'over 99%')
    """
    return "over 99%" if likelihood > 0.99 else f"{likelihood:.0%}"


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

"""What the assembly of contours gives: groups of pieces, each in a frame of its own, and the joints found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sherd.core.geometry import Pose


@dataclass(frozen=True, slots=True)
class Joint:
    """Two pieces, or a piece and the target (None), whose outlines may lie together.

    ``pose`` is the second's in the frame of the first (of the target, if that is the first). ``length`` is
    the stretch that touches, ``telling`` how much of it is not straight, ``residual`` the root mean square
    distance along it; ``likelihood`` is how likely the joint is right.
    """

    first: int | None
    second: int
    pose: Pose
    length: float
    telling: float
    residual: float
    likelihood: float


@dataclass(frozen=True)
class Group:
    """Pieces by number that lie together, with their poses; in the target's frame if ``attached`` to it."""

    poses: Mapping[int, Pose]
    attached: bool = False


@dataclass(frozen=True)
class Groups:
    """Groups of two pieces and more, the largest first, or attached to the target; and what else is known.

    ``alone`` are the pieces in no group. ``tolerance`` is how far apart outlines that touch may lie. ``whole``
    says that all pieces came together without a flaw that the search could see; ``exhausted`` that it had
    nothing left to try. ``note`` says in a few words what stood in the way.
    """

    groups: tuple[Group, ...]
    joints: tuple[Joint, ...]
    alone: tuple[int, ...]
    tolerance: float
    worth: float
    evaluations: int
    whole: bool
    exhausted: bool = False
    note: str = ""

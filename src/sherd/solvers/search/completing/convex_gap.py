"""A lost piece: what is left of a dissection by cuts, laid back so that the gap is one convex piece.

Each cut divides what it meets in two. Where one piece is lost, everything on the other side of each cut
around it can still be glued to one part. Laid into the convex region that was cut, such a part touches its
outline with all its edges but the cut, and what it leaves is convex again, down to the gap.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sherd.core.arrays import Floats
from sherd.core.geometry import Pose, Rotations, angle_between
from sherd.solvers.search.constants.completing import SAME_PLACE
from sherd.solvers.search.corner_outline import CornerOutline
from sherd.solvers.stop import Stop


@dataclass(frozen=True)
class ConvexGap:
    """An arrangement of parts, by number, and the convex outline that it leaves open."""

    poses: dict[int, Pose]
    outline: CornerOutline

    @property
    def around(self) -> float:
        """The length of the gap's outline: the shorter it is, the longer are the pieces in contact."""
        return float(self.outline.lengths.sum())


def leave_gap(
    parts: Sequence[CornerOutline], target: CornerOutline, rotations: Rotations, slack: float, stop: Stop
) -> tuple[list[ConvexGap], int]:
    """Every arrangement of all parts that cuts could have left, and how many placements were tried.

    ``slack`` is how far corners may be from where they should.
    """
    search = _GapSearch(parts, rotations, slack, stop)
    if bool(np.all(target.angles < math.pi)):
        search.lay(target, {})
    return search.found, search.tried


class _GapSearch:
    """All ways to go on from each region that has been met."""

    def __init__(
        self, parts: Sequence[CornerOutline], rotations: Rotations, slack: float, stop: Stop
    ) -> None:
        self.parts, self.rotations, self.slack, self.stop = parts, rotations, slack, stop
        self.found: list[ConvexGap] = []
        self.tried = 0
        self._met: set[tuple[frozenset[int], frozenset[tuple[int, int]]]] = set()

    def lay(self, region: CornerOutline, poses: dict[int, Pose]) -> None:
        """Lay every part that is not yet laid, in every way that a cut of the region allows, and go on."""
        grid = np.round(region.corners / (SAME_PLACE * self.slack)).astype(np.int64)
        state = frozenset(poses), frozenset((x, y) for x, y in grid.tolist())
        if state in self._met or self.stop(self.tried):
            return
        self._met.add(state)
        if len(poses) == len(self.parts):
            self.found.append(ConvexGap(poses, region))
            return
        for number, part in enumerate(self.parts):
            if number in poses:
                continue
            for cut in range(len(part)):
                for corner in range(len(region)):
                    pose = self._fit(part, cut, region, corner)
                    if pose is not None:
                        self.tried += 1
                        self.lay(_rest(part, cut, pose, region, corner), {**poses, number: pose})

    def _fit(self, part: CornerOutline, cut: int, region: CornerOutline, corner: int) -> Pose | None:
        """The pose that lays all edges of a part but one on the region's, from one of its corners on."""
        own = (np.arange(cut + 2, cut + len(part))) % len(part)  # the corners that are not the cut's ends
        there = (corner + np.arange(len(own))) % len(region)
        if len(own) > len(region) - 1:
            return None
        doubt = SAME_PLACE * self.slack / min(part.lengths.min(), region.lengths.min())
        if np.abs(part.angles[own] - region.angles[there]).max() > doubt:
            return None
        off = region.lengths[there[:-1]] - part.lengths[own[:-1]]
        if len(off) > 0 and np.abs(off).max() > SAME_PLACE * self.slack:
            return None
        first, last = (own[0] - 1) % len(part), own[-1]
        before = (there[0] - 1) % len(region)
        # A cut that ends in a corner would have left another angle there.
        room_first = region.lengths[before] - part.lengths[first]
        room_last = region.lengths[there[-1]] - part.lengths[last]
        if min(room_first, room_last) <= SAME_PLACE * self.slack:
            return None
        flush = np.append(first, own)
        longest = int(part.lengths[flush].argmax())
        turn = region.directions[np.append(before, there)[longest]] - part.directions[flush[longest]]
        theta = self.rotations.nearest(float(turn))
        if angle_between(theta, float(turn)) > doubt:
            return None
        x, y = (region.corners[there] - Pose(theta=theta).points(part.corners[own])).mean(axis=0).tolist()
        return Pose(x, y, theta)


def _rest(part: CornerOutline, cut: int, pose: Pose, region: CornerOutline, corner: int) -> CornerOutline:
    """What a part leaves of the region: its corners from the cut's other side on, and the cut's own ends."""
    banks: Floats = pose.points(part.corners[[cut, (cut + 1) % len(part)]])
    kept = np.roll(region.corners, -(corner + len(part) - 2), axis=0)[: len(region) - (len(part) - 2)]
    return CornerOutline(np.vstack([kept, banks[::-1]]))

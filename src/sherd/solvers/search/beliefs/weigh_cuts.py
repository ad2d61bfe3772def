"""The evidence that cuts give: which assembly they fit best, and which pieces others have elsewhere."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from sherd.core.geometry import Pose
from sherd.solvers.search.attempt import Evidence
from sherd.solvers.search.beliefs.elsewhere import doubts, pieces_elsewhere
from sherd.solvers.search.beliefs.likeliest import Arranged, Likeliest, likeliest
from sherd.solvers.search.beliefs.seen_lines import seen_lines
from sherd.solvers.search.case import Case
from sherd.solvers.search.constants.beliefs import DOUBTED_BY_CUTS
from sherd.solvers.search.constants.rough_outlines import NEARLY_STRAIGHT
from sherd.solvers.search.corner_outline import CornerOutline, ring_of
from sherd.solvers.stop import Stop


class Weighed(NamedTuple):
    """What speaks for an assembly, and its poses by piece number."""

    evidence: Evidence
    poses: dict[int, Pose]


def weigh_by_cuts(
    case: Case,
    starts: Sequence[Arranged] | None,
    stop: Stop,
    own: dict[int, Pose] | None = None,
    *,
    times: int = 1,
) -> Weighed | None:
    """The likeliest assembly by how well cuts fit it, and the evidence; None if cuts cannot be fitted.

    If pieces lie so in one's ``own`` assembly, it is that one. ``times`` as many arrangements as usual are
    fitted.
    """
    if not starts:
        return None
    weighing = _Weighing(case, stop)
    found = likeliest(
        case, starts, stop, lambda found: weighing(found).elsewhere == weighing.every, times=times
    )
    if found is None:
        return None
    evidence, chosen = weighing(found), found.arrangements[0].poses
    if evidence.elsewhere != weighing.every and (not found.is_whole or stop(0)):
        # What was not looked at may be as likely, and more patience may tell.
        evidence = replace(evidence, elsewhere=weighing.every, is_whole=False, is_fair=False)
    if own is not None and not weighing.apart(chosen, found.noise * case.size, own):
        chosen = own
    return Weighed(evidence, chosen)


def weigh_seen(
    case: Case, own: dict[int, Pose], stop: Stop, starts: Iterable[Arranged] = (), *, times: int = 1
) -> Weighed | None:
    """The same, begun with one's own assembly too, by the lines that edges are seen to lie on there."""
    outlines = tuple(CornerOutline.of(ring_of(one), NEARLY_STRAIGHT).corners for one in case.outlines)
    target = CornerOutline.of(ring_of(case.puzzle.target), NEARLY_STRAIGHT).corners
    lines = seen_lines(outlines, own, target)
    seen = [] if lines is None else [Arranged(lines, outlines, own)]
    return weigh_by_cuts(case, [*seen, *starts], stop, own, times=times)


class _Weighing:
    """The evidence for the likeliest of some arrangements, however often it is asked for."""

    def __init__(self, case: Case, stop: Stop) -> None:
        self.every, self._stop = frozenset(range(case.pieces)), stop
        self._case, self._rings = case, [ring_of(outline) for outline in case.outlines]
        # By the poses themselves, which are kept as long as this.
        self._known: dict[tuple[int, int], frozenset[int]] = {}

    def __call__(self, found: Likeliest) -> Evidence:
        chosen, off = found.arrangements[0].poses, found.noise * self._case.size
        chances: dict[frozenset[int], tuple[float, dict[int, Pose]]] = {}
        for one in found.arrangements:
            if chances and self._stop(0):
                break
            chances.setdefault(self.apart(chosen, off, one.poses), (math.exp(one.logarithm), one.poses))
        evidence = doubts(
            self._case, found.noise, chances, DOUBTED_BY_CUTS, is_whole=found.is_whole, is_final=True
        )
        evidence = replace(evidence, exact=found.exact, lacks_a_piece=found.lacks_a_piece)
        if found.is_fair and not found.lacks_a_piece:
            return evidence
        return replace(evidence, elsewhere=self.every, is_fair=found.is_fair)

    def apart(self, own: dict[int, Pose], off: float, poses: dict[int, Pose]) -> frozenset[int]:
        """The pieces that lie elsewhere than in one's own assembly."""
        key = id(own), id(poses)
        if key not in self._known:
            self._known[key] = pieces_elsewhere(self._case, self._rings, own, off, poses)
        return self._known[key]

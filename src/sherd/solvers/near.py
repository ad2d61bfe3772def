"""Puzzles far from the origin, where floats are coarse, brought near it, and their answers taken back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sherd.core.assembly import Assembly, Group, Joint, Placement, StepByStep
from sherd.core.geometry import Pose, origin_for
from sherd.core.puzzle import Fragment, Puzzle
from sherd.solvers.base import Progress, Result

HERE = Pose()


def bring_near(
    puzzle: Puzzle,
) -> tuple[Puzzle, Callable[[Result], Result], Callable[[Progress], Progress]]:
    """The puzzle with its target and the frames of its pieces near the origin, and the ways back.

    Of a result, and of what is told on the way. A puzzle that is there already is given as it is.
    """
    origin = origin_for(puzzle.target)
    frames = {fragment.id: origin_for(fragment.polygon) for fragment in puzzle.fragments}
    if not puzzle.has_target or all(frame == HERE for frame in (origin, *frames.values())):
        return puzzle, lambda result: result, lambda so_far: so_far
    fragments = tuple(
        Fragment(one.id, frames[one.id].inverse().apply(one.polygon), one.texture) for one in puzzle.fragments
    )
    near = replace(puzzle, target=origin.inverse().apply(puzzle.target), fragments=fragments)

    def back(assembly: Assembly) -> Assembly:
        return Assembly(tuple(Placement(p.id, origin @ p.pose @ frames[p.id].inverse()) for p in assembly))

    def joined(joint: Joint) -> Joint:
        of = origin if joint.first is None else frames[joint.first]
        return replace(joint, pose=of @ joint.pose @ frames[joint.second].inverse())

    def together(group: Group) -> Group:
        poses = (Placement(p.id, p.pose @ frames[p.id].inverse()) for p in group.assembly)
        return Group(Assembly(tuple(poses)), tuple(map(joined, group.joints)))

    def taken_back(result: Result) -> Result:
        trace = result.trace
        return replace(
            result,
            assembly=back(result.assembly),
            alternatives=tuple(map(back, result.alternatives)),
            trace=StepByStep(back(trace.whole)) if isinstance(trace, StepByStep) else tuple(map(back, trace)),
            groups=tuple(map(together, result.groups)),
            joints=tuple(map(joined, result.joints)),
        )

    def told_back(so_far: Progress) -> Progress:
        return replace(
            so_far,
            assembly=back(so_far.assembly),
            groups=tuple(map(together, so_far.groups)),
            joints=tuple(map(joined, so_far.joints)),
            judged=so_far.judged and taken_back(so_far.judged),
        )

    return near, taken_back, told_back

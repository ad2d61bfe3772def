"""An answer, or a part of it, kept: its pieces are glued together, and the rest is tried again.

Pieces that lie together are one piece to the solver, whose outline is theirs with the seams closed. What it
then finds is taken apart again; where there is a target, kept pieces stay where they were.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import count, product

import numpy as np
import shapely
from shapely import Polygon

from sherd.core.assembly import Assembly, Group, Joint, Placement
from sherd.core.errors import ArgumentError
from sherd.core.geometry import Pose, Region, angle_between, intersection, polygons_in, union
from sherd.core.puzzle import Fragment, Puzzle
from sherd.core.symmetry import allowed_symmetries
from sherd.io import SavedAssembly
from sherd.io.drawings.figures import some_of
from sherd.solvers.base import OnProgress, Progress, Proposal
from sherd.solvers.run import Assembler
from sherd.solvers.stop import AnyOf, MaxSeconds, Stop
from sherd.workshop.closing import close_gaps
from sherd.workshop.job import Job
from sherd.workshop.proposal import JobProposal

# Outlines no farther apart than this share of the puzzle's size lie together.
SEAM = 0.004
# A joint is one of a group's if its pieces lie there as it says, within this share of the size and angle.
SAME_PLACE = 0.02
SAME_ANGLE = math.radians(5.0)
KEPT = "kept"


@dataclass(frozen=True)
class Kept:
    """Pieces that stay as they lie to each other: in the target's frame if ``in_target``, else in groups."""

    groups: tuple[Group, ...]
    in_target: bool

    @property
    def assembly(self) -> Assembly:
        """All pieces that are kept in their places; those of several groups are in several frames."""
        return Assembly(tuple(one for group in self.groups for one in group.assembly))


def kept_of(job: Job, start: SavedAssembly, keep: Collection[str] = ()) -> Kept:
    """What is kept of an answer to a job, as its files hold it: these pieces, or all that it has placed.

    `ValueError` if the answer is one to something else, or has no place for a piece to be kept.
    """
    known = {figure.id for figure in job.figures}
    groups = (Group(start.assembly, start.joints),) if start.has_target else start.groups
    placed = [one.id for group in groups for one in group.assembly]
    if strange := [name for name in placed if name not in known]:
        raise ArgumentError(f"the answer to start from places {some_of(strange)}, not among the pieces here")
    if missing := sorted(set(keep) - set(placed)):
        raise ArgumentError(
            f"the answer to start from has no place for {some_of(missing)}; it has {some_of(placed)}"
        )
    chosen = set(keep) or set(placed)
    if known <= chosen:
        raise ArgumentError("all pieces would be kept, and none is left to try: name those to keep")

    def at_home(joint: Joint) -> Joint:
        pose = joint.pose @ job.home(joint.second)
        return replace(joint, pose=pose if joint.first is None else job.home(joint.first).inverse() @ pose)

    return Kept(
        tuple(
            Group(
                Assembly(
                    tuple(
                        Placement(one.id, job.origin.inverse() @ one.pose @ job.home(one.id))
                        for one in group.assembly
                        if one.id in chosen
                    )
                ),
                tuple(at_home(one) for one in group.joints if {one.first, one.second} <= chosen),
            )
            for group in groups
        ),
        start.has_target,
    )


@dataclass(frozen=True)
class _Glued:
    """Kept pieces that touch, as one piece of the name ``id`` with the outline that they have together."""

    fragment: Fragment
    members: Assembly  # in the frame of that piece
    there: Pose  # where it was


def assemble_kept(
    assembler: Assembler,
    puzzle: Puzzle,
    kept: Kept,
    *,
    seconds: float,
    rng: np.random.Generator,
    stop: Stop | None = None,
    on_progress: OnProgress | None = None,
) -> JobProposal:
    """The rest of a puzzle put together around what is kept, which is in the answer in any case."""
    limit = MaxSeconds(seconds)
    glued = {one.fragment.id: one for one in _glued(puzzle, kept)}
    members = {placement.id for one in glued.values() for placement in one.members}
    loose = tuple(fragment for fragment in puzzle.fragments if fragment.id not in members)
    smaller = replace(puzzle, fragments=(*(one.fragment for one in glued.values()), *loose))

    def taken_apart(assembly: Iterable[Placement]) -> Assembly:
        return Assembly(
            tuple(
                Placement(part.id, one.pose @ part.pose)
                for one in assembly
                for part in (glued[one.id].members if one.id in glued else Assembly().place(one.id, Pose()))
            )
        )

    def report(so_far: Progress) -> None:
        if on_progress is not None:
            groups = tuple(Group(taken_apart(group.assembly)) for group in so_far.groups)
            assembly = taken_apart(so_far.assembly)
            on_progress(replace(so_far, assembly=assembly, groups=groups, joints=(), judged=None))

    name, result = assembler(smaller, seconds=seconds, rng=rng, stop=stop, on_progress=report)
    placed = {one.id: one.pose for group in result.groups for one in group.assembly}
    joints = tuple(_of_members(joint, glued, puzzle) for joint in result.joints)
    if puzzle.has_target:
        assembly = taken_apart(
            _as_it_was(smaller, result.assembly, glued) if kept.in_target else result.assembly
        )
        found: Proposal = replace(result, assembly=assembly, alternatives=(), all_found=False, joints=joints)
        either = limit if stop is None else AnyOf((limit, stop))
        return JobProposal(name, close_gaps(puzzle, found, either))
    apart = tuple(one for one in glued.values() if one.fragment.id not in placed and len(one.members) > 1)
    old = tuple(joint for group in kept.groups for joint in group.joints)
    groups = [
        *(taken_apart(group.assembly) for group in result.groups),
        *(one.members for one in apart),
    ]
    whole = tuple(
        Group(assembly, _within(assembly, (*old, *joints), SAME_PLACE * puzzle.size))
        for assembly in sorted(groups, key=lambda assembly: -len(assembly))
    )
    largest = whole[0].assembly if whole else Assembly()
    return JobProposal(name, replace(result, assembly=largest, groups=whole, joints=(*old, *joints)))


def _glued(puzzle: Puzzle, kept: Kept) -> list[_Glued]:
    """What is kept as few pieces: those of a group that touch are one."""
    near = SEAM * puzzle.size
    taken = {fragment.id for fragment in puzzle.fragments}
    names = (f"{KEPT} {number}" for number in count(1))
    free = (name for name in names if name not in taken)
    found: list[_Glued] = []
    for group in kept.groups:
        placed = {one.id: (one.pose, one.pose.apply(puzzle[one.id].polygon)) for one in group.assembly}
        wide = union(
            [outline.buffer(near, join_style="mitre", mitre_limit=2.0) for _, outline in placed.values()]
        )
        for whole in polygons_in(wide.buffer(-near, join_style="mitre", mitre_limit=2.0)):
            inside = {
                name: pose
                for name, (pose, outline) in placed.items()
                if intersection(outline, whole).area > 0.5 * outline.area
            }
            if not inside:
                continue
            if len(inside) == 1:
                ((name, pose),) = inside.items()
                found.append(_Glued(puzzle[name], Assembly().place(name, Pose()), pose))
                continue
            there = Pose(whole.centroid.x, whole.centroid.y)
            back = there.inverse()
            outline = back.apply(_without_specks(whole, near))
            parts = tuple(Placement(name, back @ pose) for name, pose in inside.items())
            found.append(_Glued(Fragment(next(free), outline), Assembly(parts), there))
    return found


def _without_specks(whole: Polygon, near: float) -> Polygon:
    """The outline without holes that are only wide seams."""
    holes = [hole for hole in whole.interiors if not Polygon(hole).buffer(-near).is_empty]
    return shapely.geometry.polygon.orient(Polygon(whole.exterior, holes))


def _as_it_was(smaller: Puzzle, assembly: Assembly, glued: Mapping[str, _Glued]) -> list[Placement]:
    """The assembly turned by a symmetry of the target so that kept pieces lie where they were.

    Those that do not are put there; what else was found then stands only if none of it had to be moved.
    """
    near = SEAM * smaller.size
    for symmetry in allowed_symmetries(smaller):
        turned = [Placement(one.id, symmetry @ one.pose) for one in assembly]
        if all(
            shapely.hausdorff_distance(one.pose.apply(outline), glued[one.id].there.apply(outline))
            <= 2.0 * near
            for one in turned
            if one.id in glued
            for outline in (smaller[one.id].polygon,)
        ):
            missing = [Placement(name, one.there) for name, one in glued.items() if name not in assembly]
            return [*turned, *missing] if len(missing) < len(glued) else missing
    return [Placement(name, one.there) for name, one in glued.items()]


def _of_members(joint: Joint, glued: Mapping[str, _Glued], puzzle: Puzzle) -> Joint:
    """A joint with a glued piece as one with the member of it that runs along the other for longest."""
    if joint.first not in glued and joint.second not in glued:
        return joint

    def parts(name: str, pose: Pose) -> list[tuple[Placement, Polygon]]:
        members = glued[name].members if name in glued else Assembly().place(name, Pose())
        return [(one, (pose @ one.pose).apply(puzzle[one.id].polygon)) for one in members]

    near = SEAM * puzzle.size
    seconds = parts(joint.second, joint.pose)
    firsts = [(None, puzzle.target)] if joint.first is None else parts(joint.first, Pose())
    (first, _), (second, _) = max(
        product(firsts, seconds), key=lambda pair: _along(pair[0][1], pair[1][1], near)
    )
    pose = joint.pose @ second.pose
    if first is None:
        return replace(joint, second=second.id, pose=pose)
    return replace(joint, first=first.id, second=second.id, pose=first.pose.inverse() @ pose)


def _along(one: Region, other: Polygon, near: float) -> float:
    """How much of an outline runs along another."""
    if not shapely.dwithin(one, other, near):
        return 0.0
    return float(shapely.intersection(other.boundary, one.boundary.buffer(near)).length)


def _within(assembly: Assembly, joints: Iterable[Joint], near: float) -> tuple[Joint, ...]:
    """The joints that pieces of an assembly lie in, one a pair."""
    poses = {one.id: one.pose for one in assembly}
    found: dict[tuple[str | None, str], Joint] = {}
    for joint in joints:
        first, second = poses.get(joint.first or ""), poses.get(joint.second)
        if first is None or second is None or (joint.first, joint.second) in found:
            continue
        lies = first.inverse() @ second
        if (
            math.hypot(lies.x - joint.pose.x, lies.y - joint.pose.y) <= near
            and angle_between(lies.theta, joint.pose.theta) <= SAME_ANGLE
        ):
            found[joint.first, joint.second] = joint
    return tuple(found.values())

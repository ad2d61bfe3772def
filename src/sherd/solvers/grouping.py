"""The contour solver, with a target or without: what it finds, in terms of the pieces' ids."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import shapely
from shapely import Polygon

from sherd.core.assembly import Assembly, Group, Joint, Placement
from sherd.core.errors import UnsupportedError
from sherd.core.geometry import Pose, angle_between, is_convex, union
from sherd.core.puzzle import Puzzle, without_slivers
from sherd.core.tolerance import Tolerance
from sherd.solvers.base import OnProgress, Progress, Proposal
from sherd.solvers.cells.choosing import likelier
from sherd.solvers.cells.search import CellsFound, are_cells, find_cells
from sherd.solvers.contours import ContoursParams, FoundGroup, FoundJoint, Groups, assemble_contours
from sherd.solvers.contours.assembling import are_few_corners
from sherd.solvers.contours.groups import TELLS_NOTHING, TURNED
from sherd.solvers.contours.straight.search import StraightSearch
from sherd.solvers.contours.turning_over import assemble_turned_over
from sherd.solvers.paint.decide import decide_by_paint, is_painted
from sherd.solvers.paint.rims import pixel_of
from sherd.solvers.refitted import with_fitted_edges
from sherd.solvers.search import UNWEIGHED
from sherd.solvers.search.case import Case
from sherd.solvers.search.one_of_many import leaves_many
from sherd.solvers.stop import Stop
from sherd.solvers.straightness import are_exact, are_straight
from sherd.solvers.turned_blocks import doubting_turned_blocks

# A joint is one of a group's if its two pieces lie there as it says, within this share of the puzzle's size
# and this angle: joints are found pair by pair, and groups even them out.
SAME_PLACE = 0.02
SAME_ANGLE = math.radians(5.0)
# So many joints a piece are kept; those after them say nothing.
MOST_JOINTS = 20
# A joint tells that two pieces belong together if this much of it is not straight, as a share of its length
# and of the root of the mean piece's area: two squares lie together along any side.
TELLING_SHARE = 0.5
TELLING_LENGTH = 0.4
# A piece of an answer that is not whole is sure of its place if joints as likely as this hold it. Broken and
# bowed pieces of 8 to 16, traced or worn, seed 61: of 93 laid 34 are wrong, of those held at 0.5 two of 12,
# at 0.9 none of two; of exact ones, solved, all are held at 0.9.
FIRM = 0.9
# Straight pieces whose areas differ by no more than this share are all alike.
SAME_AREA = 1e-3
# A part of a group is a whole of its own if it fills this share of its convex hull.
HULL_FILLED = 0.97
# Shadows, and print of the table's colour, add this many pixels to a piece's outline in a picture, or take
# them, in places (right answers to 14 photographs, seeds 300 to 311: 1 to 3.2); of small pieces no more than
# this share of the smallest, so that it is not taken for one that is much like it. On average no more may be.
FAULT_PX = 3.5
FAULT_SHARE = 0.03
STRAIGHT_ONLY = "parts of the group lie together along straight edges only, as any might"
NOT_MISSED = "foreign: the others fill the target without it"
NOT_PART = "foreign, as it seems: the others make a whole without it"
NOT_SURE = "the group leaves gaps, or an outline that no whole would have"


class ContoursSolver:
    """Matches stretches of outline and merges what fits, about the target or in groups of their own."""

    def __init__(self, params: ContoursParams | None = None) -> None:
        self.params = params or ContoursParams()

    def solve(
        self, puzzle: Puzzle, *, stop: Stop, rng: np.random.Generator, on_progress: OnProgress | None = None
    ) -> Proposal:
        """The pieces that could be joined to the target, or to others that are.

        Without a target, those that belong together, as groups, each in a frame of its own.
        """
        puzzle = without_slivers(puzzle)

        def report(groups: Groups) -> None:
            if on_progress is not None:
                found = _assembly(puzzle, groups)
                on_progress(
                    Progress(
                        assembly=found,
                        objective=groups.worth,
                        evaluations=groups.evaluations,
                        trying="matching contours",
                        groups=tuple(
                            Group(_placed(puzzle, one.poses)) for one in groups.groups if not one.attached
                        ),
                    )
                )

        fitted = with_fitted_edges(puzzle, stop) if _may_be_turned(puzzle) else puzzle
        outlines = [fragment.polygon for fragment in puzzle.fragments]
        groups, cells = _closely(puzzle, outlines, stop, rng), None
        if groups is None:
            groups, cells = Groups(), _cells(puzzle, outlines, stop)
        if not groups.whole and not (puzzle.has_target and cells is not None and cells.is_sure):
            groups = self._assembled(puzzle, outlines, stop, rng, report if on_progress is not None else None)
        if cells is not None:
            target = puzzle.target if puzzle.has_target else None
            groups = likelier(outlines, groups, cells, target if isinstance(target, Polygon) else None)
        if not groups.whole:
            groups = _parted(puzzle, groups)
        joints = _joints(puzzle, groups.joints)
        found = Proposal(
            assembly=_assembly(puzzle, groups),
            objective=groups.worth,
            evaluations=groups.evaluations,
            tolerance=_tolerance(puzzle, groups.tolerance),
            remark=groups.note,
            doubt=_doubt_in_target(puzzle, groups) if puzzle.has_target else _doubt(puzzle, groups),
            set_aside=puzzle.set_aside,
            excused=_foreign(puzzle, groups),
            groups=_own_groups(puzzle, groups, joints),
            joints=joints,
        )
        found = decide_by_paint(puzzle, found, stop)
        if found.by_paint == "decided":
            return found
        if groups.whole and not found.doubt:
            if _may_be_turned(puzzle):
                found = doubting_turned_blocks(fitted, found)
            is_one_of_many = not found.doubt and puzzle.has_target and leaves_many(Case(puzzle))
            return _with_all_in_doubt(found) if is_one_of_many else found
        if _may_be_turned(puzzle) and are_straight(fitted):
            return _with_all_in_doubt(found)
        unsure = {puzzle.fragments[piece].id for piece in unsure_of(puzzle, groups)}
        named = (p.id for p in found.assembly if p.id in unsure and p.id not in found.elsewhere)
        return replace(found, elsewhere=(*found.elsewhere, *named))

    solve_groups = solve

    def _assembled(
        self,
        puzzle: Puzzle,
        outlines: Sequence[Polygon],
        stop: Stop,
        rng: np.random.Generator,
        report: Callable[[Groups], None] | None,
    ) -> Groups:
        """The outlines put together, some of them turned over where they may be."""
        target = puzzle.target if puzzle.has_target else None
        textures = [one.texture for one in puzzle.fragments if one.texture] if is_painted(puzzle) else ()

        def assemble(laid: Sequence[Polygon], told: Callable[[Groups], Groups], stop: Stop) -> Groups:
            return assemble_contours(
                laid,
                target,
                rotations=puzzle.rotations,
                stop=stop,
                rng=rng,
                params=self.params,
                textures=textures,
                pixel=puzzle.pixel,
                on_progress=None if report is None else lambda groups, tell=report: tell(told(groups)),
            )

        if not puzzle.mirror:
            return assemble(outlines, lambda groups: groups, stop)
        if textures or are_few_corners(outlines):
            kind = "painted" if textures else "straight"
            raise UnsupportedError(f"{kind} pieces that may be turned over are not matched by their contours")
        return assemble_turned_over(
            outlines,
            target,
            np.array([puzzle.may_mirror(one.id) for one in puzzle.fragments]),
            assemble,
            rotations=puzzle.rotations,
            params=self.params,
            pixel=puzzle.pixel,
            stop=stop,
        )


def _closely(
    puzzle: Puzzle, outlines: Sequence[Polygon], stop: Stop, rng: np.random.Generator
) -> Groups | None:
    """Straight pieces as a whole that fills the target, if corners that are well known soon tell one.

    That takes a second or two; to weigh pieces as cells takes longer, and says nothing against it.
    """
    if not puzzle.has_target or not _may_be_cells(puzzle, outlines):
        return None
    assert isinstance(puzzle.target, Polygon)
    return StraightSearch(outlines, puzzle.target, puzzle.rotations, stop, rng, None).sound()


def _cells(puzzle: Puzzle, outlines: Sequence[Polygon], stop: Stop) -> CellsFound | None:
    """The pieces as cells that share whole edges, if that is what they may be."""
    if not _may_be_cells(puzzle, outlines):
        return None
    target = puzzle.target if puzzle.has_target else None
    return find_cells(outlines, stop, target if isinstance(target, Polygon) else None)


def _may_be_cells(puzzle: Puzzle, outlines: Sequence[Polygon]) -> bool:
    """Whether pieces may be cells, in a target those that cut up a convex one, with corners a little off."""
    if puzzle.mirror or is_painted(puzzle) or puzzle.rotations.bins is not None or not are_cells(outlines):
        return False
    if not puzzle.has_target:
        return True
    return isinstance(puzzle.target, Polygon) and is_convex(puzzle.target) and not are_exact(puzzle)


def _tolerance(puzzle: Puzzle, off: float) -> Tolerance:
    """For outlines that are off by so much on average; those of pictures are farther off here and there."""
    found = Tolerance.of_corners(off / puzzle.size)
    pixel = pixel_of(puzzle)
    if pixel is None:
        return found
    smallest = math.sqrt(min(fragment.polygon.area for fragment in puzzle.fragments))
    fault = min(FAULT_PX * pixel, FAULT_SHARE * smallest) / puzzle.size
    return replace(found, depth=max(found.depth, fault))


def _may_be_turned(puzzle: Puzzle) -> bool:
    """Whether blocks of an answer are a doubt: of exact pieces any that fit are an answer."""
    return puzzle.has_target and not puzzle.mirror and not is_painted(puzzle) and not are_exact(puzzle)


def _foreign(puzzle: Puzzle, groups: Groups) -> dict[str, str]:
    """The pieces without a place in a target that the others close, or in a whole, and why they need none."""
    if not puzzle.has_target:
        return {puzzle.fragments[k].id: NOT_PART for k in groups.strangers}
    if not groups.whole:
        return {}
    placed = {piece for one in groups.groups if one.attached for piece in one.poses}
    return {one.id: NOT_MISSED for k, one in enumerate(puzzle.fragments) if k not in placed}


def _doubt_in_target(puzzle: Puzzle, groups: Groups) -> str:
    """What stands against an answer; of exact pieces, any that fit are one, though parts could be turned."""
    return "" if groups.doubt == TURNED and are_exact(puzzle) else groups.doubt


def _doubt(puzzle: Puzzle, groups: Groups) -> str:
    """What stands against the largest group being one whole, "" if nothing does."""
    if groups.doubt or not groups.whole:
        return groups.doubt or groups.note or NOT_SURE
    if groups.bent or len(_told_parts(puzzle, groups, groups.groups[0].poses)) == 1:
        return ""
    areas = shapely.area([fragment.polygon for fragment in puzzle.fragments])
    are_alike = float(np.ptp(areas)) <= SAME_AREA * float(areas.mean())
    return TELLS_NOTHING if are_alike else STRAIGHT_ONLY


def _told_parts(puzzle: Puzzle, groups: Groups, poses: Mapping[int, Pose]) -> list[dict[int, Pose]]:
    """The parts of a group that hang together by joints that tell something, in the order of its pieces."""
    mean = sum(fragment.polygon.area for fragment in puzzle.fragments) / len(puzzle.fragments)
    least, near = TELLING_LENGTH * math.sqrt(mean), SAME_PLACE * puzzle.size
    part = {piece: piece for piece in poses}
    for joint in groups.joints:
        if (
            joint.first is not None
            and joint.first in poses
            and joint.second in poses
            and joint.telling >= max(least, TELLING_SHARE * joint.length)
            and _lies_so(joint.pose, poses[joint.first], poses[joint.second], near)
        ):
            old, new = part[joint.second], part[joint.first]
            part = {piece: new if of == old else of for piece, of in part.items()}
    parts: dict[int, dict[int, Pose]] = {}
    for piece, of in part.items():
        parts.setdefault(of, {})[piece] = poses[piece]
    return list(parts.values())


def _with_all_in_doubt(found: Proposal) -> Proposal:
    """The answer with all pieces named: straight edges fit many others, and no rivals were looked for."""
    every = tuple(placement.id for placement in found.assembly)
    return replace(found, elsewhere=every, doubt=found.doubt or UNWEIGHED)


def unsure_of(puzzle: Puzzle, groups: Groups) -> set[int]:
    """The pieces in a target that no chain of joints, each of them likely, holds to its edge."""
    poses = {piece: pose for one in groups.groups if one.attached for piece, pose in one.poses.items()}
    near, held = SAME_PLACE * puzzle.size, list[tuple[int | None, int]]()
    for joint in groups.joints:
        first = Pose() if joint.first is None else poses.get(joint.first)
        if joint.likelihood < FIRM or first is None or joint.second not in poses:
            continue
        if _lies_so(joint.pose, first, poses[joint.second], near):
            held.append((joint.first, joint.second))
    sure: set[int | None] = {None}
    while more := {piece for pair in held if sure.intersection(pair) for piece in pair} - sure:
        sure |= more
    return set(poses) - sure


def _parted(puzzle: Puzzle, groups: Groups) -> Groups:
    """The groups with those taken apart that are several wholes, which touch along straight edges only."""
    found: list[FoundGroup] = []
    for group in groups.groups:
        parts = _told_parts(puzzle, groups, group.poses)
        are_wholes = all(len(part) > 2 and _fills_its_hull(puzzle, part) for part in parts)
        is_whole = group.attached or len(parts) < 2 or not are_wholes
        found += [group] if is_whole else [FoundGroup(part) for part in parts]
    found.sort(key=lambda group: (not group.attached, -len(group.poses)))
    return replace(groups, groups=tuple(found))


def _fills_its_hull(puzzle: Puzzle, poses: Mapping[int, Pose]) -> bool:
    placed = [pose.apply(puzzle.fragments[piece].polygon) for piece, pose in poses.items()]
    area = sum(outline.area for outline in placed)
    return area >= HULL_FILLED * union(placed).convex_hull.area


def _assembly(puzzle: Puzzle, groups: Groups) -> Assembly:
    """The pieces attached to the target; without one, the largest group."""
    if not puzzle.has_target:
        return _placed(puzzle, groups.groups[0].poses) if groups.groups else Assembly()
    attached = {piece: pose for one in groups.groups if one.attached for piece, pose in one.poses.items()}
    return _placed(puzzle, attached)


def _placed(puzzle: Puzzle, poses: Mapping[int, Pose]) -> Assembly:
    return Assembly(
        tuple(Placement(puzzle.fragments[piece].id, pose) for piece, pose in sorted(poses.items()))
    )


def _joints(puzzle: Puzzle, found: tuple[FoundJoint, ...]) -> tuple[Joint, ...]:
    """The likeliest joints, by id."""
    most = MOST_JOINTS * len(puzzle.fragments)
    return tuple(
        Joint(
            first=None if joint.first is None else puzzle.fragments[joint.first].id,
            second=puzzle.fragments[joint.second].id,
            pose=joint.pose,
            length=joint.length,
            residual=joint.residual,
            likelihood=joint.likelihood,
        )
        for joint in found[:most]
    )


def _own_groups(puzzle: Puzzle, groups: Groups, joints: tuple[Joint, ...]) -> tuple[Group, ...]:
    """Groups outside of a target, with the joints that their pieces lie in, the likeliest of each pair."""
    made: list[Group] = []
    for group in groups.groups:
        if group.attached:
            continue
        assembly = _placed(puzzle, group.poses)
        poses = {placement.id: placement.pose for placement in assembly}
        kept: dict[tuple[str | None, str], Joint] = {}
        for joint in joints:
            if (joint.first, joint.second) not in kept and _is_kept(joint, poses, SAME_PLACE * puzzle.size):
                kept[joint.first, joint.second] = joint
        made.append(Group(assembly, tuple(kept.values())))
    return tuple(made)


def _is_kept(joint: Joint, poses: Mapping[str, Pose], near: float) -> bool:
    """Whether the two pieces lie to each other as the joint says."""
    if joint.first is None or joint.first not in poses or joint.second not in poses:
        return False
    return _lies_so(joint.pose, poses[joint.first], poses[joint.second], near)


def _lies_so(pose: Pose, first: Pose, second: Pose, near: float) -> bool:
    """Whether the second piece lies to the first as the pose says."""
    lies = first.inverse() @ second
    return (
        lies.mirrored == pose.mirrored
        and math.hypot(lies.x - pose.x, lies.y - pose.y) <= near
        and angle_between(lies.theta, pose.theta) <= SAME_ANGLE
    )

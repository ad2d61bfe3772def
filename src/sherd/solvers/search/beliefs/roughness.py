"""Assembling pieces whose outlines are rough: traced from pixels, or with corners moved.

How rough is not known beforehand. A ladder of guesses is climbed, and each is given a chart of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice

import numpy as np
from shapely import Polygon

from sherd.core.arrays import Floats
from sherd.core.geometry import Pose, Rotations, intersection, is_convex, size_of, union
from sherd.core.puzzle import Puzzle
from sherd.solvers.search.beliefs.chart import Chart, Start, Whole
from sherd.solvers.search.beliefs.eroded import is_worn, restore
from sherd.solvers.search.beliefs.finish import Finished, finish
from sherd.solvers.search.beliefs.traced_tips import variants
from sherd.solvers.search.beliefs.uncertain_outline import Belief, with_moved_corners, with_traced_edges
from sherd.solvers.search.corner_outline import CornerOutline, ring_of
from sherd.solvers.search.gluing.glue_exactly import GluedPart, glue_some
from sherd.solvers.stop import Stop

# Parts that fit each other to this share of the target's size were never damaged.
EXACT = 1e-6
# But what is glued to them gives way only if they do, a little: so much of the others' roughness.
EXACT_DOUBT = 0.2
# Corners that turn by less than so many radians are none.
NEARLY_STRAIGHT = 1e-3
# How deep edges may be worn, as a share of the target's size.
WEAR = 0.009
# Pieces with no more corners than this are not worn, whatever their shape.
MOST_BENT_CORNERS = 8
# Where the others are rougher than this, what worn pieces were like is doubted in proportion.
SURE = 2e-3
# The target's outline is never known better than this share of its size, nor worse.
TARGET_DOUBT = 1e-3
# Edges fitted to pixels leave gaps of so much of a pixel.
TRACED_SEAM = 0.1
# After the first assembly, so many more are weighed against it, found with so many joints more at most.
MOST_WHOLES = 30
JOINTS_AFTER = 0.5
# Where there is none, parts are laid into the target with corners off by so many times the roughness, and so
# many of these assemblies are weighed.
FINISH_SLACK = 2.0
MOST_FINISHED = 8
# A chart of the few pieces that are left for a region has this share of the joints; of so many ways the best
# is taken.
JOINTS_ANEW = 0.25
WAYS_ANEW = 5
# When time is up, parts are held against regions so often, which takes a fraction of a second.
LAST_FITS = 60_000
# Where areas differ by more than this share of the target's, something is missing.
MOST_LOST = 0.1
# And if seams of all pieces take more than this share, nothing tells them from a wrong assembly.
MOST_SEAMS = 0.045
# Pieces distorted by 3 to 6 % of the side share discs of up to 0.02 in their true places, as shares of the
# target's size, and a little more where they are found.
DEEPEST = 0.025


@dataclass(frozen=True, kw_only=True)
class Roughness:
    """A guess at how far outlines are off, as a share of the target's size.

    Either each corner by ``size`` to any side, or, if ``traced``, edges as they are when fitted to pixels
    of that size. ``joints`` is how many are tried before the guess is given up. Then so many times ``fits``
    parts are held against regions, to be laid without the joints that they lack; what leaves more open than
    ``most_open`` of the target, or than seams may, is not taken.
    """

    size: float
    traced: bool
    joints: int
    fits: int = 0
    most_open: float = 0.0

    @property
    def seam(self) -> float:
        """How wide a gap between neighbours may be, as a share of the target's size."""
        return TRACED_SEAM * self.size if self.traced else self.size

    @property
    def depth(self) -> float:
        """The radius of a disc that may lie in two pieces at most, as a share of the target's size."""
        return self.size if self.traced else min(2.0 * self.size, DEEPEST)

    def belief(self, corners: Floats, target_size: float) -> Belief:
        """What is believed of a piece with these corners."""
        believe: Callable[[Floats, float], Belief] = with_traced_edges if self.traced else with_moved_corners
        return believe(corners, self.size * target_size)


@dataclass(frozen=True)
class Attempted:
    """What came of a guess: assemblies of all pieces, the best fit first, else poses of some by number."""

    wholes: list[Whole]
    some: dict[int, Pose]
    joints: int


def assemble_rough(puzzle: Puzzle, roughness: Roughness, stop: Stop) -> Attempted:
    """Glue rough pieces; what lacks a joint is finished, and if there is no time for that, begun."""
    size = size_of(puzzle.target)
    corners = CornerOutline.of(ring_of(puzzle.target), NEARLY_STRAIGHT).corners
    if roughness.traced:
        target = with_traced_edges(corners, roughness.size * size)
    else:
        target = with_moved_corners(corners, TARGET_DOUBT * size)
    chart = Chart(target, puzzle.rotations, len(puzzle.fragments))
    wholes: list[Whole] = []
    joints, starts = roughness.joints, _starts(puzzle, roughness, stop)
    for whole in chart.wholes(starts, roughness.joints, stop):
        if not wholes:
            joints = int(chart.joints_made * (1.0 + JOINTS_AFTER)) + MOST_WHOLES
        wholes.append(whole)
        if len(wholes) >= MOST_WHOLES or chart.joints_made >= joints:
            break
    some: dict[int, Pose] = {}
    if not wholes and stop(chart.joints_made):
        # Time is up, but a few parts are laid in no time, and are better than nothing.
        hurried = replace(roughness, fits=LAST_FITS)
        _, some = _finished(puzzle, chart, [], corners, hurried, lambda: False)
    elif not wholes and roughness.fits:
        wholes, some = _finished(puzzle, chart, starts, corners, roughness, lambda: stop(chart.joints_made))
    return Attempted(sorted(wholes, key=lambda whole: whole.cost), some, chart.joints_made)


def _finished(
    puzzle: Puzzle,
    chart: Chart,
    starts: list[Start],
    target: Floats,
    roughness: Roughness,
    stop: Callable[[], bool],
) -> tuple[list[Whole], dict[int, Pose]]:
    """Assemblies of the parts in a chart that lacks a joint or two; their cost is what covers too little.

    And the poses of the pieces that parts alone can lay.
    """
    polygons = [fragment.polygon for fragment in puzzle.fragments]
    parts = chart.parts()
    off = abs(sum(polygon.area for polygon in polygons) / puzzle.target.area - 1.0)
    if parts is None or off > MOST_LOST or not is_convex(puzzle.target):
        return [], {}
    slack = FINISH_SLACK * roughness.size * size_of(puzzle.target)
    around = sum(polygon.length for polygon in polygons)
    seams = min(roughness.seam * size_of(puzzle.target) * around / puzzle.target.area, MOST_SEAMS)

    def glue_rest(region: Floats, numbers: list[int]) -> list[dict[int, Pose]]:
        within = with_moved_corners(region, roughness.size * size_of(puzzle.target))
        joints = int(JOINTS_ANEW * roughness.joints)
        return _glued_anew(starts, numbers, within, puzzle.rotations, joints, stop)

    found, farthest = finish(
        parts, polygons, target, puzzle.rotations, slack, most=roughness.fits, glue_rest=glue_rest, stop=stop
    )
    wholes: list[Whole] = []
    for finished in found[:MOST_FINISHED]:
        poses = _unfolded(finished, chart, puzzle.rotations)
        placed = [pose.apply(polygons[piece]) for piece, pose in poses.items()]
        open_share = 1.0 - intersection(union(placed), puzzle.target).area / puzzle.target.area
        if open_share - off <= max(roughness.most_open, seams):
            wholes.append(Whole(poses, open_share))
    return wholes, _unfolded(farthest, chart, puzzle.rotations)


def _glued_anew(
    starts: list[Start],
    numbers: list[int],
    region: Belief,
    rotations: Rotations,
    joints: int,
    stop: Callable[[], bool],
) -> list[dict[int, Pose]]:
    """The likeliest way to glue few pieces into a region, by a chart of their own, if there is one."""
    local = {number: k for k, number in enumerate(numbers)}
    chosen = [
        replace(start, members=tuple((local[number], pose) for number, pose in start.members))
        for start in starts
        if all(number in local for number, _ in start.members)
    ]
    chart = Chart(region, rotations, len(numbers))
    wholes = list(islice(chart.wholes(chosen, joints, lambda _: stop()), WAYS_ANEW))
    wholes.sort(key=lambda whole: whole.cost)
    return [{numbers[k]: pose for k, pose in whole.poses.items()} for whole in wholes[:1]]


def _unfolded(finished: Finished, chart: Chart, rotations: Rotations) -> dict[int, Pose]:
    """The poses of the pieces, at angles that are allowed."""
    poses = dict(finished.lone)
    for number, pose in finished.parts:
        poses |= {piece: pose @ own for piece, own in chart.members(number).items()}
    return {piece: Pose(pose.x, pose.y, rotations.nearest(pose.theta)) for piece, pose in poses.items()}


def _starts(puzzle: Puzzle, roughness: Roughness, stop: Stop) -> list[Start]:
    """The pieces as they are believed to be, those glued already that fit each other exactly.

    There are none if some piece is worn beyond repair, unless it may only be traced badly.
    """
    size = size_of(puzzle.target)
    rings = [ring_of(fragment.polygon) for fragment in puzzle.fragments]
    worn = {number for number, ring in enumerate(rings) if is_worn(ring)}
    if not roughness.traced:
        # Of few corners, one that bends inward was moved there: wear leaves many.
        worn = {number for number in worn if len(rings[number]) > MOST_BENT_CORNERS}
    starts: list[Start] = []
    for number in sorted(worn):
        restored = [] if stop(0) else _restored(rings[number].tobytes(), size)
        if not restored and roughness.traced:
            # It is not worn: where pieces are thin, tracing may bend an edge inward.
            hull = Polygon(rings[number]).convex_hull
            assert isinstance(hull, Polygon)  # an outline encloses some area
            rings[number] = ring_of(hull)
            worn.remove(number)
            continue
        if not restored:
            return []
        doubt = max(1.0, roughness.size / SURE)
        starts += [
            Start(Belief(belief.corners, doubt * belief.covariance), ((number, Pose()),), cost)
            for belief, cost in restored
        ]
    sound = [number for number in range(len(rings)) if number not in worn]
    outlines = [CornerOutline.of(rings[number], NEARLY_STRAIGHT) for number in sound]
    for part in _exact_parts(puzzle, outlines, roughness, stop):
        members = tuple((sound[number], pose) for number, pose in part.members)
        alone, corners = len(members) == 1, part.outline.corners
        doubt = EXACT_DOUBT * roughness.size * size
        belief = roughness.belief(corners, size) if alone else with_moved_corners(corners, doubt)
        starts.append(Start(belief, members))
        if alone and roughness.traced:
            for changed, cost in variants(corners, roughness.size * size):
                starts.append(Start(roughness.belief(changed, size), members, cost))
    return starts


def _exact_parts(
    puzzle: Puzzle, outlines: list[CornerOutline], roughness: Roughness, stop: Stop
) -> list[GluedPart]:
    """The pieces, those glued that fit each other exactly; edges along pixels do so by chance."""
    if roughness.traced:
        return [GluedPart(outline, ((number, Pose()),)) for number, outline in enumerate(outlines)]
    target = CornerOutline.of(ring_of(puzzle.target), NEARLY_STRAIGHT)
    exact = EXACT * size_of(puzzle.target)
    return glue_some(outlines, target, puzzle.rotations, exact, stop=lambda: stop(0))


@lru_cache(maxsize=64)
def _restored(ring: bytes, size: float) -> list[tuple[Belief, float]]:
    """As `restore`, which takes a while, on every rung of the ladder."""
    return list(restore(np.frombuffer(ring).reshape(-1, 2), WEAR * size, size))

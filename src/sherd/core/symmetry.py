"""The motions that map a target onto itself: assemblies that differ by one of them are the same."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray
from scipy.spatial import KDTree

from sherd.core.arrays import Ints
from sherd.core.assembly import Assembly
from sherd.core.geometry import TAU, Pose, Region, outer_corners, size_of, turning_symmetries
from sherd.core.puzzle import Puzzle

# A symmetry of the target may miss by this much, relative to its size, and an allowed angle, in radians.
SYMMETRY_TOLERANCE = 1e-6


def allowed_symmetries(puzzle: Puzzle) -> list[Pose]:
    """The motions that map the target onto itself and every allowed pose onto an allowed one."""
    return [
        motion
        for motion in _symmetries(puzzle.target.wkb)
        if (puzzle.mirror is True or not motion.mirrored)
        and puzzle.rotations.allows(motion.theta, SYMMETRY_TOLERANCE)
        and all(_may_turn(puzzle, name, motion) for name in puzzle.turns)
    ]


def _may_turn(puzzle: Puzzle, name: str, motion: Pose) -> bool:
    """Whether a piece with a rule of its own lies as it may after a motion wherever it did before.

    Turning over mirrors its angle, which is allowed where the angle was.
    """
    if puzzle.turns[name].allows(motion.theta, SYMMETRY_TOLERANCE):
        return True
    if motion.mirrored:
        return False
    own = turning_symmetries(puzzle[name].polygon)
    return any(puzzle.turns[name].allows(motion.theta + angle, SYMMETRY_TOLERANCE) for angle in own)


@lru_cache(maxsize=64)
def _symmetries(target_wkb: bytes) -> tuple[Pose, ...]:
    """All turns and reflections of a target onto itself; thousands of puzzles share one target."""
    target = shapely.from_wkb(target_wkb)
    assert isinstance(target, Region)
    centre = Pose(target.centroid.x, target.centroid.y)
    turns = [Pose(theta=angle) for angle in turning_symmetries(target)]
    centred, flip = centre.inverse().apply(target), Pose(mirrored=True)
    reflection = turn_onto(flip.apply(centred), centred, SYMMETRY_TOLERANCE * size_of(target))
    if reflection is not None:
        turns += [turn @ Pose(theta=reflection) @ flip for turn in turns]
    return tuple(centre @ turn @ centre.inverse() for turn in turns)


def turn_onto(first: Region, second: Region, allowance: float) -> float | None:
    """The smallest turn, in radians within [-pi, pi], that lays one centred shape onto another."""
    a, b = (outer_corners(shape) for shape in (first, second))
    far = a[np.hypot(a[:, 0], a[:, 1]).argmax()]
    fits = np.abs(np.hypot(b[:, 0], b[:, 1]) - np.hypot(*far)) <= allowance
    angles = np.arctan2(b[fits, 1], b[fits, 0]) - np.arctan2(far[1], far[0])
    angles = (angles + np.pi) % TAU - np.pi
    for angle in angles[np.abs(angles).argsort()].tolist():
        if shapely.hausdorff_distance(Pose(theta=angle).apply(first), second) <= allowance:
            return angle
    return None


def are_same(first: Assembly, second: Assembly, puzzle: Puzzle, tolerance: float) -> bool:
    """Whether two assemblies cover the same places with like pieces, up to a symmetry that the puzzle allows.

    Outlines may lie apart by ``tolerance``, an absolute length.
    """
    if len(first) != len(second):
        return False
    outlines, places = (np.array(puzzle.placed(assembly)) for assembly in (first, second))
    return any(
        _lie_alike(np.asarray(shapely.transform(outlines, symmetry.points)), places, tolerance)
        for symmetry in allowed_symmetries(puzzle)
    )


def _lie_alike(outlines: NDArray[Any], places: NDArray[Any], tolerance: float) -> bool:
    """Whether there is an outline at each of the places, none of which overlap."""
    return len(np.unique(lying_on(outlines, places, tolerance)[0])) == len(outlines)


def lying_on(outlines: NDArray[Any], places: NDArray[Any], tolerance: float) -> tuple[Ints, Ints]:
    """Which outlines lie on which places, within the tolerance: both their numbers, sorted, (K,) each."""
    # Outlines this close have bounds this close: few pairs need the dear test.
    bounds, theirs = shapely.bounds(outlines), shapely.bounds(places)
    finite = np.flatnonzero(np.isfinite(bounds).all(axis=1))
    tree: Any = KDTree(theirs)
    near: list[list[int]] = list(
        tree.query_ball_point(bounds[finite], tolerance, p=np.inf, return_sorted=True)
    )
    first = np.repeat(finite, [len(some) for some in near])
    second = np.array([k for some in near for k in some], np.int64)
    alike = shapely.hausdorff_distance(outlines[first], places[second]) <= tolerance
    return first[alike], second[alike]

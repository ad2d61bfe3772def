"""The motions that map a target onto itself: assemblies that differ by one of them are the same."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray
from scipy.spatial import KDTree

from sherd.core.arrays import Bools, Floats, Ints
from sherd.core.assembly import Assembly
from sherd.core.geometry import TAU, Pose, Region, outer_corners, size_of, turning_symmetries
from sherd.core.puzzle import Puzzle

# A symmetry of the target may miss by this much, relative to its size, and an allowed angle, in radians.
SYMMETRY_TOLERANCE = 1e-6
# Ways that outlines reach, a number of them a quarter turn, and what rounding may add to how far.
REACHES_A_QUARTER = 8
_WAYS = np.arange(4 * REACHES_A_QUARTER) * (TAU / (4 * REACHES_A_QUARTER))
WAYS = np.stack([np.cos(_WAYS), np.sin(_WAYS)], axis=1)
ROUNDED_REACH = 1.0 + 1e-6


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
    reach, most = (b @ WAYS.T).max(axis=0), ROUNDED_REACH * allowance
    for angle in angles[np.abs(angles).argsort()].tolist():
        turned = Pose(theta=angle)
        if np.abs((turned.points(a) @ WAYS.T).max(axis=0) - reach).max() > most:
            continue
        if shapely.hausdorff_distance(turned.apply(first), second) <= allowance:
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
    first, second = reaching_alike(outlines, places, tolerance)
    alike = shapely.hausdorff_distance(outlines[first], places[second]) <= tolerance
    return first[alike], second[alike]


def lying_on_each(outlines: NDArray[Any], places: NDArray[Any], tolerance: float) -> Bools:
    """Whether each outline lies on the place of its number, within the tolerance, (N,)."""
    apart = np.abs(_reaches(outlines) - _reaches(places)).max(axis=1)
    alike = np.asarray(apart <= ROUNDED_REACH * tolerance)
    alike[alike] = shapely.hausdorff_distance(outlines[alike], places[alike]) <= tolerance
    return alike


def reaching_alike(outlines: NDArray[Any], places: NDArray[Any], tolerance: float) -> tuple[Ints, Ints]:
    """Which outlines may lie on which places: those that reach as far every way, within the tolerance.

    Both their numbers, sorted, (K,) each.
    """
    reach, theirs = _reaches(outlines), _reaches(places)
    finite = np.flatnonzero(np.isfinite(reach).all(axis=1))
    if not len(theirs):
        return finite[:0], finite[:0]
    tree: Any = KDTree(theirs[:, ::REACHES_A_QUARTER])
    most = ROUNDED_REACH * tolerance
    near: list[list[int]] = list(
        tree.query_ball_point(reach[finite, ::REACHES_A_QUARTER], most, p=np.inf, return_sorted=True)
    )
    first = np.repeat(finite, np.array([len(some) for some in near], np.int64))
    second = np.array([k for some in near for k in some], np.int64)
    alike = (np.abs(reach[first] - theirs[second]) <= most).all(axis=1)
    return first[alike], second[alike]


def _reaches(outlines: NDArray[Any]) -> Floats:
    """How far outlines reach each way, (N, ways): by no more than outlines lie apart do these differ."""
    points, index = shapely.get_coordinates(outlines, return_index=True)
    found = np.full((len(outlines), len(WAYS)), np.nan)
    if len(points):
        begins = np.flatnonzero(np.diff(index, prepend=-1))
        found[index[begins]] = np.maximum.reduceat(points @ WAYS.T, begins, axis=0)
    return found

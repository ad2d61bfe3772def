"""Which pieces lie elsewhere in another assembly, and which of them are not sure of their places for that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import shapely

from sherd.core.arrays import Floats
from sherd.core.geometry import Pose
from sherd.core.symmetry import allowed_symmetries
from sherd.solvers.search.attempt import Evidence
from sherd.solvers.search.case import Case
from sherd.solvers.search.constants.beliefs import ALIKE, ALIKE_TURNED, ALIKE_WIDTH


def doubts(
    case: Case,
    noise: float,
    chances: Mapping[frozenset[int], tuple[float, dict[int, Pose]]],
    least: float,
    *,
    is_whole: bool,
    is_final: bool = False,
) -> Evidence:
    """The evidence, where it is known how likely assemblies are that have some pieces elsewhere.

    A piece is sure of its place if these have less than the ``least`` probability.
    """
    total = sum(chance for chance, _ in chances.values())
    doubted = {
        number
        for number in range(case.pieces)
        if sum(chance for apart, (chance, _) in chances.items() if number in apart) > least * total
    }
    if doubted and not is_whole:
        doubted = set(range(case.pieces))
    others = tuple(poses for apart, (_, poses) in chances.items() if apart & doubted)
    return Evidence(noise, frozenset(doubted), others, is_whole, is_final)


def pieces_elsewhere(
    case: Case, outlines: Sequence[Floats], own: Mapping[int, Pose], off: float, poses: Mapping[int, Pose]
) -> frozenset[int]:
    """The pieces of an assembly that lie elsewhere than in one's own, turned so that they are fewest."""
    slack = [max(ALIKE * off, ALIKE_WIDTH * outline.area / outline.length) for outline in case.outlines]
    places = [own[number].points(outlines[number]) for number in sorted(own)]
    laid = [poses[number].points(outlines[number]) for number in sorted(poses)]
    # Charts do not mind rules that single pieces have, so that wholes of theirs may be turned against these.
    motions = allowed_symmetries(replace(case.puzzle, turns={}))
    motions += _whole_turned(case, own, off, poses)
    turned = ([motion.points(place) for place in places] for motion in motions)
    return min((_elsewhere(one, laid, slack, off, pixel_of(case)) for one in turned), key=len)


def _whole_turned(
    case: Case, own: Mapping[int, Pose], off: float, poses: Mapping[int, Pose]
) -> tuple[Pose, ...]:
    """The motion that lays the largest piece as it lies in another assembly, if the target hardly shows it.

    What is traced from pixels is only nearly a square.
    """
    largest = max(own, key=lambda number: case.outlines[number].area)
    motion = poses[largest] @ own[largest].inverse()
    target = case.puzzle.target
    off_target = shapely.hausdorff_distance(motion.apply(target), target)
    return (motion,) if off_target <= max(ALIKE * off, pixel_of(case)) else ()


def pixel_of(case: Case) -> float:
    """The pixels that outlines were traced from, 0 if none are known."""
    return case.puzzle.pixel_alone or 0.0


def _elsewhere(
    places: Sequence[Floats], laid: Sequence[Floats], slack: Sequence[float], noise: float, pixel: float
) -> frozenset[int]:
    """The pieces, by number, whose corners lie farther off than their slack, and turned ones that show it.

    Where a like piece lies instead, nothing has changed.
    """
    moved = [
        number
        for number, (place, outline) in enumerate(zip(places, laid, strict=True))
        if float(np.hypot(*(place - outline).T).max()) > slack[number]
    ]
    if not moved:
        return frozenset()
    near = np.full((len(moved), len(laid)), max(noise, pixel))
    near[np.arange(len(moved)), moved] = np.maximum(near[np.arange(len(moved)), moved], ALIKE_TURNED * noise)
    # Outlines are no nearer than their boxes, so that few have to be compared.
    boxes = [np.array([(*ring.min(axis=0), *ring.max(axis=0)) for ring in rings]) for rings in (places, laid)]
    first, second = np.nonzero(np.abs(boxes[0][moved][:, None] - boxes[1]).max(axis=-1) <= near)
    ours = np.array([shapely.linearrings(places[moved[k]]) for k in first.tolist()])
    theirs = np.array([shapely.linearrings(laid[k]) for k in second.tolist()])
    apart: Floats = np.asarray(shapely.hausdorff_distance(ours, theirs), dtype=np.float64)
    filled = set(first[apart <= near[first, second]].tolist())
    return frozenset(number for k, number in enumerate(moved) if k not in filled)

"""Evidence: how likely an assembly of rough pieces is beside all others that were found.

Half a chi-squared is a logarithm of likelihood, in units of the noise. How large the noise is, the likeliest
assembly itself tells: where its corners are off by what was taken for the noise, its chi-squared is about as
large as the number of its misfits. So rivals can be weighed without knowing how rough pieces are.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np
import shapely

from sherd.core.arrays import Floats
from sherd.core.geometry import LENGTH_TOLERANCE, Pose
from sherd.core.in_target import lies_within
from sherd.core.symmetry import allowed_symmetries
from sherd.solvers.search.arrangement import Arrangement, arrangement_of
from sherd.solvers.search.attempt import Evidence
from sherd.solvers.search.beliefs.assemble_rough import RoughAssemblies, assemble_rough
from sherd.solvers.search.beliefs.chart import Whole
from sherd.solvers.search.beliefs.corner_misfit import corner_misfit
from sherd.solvers.search.beliefs.likeliest import likeliest
from sherd.solvers.search.beliefs.roughness import Patience, Roughness
from sherd.solvers.search.case import Case
from sherd.solvers.search.constants import (
    ALIKE,
    ALIKE_TURNED,
    ALIKE_WIDTH,
    AS_EXACT,
    BY_CHANCE,
    DOUBTED,
    LAST_POLISH,
    LESS_COVERED,
    LOOSER_JOINTS,
    MOST_NOISE,
    MOST_RIVALS,
    MOST_SETTLED,
    MOVED_GUESSES,
    NOISIER,
    PIXEL_NOISE,
    UNLIKELY,
)
from sherd.solvers.search.corner_outline import ring_of
from sherd.solvers.search.polish import polish
from sherd.solvers.stop import MaxEvaluations, Resumed, Stop

# Variances of one corner's noise that the squared distance of a corner from an edge has: its own, and two
# thirds of those of the edge's ends, for it may lie anywhere between them.
CORNER_AND_EDGE = 1.0 + 2.0 / 3.0
# Guesses and what their charts found.
Charts = Sequence[tuple[Roughness, RoughAssemblies]]


def needs_evidence(case: Case, answer: Arrangement) -> bool:
    """Whether an answer of pieces that are taken to be rough is solved only if no other is as likely.

    It is not if it fits about as well as exact pieces do, with neither overlaps nor gaps: of those any that
    fit are an answer. Outlines traced from pixels may lie so by chance, whatever they once were.
    Nor is one of pieces that were cut bent or turned over, of which no chart is made.
    """
    return not (
        (case.pixel is None and _lies_exactly(case, answer))
        or case.has_holes
        or case.any_cut_bent
        or any(pose.mirrored for pose in answer.poses.values())
    )


def _lies_exactly(case: Case, answer: Arrangement) -> bool:
    """Whether pieces neither overlap nor gape by more than seams of exact pieces."""
    gaps = (1.0 - answer.coverage) * case.puzzle.target.area
    return lies_within(case.puzzle, answer.coverage, AS_EXACT) and gaps <= (
        AS_EXACT * case.size * case.length_around
    )


class Weighed(NamedTuple):
    """What speaks for an assembly, and its poses by piece number."""

    evidence: Evidence
    poses: dict[int, Pose]


def weigh(case: Case, chosen: dict[int, Pose], found: Charts, stop: Stop) -> Weighed:
    """The evidence for the likeliest assembly among all that charts found; without joints no piece is sure.

    Where cuts can be fitted to all of them, that is the one which these fit best, else the one ``chosen``.
    """
    likely = _likely(case, found)
    if likely is None:
        return Weighed(Evidence(0.0, frozenset(range(case.pieces))), chosen)
    noise, rivals = likely
    rivals.sort(key=lambda rival: -rival[0])
    by_cuts = _by_cuts(case, rivals, stop)
    if by_cuts is not None:
        return by_cuts
    every = [(logarithm, whole.poses) for logarithm, whole in rivals[:MOST_RIVALS]]
    return Weighed(_by_joints(case, chosen, noise, every), chosen)


def weigh_anew(case: Case, chosen: dict[int, Pose], stop: Stop, found: Charts = ()) -> tuple[Weighed, int]:
    """The evidence for an assembly that was found otherwise than by a chart of moved corners; joints made.

    Its corners tell the least noise, and charts that are looser by and by, beside those that there are, the
    rivals. Its own likelihood is that of its corners. Where no chart has a joint, no piece is sure.
    """
    noise = max(corner_noise(case, chosen), LENGTH_TOLERANCE)
    moved: list[tuple[Roughness, RoughAssemblies]] = []
    shown, joints = None, 0
    guesses = [size for size in MOVED_GUESSES if size > noise]
    while guesses and not stop(joints):
        guess = Roughness(size=guesses.pop(0), traced=False)
        moved.append(
            (guess, assemble_rough(case, guess, Patience(joints=LOOSER_JOINTS), Resumed(stop, joints)))
        )
        joints += moved[-1][1].joints
        shown = _likely(case, moved)
        if shown is not None:
            is_looser = NOISIER * guess.size < shown[0] and guess.size < MOST_NOISE
            guesses = [min(shown[0], MOST_NOISE)] if is_looser else []
    if shown is not None and case.pixel is None:
        by_cuts = _by_cuts(case, shown[1], Resumed(stop, joints))
        if by_cuts is not None:
            return by_cuts, joints
    # Pixels and moved corners are two measures, so that charts of one kind are weighed among themselves.
    likely = (shown, _likely(case, [chart for chart in found if chart[0].traced]))
    rivals = [(rival[0], rival[1].poses) for one in likely if one is not None for rival in one[1]]
    if not rivals:
        return Weighed(Evidence(0.0, frozenset(range(case.pieces))), chosen), joints
    rivals.sort(key=lambda rival: -rival[0])
    noise = noise if shown is None else shown[0]
    evidence = _by_joints(case, chosen, noise, [(0.0, chosen), *rivals[:MOST_RIVALS]])
    return Weighed(evidence, chosen), joints


def corner_noise(case: Case, poses: dict[int, Pose]) -> float:
    """How far corners are off, to each side, in an assembly at rest; as a share of the size."""
    misfit = corner_misfit(
        [ring_of(outline) for outline in case.outlines],
        poses,
        [np.asarray(ring.coords)[:-1] for ring in shapely.get_rings(case.puzzle.target)],
        turns=case.puzzle.rotations.bins is None,
    )
    return math.sqrt(misfit.squares / misfit.freedom / CORNER_AND_EDGE) / case.size


def _likely(case: Case, found: Charts) -> tuple[float, list[tuple[float, Whole]]] | None:
    """The noise that the likeliest assembly of some charts shows, and how likely all are beside it."""
    free = case.puzzle.rotations.bins is None
    corners = len(ring_of(case.puzzle.target))
    # Chi-squared and misfits, in units of the size.
    likeliest = min(
        (
            (2.0 * whole.cost * guess.size**2, (3 if free else 4) * whole.joints + 2 * corners - 3)
            for guess, one in found
            for whole in one.wholes
            if whole.joints
        ),
        key=lambda one: one[0],
        default=None,
    )
    if likeliest is None:
        return None
    noise = max(math.sqrt(likeliest[0] / likeliest[1]), LENGTH_TOLERANCE)  # exact pieces show none
    return noise, [
        rival
        for guess, one in found
        for rival in _likelihoods(one, (guess.size / noise) ** 2, likeliest[0] / 2.0 / noise**2)
    ]


def _likelihoods(found: RoughAssemblies, scale: float, least: float) -> Iterable[tuple[float, Whole]]:
    """Assemblies of a chart and, as logarithms, how likely they are beside the likeliest of all."""
    for whole in found.wholes:
        if not whole.joints or scale * whole.cost > least + UNLIKELY:
            continue
        for one in (whole, *found.chart.other_ways(whole, UNLIKELY / scale)):
            if scale * one.cost <= least + UNLIKELY:
                yield least - scale * one.cost, one


def _by_cuts(case: Case, rivals: Sequence[tuple[float, Whole]], stop: Stop) -> Weighed | None:
    """The likeliest assembly by how well cuts fit it, and the evidence; None if cuts of some are not known."""
    known = [(whole.lines, whole.poses) for _, whole in rivals if whole.lines is not None]
    found = likeliest(case, known, stop) if len(known) == len(rivals) else None
    if found is None:
        return None
    chosen = found.arrangements[0].poses
    apart_of = partial(_apart, case, [ring_of(outline) for outline in case.outlines], chosen)
    chances: dict[frozenset[int], tuple[float, dict[int, Pose]]] = {}
    for one in found.arrangements:
        chances.setdefault(apart_of(found.noise * case.size, one.poses), (math.exp(one.logarithm), one.poses))
    return Weighed(_doubts(case, found.noise, chances, is_whole=found.is_whole, is_final=True), chosen)


def _by_joints(
    case: Case, chosen: dict[int, Pose], noise: float, rivals: Sequence[tuple[float, dict[int, Pose]]]
) -> Evidence:
    off, outlines = noise * case.size, [ring_of(outline) for outline in case.outlines]
    apart_of = partial(_apart, case, outlines, chosen, off)
    # Assemblies with the same pieces elsewhere are taken for one, as likely as the likeliest of them.
    found: dict[frozenset[int], tuple[float, dict[int, Pose]]] = {}
    for logarithm, poses in rivals:
        apart = apart_of(poses)
        if apart not in found:
            found[apart] = logarithm, poses
    chances = _by_corners(case, outlines, found)
    return _doubts(case, noise, chances, is_whole=len(rivals) < MOST_RIVALS, is_final=False)


def _doubts(
    case: Case,
    noise: float,
    chances: Mapping[frozenset[int], tuple[float, dict[int, Pose]]],
    *,
    is_whole: bool,
    is_final: bool,
) -> Evidence:
    """The evidence, where it is known how likely assemblies are that have some pieces elsewhere."""
    total = sum(chance for chance, _ in chances.values())
    doubted = {
        number
        for number in range(case.pieces)
        if sum(chance for apart, (chance, _) in chances.items() if number in apart) > DOUBTED * total
    }
    if doubted and not is_whole:
        doubted = set(range(case.pieces))
    others = tuple(poses for apart, (_, poses) in chances.items() if apart & doubted)
    return Evidence(noise, frozenset(doubted), others, is_whole, is_final)


def _by_corners(
    case: Case, outlines: Sequence[Floats], found: Mapping[frozenset[int], tuple[float, dict[int, Pose]]]
) -> dict[frozenset[int], tuple[float, dict[int, Pose]]]:
    """How likely assemblies are beside each other, by their charts and by how corners then lie.

    A chart does not know what a part that is turned within its outline leaves open around it.
    """
    targets = [np.asarray(ring.coords)[:-1] for ring in shapely.get_rings(case.puzzle.target)]
    turns = case.puzzle.rotations.bins is None
    misfits = {
        apart: corner_misfit(outlines, poses, targets, turns=turns) for apart, (_, poses) in found.items()
    }
    least = min(misfits.values(), default=None)
    if least is None:
        return {}
    variance = max(least.squares / least.freedom, (LENGTH_TOLERANCE * case.size) ** 2)
    # Chi-squared of two arrangements that are as good differ by this much by chance.
    by_chance = BY_CHANCE * 2.0 * math.sqrt(least.freedom)

    def logarithm(apart: frozenset[int]) -> float:
        more = (misfits[apart].squares - least.squares) / variance
        return min(found[apart][0], -max(0.0, more - by_chance) / 2.0)

    return {apart: (math.exp(logarithm(apart)), poses) for apart, (_, poses) in found.items()}


def settled(case: Case, answer: Arrangement, evidence: Evidence, stop: Stop) -> Evidence:
    """The evidence without rivals that, at rest, lie as the answer does or cover clearly less than it.

    Charts tell where pieces lie to about the noise, so that some only seem to lie elsewhere. No more than a
    few rivals are refined: any others stand.
    """
    off, outlines = evidence.noise * case.size, [ring_of(outline) for outline in case.outlines]
    least = answer.coverage - LESS_COVERED * max(evidence.noise, PIXEL_NOISE * _pixel(case) / case.size)
    apart = partial(_apart, case, outlines, answer.poses, off)
    if evidence.is_final or not evidence.is_whole or not evidence.rivals:
        return evidence
    left = list(evidence.rivals)
    standing: list[tuple[frozenset[int], dict[int, Pose]]] = []
    for rival in evidence.rivals[:MOST_SETTLED]:
        if stop(0):
            break
        left.remove(rival)
        rest = arrangement_of(case.puzzle, polish(case.puzzle, rival, MaxEvaluations(LAST_POLISH)))
        elsewhere = apart(rest.poses)
        if elsewhere and rest.coverage >= least:
            standing.append((elsewhere, rest.poses))
    standing += [(apart(rival), rival) for rival in left]
    elsewhere = frozenset[int]().union(*(own for own, _ in standing))
    return replace(evidence, elsewhere=elsewhere, rivals=tuple(rival for _, rival in standing))


def _apart(
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
    return min((_elsewhere(one, laid, slack, off, _pixel(case)) for one in turned), key=len)


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
    return (motion,) if off_target <= max(ALIKE * off, _pixel(case)) else ()


def _pixel(case: Case) -> float:
    """The pixels that outlines were traced from, 0 if none are known."""
    return case.puzzle.pixel or 0.0


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
    apart = shapely.hausdorff_distance(
        [shapely.linearrings(places[moved[k]]) for k in first.tolist()],
        [shapely.linearrings(laid[k]) for k in second.tolist()],
    )
    filled = set(first[apart <= near[first, second]].tolist())
    return frozenset(number for k, number in enumerate(moved) if k not in filled)

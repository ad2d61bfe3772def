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
from itertools import chain

import numpy as np
import shapely

from sherd.core.arrays import Floats
from sherd.core.geometry import LENGTH_TOLERANCE, Pose
from sherd.core.in_target import lies_within
from sherd.solvers.search.arrangement import Arrangement, arrangement_of
from sherd.solvers.search.attempt import Evidence
from sherd.solvers.search.beliefs.assemble_rough import RoughAssemblies, assemble_rough
from sherd.solvers.search.beliefs.chart import Whole
from sherd.solvers.search.beliefs.corner_misfit import corner_misfit
from sherd.solvers.search.beliefs.elsewhere import doubts, pieces_elsewhere, pixel_of
from sherd.solvers.search.beliefs.lacking import lacks_a_piece
from sherd.solvers.search.beliefs.likeliest import Arranged
from sherd.solvers.search.beliefs.roughness import Patience, Roughness
from sherd.solvers.search.beliefs.weigh_cuts import Weighed, weigh_by_cuts, weigh_seen
from sherd.solvers.search.case import Case
from sherd.solvers.search.constants.beliefs import (
    AS_EXACT,
    BY_CHANCE,
    DOUBTED,
    LESS_COVERED,
    LOOSER_JOINTS,
    MOST_NOISE,
    MOST_RIVALS,
    MOST_SETTLED,
    NOISIER,
    PIXEL_NOISE,
    UNLIKELY,
)
from sherd.solvers.search.constants.completing import LAST_POLISH
from sherd.solvers.search.constants.rough_outlines import MOVED_GUESSES, NEARLY_STRAIGHT
from sherd.solvers.search.corner_outline import CornerOutline, ring_of
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


def weigh(case: Case, chosen: dict[int, Pose], found: Charts, stop: Stop, *, times: int = 1) -> Weighed:
    """The evidence for the likeliest assembly among all that charts found; without joints no piece is sure.

    Where cuts can be fitted to all of them, that is the one which these fit best, else the one ``chosen``.
    Cuts are fitted to ``times`` as many as usual.
    """
    likely = _likely(case, found, stop)
    if likely is None:
        return Weighed(Evidence(0.0, frozenset(range(case.pieces))), chosen)
    noise, rivals = likely[0], _sorted(likely)
    by_cuts = weigh_by_cuts(case, _arranged(rivals), stop, times=times)
    if by_cuts is not None:
        return by_cuts
    every = [(logarithm, whole.poses) for logarithm, whole in rivals[:MOST_RIVALS]]
    return Weighed(_by_joints(case, chosen, noise, every, stop), chosen)


def weigh_anew(
    case: Case, chosen: dict[int, Pose], stop: Stop, found: Charts = (), *, times: int = 1
) -> tuple[Weighed, int]:
    """The evidence for an assembly that was found otherwise than by a chart of moved corners; joints made.

    Where pixels are known, rivals are those of charts that there are, and what comes of it by exchanging
    parts. Else its corners tell the least noise, and charts that are looser by and by the rivals. Its own
    likelihood is that of its corners. Where no chart has a joint, and no lines are seen, no piece is sure.
    """
    traced = _likely(case, [chart for chart in found if chart[0].traced], stop)
    if case.pixel is not None:
        starts = _arranged(_sorted(traced))
        by_cuts = None if starts is None else weigh_seen(case, chosen, stop, starts, times=times)
        if by_cuts is not None:
            return by_cuts, 0
    noise = max(corner_noise(case, chosen), LENGTH_TOLERANCE)
    moved: list[tuple[Roughness, RoughAssemblies]] = []
    shown, joints = None, 0
    guesses = [size for size in MOVED_GUESSES if size > noise]
    while guesses and not stop(joints):
        guess, patience = Roughness(size=guesses.pop(0), traced=False), Patience(joints=LOOSER_JOINTS)
        one = assemble_rough(case, guess, patience, Resumed(stop, joints), only_wholes=True)
        moved.append((guess, one))
        joints += one.joints
        shown = _likely(case, moved, Resumed(stop, joints))
        if shown is not None:
            is_looser = NOISIER * guess.size < shown[0] and guess.size < MOST_NOISE
            guesses = [min(shown[0], MOST_NOISE)] if is_looser else []
    rest = Resumed(stop, joints)
    if case.pixel is None:
        by_cuts = weigh_by_cuts(case, _arranged(_sorted(shown)), rest, chosen, times=times)
        if by_cuts is None:  # parts that were laid without joints have no cuts but those that are seen
            by_cuts = weigh_seen(case, chosen, rest, _known(_sorted(shown)), times=times)
        if by_cuts is not None:
            return by_cuts, joints
    if rest(0):  # in the midst of it
        return Weighed(Evidence(noise, frozenset(range(case.pieces)), is_whole=False), chosen), joints
    # Pixels and moved corners are two measures, so that charts of one kind are weighed among themselves.
    every = sorted((*_sorted(shown), *_sorted(traced)), key=lambda rival: -rival[0])
    rivals = [(logarithm, whole.poses) for logarithm, whole in every]
    if not rivals:
        return Weighed(Evidence(0.0, frozenset(range(case.pieces))), chosen), joints
    noise = noise if shown is None else shown[0]
    evidence = _by_joints(case, chosen, noise, [(0.0, chosen), *rivals[:MOST_RIVALS]], rest)
    return Weighed(evidence, chosen), joints


def shown_noise(case: Case, found: Charts) -> float:
    """The noise that the likeliest assembly of charts shows, as a share of the size; 0 without joints."""
    likeliest = _least_squares(case, found)
    return 0.0 if likeliest is None else math.sqrt(likeliest[0] / likeliest[1])


def corner_noise(case: Case, poses: dict[int, Pose]) -> float:
    """How far corners are off, to each side, in an assembly at rest; as a share of the size."""
    misfit = corner_misfit(
        [ring_of(outline) for outline in case.outlines],
        poses,
        [np.asarray(ring.coords)[:-1] for ring in shapely.get_rings(case.puzzle.target)],
        turns=case.puzzle.rotations.bins is None,
    )
    return math.sqrt(misfit.squares / misfit.freedom / CORNER_AND_EDGE) / case.size


def _likely(case: Case, found: Charts, stop: Stop) -> tuple[float, list[tuple[float, Whole]]] | None:
    """The noise that the likeliest assembly of some charts shows, and how likely all are beside it.

    As many as there is time for.
    """
    likeliest = _least_squares(case, found)
    if likeliest is None:
        return None
    noise = max(math.sqrt(likeliest[0] / likeliest[1]), LENGTH_TOLERANCE)  # exact pieces show none
    return noise, [
        rival
        for guess, one in found
        for rival in _likelihoods(one, (guess.size / noise) ** 2, likeliest[0] / 2.0 / noise**2, stop)
    ]


def _least_squares(case: Case, found: Charts) -> tuple[float, int] | None:
    """Chi-squared of the likeliest assembly, in units of the size, and how many misfits it counts."""
    free = case.puzzle.rotations.bins is None
    corners = len(ring_of(case.puzzle.target))
    return min(
        (
            (2.0 * whole.cost * guess.size**2, (3 if free else 4) * whole.joints + 2 * corners - 3)
            for guess, one in found
            for whole in one.wholes
            if whole.joints
        ),
        key=lambda one: one[0],
        default=None,
    )


def _likelihoods(
    found: RoughAssemblies, scale: float, least: float, stop: Stop
) -> Iterable[tuple[float, Whole]]:
    """Assemblies of a chart and, as logarithms, how likely they are beside the likeliest of all."""
    for whole in found.wholes:
        if not whole.joints or scale * whole.cost > least + UNLIKELY:
            continue
        for one in chain((whole,), found.chart.other_ways(whole, UNLIKELY / scale)):
            if stop(0):
                return
            if scale * one.cost <= least + UNLIKELY:
                yield least - scale * one.cost, one


def _sorted(likely: tuple[float, list[tuple[float, Whole]]] | None) -> list[tuple[float, Whole]]:
    """Assemblies, the likeliest first."""
    return [] if likely is None else sorted(likely[1], key=lambda rival: -rival[0])


def _arranged(rivals: Sequence[tuple[float, Whole]]) -> list[Arranged] | None:
    """Assemblies by the lines of their edges; None if those of some are not known."""
    known = _known(rivals)
    return known if len(known) == len(rivals) else None


def _known(rivals: Sequence[tuple[float, Whole]]) -> list[Arranged]:
    """Those of the assemblies of which the lines of edges are known."""
    return [
        Arranged(whole.lines, whole.outlines, whole.poses) for _, whole in rivals if whole.lines is not None
    ]


def _by_joints(
    case: Case,
    chosen: dict[int, Pose],
    noise: float,
    rivals: Sequence[tuple[float, dict[int, Pose]]],
    stop: Stop,
) -> Evidence:
    off, outlines = noise * case.size, [ring_of(outline) for outline in case.outlines]
    apart_of = partial(pieces_elsewhere, case, outlines, chosen, off)
    # Assemblies with the same pieces elsewhere are taken for one, as likely as the likeliest of them.
    found: dict[frozenset[int], tuple[float, dict[int, Pose]]] = {}
    for logarithm, poses in rivals:
        if stop(0):
            break
        apart = apart_of(poses)
        if apart not in found:
            found[apart] = logarithm, poses
    every = frozenset(range(case.pieces))
    if stop(0):  # weighing takes a while
        return Evidence(noise, every, is_whole=False)
    target = CornerOutline.of(ring_of(case.puzzle.target), NEARLY_STRAIGHT).corners
    is_known = case.pixel is None and not any(case.worn)  # and not drawn too small
    if is_known and lacks_a_piece(target, outlines, off * off):
        return Evidence(noise, every, lacks_a_piece=True)
    chances = _by_corners(case, outlines, found)
    return doubts(case, noise, chances, DOUBTED, is_whole=len(rivals) < MOST_RIVALS)


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
    least = answer.coverage - LESS_COVERED * max(evidence.noise, PIXEL_NOISE * pixel_of(case) / case.size)
    apart = partial(pieces_elsewhere, case, outlines, answer.poses, off)
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

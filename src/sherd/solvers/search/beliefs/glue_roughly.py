"""Gluing rough outlines: of the assemblies that are likely, the one that covers most is taken."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from sherd.core.geometry import Pose, angle_between
from sherd.core.in_target import lies_tightly
from sherd.solvers.search.arrangement import Arrangement, arrangement_of
from sherd.solvers.search.attempt import Evidence, Found
from sherd.solvers.search.beliefs.assemble_rough import RoughAssemblies, assemble_rough
from sherd.solvers.search.beliefs.evidence import (
    needs_evidence,
    settled,
    shown_noise,
    weigh,
    weigh_anew,
)
from sherd.solvers.search.beliefs.roughness import Patience, Roughness
from sherd.solvers.search.case import Case
from sherd.solvers.search.constants.beliefs import (
    DEAREST,
    LOOSER_GUESSES,
    LOOSER_JOINTS,
    MOST_NOISE,
    MOST_WEIGHED,
    NOISIER,
    REFINED_ALIKE,
    REFINED_ALIKE_ANGLE,
)
from sherd.solvers.search.constants.rough_outlines import MOVED_GUESSES
from sherd.solvers.search.polish import polish, polish_in_sight
from sherd.solvers.stop import Resumed, Stop


def glue_roughly(case: Case, roughness: Roughness, stop: Stop, *, patience: Patience) -> Found:
    """Poses by gluing rough outlines: of the likeliest assemblies, each refined, the one that covers most.

    Where it fits but pieces overlap more than they should by chance, what the next looser guess finds is
    weighed against it. So is, of moved corners, what is found at the noise that it shows, and the evidence
    for it is told: with more patience, cuts are fitted to more arrangements. Its tries are joints.
    """
    puzzle, best, chosen, joints = case.puzzle, Arrangement({}, 0.0), dict[int, Pose](), 0
    weighed: list[dict[int, Pose]] = []
    times = max(1, patience.joints // LOOSER_JOINTS)
    every: list[tuple[Roughness, RoughAssemblies]] = []
    halfway: tuple[dict[int, Pose], ...] = ()
    evidence: Evidence | None = None
    guesses = [(roughness, patience)]
    guesses += ((guess, Patience(joints=LOOSER_JOINTS)) for guess in looser_than(roughness))
    while guesses:
        guess, length = guesses.pop(0)
        found = assemble_rough(case, guess, length, Resumed(stop, joints))
        joints += found.joints
        halfway += found.halfway
        every.append((guess, found))
        if not found.wholes and guess is roughness:
            return _found(case, found.some, joints, patience, stop, halfway)
        likely = [whole.poses for whole in found.wholes if whole.cost <= found.wholes[0].cost + DEAREST]
        for poses in likely[:MOST_WEIGHED]:
            if any(_are_alike(case, poses, others) for others in weighed):
                continue
            weighed.append(poses)
            refined = arrangement_of(puzzle, polish(puzzle, poses, partial(_stops_after, stop, joints)))
            if refined.coverage > best.coverage:
                best, chosen = refined, poses
            if lies_tightly(puzzle, best.coverage) or stop(joints):
                break
        if lies_tightly(puzzle, best.coverage) or stop(joints) or not best.fits(puzzle, roughness.tolerance):
            guesses.clear()
        if not guesses and not roughness.traced:
            noise = shown_noise(case, every)
            looser = Roughness(size=min(noise, MOST_NOISE), traced=False)
            is_rougher = noise > NOISIER * max(one.size for one, _ in every) and looser.size > guess.size
            # A hasty chart has few rivals, since it ends before it comes to them.
            is_hasty = length.joints < LOOSER_JOINTS and best.fits(puzzle, roughness.tolerance)
            if (is_rougher or is_hasty) and not stop(joints):
                anew = looser if is_rougher else guess
                guesses.append((anew, Patience(joints=max(patience.joints, LOOSER_JOINTS))))
    likeliest, fullest = chosen, best.poses
    if not roughness.traced:
        evidence, likeliest = weigh(case, chosen, every, Resumed(stop, joints), times=times)
    elif best.fits(puzzle, roughness.tolerance) and needs_evidence(case, best):
        (evidence, likeliest), more = weigh_anew(case, chosen, Resumed(stop, joints), every, times=times)
        joints += more
    if likeliest is not chosen:
        best = arrangement_of(puzzle, polish_in_sight(puzzle, likeliest))
    if evidence is not None:
        evidence = settled(case, best, evidence, Resumed(stop, joints))
        if roughness.traced and not evidence.is_final:
            evidence = replace(evidence, noise=0.0)  # pixels say how deep these may lie in each other
    ended = _found(case, best.poses, joints, patience, stop, halfway)
    is_exhausted = ended.exhausted and (evidence is None or evidence.is_whole)
    fullest = {} if likeliest is chosen else fullest
    return replace(ended, evidence=evidence, fullest=fullest, exhausted=is_exhausted)


def _stops_after(stop: Stop, spent: int, evaluations: int) -> bool:
    """Whether to stop, when refinement's own evaluations are not counted."""
    return stop(spent)


def looser_than(roughness: Roughness) -> tuple[Roughness, ...]:
    """The next guesses at corners that are moved more."""
    larger = [size for size in MOVED_GUESSES if size > roughness.size]
    return tuple(Roughness(size=size, traced=False) for size in larger[:LOOSER_GUESSES])


def _found(
    case: Case,
    poses: dict[int, Pose],
    joints: int,
    patience: Patience,
    stop: Stop,
    halfway: tuple[dict[int, Pose], ...],
) -> Found:
    """All pieces laid with joints to spare: with more it would end with the same."""
    is_exhausted = len(poses) == case.pieces and joints < patience.joints and not stop(joints)
    return Found(poses, joints, exhausted=is_exhausted, halfway=halfway)


def _are_alike(case: Case, poses: dict[int, Pose], others: dict[int, Pose]) -> bool:
    """Whether refinement would make the same of two assemblies."""
    farthest = REFINED_ALIKE * case.size
    return all(
        abs(pose.x - others[number].x) <= farthest
        and abs(pose.y - others[number].y) <= farthest
        and angle_between(pose.theta, others[number].theta) <= REFINED_ALIKE_ANGLE
        for number, pose in poses.items()
    )

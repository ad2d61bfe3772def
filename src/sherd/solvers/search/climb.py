"""The climb: attempts made in turn until one finds an answer that fits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from sherd.core.in_target import looseness
from sherd.core.metrics import DIGITS
from sherd.core.tolerance import EXACT, Tolerance
from sherd.core.verdict import ROUNDED
from sherd.solvers.base import OnProgress, Progress, Tried
from sherd.solvers.search.arrangement import Arrangement, arrangement_of, assembly_of
from sherd.solvers.search.attempt import Attempt, Evidence, Found
from sherd.solvers.search.beliefs.evidence import needs_evidence, settled, weigh_anew
from sherd.solvers.search.beliefs.weigh_cuts import weigh_seen
from sherd.solvers.search.case import Case
from sherd.solvers.search.completing.waiting import WaitingAnswers
from sherd.solvers.search.constants.beliefs import (
    DEEPEST_BY_CUTS,
    DEEPEST_EVIDENT,
    DEPTH_BY_CUTS,
    EVIDENT_DEPTH,
    SEAMS_BY_CUTS,
    WIDEST_BY_CUTS,
)
from sherd.solvers.search.one_of_many import leaves_many
from sherd.solvers.search.polish import polish_in_sight
from sherd.solvers.stop import AnyOf, Resumed, Stop


@dataclass(frozen=True)
class Fitting:
    """An answer that fits in a tolerance, perhaps loosely, and the evidence for it where there is any."""

    answer: Arrangement
    tolerance: Tolerance
    evidence: Evidence | None
    is_loose: bool = False

    @property
    def is_sure(self) -> bool:
        """Whether any of its pieces is."""
        return self.evidence is None or len(self.evidence.elsewhere) < len(self.answer.poses)

    @property
    def rank(self) -> tuple[bool, bool, float]:
        """What is sure first, then what tells its rivals, but not if it is loose; then what covers more."""
        is_told = self.evidence is None or bool(self.evidence.rivals)
        return self.is_sure and not self.is_loose, is_told and not self.is_loose, self.answer.coverage


@dataclass(frozen=True, kw_only=True)
class Climbed:
    """How far the climb came: the best answer, whether it fits, and in which tolerance; all attempts.

    ``bests`` were the best in turn, which left-over pieces may still be laid in; ``filled`` is the best of
    what was filled in with them. ``evidence`` is what speaks for the best answer where outlines are rough.
    ``fitting`` is the best that fits, which may cover less than what does not; ``is_loose`` says that the
    answer fits, and lies loosely.
    ``is_makeshift`` says that no piece found a place, and some were laid for want of better. ``none_within``
    is how far corners may be off so that it is proven that no assembly fits, 0 if it is not.
    """

    best: Arrangement
    bests: tuple[Arrangement, ...] = ()
    fits: bool = False
    tolerance: Tolerance = EXACT
    filled: Arrangement
    evidence: Evidence | None = None
    fitting: Fitting | None = None
    is_loose: bool = False
    tried: tuple[Tried, ...] = ()
    is_makeshift: bool = False
    none_within: float = 0.0

    @property
    def evaluations(self) -> int:
        """Of all attempts."""
        return sum(one.tries for one in self.tried)

    def ended(self) -> Climbed:
        """The climb with what fits as its answer, if anything does."""
        if (one := self.fitting) is None:
            return self
        return replace(
            self,
            best=one.answer,
            fits=True,
            tolerance=one.tolerance,
            evidence=one.evidence,
            is_loose=one.is_loose,
        )


class MakeAttempt(Protocol):
    """Makes an attempt, by its number, that applies to a case."""

    def __call__(self, number: int, attempt: Attempt, case: Case, stop: Stop) -> Found: ...


def _make_here(number: int, attempt: Attempt, case: Case, stop: Stop) -> Found:
    return attempt.run(case, stop)


def climb(
    attempts: Sequence[Attempt],
    case: Case,
    stop: Stop,
    on_progress: OnProgress | None = None,
    make: MakeAttempt = _make_here,
) -> Climbed:
    """Make attempts in turn until an answer fits, and not loosely, in the tolerance of the one that found it.

    An attempt that has been exhausted is not made again with more patience. What covers most may hide a piece
    on another, where what fits covers less.
    """
    nothing, waiting = Arrangement({}, 0.0), WaitingAnswers(case, stop)
    climbed, interrupted = Climbed(best=nothing, filled=nothing), AnyOf((stop, waiting.is_due))
    exhausted: set[tuple[str, str, float]] = set()
    for number, attempt in enumerate(attempts):
        spent = climbed.evaluations
        if stop(spent):
            break
        if attempt.space in exhausted or not attempt.applies(case):
            continue
        if attempt.tolerance.seam <= climbed.none_within:
            continue
        if on_progress is not None:
            on_progress(_progress(case, climbed, attempt.name))
        found = make(number, attempt, case, Resumed(interrupted, spent))
        if found.exhausted:
            exhausted.add(attempt.space)
        for poses in found.halfway:
            climbed = _improved(case, climbed, arrangement_of(case.puzzle, poses))
        found, answer, fitting = _weighed(attempt, case, found, Resumed(interrupted, spent + found.tries))
        if fitting is not None and _is_less_exact(fitting, climbed.fitting):
            fitting = None
        is_end = fitting is not None and _is_an_end(climbed, fitting)
        outcome = "fits" if is_end else _outcome(found, answer)
        tried = (*climbed.tried, Tried(attempt.name, found.tries, outcome))
        climbed = replace(climbed, tried=tried, none_within=max(climbed.none_within, found.none_within))
        before = climbed.best
        climbed = _improved(case, climbed, answer, found.evidence)
        if climbed.best is not before and on_progress is not None:
            on_progress(_progress(case, climbed, attempt.name))
        if fitting is not None and (climbed.fitting is None or fitting.rank > climbed.fitting.rank):
            climbed = replace(climbed, fitting=fitting)
        if is_end:
            return climbed.ended()
        if attempt.is_guess:
            waiting.add(answer)
        if waiting.is_due(climbed.evaluations):
            waiting.fill(climbed.evaluations)
    waiting.fill(climbed.evaluations)
    return replace(climbed, filled=waiting.best)


def _is_an_end(climbed: Climbed, fitting: Fitting) -> bool:
    """Whether what fits ends the climb: not what is loose; if no piece is sure, what covers most does."""
    if fitting.is_loose:
        return False
    if fitting.evidence is None or fitting.is_sure:
        return True
    return fitting.evidence.is_fair and fitting.answer.coverage >= climbed.best.coverage


def _is_less_exact(fitting: Fitting, held: Fitting | None) -> bool:
    """Whether what fits breaks joints of exact pieces in another, however loosely that one lies."""
    return held is not None and held.tolerance.seam <= ROUNDED < fitting.tolerance.seam


def _improved(case: Case, climbed: Climbed, answer: Arrangement, evidence: Evidence | None = None) -> Climbed:
    """The climb with an answer, if that covers more, or as much with less area."""
    if _fullness(case, answer) <= _fullness(case, climbed.best):
        return climbed
    return replace(climbed, best=answer, bests=(*climbed.bests, answer), evidence=evidence)


def _fullness(case: Case, answer: Arrangement) -> tuple[float, float]:
    return round(answer.coverage, DIGITS), -sum(case.outlines[number].area for number in answer.poses)


def _weighed(
    attempt: Attempt, case: Case, found: Found, stop: Stop
) -> tuple[Found, Arrangement, Fitting | None]:
    """What was found with the evidence for it, as an arrangement, and what of it fits, if anything.

    Where what is likeliest does not fit, what covers most may, though only area speaks for its places.
    """
    first = answer = arrangement_of(case.puzzle, found.poses)
    tolerance = _granted(case, attempt.tolerance, found.evidence)
    if fits := answer.fits(case.puzzle, tolerance):
        found = _with_evidence(attempt, case, answer, found, stop)
        if found.poses is not first.poses:
            answer = arrangement_of(case.puzzle, found.poses)
            tolerance = _granted(case, attempt.tolerance, found.evidence)
            fits = answer.fits(case.puzzle, tolerance)
    noise = 0.0 if found.evidence is None else found.evidence.noise
    # What was counted has no noise. Of exact pieces no other evidence tells which of many is meant.
    is_one_of_many = (noise or found.evidence is None) and leaves_many(case)
    # No chart turns a piece over.
    is_one_sided = any(case.may_mirror) and not any(pose.mirrored for pose in answer.poses.values())
    if fits and (is_one_of_many or (noise and is_one_sided)):
        every = frozenset(range(case.pieces))
        found = replace(found, evidence=Evidence(noise, every, is_whole=False, is_fair=False))
    if fits:
        return found, answer, _fitting(case, answer, tolerance, found.evidence)
    if found.fullest and found.evidence is not None:
        fullest = arrangement_of(case.puzzle, found.fullest)
        if fullest.fits(case.puzzle, attempt.tolerance):
            evidence = Evidence(found.evidence.noise, frozenset(range(case.pieces)), is_fair=False)
            return found, answer, _fitting(case, fullest, attempt.tolerance, evidence)
    return found, answer, None


def _fitting(case: Case, answer: Arrangement, tolerance: Tolerance, evidence: Evidence | None) -> Fitting:
    is_loose = bool(looseness(case.puzzle, assembly_of(case.puzzle, answer.poses), tolerance))
    return Fitting(answer, tolerance, evidence, is_loose)


def _with_evidence(attempt: Attempt, case: Case, answer: Arrangement, found: Found, stop: Stop) -> Found:
    """What was found with the evidence for it, where that is needed and the attempt has none to tell."""
    if found.evidence is not None:
        return found
    if attempt.needs_evidence(case, answer):
        (evidence, poses), joints = weigh_anew(case, answer.poses, stop)
    elif case.pixel is not None and needs_evidence(case, answer):
        # Pieces from pixels may fit exactly in another order, too.
        seen = weigh_seen(case, answer.poses, stop)
        if seen is None:
            return found
        (evidence, poses), joints = seen, 0
    else:
        return found
    fullest = {} if poses is answer.poses else answer.poses
    if fullest:
        poses = polish_in_sight(case.puzzle, poses)
    evidence = settled(case, answer, evidence, Resumed(stop, joints))
    return replace(found, poses=poses, evidence=evidence, fullest=fullest, tries=found.tries + joints)


def _granted(case: Case, tolerance: Tolerance, evidence: Evidence | None) -> Tolerance:
    """The tolerance of an attempt; where joints speak for the answer, as deep as its noise goes.

    And where cuts fit it, as wide.
    """
    if evidence is None:
        return tolerance
    depth, widest = min(EVIDENT_DEPTH * evidence.noise, DEEPEST_EVIDENT), tolerance.widest
    if evidence.is_final:
        depth = min(DEPTH_BY_CUTS * evidence.noise, DEEPEST_BY_CUTS)
        around = evidence.noise * case.size * case.length_around / case.puzzle.target.area
        widest = max(widest, min(SEAMS_BY_CUTS * around, WIDEST_BY_CUTS))
    return Tolerance(max(tolerance.seam, evidence.noise), max(tolerance.depth, depth), widest)


def _outcome(found: Found, answer: Arrangement) -> str:
    covers = f"covers {answer.coverage:.1%}" if found.poses else "nothing"
    return f"{covers}, exhausted" if found.exhausted else covers


def _progress(case: Case, climbed: Climbed, trying: str) -> Progress:
    return Progress(
        assembly=assembly_of(case.puzzle, climbed.best.poses),
        objective=climbed.best.coverage,
        evaluations=climbed.evaluations,
        trying=trying,
    )

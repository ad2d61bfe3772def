"""Where somebody, or a search that was stopped, has laid pieces, as an answer with the one verdict on it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from sherd.core.assembly import Assembly, Group, Joint
from sherd.core.geometry import Pose
from sherd.core.metrics import AS_WELL, measure
from sherd.core.puzzle import Puzzle
from sherd.core.tolerance import EXACT
from sherd.core.verdict import Verdict, judge
from sherd.solvers.base import Progress, Result
from sherd.workshop.job import Job
from sherd.workshop.judging import PINS, judge_job
from sherd.workshop.result import JobResult

BY_HAND = "by hand"
UNJUDGED = "time was up before the answer was judged"


def laid_by_hand(
    job: Job, assembly: Assembly, *, solver: str = BY_HAND, seconds: float = 0.0, remark: str = ""
) -> JobResult:
    """The answer that these placements are, in the puzzle's frame; hands are no finer than pins are.

    Without a target all pieces that lie somewhere are one group.
    """
    verdict = judge_job(job, assembly, PINS, {}, "" if len(assembly) else "no piece is placed")
    groups = () if job.puzzle.has_target or not len(assembly) else (Group(assembly),)
    result = Result(
        assembly=assembly,
        objective=0.0,
        evaluations=0,
        tolerance=PINS,
        groups=groups,
        remark="" if verdict.is_solved else remark,
        verdict=verdict,
        seconds=seconds,
        puzzle=job.puzzle,
    )
    return JobResult(job, solver, result, job.name)


@dataclass
class SoFar:
    """What a search has told: the assembly with most pieces, the groups and joints that it last told.

    And what the last of several solvers that came to its end gave.
    """

    assembly: Assembly = field(default_factory=Assembly)
    groups: tuple[Group, ...] = ()
    joints: tuple[Joint, ...] = ()
    judged: Result | None = None

    def __call__(self, progress: Progress) -> None:
        """Hear of more; another solver may have begun anew."""
        self.assembly = max(progress.assembly, self.assembly, key=len)
        self.groups = progress.groups or self.groups
        self.joints = progress.joints or self.joints
        self.judged = progress.judged or self.judged


def one_laid(puzzle: Puzzle) -> Assembly:
    """The largest piece that lies within the target about its middle, unturned; in next to no time."""
    at = puzzle.target.representative_point()
    middle = Pose(at.x, at.y)
    large_first = sorted(puzzle.fragments, key=lambda one: -one.polygon.area)
    within = (one for one in large_first if puzzle.target.covers(middle.apply(one.polygon)))
    return Assembly().place(next(within, large_first[-1]).id, middle)


def unjudged(puzzle: Puzzle, heard: SoFar, *, seconds: float) -> Result:
    """What a search that was ended had found by then, which is no solution until somebody judges it.

    In a target it is not empty: where nothing was found, one piece shows that.
    """
    assembly, groups = heard.assembly, heard.groups
    if puzzle.has_target:
        assembly = assembly or one_laid(puzzle)
    else:
        groups = groups or ((Group(assembly),) if len(assembly) else ())
        assembly = max((group.assembly for group in groups), key=len, default=assembly)
    left_over = tuple(one.id for one in puzzle.fragments if one.id not in assembly)
    return Result(
        assembly=assembly,
        objective=0.0,
        evaluations=0,
        groups=groups,
        joints=heard.joints,
        verdict=Verdict(state="not solved", against=(UNJUDGED,), left_over=left_over),
        elsewhere=tuple(placement.id for placement in assembly) if puzzle.has_target else (),
        seconds=seconds,
        puzzle=puzzle,
    )


def judged_late(puzzle: Puzzle, heard: SoFar, *, seconds: float) -> Result:
    """The same with what speaks against it; where nothing was laid by then, some pieces are laid to show.

    Nobody weighed it against others, so that all pieces are named as doubtful.
    """
    from sherd.solvers.search import SearchSolver  # numba takes a moment to load

    if not puzzle.has_target:
        return unjudged(puzzle, heard, seconds=seconds)
    laid = heard.assembly if len(heard.assembly) else SearchSolver().lay_to_show(puzzle).assembly
    against = judge(puzzle, laid, EXACT).against
    late = unjudged(puzzle, replace(heard, assembly=laid), seconds=seconds)
    return replace(late, verdict=replace(late.verdict, against=(UNJUDGED, *against)))


def judged_before(puzzle: Puzzle, heard: SoFar, *, seconds: float) -> Result | None:
    """What a solver that came to its end gave, if all pieces are in it and fit; others were still at work."""
    result = heard.judged
    if result is None or len(result.assembly) < len(puzzle.fragments) or result.verdict.state == "not solved":
        return None
    return replace(result, seconds=seconds, remark="")


def job_judged_before(job: Job, heard: SoFar, *, solver: str, seconds: float) -> JobResult | None:
    """The same of a job with a target, if nothing is pinned."""
    is_alone = job.puzzle.has_target and not len(job.pinned)
    result = judged_before(job.puzzle, heard, seconds=seconds) if is_alone else None
    if result is None:
        return None
    verdict = judge_job(job, result.assembly, result.tolerance, result.excused, result.doubt)
    return JobResult(job, solver, replace(result, verdict=verdict, puzzle=job.puzzle), job.name)


def left_unjudged(job: Job, heard: SoFar, *, solver: str, seconds: float) -> JobResult:
    """The same of a job, with the pieces that are pinned."""
    loose = Assembly(tuple(one for one in heard.assembly if one.id not in job.pinned))
    whole = SoFar(job.complete(loose), heard.groups, heard.joints)
    return JobResult(job, solver, unjudged(job.puzzle, whole, seconds=seconds), job.name)


def lies_exactly(puzzle: Puzzle, heard: SoFar, *, seconds: float) -> Result | None:
    """The answer of a search that was ended, if all pieces fill the target exactly and that alone is enough.

    Pieces from pixels may fit as well in another order, as may those beside the gap of a lost one, and
    painted ones may be told apart by their paint.
    """
    is_whole = puzzle.has_target and len(heard.assembly) == len(puzzle.fragments)
    is_whole = is_whole and measure(heard.assembly, puzzle).coverage > 1.0 - AS_WELL
    if not is_whole or puzzle.pixel is not None or any(one.texture for one in puzzle.fragments):
        return None
    verdict = judge(puzzle, heard.assembly, EXACT)
    if not verdict.is_solved:
        return None
    late = unjudged(puzzle, heard, seconds=seconds)
    return replace(late, verdict=verdict, tolerance=EXACT, elsewhere=())


def job_that_lies_exactly(job: Job, heard: SoFar, *, solver: str, seconds: float) -> JobResult | None:
    """The same of a job, if nothing is pinned; a job has more to say against an answer."""
    result = None if len(job.pinned) else lies_exactly(job.puzzle, heard, seconds=seconds)
    if result is None:
        return None
    verdict = judge_job(job, heard.assembly, EXACT, {})
    return JobResult(job, solver, replace(result, verdict=verdict), job.name) if verdict.is_solved else None

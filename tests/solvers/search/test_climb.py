"""The climb: attempts in turn, none in vain, each answer judged as its own attempt has it."""

from __future__ import annotations

import shapely

from sherd.core.geometry import Pose
from sherd.core.puzzle import Fragment, Puzzle
from sherd.core.tolerance import Tolerance
from sherd.solvers.base import Progress
from sherd.solvers.search.attempt import Attempt, Evidence, Found
from sherd.solvers.search.case import Case
from sherd.solvers.search.climb import climb
from sherd.solvers.stop import MaxEvaluations, Stop

HALF = shapely.box(-0.25, -0.5, 0.25, 0.5)
CASE = Case(Puzzle(shapely.box(0, 0, 1, 1), (Fragment("left", HALF), Fragment("right", HALF))))
WHOLE = {0: Pose(0.25, 0.5), 1: Pose(0.75, 0.5)}
OVERLAPPING = {0: Pose(0.25, 0.5), 1: Pose(0.745, 0.5)}
SOME = {0: Pose(0.25, 0.5)}
TIGHT, LOOSE = Tolerance.of_corners(1e-8), Tolerance.of_corners(1e-2)
STOP = MaxEvaluations(1000)


class Recorded:
    """Attempts that find what they are told to, and note who was asked."""

    def __init__(self) -> None:
        self.ran: list[str] = []

    def attempt(
        self,
        name: str,
        poses: dict[int, Pose],
        *,
        tolerance: Tolerance = TIGHT,
        space: str = "",
        exhausted: bool = False,
        applies: bool = True,
        fullest: dict[int, Pose] | None = None,
        evidence: Evidence | None = None,
    ) -> Attempt:
        def run(case: Case, stop: Stop) -> Found:
            self.ran.append(name)
            return Found(poses, 10, exhausted, fullest=fullest or {}, evidence=evidence)

        return Attempt(
            name=name,
            space=(space or name, "exact", 0.0),
            applies=lambda case: applies,
            run=run,
            tolerance=tolerance,
        )


def test_the_first_answer_that_fits_ends_the_climb() -> None:
    record = Recorded()
    climbed = climb(
        [record.attempt("a", {}), record.attempt("b", WHOLE), record.attempt("c", WHOLE)], CASE, STOP
    )
    assert record.ran == ["a", "b"]
    assert climbed.fits and climbed.best.poses == WHOLE
    assert [(one.name, one.tries, one.outcome) for one in climbed.tried] == [
        ("a", 10, "nothing"),
        ("b", 10, "fits"),
    ]
    assert climbed.evaluations == 20


def test_what_does_not_apply_and_what_was_exhausted_is_not_tried() -> None:
    record = Recorded()
    climb(
        [
            record.attempt("never", WHOLE, applies=False),
            record.attempt("hasty", SOME, space="same", exhausted=True),
            record.attempt("patient", SOME, space="same"),
            record.attempt("other", SOME),
            record.attempt("other, more patient", SOME, space="other"),
        ],
        CASE,
        STOP,
    )
    assert record.ran == ["hasty", "other", "other, more patient"]


def test_an_answer_is_judged_in_the_tolerance_of_its_own_attempt() -> None:
    record = Recorded()
    tight, loose = record.attempt("tight", OVERLAPPING), record.attempt("loose", SOME, tolerance=LOOSE)
    assert not climb([tight, loose], CASE, STOP).fits
    climbed = climb([tight, record.attempt("again", OVERLAPPING, tolerance=LOOSE)], CASE, STOP)
    assert climbed.fits and climbed.tolerance == LOOSE


def test_the_best_is_kept_and_told_as_it_is_found() -> None:
    record, seen = Recorded(), list[Progress]()
    attempts = [record.attempt("some", SOME), record.attempt("none", {}), record.attempt("most", OVERLAPPING)]
    climbed = climb(attempts, CASE, STOP, seen.append)
    assert climbed.best.poses == OVERLAPPING
    assert [len(progress.assembly) for progress in seen] == [0, 1, 1, 1, 2]
    assert [progress.trying for progress in seen] == ["some", "some", "none", "most", "most"]
    assert [progress.evaluations for progress in seen] == [0, 10, 10, 20, 30]


def test_it_stops_when_it_should() -> None:
    record = Recorded()
    climb([record.attempt(str(number), {}) for number in range(5)], CASE, MaxEvaluations(20))
    assert record.ran == ["0", "1"]


def test_what_fits_and_is_doubted_is_kept_where_nothing_else_fits() -> None:
    doubted = Evidence(0.0, frozenset((0, 1)), is_fair=False)
    record = Recorded()
    attempts = [
        record.attempt("a", OVERLAPPING, tolerance=LOOSE, evidence=doubted),
        record.attempt("b", OVERLAPPING),
    ]
    climbed = climb(attempts, CASE, STOP)
    assert record.ran == ["a", "b"]
    assert not climbed.fits
    assert climbed.ended().fits
    assert climbed.ended().best.poses == OVERLAPPING and climbed.ended().tolerance == LOOSE
    assert climbed.ended().evidence == doubted


LOW, HIGH = shapely.box(-0.5, -0.25, 0.5, 0.25), shapely.box(-0.2, -0.25, 0.2, 0.25)
GAP = Case(Puzzle(shapely.box(0, 0, 1, 1), (Fragment("low", LOW), Fragment("high", HIGH))))
LOOSELY = {0: Pose(0.5, 0.25), 1: Pose(0.5, 0.75)}
HELD = {0: Pose(0.5, 0.25), 1: Pose(0.2, 0.75)}


def test_what_lies_loosely_is_no_end_and_comes_after_what_does_not() -> None:
    """What was counted has evidence, as on a grid with a lost piece others fit as well."""
    record, counted = Recorded(), Evidence(0.0)
    attempts = [
        record.attempt("loose", LOOSELY, evidence=counted),
        record.attempt("held", HELD, evidence=counted),
        record.attempt("never", HELD, evidence=counted),
    ]
    assert climb(attempts[:1], GAP, STOP).ended().is_loose
    climbed = climb(attempts, GAP, STOP)
    assert record.ran == ["loose", "loose", "held"]
    assert climbed.fits and not climbed.is_loose and climbed.best.poses == HELD


def test_on_a_grid_with_a_lost_piece_what_was_not_counted_is_no_end() -> None:
    record = Recorded()
    climbed = climb([record.attempt("held", HELD), record.attempt("again", HELD)], GAP, STOP)
    assert record.ran == ["held", "again"]
    assert not climbed.fits
    evidence = climbed.ended().evidence
    assert evidence is not None and evidence.elsewhere == {0, 1}


def test_what_covers_most_is_kept_where_what_is_likelier_does_not_fit() -> None:
    likelier = Evidence(0.0, frozenset((0,)))
    climbed = climb([Recorded().attempt("a", OVERLAPPING, fullest=WHOLE, evidence=likelier)], CASE, STOP)
    assert not climbed.fits
    ended = climbed.ended()
    assert ended.fits and ended.best.poses == WHOLE
    assert ended.evidence is not None and ended.evidence.elsewhere == {0, 1}


def test_of_what_is_doubted_that_which_tells_its_rivals_is_better() -> None:
    doubted = Evidence(0.0, frozenset((0, 1)), is_fair=False)
    told = Evidence(0.0, frozenset((0, 1)), rivals=(WHOLE,), is_fair=False)
    record = Recorded()
    attempts = [
        record.attempt("a", OVERLAPPING, tolerance=LOOSE, evidence=told),
        record.attempt("b", WHOLE, evidence=doubted),
    ]
    assert climb(attempts, CASE, STOP).ended().best.poses == OVERLAPPING


def test_what_is_off_does_not_take_the_place_of_exact_pieces_that_lie_loosely() -> None:
    strips = tuple(Fragment(f"f{k}", shapely.box(-1, -5, 1, 5)) for k in range(5))
    case, record = Case(Puzzle(shapely.box(0, 0, 10.4, 10), strips)), Recorded()
    off = record.attempt("off", {k: Pose(1.04 + 2.08 * k, 5.0) for k in range(5)}, tolerance=LOOSE)
    assert climb([off], case, STOP).fits
    flush = {k: Pose(1.0 + 2.0 * k, 5.0) for k in range(5)}
    climbed = climb([record.attempt("exact", flush), off], case, STOP)
    assert not climbed.fits
    assert climbed.ended().best.poses == flush

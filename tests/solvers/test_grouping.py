"""Groups without a target: all right, in doubt, or refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from sherd.bench.contour_suites import ContourCell, make_sample
from sherd.core.alignment import score_groups
from sherd.core.errors import UnsupportedError
from sherd.core.geometry import FREE, Pose
from sherd.core.metrics import POSE_TOLERANCE
from sherd.core.puzzle import Puzzle, Sample
from sherd.core.symmetry import allowed_symmetries
from sherd.generation.dataset import PuzzleKind, make_observed, make_samples
from sherd.solvers import SOLVERS, Result
from sherd.solvers.base import GroupingSolver
from sherd.solvers.contours import assemble_contours
from sherd.solvers.grouping import STRAIGHT_ONLY, ContoursSolver, unsure_of
from sherd.solvers.run import Assembler, run
from sherd.solvers.stop import MaxEvaluations

LONG = 600.0
STEPS = 300


def broken(seed: int, pieces: int = 8) -> Sample:
    kind = PuzzleKind(pieces=pieces, dissection="broken", rotations=FREE)
    return next(make_samples(kind, seed=seed, stop=1))


def assembled(puzzle: Puzzle, name: str = "auto", steps: int = STEPS) -> tuple[str, Result]:
    rng = np.random.default_rng(0)
    return Assembler(name)(puzzle, seconds=LONG, rng=rng, stop=MaxEvaluations(steps))


def all_right(sample: Sample, result: Result) -> bool:
    return score_groups(
        {fragment.id: fragment.polygon for fragment in sample.puzzle.fragments},
        {placement.id: placement.pose for placement in sample.truth},
        [{one.id: one.pose for one in group.assembly} for group in result.groups],
        side=sample.puzzle.size,
    ).all_right


@pytest.mark.parametrize("seed", range(3))
def test_eight_jagged_pieces_come_right_without_their_target(seed: int) -> None:
    sample = broken(seed)
    name, result = assembled(sample.puzzle.without_target())
    assert name == "contours"
    assert all_right(sample, result)
    assert result.solved
    (group,) = result.groups
    assert group.assembly == result.assembly
    ids = {fragment.id for fragment in sample.puzzle.fragments}
    assert {end for joint in group.joints for end in (joint.first, joint.second)} == ids
    assert all(0.0 <= joint.likelihood <= 1.0 and joint.length > 0.0 for joint in group.joints)


def renamed(samples: Sequence[Sample]) -> Puzzle:
    """The pieces of several puzzles in one box."""
    fragments = [
        replace(fragment, id=f"{k}.{fragment.id}")
        for k, sample in enumerate(samples)
        for fragment in sample.puzzle.fragments
    ]
    return Puzzle.of_pieces(tuple(fragments))


def test_two_tiles_in_one_box_are_never_called_one() -> None:
    _, result = assembled(renamed([broken(4, 6), broken(5, 6)]))
    assert result.verdict.state == "partly"
    assert len(result.groups) == 2 or result.reason == STRAIGHT_ONLY


def test_with_a_target_auto_takes_what_the_pieces_are(square_of_four: Sample) -> None:
    name, result = assembled(broken(1).puzzle)
    assert (name, result.solved, result.groups) == ("contours", True, ())
    assert result.joints
    name, result = assembled(square_of_four.puzzle)
    assert (name, result.solved) == ("search", True)


def test_where_contours_do_not_solve_the_search_goes_on() -> None:
    cell = ContourCell(kind="jagged", pieces=(6, 6), input="moved-1")
    puzzle = make_sample(cell, 0, 0).puzzle
    name, result = Assembler()(puzzle, seconds=0.0, rng=np.random.default_rng(0))
    assert name in ("contours", "search")
    assert not result.solved
    assert result.reason


def test_straight_pieces_that_may_be_turned_over_go_to_the_search(square_of_four: Sample) -> None:
    mirrored = replace(square_of_four.puzzle, mirror=True)
    assert assembled(mirrored)[0] == "search"
    with pytest.raises(UnsupportedError, match="turned over"):
        assembled(mirrored.without_target())


@pytest.mark.parametrize("name", sorted({"search", "annealing", "random"} & SOLVERS.keys()))
def test_solvers_that_need_a_target_say_so(name: str, square_of_four: Sample) -> None:
    with pytest.raises(UnsupportedError, match=f"^{name} needs a target; without one take contours$"):
        assembled(square_of_four.puzzle.without_target(), name)


def test_only_one_answer_is_looked_for_without_a_target(square_of_four: Sample) -> None:
    with pytest.raises(UnsupportedError, match="one answer"):
        Assembler()(square_of_four.puzzle.without_target(), seconds=1.0, rng=np.random.default_rng(0), most=3)


def test_contours_group() -> None:
    assert isinstance(SOLVERS["contours"](), GroupingSolver)
    assert not isinstance(SOLVERS["search"](), GroupingSolver)


def test_a_single_piece_is_no_group() -> None:
    alone = Puzzle.of_pieces(broken(0).puzzle.fragments[:1])
    _, result = assembled(alone)
    assert (result.verdict.state, result.groups) == ("not solved", ())
    assert result.reason


@pytest.mark.parametrize("seed", [61, 62])
@pytest.mark.parametrize("seen", ["worn-0.5", "worn-1"])
def test_pieces_that_no_likely_joint_holds_are_named(seen: str, seed: int) -> None:
    """Of what contours lay in a target and do not solve; which of it is wrong nobody is told otherwise."""
    kind = PuzzleKind(pieces=12, dissection="broken", roughness=0.03, rotations=FREE)
    (observed,) = make_observed(kind, seen, seed=seed, stop=1)
    sample = observed.own
    result = run(ContoursSolver(), sample.puzzle, stop=MaxEvaluations(20), rng=np.random.default_rng(0))
    assert not result.solved
    placed = {placement.id for placement in result.assembly}
    assert set(result.elsewhere) <= placed
    sure = placed - set(result.elsewhere)
    allowance = POSE_TOLERANCE * sample.puzzle.size
    truth = {one.id: one.pose.apply(sample.puzzle[one.id].polygon) for one in sample.truth}
    laid = {one.id: one.pose.apply(sample.puzzle[one.id].polygon) for one in result.assembly}
    wrong = min(
        (
            {name for name in placed if laid[name].hausdorff_distance(motion.apply(truth[name])) > allowance}
            for motion in allowed_symmetries(sample.puzzle)
        ),
        key=len,
    )
    assert wrong
    assert not wrong & sure


def test_where_joints_are_likely_none_is_named() -> None:
    """A piece is lost, and the others are held by torn edges; one that is put elsewhere is not."""
    puzzle = broken(1).puzzle
    outlines = [fragment.polygon for fragment in puzzle.fragments[1:]]
    groups = assemble_contours(
        outlines, puzzle.target, stop=MaxEvaluations(STEPS), rng=np.random.default_rng(0)
    )
    (laid,) = groups.groups
    lacking = replace(puzzle, fragments=puzzle.fragments[1:])
    assert len(laid.poses) == len(outlines)
    assert unsure_of(lacking, groups) == set()
    moved = {**laid.poses, 3: Pose(0.1, 0.0) @ laid.poses[3]}
    assert unsure_of(lacking, replace(groups, groups=(replace(laid, poses=moved),))) == {3}

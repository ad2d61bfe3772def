"""Broken squares put together from their outlines, with a target and without."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import shapely
from shapely import Polygon

from sherd.bench.contour_suites import ContourCell, make_sample, score_seen
from sherd.core.errors import UnsupportedError
from sherd.core.geometry import Pose, Rotations
from sherd.core.grid import Grid
from sherd.core.puzzle import Fragment, Puzzle
from sherd.core.texture import Texture
from sherd.generation.observed import Observed
from sherd.solvers.contours import Groups, assemble_contours, guessing, undertaking
from sherd.solvers.contours.attempt import make_attempt
from sherd.solvers.contours.clusters import singles
from sherd.solvers.contours.groups import NO_JOINTS, TELLS_NOTHING, TURNED
from sherd.solvers.contours.guesses import Guess
from sherd.solvers.contours.improve import Arrangement
from sherd.solvers.contours.params import ContoursParams
from sherd.solvers.grouping import ContoursSolver
from sherd.solvers.run import run
from sherd.solvers.stop import MaxEvaluations

STEPS = 600


def seen(kind: str, pieces: int, input: str, seed: int) -> Observed:
    return make_sample(ContourCell(kind=kind, pieces=(pieces, pieces), input=input), seed, 0)


def outlines(observed: Observed) -> list[Polygon]:
    return [fragment.polygon for fragment in observed.puzzle.fragments]


def assembled(pieces: list[Polygon], target: Polygon | None = None, steps: int = STEPS) -> Groups:
    return assemble_contours(pieces, target, stop=MaxEvaluations(steps), rng=np.random.default_rng(0))


def by_id(observed: Observed, found: Groups) -> list[dict[str, Pose]]:
    names = [fragment.id for fragment in observed.puzzle.fragments]
    return [{names[piece]: pose for piece, pose in group.poses.items()} for group in found.groups]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", ["jagged", "wavy"])
@pytest.mark.parametrize("with_target", [True, False])
def test_eight_scanned_pieces_all_come_right(kind: str, seed: int, with_target: bool) -> None:
    observed = seen(kind, 8, "binary-300", seed)
    found = assembled(outlines(observed), observed.puzzle.target if with_target else None)
    assert score_seen(observed, by_id(observed, found)).all_right
    assert found.whole
    assert len(found.groups) == 1
    assert found.groups[0].attached == with_target
    assert found.alone == ()


@pytest.mark.parametrize("seed", range(2))
def test_worn_pieces_come_right_in_their_target(seed: int) -> None:
    observed = seen("jagged", 8, "worn-0.5", seed)
    found = assembled(outlines(observed), observed.puzzle.target)
    assert score_seen(observed, by_id(observed, found)).all_right


def test_placed_pieces_fill_the_target_and_lie_beside_each_other() -> None:
    observed = seen("jagged", 8, "binary-1000", 5)
    pieces, target = outlines(observed), observed.puzzle.target
    found = assembled(pieces, target)
    placed = [pose.apply(pieces[piece]) for piece, pose in found.groups[0].poses.items()]
    together = shapely.union_all(placed)
    assert shapely.intersection(together, target).area > 0.99 * target.area
    assert sum(piece.area for piece in placed) - together.area < 0.01 * target.area


def test_foreign_pieces_are_left_over_and_the_answer_is_solved() -> None:
    observed = seen("jagged", 8, "binary-300+foreign-2", 7)
    result = run(ContoursSolver(), observed.puzzle, stop=MaxEvaluations(STEPS), rng=np.random.default_rng(0))
    assert result.solved
    assert frozenset(result.excused) == observed.foreign
    assert result.evaluations < STEPS


def test_a_piece_that_is_missing_leaves_a_gap_and_no_whole() -> None:
    observed = seen("jagged", 8, "binary-300+missing-1", 7)
    found = assembled(outlines(observed), observed.puzzle.target, steps=60)
    assert not found.whole


def test_the_size_of_a_pixel_says_how_well_outlines_are_known() -> None:
    observed = seen("wavy", 8, "binary-300", 1)
    found = assemble_contours(
        outlines(observed),
        None,
        stop=MaxEvaluations(STEPS),
        rng=np.random.default_rng(0),
        pixel=observed.puzzle.pixel,
    )
    assert score_seen(observed, by_id(observed, found)).all_right
    assert found.whole
    assert found.evaluations < 10


@pytest.mark.parametrize("kind", ["jagged", "wavy"])
def test_two_sets_give_two_groups(kind: str) -> None:
    first, second = seen(kind, 6, "moved-0.05", 11), seen(kind, 6, "moved-0.05", 12)
    found = assembled([*outlines(first), *outlines(second)])
    assert [sorted(group.poses) for group in found.groups] == [[0, 1, 2, 3, 4, 5], [6, 7, 8, 9, 10, 11]]
    assert found.alone == ()


def test_guesses_under_which_all_pieces_make_wholes_are_chosen() -> None:
    pieces = [*outlines(seen("jagged", 6, "moved-0.05", 11)), *outlines(seen("jagged", 6, "moved-0.05", 12))]
    stop, rng = MaxEvaluations(200), np.random.default_rng(0)
    asked = undertaking.Undertaking(pieces, None, Rotations(None), stop, rng, ContoursParams(), (), None)
    scattered, whole = (make_attempt(asked, Guess(tolerance), None) for tolerance in (0.006, 0.003))
    whole.search()
    scattered.best = Arrangement(singles(len(pieces)), 0.0)
    for attempt in (scattered, whole):
        attempt.fit_wear()
    assert scattered.fitted is not None
    scattered.fitted = replace(scattered.fitted, worth=1e6)
    found = guessing.Guessing(asked, None)._best_of([scattered, whole])
    assert [len(group.poses) for group in found.groups] == [6, 6]


def test_squares_in_a_target_that_could_be_turned_are_not_sure() -> None:
    pieces = [*outlines(seen("jagged", 4, "moved-0.05", 11)), *outlines(seen("jagged", 4, "moved-0.05", 12))]
    found = assembled(pieces, shapely.box(0, 0, 2, 1))
    assert found.whole
    assert found.doubt == TURNED


def test_of_parts_that_could_be_turned_those_that_fit_better_are_chosen() -> None:
    cell = ContourCell(kind="mixed", pieces=(16, 16), input="moved-0.05")
    observed = make_sample(cell, 611, 3)
    found = assembled(outlines(observed), observed.puzzle.target)
    assert score_seen(observed, by_id(observed, found)).all_right
    assert found.whole
    assert not found.doubt


def test_the_same_seed_gives_the_same_groups() -> None:
    observed = seen("wavy", 8, "worn-0.5", 3)
    runs = [assembled(outlines(observed), steps=20) for _ in range(2)]
    assert runs[0] == runs[1]


def test_true_neighbours_lead_the_list_of_joints() -> None:
    observed = seen("jagged", 8, "binary-300", 1)
    names = [fragment.id for fragment in observed.puzzle.fragments]
    found = assembled(outlines(observed))
    listed = [
        frozenset((names[joint.first], names[joint.second]))
        for joint in found.joints
        if joint.first is not None
    ]
    true = {frozenset(joint) for joint in observed.joints}
    likely = listed[: len(true) // 2]
    assert sum(pair in true for pair in likely) >= 0.8 * len(likely)
    chances = [joint.likelihood for joint in found.joints]
    assert chances == sorted(chances, reverse=True)
    assert all(0.0 <= chance <= 1.0 for chance in chances)


def test_equal_squares_tell_nothing() -> None:
    squares = tuple(Fragment(f"f{k}", shapely.box(-1, -1, 1, 1)) for k in range(64))
    puzzle = Puzzle(fragments=squares, target=None)
    result = run(ContoursSolver(), puzzle, stop=MaxEvaluations(3), rng=np.random.default_rng(0))
    assert result.reason == TELLS_NOTHING
    assert not result.solved


def test_discs_fit_nowhere() -> None:
    found = assembled([shapely.Point(0, 0).buffer(1.0 + 0.17 * k) for k in range(6)], steps=20)
    assert found.note == NO_JOINTS
    assert not found.whole


def test_what_fits_is_given_beside_others_that_do_not() -> None:
    own = outlines(seen("jagged", 8, "moved-0.05", 14))
    found = assembled([*own, *(shapely.Point(0, 0).buffer(0.2 + 0.03 * k) for k in range(3))], steps=40)
    assert sorted(found.groups[0].poses) == list(range(8))
    assert not {8, 9, 10} & {piece for group in found.groups for piece in group.poses}


def test_a_single_piece_without_a_target_is_alone() -> None:
    assert assembled([shapely.box(0, 0, 1, 1)]) == Groups(alone=(0,), note=NO_JOINTS)


@pytest.mark.parametrize(
    "piece",
    [
        Polygon([(0, 0), (1, 0), (0, 1)]),
        Polygon([(0, 0), (1, 0), (1, 1), (0.5, 40), (0, 1)]),
        shapely.box(0, 0, 1, 1).difference(shapely.box(0.3, 0.3, 0.6, 0.6)),
        shapely.Point(0, 0).buffer(0.6, quad_segs=5000),
        shapely.box(0, 0, 1e-7, 1e-7),
    ],
    ids=["three points", "spike", "hole", "twenty thousand points", "next to nothing"],
)
@pytest.mark.parametrize("target", [None, shapely.box(0, 0, 2, 2)])
def test_odd_outlines_end_without_error(piece: Polygon, target: Polygon | None) -> None:
    pieces = [piece, shapely.box(0, 0, 1, 1), shapely.Point(0, 0).buffer(0.5)]
    found = assembled(pieces, target, steps=4)
    placed = [number for group in found.groups for number in group.poses]
    assert sorted([*placed, *found.alone]) == [0, 1, 2]


def test_only_allowed_angles_are_given() -> None:
    observed = seen("jagged", 6, "exact", 2)
    truth = {placement.id: placement.pose for placement in observed.truth}
    quarter = math.pi / 2
    pieces = [
        Pose(theta=quarter * k).apply(Pose(theta=truth[fragment.id].theta).apply(fragment.polygon))
        for k, fragment in enumerate(observed.puzzle.fragments)
    ]
    found = assemble_contours(
        pieces,
        observed.puzzle.target,
        rotations=Rotations(4),
        stop=MaxEvaluations(STEPS),
        rng=np.random.default_rng(0),
    )
    assert found.whole
    for piece, pose in found.groups[0].poses.items():
        assert Rotations(4).allows(pose.theta)
        assert Rotations(4).nearest(pose.theta + quarter * piece) in {
            Rotations(4).nearest(found.groups[0].poses[0].theta)
        }


def turned_over(observed: Observed, which: frozenset[str]) -> Puzzle:
    """The puzzle with some pieces lying on their other side, in frames of their own."""
    over = Pose(mirrored=True)
    return replace(
        observed.puzzle,
        fragments=tuple(
            Fragment(one.id, over.apply(one.polygon)) if one.id in which else one
            for one in observed.puzzle.fragments
        ),
        mirror=True,
    )


@pytest.mark.parametrize("with_target", [True, False])
def test_pieces_that_lie_on_their_other_side_are_turned_over(with_target: bool) -> None:
    observed = seen("jagged", 8, "binary-300", 1)
    over = frozenset(one.id for one in observed.puzzle.fragments[:3])
    puzzle = turned_over(observed, over)
    puzzle = puzzle if with_target else puzzle.without_target()
    result = run(ContoursSolver(), puzzle, stop=MaxEvaluations(STEPS), rng=np.random.default_rng(0))
    assert result.solved, result.reason
    turned = {placement.id for placement in result.assembly if placement.pose.mirrored}
    assert turned == over
    back = {one.id: one.pose @ Pose(mirrored=one.id in over) for one in result.assembly}
    assert score_seen(observed, [back]).all_right


def test_straight_pieces_that_may_be_turned_over_are_refused() -> None:
    boxes = tuple(Fragment(str(k), shapely.box(-1, -1, 1, 1)) for k in range(3))
    puzzle = replace(Puzzle.of_pieces(boxes), mirror=True)
    with pytest.raises(UnsupportedError, match="straight pieces that may be turned over"):
        run(ContoursSolver(), puzzle, stop=MaxEvaluations(1), rng=np.random.default_rng(0))


def test_the_solver_proposes_what_the_verdict_accepts() -> None:
    observed = seen("jagged", 8, "binary-1000", 4)
    result = run(ContoursSolver(), observed.puzzle, stop=MaxEvaluations(STEPS), rng=np.random.default_rng(0))
    assert result.solved, result.reason
    assert len(result.assembly) == 8


def test_strangers_are_told_by_the_whole_that_the_others_make() -> None:
    observed = seen("jagged", 8, "binary-300+foreign-2", 7)
    puzzle = observed.puzzle.without_target()
    result = run(ContoursSolver(), puzzle, stop=MaxEvaluations(60), rng=np.random.default_rng(0))
    groups = [{one.id: one.pose for one in group.assembly} for group in result.groups]
    assert frozenset(result.verdict.excused) == observed.foreign
    assert score_seen(observed, groups).all_right
    assert not result.solved


def test_colours_do_not_speak_against_wear(monkeypatch: pytest.MonkeyPatch) -> None:
    guesses = [Guess(0.01), Guess(0.02, growth=0.03)]
    square, texture = (
        shapely.box(0, 0, 1, 1),
        Texture(np.zeros((4, 4, 3), dtype=np.uint8), Grid(4, 0.0, 1.0, 0.25)),
    )
    for name, what in (("guesses", guesses), ("probes", np.array([0])), ("pairs_of", np.zeros((1, 2)))):
        monkeypatch.setattr(guessing, name, lambda *given, what=what: what)
    monkeypatch.setattr(undertaking, "make_scene", lambda *given, growth, **named: growth)
    monkeypatch.setattr(undertaking, "find_joints", lambda *given, **named: None)
    # Joints stand out where nothing is taken for worn.
    monkeypatch.setattr(guessing, "contrast", lambda growth, *given: 1.0 if growth == 0.0 else 0.1)
    for textures, told in (([texture], guesses), ((), guesses[:1])):
        stop, rng = MaxEvaluations(9), np.random.default_rng(0)
        asked = undertaking.Undertaking(
            [square], square, Rotations(None), stop, rng, ContoursParams(), textures, None
        )
        assert guessing.Guessing(asked, None)._weighed() == told


def test_parts_with_equal_sides_are_joined_where_more_of_them_meets() -> None:
    cell = ContourCell(kind="mixed", pieces=(16, 16), input="moved-0.05")
    observed = make_sample(cell, 320, 1)
    found = assembled(outlines(observed), steps=1200)
    assert found.whole
    assert not found.bent
    assert score_seen(observed, by_id(observed, found)).all_right

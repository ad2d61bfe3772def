"""Groups against the truth: nothing depends on a group's frame, and every error shows where it should."""

from __future__ import annotations

import math

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st
from shapely import Polygon

from sherd.core.alignment import GroupScores, joints_of, rigid_alignment, score_groups
from sherd.core.geometry import Pose

# Four squares in a row, each in a frame of its own, and where they belong.
NAMES = ("a", "b", "c", "d")
OUTLINES = {name: shapely.box(-0.125, -0.125, 0.125, 0.125) for name in NAMES}
TRUTH = {name: Pose(0.125 + 0.25 * k, 0.125) for k, name in enumerate(NAMES)}
FOREIGN = {**OUTLINES, "x": shapely.box(-0.1, -0.1, 0.1, 0.1)}
IN_A_ROW = {frozenset(pair) for pair in ("ab", "bc", "cd")}

poses = st.builds(Pose, st.floats(-9, 9), st.floats(-9, 9), st.floats(-9, 9))


def score(*groups: dict[str, Pose], outlines: dict[str, Polygon] = OUTLINES) -> GroupScores:
    return score_groups(outlines, TRUTH, groups, side=1.0)


def moved(names: str, by: Pose) -> dict[str, Pose]:
    return {name: by @ TRUTH[name] for name in names}


@given(poses)
def test_the_truth_in_any_frame_is_all_right(frame: Pose) -> None:
    found = score(moved("abcd", frame))
    assert found.all_right
    assert found.largest_right == 1.0
    assert found.overlap == pytest.approx(1.0)
    assert found.covered == pytest.approx(1.0)
    assert found.joint_precision == found.joint_recall == 1.0


@given(poses, poses)
def test_two_halves_in_frames_of_their_own_are_half_right(one: Pose, other: Pose) -> None:
    found = score(moved("ab", one), moved("cd", other))
    assert not found.all_right
    assert found.largest_right == 0.5
    assert found.overlap == pytest.approx(0.5)
    assert found.joint_precision == 1.0
    assert found.joint_recall == pytest.approx(2 / 3)


def test_one_piece_that_is_wrong_does_not_move_the_others_away() -> None:
    found = score({**moved("abc", Pose(1.0, 2.0, 0.7)), "d": Pose(9.0, 9.0)})
    assert found.largest_right == 0.75
    assert found.overlap == pytest.approx(0.75)
    assert found.joint_precision == 1.0
    assert found.joint_recall == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("error", "right"),
    [
        (Pose(0.009), True),
        (Pose(0.025), False),
        (Pose(0.0, 0.0, math.radians(1.9)), True),
        (Pose(0.0, 0.0, math.radians(4.5)), False),
        (Pose(mirrored=True), False),
    ],
)
def test_a_piece_is_right_within_one_hundredth_and_two_degrees(error: Pose, right: bool) -> None:
    found = score({**TRUTH, "b": TRUTH["b"] @ error})
    assert found.all_right is right
    assert found.largest_right == (1.0 if right else 0.75)
    assert found.overlap > 0.75


def test_overlap_and_cover_are_those_of_areas() -> None:
    found = score({**TRUTH, "d": Pose(0.875 + 0.125, 0.125)})  # half a piece too far
    assert found.covered == pytest.approx(0.875)
    assert found.overlap == pytest.approx(0.75 + 0.25 / 3)


def test_a_foreign_piece_in_the_group_is_not_right() -> None:
    found = score({**TRUTH, "x": Pose(0.125, 0.35)}, outlines=FOREIGN)
    assert not found.all_right
    assert found.largest_right == 1.0
    assert found.joint_precision == pytest.approx(3 / 4)
    alone = score(TRUTH, {"x": Pose()}, outlines=FOREIGN)
    assert alone.all_right
    assert alone.joint_precision == 1.0


def test_pieces_are_in_order_where_each_covers_most_of_its_place() -> None:
    askew = {**TRUTH, "b": Pose(0.1, 0.0) @ TRUTH["b"]}
    assert score(askew).in_order
    assert not score(askew).all_right
    exchanged = {**TRUTH, "b": TRUTH["c"], "c": TRUTH["b"]}
    assert not score(exchanged).in_order
    assert not score(moved("abc", Pose())).in_order
    assert not score({**TRUTH, "x": Pose()}, outlines=FOREIGN).in_order


def test_nothing_placed_scores_nothing() -> None:
    found = score()
    assert found == GroupScores(
        all_right=False,
        largest_right=0.0,
        in_order=False,
        overlap=0.0,
        covered=0.0,
        joint_precision=None,
        joint_recall=0.0,
    )
    with pytest.raises(ValueError, match="no piece belongs"):
        score_groups(OUTLINES, {}, [TRUTH], side=1.0)


def test_joints_given_are_taken_instead_of_those_seen() -> None:
    worn = {name: outline.buffer(-0.02) for name, outline in OUTLINES.items()}
    assert joints_of(worn, TRUTH) == set()
    found = score_groups(
        worn, TRUTH, [TRUTH], side=1.0, joints=IN_A_ROW, found=[frozenset("ab"), frozenset("ad")]
    )
    assert found.joint_recall == 1.0
    assert found.joint_precision == 1.0


def test_neighbours_share_more_than_a_corner() -> None:
    assert joints_of(OUTLINES, TRUTH) == joints_of(OUTLINES, TRUTH, 1e-6) == IN_A_ROW
    apart = {"a": Pose(), "b": Pose(0.26, 0.0), "c": Pose(0.26, 0.26), "d": Pose(0.4, -0.5)}
    assert joints_of(OUTLINES, apart) == {frozenset("ab"), frozenset("bc")}


@given(poses, st.integers(0, 99))
def test_the_motion_between_points_is_found(motion: Pose, seed: int) -> None:
    rng = np.random.default_rng(seed)
    points, weights = rng.normal(size=(5, 2)), rng.random(5) + 0.1
    assert rigid_alignment(points, motion.points(points), weights).is_close(motion, 1e-6)

"""Each thing that an answer file can get wrong is found from the files alone."""

from __future__ import annotations

import math
from typing import Any

import pytest

from sherd.bench.checker import check_answer

SQUARE = [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]]


def puzzle(**changes: Any) -> dict[str, Any]:
    """Two unit squares that fill a target of two by one."""
    return {
        "target": {"exterior": [[0, 0], [2, 0], [2, 1], [0, 1]]},
        "fragments": [{"id": "a", "exterior": SQUARE}, {"id": "b", "exterior": SQUARE}],
        "rotations": 4,
        "mirror": False,
        **changes,
    }


def placed(id_: str, x: float, degrees: float = 0.0, *, flipped: bool = False, **more: Any) -> dict[str, Any]:
    cos, sin = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    turn = [-cos, -sin, -sin, cos] if flipped else [cos, sin, -sin, cos]
    return {"id": id_, "matrix": [*turn, x, 0.5], **more}


def answer(*placements: dict[str, Any]) -> dict[str, Any]:
    return {"solved": True, "placements": list(placements)}


def test_a_right_answer_holds() -> None:
    checked = check_answer(puzzle(), answer(placed("a", 0.5), placed("b", 1.5, 90.0)))
    assert checked.against() == ()
    assert checked.claims_solved
    assert checked.placed == 2
    assert max(checked.open_area, checked.overlap_area) < 1e-9


@pytest.mark.parametrize(
    ("placements", "said"),
    [
        ([placed("a", 0.5)], "1 of 2 pieces not placed"),
        ([], "nothing is placed"),
        ([placed("a", 0.5), placed("b", 1.2)], "pieces overlap"),
        ([placed("a", 0.5), placed("b", 1.8)], "pieces stick out"),
        ([placed("a", 0.5), placed("b", 1.5, 45.0)], "b is turned by 45 degrees"),
        ([placed("a", 0.5), placed("b", 1.5, flipped=True)], "b is turned over"),
        ([placed("a", 0.5), placed("b", 1.5), placed("c", 1.5)], "c is not in the puzzle"),
        ([placed("a", 0.5), placed("a", 1.5)], "a is placed twice"),
        ([placed("a", 0.5), {"id": "b", "matrix": [0.9, 0, 0, 0.9, 1.5, 0.5]}], "b is stretched"),
        ([placed("a", 0.5), {"id": "b", "x": 1.5, "y": 0.5}], "b has no matrix"),
    ],
)
def test_each_fault_is_found(placements: list[dict[str, Any]], said: str) -> None:
    assert any(said in found for found in check_answer(puzzle(), answer(*placements)).against())


@pytest.mark.parametrize(("x", "said"), [(1000.0, "mostly outside"), (0.5, "mostly in others")])
def test_a_strip_too_thin_for_its_depth_to_tell_is_found_elsewhere(x: float, said: str) -> None:
    half = 0.015
    strip = [[-half, -0.5], [half, -0.5], [half, 0.5], [-half, 0.5]]
    two = puzzle(
        target={"exterior": [[0, 0], [1 + 2 * half, 0], [1 + 2 * half, 1], [0, 1]]},
        fragments=[{"id": "a", "exterior": SQUARE}, {"id": "b", "exterior": strip}],
    )
    assert check_answer(two, answer(placed("a", 0.5), placed("b", 1 + half))).against() == ()
    assert any(said in one for one in check_answer(two, answer(placed("a", 0.5), placed("b", x))).against())


def test_pins_and_forbidden_pieces_are_kept() -> None:
    found = answer(placed("a", 0.5), placed("b", 1.5))
    pins = {"a": [1, 0, 0, 1, 1.5, 0.5]}
    assert check_answer(puzzle(), found, pinned=pins, forbidden=["b"]).faults == (
        "b is used, though forbidden",
        "a is not where pinned",
    )


def test_a_flip_is_allowed_where_the_puzzle_names_the_piece() -> None:
    found = answer(placed("a", 0.5), placed("b", 1.5, 90.0, flipped=True))
    assert check_answer(puzzle(mirror=["b"]), found).against() == ()
    assert check_answer(puzzle(mirror=["a"]), found).against() == ("b is turned over",)


def test_a_foreign_piece_may_be_left_out_where_there_is_no_room_for_it() -> None:
    stranger = {"id": "c", "exterior": SQUARE}
    with_stranger = puzzle(fragments=[*puzzle()["fragments"], stranger])
    assert check_answer(with_stranger, answer(placed("a", 0.5), placed("b", 1.5))).against() == ()
    assert check_answer(with_stranger, answer(placed("a", 0.5))).missing == ("b", "c")


def test_far_from_the_origin_the_same_is_found() -> None:
    far = 1e6
    moved = puzzle(target={"exterior": [[x + far, y] for x, y in puzzle()["target"]["exterior"]]})
    checked = check_answer(moved, answer(placed("a", far + 0.5), placed("b", far + 1.2)))
    here = check_answer(puzzle(), answer(placed("a", 0.5), placed("b", 1.2)))
    assert checked.overlap_depth == pytest.approx(here.overlap_depth, rel=1e-6)
    assert here.overlap_depth == pytest.approx(0.15 / math.sqrt(5.0), rel=0.01)


def test_groups_overlap_only_within_themselves() -> None:
    apart = answer(placed("a", 0.5, group=1), placed("b", 0.5, group=2))
    checked = check_answer(puzzle(target=None, rotations="free"), apart)
    assert checked.overlap_area == 0.0
    assert checked.against() == ("1 of 2 pieces not placed",)


def test_targets_of_several_parts() -> None:
    parts = {"parts": [{"exterior": [[x, 0], [x + 1, 0], [x + 1, 1], [x, 1]]} for x in (0, 5)]}
    assert check_answer(puzzle(target=parts), answer(placed("a", 0.5), placed("b", 5.5))).against() == ()
    assert check_answer(puzzle(target=parts), answer(placed("a", 0.5), placed("b", 2.5))).outside_area > 0.4

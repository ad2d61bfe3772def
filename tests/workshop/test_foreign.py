from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from shapely import Polygon

from sherd.core.clock import working_seconds
from sherd.core.geometry import Pose, Rotations
from sherd.core.in_target import GAP_FOR_A_PIECE
from sherd.core.metrics import measure
from sherd.core.puzzle import Fragment, Puzzle, Sample
from sherd.core.verdict import Verdict, judge
from sherd.generation.fragmentation import FragmentationParams, generate
from sherd.generation.shapes import named_shape
from sherd.solvers.base import Result
from sherd.solvers.run import Assembler
from sherd.workshop.foreign import SURPLUS, assemble_own, foreign_sets, surplus
from sherd.workshop.proposal import JobProposal

DISC = shapely.Point(0, 0).buffer(0.11)
KITE = Polygon([(-0.2, 0), (0, -0.1), (0.3, 0), (0, 0.17)])


def with_strangers(seed: int, strangers: dict[str, Polygon], pieces: int = 8) -> Puzzle:
    params = FragmentationParams(pieces=pieces, rotations=Rotations(None))
    (sample,) = generate(named_shape("square"), params, count=1, seed=seed)
    foreign = [Fragment(name, outline) for name, outline in strangers.items()]
    order = np.random.default_rng(seed).permutation(pieces + len(foreign))
    every = [*sample.puzzle.fragments, *foreign]
    return replace(sample.puzzle, fragments=tuple(every[k] for k in order))


def put_together(
    puzzle: Puzzle, *, seconds: float = 10.0, most: int | None = None
) -> tuple[JobProposal, Verdict]:
    """What is proposed, and the verdict on it."""
    rng = np.random.default_rng(0)
    found = assemble_own(Assembler("search"), puzzle, seconds=seconds, rng=rng, most=most)
    proposal = found.proposal
    return found, judge(puzzle, proposal.assembly, proposal.tolerance, excused=found.excused)


@given(seed=st.integers(0, 999))
def test_the_strangers_are_the_first_set_to_try(seed: int) -> None:
    puzzle = with_strangers(seed, {"disc": DISC, "kite": KITE})
    assert surplus(puzzle) == pytest.approx(DISC.area + KITE.area)
    assert next(foreign_sets(puzzle)) == {"disc", "kite"}


@settings(max_examples=8)
@given(seed=st.integers(0, 999))
def test_strangers_are_left_out_and_the_rest_is_solved(seed: int) -> None:
    puzzle = with_strangers(seed, {"disc": DISC, "kite": KITE})
    found, verdict = put_together(puzzle)
    assert found.solver == "search"
    assert verdict.is_solved
    assert verdict.excused == dict.fromkeys(("disc", "kite"), SURPLUS)
    assert set(verdict.left_over) == {"disc", "kite"}
    assert measure(found.proposal.assembly, puzzle).coverage == pytest.approx(1.0)


def test_a_piece_that_is_there_twice_is_left_out_once(square_of_four: Sample) -> None:
    twin = Fragment("twin of b", square_of_four.puzzle["b"].polygon)
    puzzle = replace(square_of_four.puzzle, fragments=(twin, *square_of_four.puzzle.fragments))
    found, verdict = put_together(puzzle)
    assert verdict.is_solved
    assert len({"b", "twin of b"} & {p.id for p in found.proposal.assembly}) == 1


def test_all_assemblies_are_known_only_if_nothing_else_could_be_left_out(square_of_four: Sample) -> None:
    twin = Fragment("twin of b", square_of_four.puzzle["b"].polygon)
    for stranger, all_found in ((Fragment("kite", KITE), True), (twin, False)):
        puzzle = replace(square_of_four.puzzle, fragments=(*square_of_four.puzzle.fragments, stranger))
        found, verdict = put_together(puzzle, most=20)
        assert verdict.is_solved
        assert found.proposal.all_found == all_found


def test_a_set_without_strangers_is_assembled_as_ever(square_of_four: Sample) -> None:
    found, verdict = put_together(square_of_four.puzzle)
    assert verdict.is_solved
    assert len(found.proposal.assembly) == 4
    assert not found.excused


def test_what_cannot_be_solved_ends_in_time_with_the_best(square_of_four: Sample) -> None:
    # The strangers have the area of no set of pieces left out, and one of the square's own is lost.
    own = square_of_four.puzzle.fragments[1:]
    puzzle = replace(square_of_four.puzzle, fragments=(*own, Fragment("disc", DISC), Fragment("kite", KITE)))
    puzzle = replace(
        puzzle, fragments=(*puzzle.fragments, Fragment("disc 2", DISC), Fragment("kite 2", KITE))
    )
    assert surplus(puzzle) > 0.0
    started = working_seconds()
    _, verdict = put_together(puzzle, seconds=1.0)
    assert not verdict.is_solved
    assert working_seconds() - started < 5.0


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.nightly) for seed in (1, 2))])
def test_a_stranger_beside_a_lost_piece_is_set_aside(seed: int) -> None:
    whole = with_strangers(seed, {"kite": KITE})
    lost = next(fragment.id for fragment in whole.fragments if fragment.id != "kite")
    puzzle = replace(whole, fragments=tuple(f for f in whole.fragments if f.id != lost))
    found, verdict = put_together(puzzle, seconds=4.0)
    assembly = found.proposal.assembly
    assert {p.id for p in assembly} == {f.id for f in whole.fragments} - {"kite", lost}
    left = whole.target.area - measure(assembly, puzzle).coverage
    assert left == pytest.approx(whole[lost].polygon.area)
    # It needs no place, but could come from the gap as well.
    assert set(verdict.excused) == {"kite"}
    is_gap_too_small = whole[lost].polygon.area <= GAP_FOR_A_PIECE * KITE.area
    assert verdict.state == ("solved" if is_gap_too_small else "partly")
    assert verdict.why == ("" if is_gap_too_small else "a gap is left that kite could fill")


def test_a_lost_piece_alone_sets_nothing_aside() -> None:
    whole = with_strangers(5, {})
    puzzle = replace(whole, fragments=whole.fragments[1:])
    found, verdict = put_together(puzzle)
    assert verdict.is_solved
    assert len(found.proposal.assembly) == len(puzzle.fragments)


def test_most_of_the_pieces_are_never_left_out() -> None:
    # All are too small by a hair, so that none fits exactly: that is no reason to leave many out.
    whole = with_strangers(2, {})
    small = tuple(
        replace(f, polygon=shapely.transform(f.polygon, lambda xy: xy * 0.97)) for f in whole.fragments
    )
    puzzle = replace(whole, fragments=small)
    found, verdict = put_together(puzzle, seconds=3.0)
    assert len(found.proposal.assembly) >= len(small) - 3 or not verdict.is_solved


@pytest.mark.parametrize("seed", range(4))
def test_pieces_that_a_cut_made_smaller_all_belong(seed: int) -> None:
    params = FragmentationParams(pieces=8, rotations=Rotations(None))
    (sample,) = generate(named_shape("square"), params, count=1, seed=seed)
    cut = tuple(
        Fragment(one.id, shapely.buffer(one.polygon, -0.0008, join_style="mitre"))
        for one in sample.puzzle.fragments
    )
    puzzle = replace(sample.puzzle, fragments=cut)
    assert surplus(puzzle) < -0.002
    found, verdict = put_together(puzzle)
    assert verdict.is_solved
    assert len(found.proposal.assembly) == 8
    measures = measure(found.proposal.assembly, puzzle)
    assert measures.overlap <= 1e-4
    assert measures.coverage == pytest.approx(1.0 + surplus(puzzle), abs=1e-4)


def test_attempts_of_every_solve_are_told_those_of_the_kept_one_last(square_of_four: Sample) -> None:
    twin = Fragment("twin", square_of_four.puzzle["c"].polygon)
    others = tuple(one for one in square_of_four.puzzle.fragments if one.id in ("a", "c"))
    puzzle = replace(square_of_four.puzzle, fragments=(*others, twin))
    found, _ = put_together(puzzle, seconds=2.0)
    names = [one.name.partition(": ") for one in found.proposal.attempts]
    solves = list(dict.fromkeys(what if colon else "kept" for what, colon, _ in names))
    assert len(solves) > 1
    assert solves[-1] == "kept"
    assert all(what.startswith("without ") or what == "all pieces" for what in solves[:-1])


class BusyAtFirst(Assembler):
    """Its first solves get no time, as when compiling takes it."""

    busy = 2

    def __call__(self, puzzle: Puzzle, *, seconds: float, **others: Any) -> tuple[str, Result]:
        self.busy -= 1
        return super().__call__(puzzle, seconds=0.0 if self.busy >= 0 else seconds, **others)


def test_a_scale_that_is_off_is_found_though_the_first_look_was_too_short() -> None:
    corners = {
        "a": [(0, 0), (25, 0), (18, 40), (0, 40)],
        "b": [(25, 0), (60, 0), (60, 22), (21.5, 20)],
        "c": [(21.5, 20), (60, 22), (60, 40), (18, 40)],
    }
    fragments = tuple(
        Fragment(name, Pose(theta=0.4).apply(shapely.transform(Polygon(ring), lambda xy: xy * 0.97)))
        for name, ring in corners.items()
    )
    puzzle = Puzzle(shapely.box(0, 0, 60, 40), fragments, Rotations(None))
    found = assemble_own(BusyAtFirst(), puzzle, seconds=8.0, rng=np.random.default_rng(0), most=None)
    assert found.taken_for == "3.00% too small (scale 1.0309)"
    assert len(found.proposal.assembly) == 3

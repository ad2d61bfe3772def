"""A network's steps as proposals."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import shapely

from sherd.core.assembly import Assembly
from sherd.core.errors import UnsupportedError
from sherd.core.metrics import measure
from sherd.core.puzzle import Sample
from sherd.core.verdict import judge
from sherd.solvers.learned.steps import (
    FITTING,
    TO_A_PIXEL,
    Steps,
    proposals_of,
    refined_proposal,
    shipped_weights,
)

# The pieces of `two_halves`, the right one first, with their middles in the middles of the halves.
BOTH = Steps(
    chosen=np.array([[1, 0]]),
    places=np.array([[[24.0, 16.0], [8.0, 16.0]]]),
    turns=np.zeros((1, 2), dtype=np.int64),
    certainty=np.array([[0.5, 0.9]]),
    coverage=np.array([0.98]),
    size_px=32,
    chances={"piece": np.array([[0.6, 1.0]])},
)
MIDDLES = np.zeros((1, 2, 1, 2))


def test_pieces_lie_where_the_network_put_them(two_halves: Sample) -> None:
    (proposal,) = proposals_of(BOTH, [two_halves.puzzle], MIDDLES)
    assert [placement.id for placement in proposal.assembly] == ["right", "left"]
    assert measure(proposal.assembly, two_halves.puzzle).iou == pytest.approx(1.0)
    assert [len(step) for step in proposal.trace] == [1, 2]
    assert (proposal.certainty, proposal.objective, proposal.evaluations) == ((0.5, 0.9), 0.98, 2)
    assert proposal.chances == ({"piece": 0.6}, {"piece": 1.0})


def test_the_remark_tells_the_coverage_that_is_measured(two_halves: Sample) -> None:
    """Not the pixels that the network counts, which here are 98 of 100."""
    (whole,) = proposals_of(BOTH, [two_halves.puzzle], MIDDLES)
    assert whole.remark == "the pieces cover 100% of the target"
    (aside,) = proposals_of(BOTH, [two_halves.puzzle], MIDDLES + np.array([0.1, 0.0]))
    assert measure(aside.assembly, two_halves.puzzle).coverage == pytest.approx(0.9)
    assert aside.remark == "the pieces cover 90% of the target"


def test_places_are_of_the_images_middles(two_halves: Sample) -> None:
    (proposal,) = proposals_of(BOTH, [two_halves.puzzle], MIDDLES + np.array([0.1, 0.2]))
    right = proposal.assembly["right"]
    assert (right.x, right.y) == (pytest.approx(0.65), pytest.approx(0.3))


@pytest.mark.parametrize("size_px", [16, 32, 64])
@pytest.mark.parametrize("off", [0.03, -0.03, 0.01])
def test_coarse_pixels_do_not_make_the_verdict_lax(two_halves: Sample, size_px: int, off: float) -> None:
    exact = replace(BOTH, places=BOTH.places * size_px / 32.0, size_px=size_px)
    aside = exact.places + np.array([[[off * size_px, 0.0], [0.0, 0.0]]])
    (right,) = proposals_of(exact, [two_halves.puzzle], MIDDLES)
    (wrong,) = proposals_of(replace(exact, places=aside), [two_halves.puzzle], MIDDLES)
    assert judge(two_halves.puzzle, right.assembly, right.tolerance).is_solved
    assert not judge(two_halves.puzzle, wrong.assembly, wrong.tolerance, doubt=wrong.doubt).is_solved


@pytest.mark.parametrize("size_px", [32, 128, 256])
def test_what_fits_by_pixels_alone_is_doubted(two_halves: Sample, size_px: int) -> None:
    exact = replace(BOTH, places=BOTH.places * size_px / 32.0, size_px=size_px)
    (right,) = proposals_of(exact, [two_halves.puzzle], MIDDLES)
    assert (right.doubt, right.tolerance) == ("", FITTING)
    (near,) = proposals_of(exact, [two_halves.puzzle], MIDDLES + np.array([0.003, 0.0]))
    verdict = judge(two_halves.puzzle, near.assembly, near.tolerance, doubt=near.doubt)
    assert (verdict.state, verdict.why) == ("partly", TO_A_PIXEL)
    assert not refined_proposal(two_halves.puzzle, near, right.assembly).doubt
    assert refined_proposal(two_halves.puzzle, right, near.assembly).doubt


def test_pieces_that_leave_more_open_than_seams_are_doubted(two_halves: Sample) -> None:
    left, right = two_halves.puzzle.fragments
    narrower = replace(right, polygon=shapely.affinity.scale(right.polygon, 0.99, 1.0, origin=(0.0, 0.0)))
    puzzle = replace(two_halves.puzzle, fragments=(left, narrower))
    (proposal,) = proposals_of(BOTH, [puzzle], MIDDLES)
    assert judge(puzzle, proposal.assembly, FITTING).is_solved
    assert proposal.doubt == TO_A_PIXEL


def test_a_network_that_was_stopped_has_placed_less(two_halves: Sample) -> None:
    early = replace(BOTH, chosen=np.array([[1, -1]]))
    (proposal,) = proposals_of(early, [two_halves.puzzle], MIDDLES)
    assert [placement.id for placement in proposal.assembly] == ["right"]
    assert (len(proposal.certainty), len(proposal.chances)) == (1, 1)
    assert proposal.remark == "stopped before all were placed"


def test_numbers_that_are_not_finite_are_refused(two_halves: Sample) -> None:
    with pytest.raises(UnsupportedError, match="not finite: train others"):
        proposals_of(replace(BOTH, certainty=np.array([[0.5, np.nan]])), [two_halves.puzzle], MIDDLES)


def test_a_refined_assembly_takes_the_place_of_the_last(two_halves: Sample) -> None:
    (proposal,) = proposals_of(BOTH, [two_halves.puzzle], MIDDLES)
    refined = refined_proposal(two_halves.puzzle, proposal, two_halves.truth)
    assert refined.assembly == refined.trace[-1] == two_halves.truth
    assert refined.trace[:-1] == proposal.trace[:-1]
    assert refined.objective == pytest.approx(1.0)
    less = refined_proposal(two_halves.puzzle, proposal, Assembly())
    assert (less.objective, less.remark) == (0.0, "stopped before all were placed")


def test_weights_that_do_not_ship_are_missed_in_one_line() -> None:
    with shipped_weights("fan", "fan-compact.safetensors") as path:
        assert path.is_file()
    said = "no weights of fan come with this version: train some, and name their file"
    with pytest.raises(UnsupportedError, match=said), shipped_weights("fan", "fan-huge.safetensors"):
        pass

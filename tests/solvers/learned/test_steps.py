"""A network's steps as proposals."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sherd.core.assembly import Assembly
from sherd.core.errors import UnsupportedError
from sherd.core.metrics import measure
from sherd.core.puzzle import Sample
from sherd.core.tolerance import Tolerance
from sherd.core.verdict import judge
from sherd.solvers.learned.steps import Steps, proposals_of, refined_proposal, shipped_weights

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
    assert proposal.remark == "the pieces cover 98% of the target"


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
    assert not judge(two_halves.puzzle, wrong.assembly, wrong.tolerance).is_solved


@pytest.mark.parametrize("size_px", [128, 256])
def test_masks_of_the_papers_size_are_judged_by_their_pixels(two_halves: Sample, size_px: int) -> None:
    (proposal,) = proposals_of(replace(BOTH, size_px=size_px), [two_halves.puzzle], MIDDLES)
    assert proposal.tolerance == Tolerance(seam=1.0 / size_px, depth=3.0 / size_px)


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

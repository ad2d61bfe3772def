"""What networks lay to a pixel or so, moved by parts of a pixel in the end."""

from __future__ import annotations

from sherd.core.puzzle import Puzzle
from sherd.solvers.base import Proposal
from sherd.solvers.learned.steps import refined_proposal
from sherd.solvers.stop import Stop

# The first step of refinement, of the target's size: a quarter of a pixel, about as far as places are off.
# With larger ones pieces drift into the gap that a lost piece leaves. No piece goes farther than 4 pixels.
REFINE_STEP, REFINE_REACH = 1.0 / 512.0, 1.0 / 32.0
# Where it ends: finer steps, and gains in IoU below this, took two to five times as long and won little.
REFINE_LAST, REFINE_GAIN = 1.0 / 8192.0, 1e-6


def refined(puzzle: Puzzle, proposal: Proposal, stop: Stop) -> Proposal:
    """The proposal with its last assembly covering the target better; one without a step stays as it is."""
    from sherd.solvers.refine import RefineParams, refine  # numba takes a moment to load

    if not proposal.trace:
        return proposal
    params = RefineParams(
        first_step=REFINE_STEP, last_step=REFINE_LAST, reach=REFINE_REACH, least_gain=REFINE_GAIN
    )
    return refined_proposal(puzzle, proposal, refine(puzzle, proposal.assembly, stop=stop, params=params))

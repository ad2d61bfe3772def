"""What the ways of putting a job's pieces together give; the verdict on it comes later, once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sherd.solvers.base import Proposal


@dataclass(frozen=True)
class JobProposal:
    """What a solver of this name proposes for the pieces that are taken to belong.

    ``excused`` are pieces that were left out for a reason, which is given; they need no place unless a gap is
    left that one of them could explain. ``taken_for`` says what pieces were taken for to find their places,
    if for something else than they are.
    """

    solver: str
    proposal: Proposal
    excused: Mapping[str, str] = field(default_factory=dict[str, str])
    taken_for: str = ""

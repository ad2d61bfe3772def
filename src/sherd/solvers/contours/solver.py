"""The contour solver as every other solver: a puzzle in, a proposal out."""

from __future__ import annotations

import numpy as np
from shapely import Polygon

from sherd.core.assembly import Assembly, Placement
from sherd.core.errors import UnsupportedError
from sherd.core.geometry import size_of
from sherd.core.puzzle import Puzzle, without_slivers
from sherd.core.verdict import Tolerance
from sherd.solvers.base import OnProgress, Progress, Proposal
from sherd.solvers.contours.assemble import assemble_contours
from sherd.solvers.contours.groups import Groups
from sherd.solvers.contours.params import ContoursParams
from sherd.solvers.stop import Stop


class ContoursSolver:
    """Matches stretches of outline and merges what fits."""

    def __init__(self, params: ContoursParams | None = None) -> None:
        self.params = params or ContoursParams()

    def solve(
        self,
        puzzle: Puzzle,
        *,
        stop: Stop,
        rng: np.random.Generator,
        on_progress: OnProgress | None = None,
    ) -> Proposal:
        """The pieces that could be joined to the target, or to others that are."""
        if puzzle.mirror:
            raise UnsupportedError("pieces that may be turned over are not matched by their contours")
        puzzle = without_slivers(puzzle)
        pieces: list[Polygon] = [fragment.polygon for fragment in puzzle.fragments]

        def report(groups: Groups) -> None:
            if on_progress is not None:
                found = _assembly(puzzle, groups)
                on_progress(Progress(assembly=found, objective=groups.worth, evaluations=groups.evaluations))

        groups = assemble_contours(
            pieces,
            puzzle.target,
            rotations=puzzle.rotations,
            stop=stop,
            rng=rng,
            params=self.params,
            on_progress=report if on_progress is not None else None,
        )
        return Proposal(
            assembly=_assembly(puzzle, groups),
            objective=groups.worth,
            evaluations=groups.evaluations,
            tolerance=Tolerance.of_corners(groups.tolerance / size_of(puzzle.target)),
            remark=groups.note,
            set_aside=puzzle.set_aside,
        )


def _assembly(puzzle: Puzzle, groups: Groups) -> Assembly:
    """The pieces attached to the target."""
    return Assembly(
        tuple(
            Placement(puzzle.fragments[piece].id, pose)
            for group in groups.groups
            if group.attached
            for piece, pose in sorted(group.poses.items())
        )
    )

"""What paint decides: of arrangements that outlines allow, the one whose colours go on across joints."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from sherd.core.assembly import Assembly, StepByStep
from sherd.core.geometry import Pose, angle_between, polygons_in
from sherd.core.puzzle import Puzzle
from sherd.core.symmetry import are_same
from sherd.core.verdict import judge
from sherd.solvers.base import ByPaint, Proposal
from sherd.solvers.paint.apart import other_orders
from sherd.solvers.paint.exchange import exchange
from sherd.solvers.paint.lay import lay_by_paint
from sherd.solvers.paint.rims import faces_of, pixel_of
from sherd.solvers.paint.seams import Seams
from sherd.solvers.stop import Resumed, Stop
from sherd.solvers.straightness import are_straight

# By how much, in logarithms of likelihood, one arrangement must beat another for the paint to have decided.
CLEAR = 10.0
# From this angle on, in radians, a piece lies otherwise.
TURNED = 0.1
# What is held against an answer that only paint has found.
BREAKS_OFF = "colours break off between some pieces"
# Pieces are of one colour if it differs by no more than this, of 255, at so many points along each of them.
PLAIN_LEVELS, PLAIN_POINTS = 6.0, 12.0
WORST_FIRST = ("not solved", "partly", "solved")


def is_painted(puzzle: Puzzle) -> bool:
    """Whether every piece carries paint that differs, and none may be turned over to show another side."""
    return not puzzle.mirror and pixel_of(puzzle) is not None and not _is_plain(puzzle)


def _is_plain(puzzle: Puzzle) -> bool:
    """Whether all pieces are of one colour, as in a scan of plain paper.

    Along rims it mixes with what lies behind, and so differs there, which tells nothing.
    """
    colours = [faces_of(one, math.sqrt(one.polygon.area) / PLAIN_POINTS).colours for one in puzzle.fragments]
    return bool(np.concatenate(colours).std(axis=0).max() <= PLAIN_LEVELS)


def decide_by_paint(puzzle: Puzzle, proposal: Proposal, stop: Stop) -> Proposal:
    """The proposal, or another arrangement for which the paint says more, and whether paint decided.

    Looked at are what the search found, with its alternatives, like pieces exchanged, and, where that is not
    all there is, what can be laid by paint alone.
    """
    if not is_painted(puzzle) or not puzzle.has_target or not len(proposal.assembly):
        return proposal
    seams, tries = Seams.of(puzzle), proposal.evaluations
    numbers = {fragment.id: number for number, fragment in enumerate(puzzle.fragments)}
    given = [
        {numbers[one.id]: one.pose for one in assembly}
        for assembly in (proposal.assembly, *proposal.alternatives)
    ]
    is_whole = len(proposal.assembly) == len(puzzle.fragments)
    lacks = puzzle.target.area - sum(one.polygon.area for one in puzzle.fragments)
    is_one = len(polygons_in(puzzle.target)) == 1  # edges are laid along one outline
    if (
        is_one
        and are_straight(puzzle)
        and (not is_whole or lacks > seams.pixel**2 or seams.worth(given[0]) < 0.0)
    ):
        laid, tried = lay_by_paint(seams, Resumed(stop, tries))
        tries += tried
        given.append(laid)
    ways: list[dict[int, Pose]] = []
    for poses in given:
        changed, tried = exchange(seams, poses, Resumed(stop, tries))
        tries += tried
        ways += [poses, *(one for one in changed if one != poses)]
    if lacks > seams.pixel**2:
        likeliest = max((way for way in ways if way), key=seams.worth)
        fits = (way for way in other_orders(seams, likeliest) if math.isfinite(seams.worth(way)))
        ways += [way for way in fits if not _is_same(puzzle, way, likeliest, seams.pixel)]
    ranked = sorted(
        (
            (_rank(puzzle, _assembly(puzzle, way), proposal), seams.worth(way), k)
            for k, way in enumerate(ways)
        ),
        key=lambda one: (-one[0][0], -one[0][1], -one[1], one[2]),
    )
    best = ways[ranked[0][2]]
    others = [
        (ways[k], worth)
        for rank, worth, k in ranked[1:]
        if rank == ranked[0][0] and not _is_same(puzzle, ways[k], best, seams.pixel)
    ]
    said: ByPaint = ""
    if others:
        said = "decided" if ranked[0][1] - others[0][1] >= CLEAR else "undecided"
    elsewhere = _elsewhere(puzzle, best, others[0][0], seams.pixel) if said == "undecided" else ()
    if best == given[0]:
        if said == "decided" and proposal.elsewhere:
            proposal = replace(proposal, elsewhere=(), doubt="")  # of outlines alone
        elsewhere = tuple(dict.fromkeys((*proposal.elsewhere, *elsewhere)))
        return replace(proposal, by_paint=said, elsewhere=elsewhere, evaluations=tries)
    assembly = _assembly(puzzle, best)
    rest = tuple(_assembly(puzzle, way) for way in given if way is not best and way)
    keeps_alternatives = tuple(one for one in rest if proposal.alternatives)
    return replace(
        proposal,
        assembly=assembly,
        trace=StepByStep(assembly),
        alternatives=keeps_alternatives,
        by_paint=said,
        elsewhere=elsewhere,
        evaluations=tries,
        remark="",
        doubt="" if seams.is_content(best) else BREAKS_OFF,
    )


def _assembly(puzzle: Puzzle, poses: dict[int, Pose]) -> Assembly:
    """The placements from bottom to top."""
    found = Assembly()
    for number, pose in sorted(poses.items(), key=lambda item: (round(item[1].y, 9), item[1].x)):
        found = found.place(puzzle.fragments[number].id, pose)
    return found


def _rank(puzzle: Puzzle, assembly: Assembly, proposal: Proposal) -> tuple[int, int]:
    """How good an arrangement is by its outlines alone."""
    state = judge(puzzle, assembly, proposal.tolerance).state
    return WORST_FIRST.index(state), len(assembly)


def _elsewhere(
    puzzle: Puzzle, first: dict[int, Pose], second: dict[int, Pose], slack: float
) -> tuple[str, ...]:
    """The pieces of an arrangement that another one has elsewhere, or not at all."""
    return tuple(
        puzzle.fragments[number].id
        for number, pose in first.items()
        if number not in second or not _is_near(pose, second[number], slack)
    )


def _is_near(first: Pose, second: Pose, slack: float) -> bool:
    is_turned = angle_between(first.theta, second.theta) > TURNED
    return not is_turned and abs(first.x - second.x) + abs(first.y - second.y) < slack


def _is_same(puzzle: Puzzle, first: dict[int, Pose], second: dict[int, Pose], slack: float) -> bool:
    """Whether each piece lies where it does in the other, but for a symmetry of the target."""
    if first.keys() != second.keys():
        return False
    near = all(_is_near(first[number], second[number], slack) for number in first)
    return near or (
        not _has_like(puzzle) and are_same(_assembly(puzzle, first), _assembly(puzzle, second), puzzle, slack)
    )


def _has_like(puzzle: Puzzle) -> bool:
    areas: Sequence[float] = sorted(one.polygon.area for one in puzzle.fragments)
    return any(b - a < 1e-6 * b for a, b in pairwise(areas))

"""Other arrangements of rough pieces, told by the lines that their edges lie on.

What is known of one that was found are its cuts. Two parts whose outlines have as many edges may change
places, and one may be turned in its own: that is a new arrangement as soon as their edges are told the lines
that they lie on then. How well it holds is a matter of fitting cuts to it.
"""

from __future__ import annotations

import cmath
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from sherd.core.arrays import Floats
from sherd.core.geometry import TAU, Pose, Rotations
from sherd.solvers.search.beliefs.cut_lines import CutFit, meeting
from sherd.solvers.search.beliefs.edge_lines import EdgeLines, Lines, glued, lone
from sherd.solvers.search.constants.beliefs import MOST_PARTS


@dataclass(frozen=True, eq=False)
class Part:
    """Pieces that cuts leave together, the edges of their outline, and the lines that these lie on."""

    pieces: frozenset[int]
    edges: EdgeLines
    lines: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Rearranged:
    """An arrangement to be tried, where pieces lie about, and by how much outlines then differ, squared."""

    off: float
    lines: Lines
    poses: dict[int, Pose]


def parts_of(lines: Lines) -> tuple[list[Part], set[tuple[int, int]]]:
    """The parts that cuts leave in whatever order they are made, from single pieces to nearly all.

    And which of them, by number, nothing but one cut sets apart.

    >>> parts, neighbours = parts_of(((3, 2, 0), (3, 0, 1, 2)))
    >>> [sorted(part.pieces) for part in parts], neighbours
    ([[0], [1]], {(1, 0)})
    """
    parts = [_part(lone(number, len(edges)), lines) for number, edges in enumerate(lines)]
    known, neighbours = {part.pieces for part in parts}, set[tuple[int, int]]()
    at = 0
    while at < len(parts):
        for second in range(at):
            one, other = parts[at], parts[second]
            pair = None if one.pieces & other.pieces else _one_cut_apart(one.lines, other.lines)
            if pair is None:
                continue
            neighbours.add((at, second))
            pieces = one.pieces | other.pieces
            if pieces not in known and len(pieces) < len(lines) and len(parts) < MOST_PARTS:
                known.add(pieces)
                parts.append(_part(glued(one.edges, pair[0], other.edges, pair[1]), lines))
        at += 1
    return parts, neighbours


def _part(edges: EdgeLines, lines: Lines) -> Part:
    pieces = frozenset(number for number, _ in edges.taken_for)
    return Part(pieces, edges, tuple(lines[one[0][0]][one[0][1]] for one in edges.outer))


def _one_cut_apart(one: Sequence[int], other: Sequence[int]) -> tuple[int, int] | None:
    """The edges of two outlines that are the banks of one cut, if there are some."""
    if len(one) + len(other) < 7:
        return None
    for edge, line in enumerate(one):
        if line not in other:
            continue
        k = other.index(line)
        if one[edge - 1] == other[(k + 1) % len(other)] and one[(edge + 1) % len(one)] == other[k - 1]:
            return edge, k
    return None


def rearranged(lines: Lines, fit: CutFit, rotations: Rotations, farthest: float) -> Iterator[Rearranged]:
    """Every exchange of two parts, and every turn of one, that leaves outlines off by no more than so much.

    ``farthest`` is the sum of squares between corners of outlines and of the places that they come to. Where
    but one cut is between two parts, it moves, so that only their angles count.
    """
    parts, neighbours = parts_of(lines)
    for count in {len(part.lines) for part in parts}:
        among = [k for k, part in enumerate(parts) if len(part.lines) == count]
        beside = {
            (a, b) for a, one in enumerate(among) for b, two in enumerate(among) if (one, two) in neighbours
        }
        yield from _among([parts[k] for k in among], beside, lines, fit, rotations, farthest)


def _among(
    parts: Sequence[Part],
    neighbours: set[tuple[int, int]],
    lines: Lines,
    fit: CutFit,
    rotations: Rotations,
    farthest: float,
) -> Iterator[Rearranged]:
    """The same among parts with equally many edges."""
    count = len(parts[0].lines)
    corners = np.array(
        [[meeting(fit.cuts, part.lines[k - 1], part.lines[k]) for k in range(count)] for part in parts]
    )
    turn, off = _laid_on_each(corners, rotations)
    angles_off = _angles_on_each(corners)

    def moved(by: float, *moves: tuple[int, int, int]) -> Rearranged:
        told = [
            (parts[a], parts[b], shift, turn[a, b, shift], corners[a].mean(), corners[b].mean())
            for a, b, shift in moves
        ]
        return _moved(lines, fit, by, told)

    for one, part in enumerate(parts):
        for shift in range(1, count):
            if off[one, one, shift] <= farthest:
                yield moved(float(off[one, one, shift]), (one, one, shift))
        for two in range(one):
            if part.pieces & parts[two].pieces:
                continue
            measure = angles_off if (one, two) in neighbours else off
            for shift in np.flatnonzero(measure[one, two] <= farthest).tolist():
                for back in np.flatnonzero(measure[two, one] <= farthest - measure[one, two, shift]).tolist():
                    by = float(measure[one, two, shift] + measure[two, one, back])
                    yield moved(by, (one, two, shift), (two, one, back))


def _laid_on_each(corners: Floats, rotations: Rotations) -> tuple[Floats, Floats]:
    """How far each outline of some (P, m) turns to lie on each, its first corner on each, (P, P, m).

    And the sum of squares by which corners are then off.
    """
    centred = corners - corners.mean(axis=1, keepdims=True)
    squares = (np.abs(centred) ** 2).sum(axis=1)
    product = np.einsum("pk,qsk->pqs", centred.conj(), _rolled(centred))
    turn = np.angle(product)
    if rotations.bins is not None:
        turn = np.vectorize(rotations.nearest)(turn)
    off = squares[:, None, None] + squares[None, :, None] - 2.0 * (product * np.exp(-1j * turn)).real
    return turn, off


def _angles_on_each(corners: Floats) -> Floats:
    """The sum of squares by which corners are off for outlines' angles alone, (P, P, m)."""
    edges = np.roll(corners, -1, axis=1) - corners
    before = np.roll(edges, 1, axis=1)
    angle = np.angle(edges * before.conj())
    shorter = np.minimum(np.abs(edges), np.abs(before))
    differ = (angle[:, None, None] - _rolled(angle)[None] + TAU / 2.0) % TAU - TAU / 2.0
    lever = np.minimum(shorter[:, None, None], _rolled(shorter)[None])
    return ((differ * lever) ** 2).sum(axis=-1)


def _rolled(values: Floats) -> Floats:
    """The rows (P, m), begun at each place, (P, m, m)."""
    return np.stack([np.roll(values, -shift, axis=1) for shift in range(values.shape[1])], axis=1)


def _moved(
    lines: Lines, fit: CutFit, off: float, moves: Sequence[tuple[Part, Part, int, float, complex, complex]]
) -> Rearranged:
    """The arrangement with parts in the places of others, corners moved on by so many, turned so far.

    Each move ends with the middles of the part and of the place.
    """
    new, poses = [list(edges) for edges in lines], dict(fit.poses)
    for part, place, shift, turn, middle, centre in moves:
        for k, edges in enumerate(part.edges.outer):
            for number, edge in edges:
                new[number][edge] = place.lines[(k + shift) % len(place.lines)]
        to = centre - middle * cmath.exp(1j * turn)
        motion = Pose(to.real, to.imag, float(turn))
        poses |= {number: motion @ fit.poses[number] for number in part.pieces}
    return Rearranged(off, tuple(map(tuple, new)), poses)

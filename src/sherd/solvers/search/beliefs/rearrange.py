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

from sherd.core.geometry import Pose, Rotations
from sherd.solvers.search.beliefs.cut_lines import CutFit, meeting
from sherd.solvers.search.beliefs.edge_lines import EdgeLines, Lines, glued, lone

# Parts that are looked at, at most; those of few pieces first. Not swept.
MOST_PARTS = 120


@dataclass(frozen=True, eq=False)
class Part:
    """Pieces that cuts leave together, the edges and the lines of their outline, and its corners."""

    pieces: frozenset[int]
    edges: EdgeLines
    lines: tuple[int, ...]
    corners: tuple[complex, ...]  # where each edge begins


@dataclass(frozen=True, eq=False)
class Rearranged:
    """An arrangement to be tried, where pieces lie about, and by how much outlines then differ, squared."""

    off: float
    lines: Lines
    poses: dict[int, Pose]


def parts_of(lines: Lines, cuts: CutFit | None = None) -> list[Part]:
    """The parts that cuts leave in whatever order they are made, from single pieces to nearly all.

    >>> [sorted(part.pieces) for part in parts_of(((3, 2, 0), (3, 0, 1, 2)))]
    [[0], [1]]
    """
    parts = [_part(lone(number, len(edges)), lines, cuts) for number, edges in enumerate(lines)]
    known = {part.pieces for part in parts}
    at = 0
    while at < len(parts) and len(parts) < MOST_PARTS:
        for other in parts[:at]:
            pieces = parts[at].pieces | other.pieces
            if pieces in known or len(pieces) == len(lines) or parts[at].pieces & other.pieces:
                continue
            pair = _one_cut_apart(parts[at].lines, other.lines)
            if pair is not None:
                known.add(pieces)
                parts.append(_part(glued(parts[at].edges, pair[0], other.edges, pair[1]), lines, cuts))
        at += 1
    return parts


def _part(edges: EdgeLines, lines: Lines, cuts: CutFit | None) -> Part:
    around = tuple(lines[one[0][0]][one[0][1]] for one in edges.outer)
    pieces = frozenset(number for one in (*edges.outer, *edges.cuts) for number, _ in one)
    corners = (
        ()
        if cuts is None
        else tuple(meeting(cuts.cuts, around[k - 1], line) for k, line in enumerate(around))
    )
    return Part(pieces, edges, around, corners)


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

    ``farthest`` is the sum of squares between corners of outlines and of the places that they come to.
    """
    parts = parts_of(lines, fit)
    for count in {len(part.lines) for part in parts}:
        yield from _among(
            [part for part in parts if len(part.lines) == count], lines, fit, rotations, farthest
        )


def _among(
    parts: Sequence[Part], lines: Lines, fit: CutFit, rotations: Rotations, farthest: float
) -> Iterator[Rearranged]:
    """The same among parts with equally many edges."""
    corners = np.array([part.corners for part in parts])
    centred = corners - corners.mean(axis=1, keepdims=True)
    squares = (np.abs(centred) ** 2).sum(axis=1)
    count = corners.shape[1]
    rolled = np.stack([np.roll(centred, -shift, axis=1) for shift in range(count)], axis=1)  # (P, m, m)
    # Of each part laid on each place, each corner on its first: how far it turns, and corners are then off.
    product = np.einsum("pk,qsk->pqs", centred.conj(), rolled)
    turn = np.angle(product)
    if rotations.bins is not None:
        turn = np.vectorize(rotations.nearest)(turn)
    off = squares[:, None, None] + squares[None, :, None] - 2.0 * (product * np.exp(-1j * turn)).real
    for one, part in enumerate(parts):
        for shift in range(1, count):
            if off[one, one, shift] <= farthest:
                yield _moved(
                    lines, fit, float(off[one, one, shift]), ((part, part, shift, turn[one, one, shift]),)
                )
        for two in range(one):
            other = parts[two]
            if part.pieces & other.pieces:
                continue
            for shift in np.flatnonzero(off[one, two] <= farthest).tolist():
                for back in np.flatnonzero(off[two, one] <= farthest - off[one, two, shift]).tolist():
                    yield _moved(
                        lines,
                        fit,
                        float(off[one, two, shift] + off[two, one, back]),
                        (
                            (part, other, shift, turn[one, two, shift]),
                            (other, part, back, turn[two, one, back]),
                        ),
                    )


def _moved(
    lines: Lines, fit: CutFit, off: float, moves: Sequence[tuple[Part, Part, int, float]]
) -> Rearranged:
    """The arrangement with parts in the places of others, corners moved on by so many, turned so far."""
    new, poses = [list(edges) for edges in lines], dict(fit.poses)
    for part, place, shift, turn in moves:
        for k, edges in enumerate(part.edges.outer):
            for number, edge in edges:
                new[number][edge] = place.lines[(k + shift) % len(place.lines)]
        middle = sum(part.corners) / len(part.corners)
        to = sum(place.corners) / len(place.corners) - middle * cmath.exp(1j * turn)
        motion = Pose(to.real, to.imag, float(turn))
        poses |= {number: motion @ fit.poses[number] for number in part.pieces}
    return Rearranged(off, tuple(map(tuple, new)), poses)

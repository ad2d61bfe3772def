"""Which edges of glued pieces lie on one line: a cut, or a side of what they make together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from sherd.core.arrays import Floats

# Edges of pieces, each by the piece's number and its own.
Edges = tuple[tuple[int, int], ...]
# Of each piece, by number, the line of each of its edges: first the target's sides, then the cuts.
Lines = tuple[tuple[int, ...], ...]


class EdgeLines(NamedTuple):
    """The edges that make each edge of a part's outline, in order, and those that lie on each cut within.

    ``taken_for`` says of each piece which of several outlines it is taken to have, by a number of any kind.
    """

    outer: tuple[Edges, ...]
    cuts: tuple[Edges, ...] = ()
    taken_for: tuple[tuple[int, int], ...] = ()

    def begun_at(self, first: int) -> EdgeLines:
        """The same, begun at another edge of the outline."""
        return self._replace(outer=self.outer[first:] + self.outer[:first])


def lone(number: int, edges: int, taken_for: int = 0) -> EdgeLines:
    """A piece by itself."""
    return EdgeLines(tuple(((number, edge),) for edge in range(edges)), (), ((number, taken_for),))


def glued(first: EdgeLines, edge: int, second: EdgeLines, other_edge: int) -> EdgeLines:
    """What two parts make that are glued along an edge each; the edges beside it are in line.

    >>> two = glued(lone(0, 3), 0, lone(1, 4), 0)
    >>> two.outer
    (((0, 2), (1, 1)), ((1, 2),), ((1, 3), (0, 1)))
    >>> two.cuts
    (((0, 0), (1, 0)),)
    """
    one, other = first.begun_at(edge).outer, second.begun_at(other_edge).outer
    outer = (*one[2:-1], one[-1] + other[1], *other[2:-1], other[-1] + one[1])
    cuts = (*first.cuts, *second.cuts, one[0] + other[0])
    return EdgeLines(outer, cuts, first.taken_for + second.taken_for)


def seen_in(outline: Floats, pieces: Sequence[tuple[int, Floats]], off: float) -> EdgeLines | None:
    """The same of pieces, by number, that lie in an outline and fit each other exactly; None if they do not.

    Corners are off by no more than ``off``. Each piece is taken for its place among the ``pieces``.

    >>> square = np.array([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)])
    >>> seen = seen_in(square, [(0, square[[0, 1, 2]]), (1, square[[0, 2, 3]])], 1e-6)
    >>> seen.outer, seen.cuts
    ((((0, 0),), ((0, 1),), ((1, 1),), ((1, 2),)), (((0, 2), (1, 0)),))
    """
    outer: list[list[tuple[int, int]]] = [[] for _ in outline]
    cuts: list[tuple[Floats, list[tuple[int, int]]]] = []  # the ends of all edges on each, (n, 2)
    sides = np.stack([outline, np.roll(outline, -1, axis=0)], axis=1)
    for number, ring in pieces:
        for edge, ends in enumerate(np.stack([ring, np.roll(ring, -1, axis=0)], axis=1)):
            on = [k for k, side in enumerate(sides) if _in_line(side, ends, off)]
            if len(on) == 1:
                outer[on[0]].append((number, edge))
                continue
            if on:
                return None
            beside = [cut for cut in cuts if _in_line(cut[0], ends, off)]
            cuts = [cut for cut in cuts if not any(cut is other for other in beside)]
            points = np.concatenate([ends, *(cut[0] for cut in beside)])
            cuts.append((points, sorted([*(one for cut in beside for one in cut[1]), (number, edge)])))
    if not all(outer) or len(cuts) != len(pieces) - 1:
        return None
    inner = sorted(tuple(edges) for _, edges in cuts)
    taken_for = tuple((number, k) for k, (number, _) in enumerate(pieces))
    return EdgeLines(tuple(map(tuple, outer)), tuple(inner), taken_for)


def _in_line(points: Floats, ends: Floats, off: float) -> bool:
    """Whether an edge lies along the line through some points, and at least touches what is between them."""
    apart = points - points[0]
    far = points[int((apart * apart).sum(axis=1).argmax())] - points[0]
    along = far / np.hypot(*far)
    offset = ends - points[0]
    across = offset[:, 0] * along[1] - offset[:, 1] * along[0]
    here, there = np.sort(offset @ along), np.sort(apart @ along)
    return bool(np.abs(across).max() <= off and here[0] <= there[-1] + off and there[0] <= here[-1] + off)


def lines_of(whole: EdgeLines, pieces: int) -> Lines:
    """The line of each edge of each piece, where the outline's edges are the target's sides, in order.

    >>> lines_of(glued(lone(0, 3), 0, lone(1, 4), 0), 2)
    ((3, 2, 0), (3, 0, 1, 2))
    """
    line_of = {edge: line for line, edges in enumerate(whole.outer + whole.cuts) for edge in edges}
    every = _by_piece(line_of)
    return tuple(every[number] for number in range(pieces))


def _by_piece(line_of: Mapping[tuple[int, int], int]) -> dict[int, tuple[int, ...]]:
    every: dict[int, list[int]] = {}
    for number, edge in sorted(line_of):
        every.setdefault(number, []).append(line_of[number, edge])
    return {number: tuple(lines) for number, lines in every.items()}


def laid_instead(lines: Lines, part: EdgeLines, other: EdgeLines) -> Lines:
    """The lines of a whole in which the pieces of a part are glued otherwise, outlines edge on edge.

    >>> two, turned = glued(lone(0, 3), 0, lone(1, 4), 0), glued(lone(0, 3), 1, lone(1, 4), 0)
    >>> laid_instead(((3, 2, 0), (3, 0, 1, 2)), two, turned)
    ((0, 3, 2), (3, 0, 1, 2))
    """
    own = {edge: lines[edge[0]][edge[1]] for edges in (*part.outer, *part.cuts) for edge in edges}
    pairs = zip((*other.outer, *other.cuts), (*part.outer, *part.cuts), strict=True)
    new = _by_piece({edge: own[old[0]] for edges, old in pairs for edge in edges})
    return tuple(new.get(number, edges) for number, edges in enumerate(lines))

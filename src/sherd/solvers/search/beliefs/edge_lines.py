"""Which edges of glued pieces lie on one line: a cut, or a side of what they make together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

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

"""Convex pieces as what straight cuts all the way across a convex target leave: a search over such cuts.

A few lines are then all there is to know. Every edge lies on one of them or on a side of the target, every
corner is where two of these meet, and where a cut crosses another it goes straight on. So whoever lies on the
other side of an edge has its neighbouring edges on the same lines: its length and both of its angles are
known. Arrangements grow by one piece at a time, and all lines and poses are fitted to all corners each time;
what is left of squares is the likelihood itself.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from sherd.core.arrays import Floats, Ints
from sherd.core.compiled import compiled
from sherd.solvers.cells.corners import Complexes, ConvexCells
from sherd.solvers.search.beliefs.cut_lines import meeting
from sherd.solvers.search.beliefs.cut_rounds import fit_rounds
from sherd.solvers.stop import Stop

# Standard errors of a corner's coordinate, in units (the root of the mean piece's area), tried in turn.
ERRORS = (0.006, 0.012, 0.024, 0.045, 0.07, 0.1, 0.13)
WIDTH = 60  # arrangements that are kept at each step
AT_ONCE = 2  # edges at which each grows, those with the fewest choices: one alone may look as if none fits
# Chi-squared of a piece beside lines that are known: more is not tried.
FARTHEST = 25.0
# Lines that are known are off, too: variances of a corner for one of a piece's own beside them.
BESIDE = 3.0
# Standard errors: edges within this of a line may lie on it, and lines may run through a piece by this.
IN_LINE, THROUGH, UNSURE = 7.0, 4.0, 0.5
MOST_LINES = 3  # that an edge may lie on
MOST_WAYS = 24  # in which all edges of a piece may lie on lines
NEW_LINE = 3.0  # standard errors: edges farther from every line than this rather lie on a new one
LENGTH = 0.5  # units: by chance corners lie anywhere in a square of this side
ROUNDS, SOON, AT_REST = 16, 3, 1e-3

Key = frozenset[tuple[int, frozenset[tuple[int, int]]]]


@dataclass(frozen=True, eq=False)
class Crossed:
    """Pieces by number, in the order of laying, the line of each of their edges, and where both lie.

    Lines are the target's sides and then cuts, each the direction of its normal and how far it lies along it.
    """

    pieces: tuple[int, ...]
    lines: tuple[tuple[int, ...], ...]
    poses: Floats
    cuts: Floats
    squares: float
    freedom: int

    @property
    def error(self) -> float:
        """The error of a corner's coordinate that it shows."""
        return math.sqrt(self.squares / self.freedom)

    def worth(self, error: float) -> float:
        """The evidence for it, if corners have this error: each square that is small is one coordinate."""
        return self.freedom * reward_of(error) - 0.5 * self.squares / error**2


def reward_of(error: float) -> float:
    """How much evidence it is that a coordinate is within the error."""
    return math.log(LENGTH / (error * math.sqrt(2.0 * math.pi)))


@compiled
def _ways(
    points: Complexes,
    starts: Ints,
    is_laid: NDArray[np.bool_],
    ends: Complexes,
    beside: Floats,
    farthest: float,
    error: float,
    found: Floats,
) -> int:
    """Write which pieces may lie across an edge: rows of piece, edge, x, y, turn and chi-squared; how many.

    The edge of the other piece goes from the first to the second of ``ends``; ``beside`` are the lines that
    the edges before and after it lie on.
    """
    count = 0
    length = abs(ends[1] - ends[0])
    variance = error * error * BESIDE
    normals = np.array([complex(math.cos(beside[k, 0]), math.sin(beside[k, 0])) for k in range(2)])
    along = (ends[1] - ends[0]) / max(length, 1e-12)
    ways = 1j * normals
    for k in range(2):  # both run to the left of what is before them
        cross = along.real * ways[k].imag - along.imag * ways[k].real
        if (cross < 0.0) == (k == 1):
            ways[k] = -ways[k]
    square, values = np.empty((3, 3)), np.empty(3)
    rows = np.empty((6, 4))
    for q in range(len(is_laid)):
        if is_laid[q]:
            continue
        first, last = starts[q], starts[q + 1]
        size = last - first
        for e in range(size):
            a, b = points[first + e], points[first + (e + 1) % size]
            if abs(abs(b - a) - length) > 10.0 * error:
                continue
            before, after = points[first + (e - 1) % size], points[first + (e + 2) % size]
            spin = (
                (b - a).conjugate() * along * abs(b - a)
                + (a - before).conjugate() * ways[0] * abs(a - before)
                + (after - b).conjugate() * ways[1] * abs(after - b)
            )
            theta = math.atan2(spin.imag, spin.real)
            shift = 0.5 * (ends[0] + ends[1]) - complex(math.cos(theta), math.sin(theta)) * 0.5 * (a + b)
            chi = np.inf
            for _ in range(4):
                turn = complex(math.cos(theta), math.sin(theta))
                for k in range(2):
                    own = turn * (a if k == 0 else b)
                    off = own + shift - ends[k]
                    rows[2 * k] = np.array([off.real, 1.0, 0.0, -own.imag])
                    rows[2 * k + 1] = np.array([off.imag, 0.0, 1.0, own.real])
                for k in range(2):
                    own = turn * (before if k == 0 else after)
                    normal = normals[k]
                    at = own + shift
                    off = normal.real * at.real + normal.imag * at.imag - beside[k, 1]
                    slope = -normal.real * own.imag + normal.imag * own.real
                    rows[4 + k] = np.array([off, normal.real, normal.imag, slope])
                chi = 0.0
                for r in range(6):
                    chi += rows[r, 0] * rows[r, 0]
                for i in range(3):
                    values[i] = 0.0
                    for r in range(6):
                        values[i] -= rows[r, 1 + i] * rows[r, 0]
                    for j in range(3):
                        total = 1e-12 if i == j else 0.0
                        for r in range(6):
                            total += rows[r, 1 + i] * rows[r, 1 + j]
                        square[i, j] = total
                step = np.linalg.solve(square, values)
                shift += complex(step[0], step[1])
                theta += step[2]
            chi /= variance
            if chi <= farthest and count < len(found):
                found[count, 0], found[count, 1] = q, e
                found[count, 2], found[count, 3], found[count, 4] = shift.real, shift.imag, theta
                found[count, 5] = chi
                count += 1
    return count


class ThroughCuts:
    """One search for an arrangement of all pieces."""

    def __init__(self, cells: ConvexCells, stop: Stop, width: int = WIDTH) -> None:
        self.cells, self._stop, self._width = cells, stop, width
        self._sides = _sides(cells.rim)
        self._rings = [
            cells.points[first:last] for first, last in zip(cells.starts[:-1], cells.starts[1:], strict=True)
        ]
        self._flat = [np.stack([ring.real, ring.imag], axis=1) for ring in self._rings]
        self.count = len(self._rings)
        self.found: dict[Key, Crossed] = {}
        self.evaluations = 0

    def run(self) -> list[Crossed]:
        """All wholes that were met, the likeliest first."""
        error = ERRORS[0]
        for error in ERRORS:
            beam = self._begun(error)
            for _ in range(self.count - 1):
                if self._stop(self.evaluations) or not beam:
                    break
                beam = self._grown(beam, error)
            for one in beam:
                if len(one.pieces) == self.count and not list(_open_edges(one, len(self._sides))):
                    self.found.setdefault(_key(one, len(self._sides)), one)
            best = self._best()
            if self._stop(self.evaluations) or (best is not None and best.error <= error):
                break
        best = self._best()
        if best is None:
            return []
        return sorted(self.found.values(), key=lambda one: -one.worth(best.error))

    def _best(self) -> Crossed | None:
        return min(self.found.values(), key=lambda one: one.error, default=None)

    def _begun(self, error: float) -> list[Crossed]:
        """Each piece in that corner of the target into which the fewest fit."""
        corners = len(self._sides)
        fewest: list[Crossed] | None = None
        for t in range(corners):
            rim = self.cells.rim[t]
            ways = np.array([self.cells.rim[t - 1] - rim, self.cells.rim[(t + 1) % corners] - rim])
            ways /= np.abs(ways)
            made: list[Crossed] = []
            for q, ring in enumerate(self._rings):
                for k in range(len(ring)):
                    here = ring[np.array([k - 1, k, (k + 1) % len(ring)])]
                    there = rim + np.array(
                        [ways[0] * abs(here[0] - here[1]), 0.0, ways[1] * abs(here[2] - here[1])]
                    )
                    spin = ((here - here.mean()).conj() * (there - there.mean())).sum()
                    theta = math.atan2(spin.imag, spin.real)
                    turn = complex(math.cos(theta), math.sin(theta))
                    shift = there.mean() - turn * here.mean()
                    if (np.abs(turn * here + shift - there) ** 2).sum() > FARTHEST * BESIDE * error**2:
                        continue
                    known = {(k - 1) % len(ring): (t - 1) % corners, k: t}
                    empty = Crossed((), (), np.empty((0, 3)), self._sides, 0.0, 0)
                    made += self._laid(empty, q, (shift.real, shift.imag, theta), known, error)
            if fewest is None or len(made) < len(fewest):
                fewest = made
        return self._kept(fewest or [], error)

    def _grown(self, beam: Sequence[Crossed], error: float) -> list[Crossed]:
        """The likeliest with one more piece, each at its edges with the fewest choices."""
        made: list[Crossed] = []
        room = np.empty((256, 6))
        for one in beam:
            is_laid = np.zeros(self.count, np.bool_)
            is_laid[list(one.pieces)] = True
            choices: list[tuple[Floats, tuple[int, int, int]]] = []
            for lines in _open_edges(one, len(self._sides)):
                before, line, after = lines
                ends = np.array([meeting(one.cuts, line, after), meeting(one.cuts, before, line)])
                beside = one.cuts[[after, before]]
                number = _ways(
                    self.cells.points, self.cells.starts, is_laid, ends, beside, FARTHEST, error, room
                )
                if number:
                    choices.append((room[:number].copy(), lines))
            self.evaluations += 1
            choices.sort(key=lambda choice: len(choice[0]))
            for ways, (before, line, after) in choices[:AT_ONCE]:
                for row in ways.tolist():
                    q, edge, size = int(row[0]), int(row[1]), len(self._rings[int(row[0])])
                    known = {(edge - 1) % size: after, edge: line, (edge + 1) % size: before}
                    made += self._laid(one, q, (row[2], row[3], row[4]), known, error)
        return self._kept(made, error)

    def _kept(self, made: Sequence[Crossed], error: float) -> list[Crossed]:
        """The likeliest, each once."""
        kept: dict[Key, Crossed] = {}
        for one in sorted(made, key=lambda one: -one.worth(error)):
            if len(kept) < self._width:
                kept.setdefault(_key(one, len(self._sides)), one)
        return list(kept.values())

    def _laid(
        self, one: Crossed, q: int, pose: tuple[float, float, float], known: dict[int, int], error: float
    ) -> Iterator[Crossed]:
        """An arrangement with a further piece, some of whose edges lie on known lines, the others on any."""
        ring = self._rings[q]
        size = len(ring)
        if len(set(known.values())) < len(known):
            return
        corners = np.exp(1j * pose[2]) * ring + complex(pose[0], pose[1])
        held = corners[sorted({k for edge in known for k in (edge, (edge + 1) % size)})]
        spread = float((np.abs(held - held.mean()) ** 2).sum())
        reach = np.sqrt(1.0 + 1.0 / len(held) + np.abs(corners - held.mean()) ** 2 / max(spread, 1e-12))
        normals = np.exp(1j * one.cuts[:, 0])
        off = np.abs((corners[:, None] * normals.conj()).real - one.cuts[:, 1]) / (error * reach[:, None])
        open_edges = [edge for edge in range(size) if edge not in known]
        choices: list[list[tuple[float, int]]] = []
        room = self.count - 1 - (len(one.cuts) - len(self._sides))
        for edge in open_edges:
            end = (edge + 1) % size
            way = corners[end] - corners[edge]
            near = np.maximum(off[edge], off[end])
            lines = [
                (float(near[line]), int(line))
                for line in np.argsort(near, kind="stable")
                if near[line] < IN_LINE
                and line not in known.values()
                and (line >= len(self._sides) or (normals[line].conjugate() * way).imag > 0.0)
            ]
            choices.append([*lines[:MOST_LINES], (NEW_LINE, -1)])
        every = sorted(product(*choices), key=lambda ways: sum(off for off, _ in ways))
        for chosen in [[line for _, line in ways] for ways in every[:MOST_WAYS]]:
            old = [line for line in chosen if line >= 0]
            if len(set(old)) < len(old) or len(chosen) - len(old) > room:
                continue
            edges = dict(known)
            cuts = list(one.cuts)
            for edge, line in zip(open_edges, chosen, strict=True):
                if line < 0:
                    line = len(cuts)
                    cuts.append(_through(corners[edge], corners[(edge + 1) % size]))
                edges[edge] = line
            told = tuple(edges[edge] for edge in range(size))
            fitted = self._fitted(
                (*one.pieces, q), (*one.lines, told), np.vstack([one.poses, pose]), np.array(cuts), error
            )
            if fitted is not None:
                yield fitted

    def _fitted(
        self,
        pieces: tuple[int, ...],
        lines: tuple[tuple[int, ...], ...],
        poses: Floats,
        cuts: Floats,
        error: float,
    ) -> Crossed | None:
        """Lines and poses where corners are off least; None if lines then run through pieces."""
        triples = [(own[k - 1], own[k], own[(k + 1) % len(own)]) for own in lines for k in range(len(own))]
        if len(set(triples)) < len(triples):
            return None
        corners = np.concatenate([self._flat[piece] for piece in pieces])
        begins = np.cumsum([0, *(len(own) for own in lines)])
        after = np.array([line for own in lines for line in own])
        freedom = 2 * len(corners) - 3 * len(pieces) - 2 * (len(cuts) - len(self._sides))
        squares = fit_rounds(
            corners,
            begins,
            after,
            poses,
            cuts,
            len(self._sides),
            3,
            np.empty(0),
            math.inf,
            ROUNDS,
            SOON,
            AT_REST,
        )
        if not squares <= error**2 * (freedom + 6.0 * math.sqrt(2.0 * freedom) + 10.0):
            return None
        if self._runs_through(pieces, begins, after, poses, cuts, error):
            return None
        return Crossed(pieces, lines, poses, cuts, squares, freedom)

    def _runs_through(
        self, pieces: Sequence[int], begins: Ints, after: Ints, poses: Floats, cuts: Floats, error: float
    ) -> bool:
        """Whether a line has corners of a piece on both of its sides, or no line is between two pieces.

        A line is known the worse, the farther it is from the corners that lie on it.
        """
        sides = len(self._sides)
        laid = np.concatenate(
            [
                self._rings[piece] * np.exp(1j * theta) + complex(x, y)
                for piece, (x, y, theta) in zip(pieces, poses.tolist(), strict=True)
            ]
        )
        # (C, lines): outwards, for sides, and along.
        off: Complexes = laid[:, None] * np.exp(-1j * cuts[:, 0])
        before = np.empty_like(after)
        before[1:], before[begins[:-1]] = after[:-1], after[begins[1:] - 1]
        lines = np.arange(len(cuts))
        is_on = (after[:, None] == lines) | (before[:, None] == lines)
        count = np.maximum(is_on.sum(axis=0), 1)
        middle = (off.imag * is_on).sum(axis=0) / count
        spread = ((off.imag - middle) ** 2 * is_on).sum(axis=0)
        reach = np.sqrt(1.0 + 1.0 / count + (off.imag - middle) ** 2 / np.maximum(spread, error**2))
        reach[:, :sides] = 1.0
        apart = (off.real - cuts[:, 1]) / (error * reach)
        high, low = np.maximum.reduceat(apart, begins[:-1]), np.minimum.reduceat(apart, begins[:-1])
        through = np.minimum(high, -low)
        if (through > THROUGH).any() or (high[:, :sides] > THROUGH).any():
            return True
        is_own = np.logical_or.reduceat(is_on, begins[:-1])
        is_beyond, is_unsure = (high > -low)[:, sides:], (~is_own & (through > UNSURE))[:, sides:]
        differ = (is_beyond[:, None] != is_beyond) | is_unsure[:, None] | is_unsure
        return bool((differ.any(axis=2).sum() < len(pieces) * (len(pieces) - 1)) and len(pieces) > 1)


def _open_edges(one: Crossed, sides: int) -> Iterator[tuple[int, int, int]]:
    """Edges on cuts with nothing beyond, each by its line and those before and after it."""
    every = {(own[k - 1], own[k], own[(k + 1) % len(own)]) for own in one.lines for k in range(len(own))}
    for before, line, after in sorted(every):
        if line >= sides and (after, line, before) not in every:
            yield before, line, after


def _key(one: Crossed, sides: int) -> Key:
    """Which edges lie on each side, and which on one cut, whatever its number."""
    on: dict[int, set[tuple[int, int]]] = {}
    for piece, own in zip(one.pieces, one.lines, strict=True):
        for edge, line in enumerate(own):
            on.setdefault(line, set()).add((piece, edge))
    return frozenset((min(line, sides), frozenset(edges)) for line, edges in on.items())


def _through(a: complex, b: complex) -> tuple[float, float]:
    """The line through two points: the direction of its normal, and how far it lies along it."""
    normal = -1j * (b - a) / abs(b - a)
    return math.atan2(normal.imag, normal.real), (a * normal.conjugate()).real


def _sides(rim: Complexes) -> Floats:
    """The lines of the target's sides, their normals outwards."""
    return np.array([_through(a, b) for a, b in zip(rim, np.roll(rim, -1), strict=True)])

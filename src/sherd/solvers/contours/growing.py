"""A beam: many arrangements grow by one piece a step, each wherever its pieces share most (compiled).

Merging takes the best joint that there is and cannot go back; where wrong joints look as good as right ones,
what comes of them tells, two or three pieces later.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sherd.core.compiled import compiled
from sherd.solvers.contours.beam import (
    GrownBeam,
    Links,
    Taste,
    empty_beam,
    first_of,
    fitted_to,
    grow_into,
    look_about,
    placed_by,
    shared_with,
    worth_for_looks,
)
from sherd.solvers.contours.clusters import Clusters, bonds, relisted, singles
from sherd.solvers.contours.compact import Outer
from sherd.solvers.contours.contact import corner_worth
from sherd.solvers.contours.improve import Arrangement
from sherd.solvers.contours.merge import Rules
from sherd.solvers.contours.params import ContoursParams
from sherd.solvers.contours.scene import Scene
from sherd.solvers.contours.shapes import Shapes
from sherd.solvers.stop import Stop

SAME_SHIFT, SAME_TURN = 0.08, 0.08  # two places of a piece that are one


# Arrangements that grow at once: of 16 pieces and fewer, the first and any other time; fewer of more pieces.
WIDTHS, PIECES = (30, 60, 120), 16
ONWARD_WIDTH = 6  # where some pieces are taken out and added again
OF_A_ROOT = 10  # of them that began with the same joint
TRIES = 24  # places of further pieces that are tried of each


class Places(NamedTuple):
    """Places of further pieces: the arrangement, the piece, its pose there, and what that would be worth."""

    states: NDArray[np.int64]
    pieces: NDArray[np.int64]
    turns: NDArray[np.complex128]
    shifts: NDArray[np.complex128]
    scores: NDArray[np.float64]


@compiled
def sown(
    shapes: Shapes, outer: Outer, links: Links, roots: NDArray[np.int64], rules: Rules, taste: Taste
) -> GrownBeam:
    """Arrangements of two pieces, each by a joint of its own."""
    pieces, joints = len(shapes.starts) - 1, len(links.first)
    beam = empty_beam(len(roots), pieces, joints)
    alone = empty_beam(1, pieces, joints)
    for k in range(len(roots)):
        j = roots[k]
        first = links.first[j]
        alone.inner[0, :] = False
        alone.inner[0, first] = True
        alone.turns[0, first], alone.shifts[0, first] = 1.0, 0.0
        alone.root[0] = j
        piece, turn, shift = placed_by(links, alone, 0, j)
        grow_into(shapes, outer, alone, 0, piece, turn, shift, beam, k, rules, taste)
        look_about(shapes, links, beam, k, True, rules)
    return beam


@compiled
def planted(shapes: Shapes, links: Links, clusters: Clusters, label: int, rules: Rules) -> GrownBeam:
    """One arrangement that is there already: a cluster."""
    beam = empty_beam(1, len(clusters.labels), len(links.first))
    beam.inner[0], beam.turns[0], beam.shifts[0] = clusters.labels == label, clusters.turns, clusters.shifts
    beam.newest[0] = clusters.heads[label]
    pairs, _ = bonds(shapes, clusters, rules.tolerance, rules.stride)
    for p in range(len(clusters.labels)):
        for q in range(p):
            if beam.inner[0, p] and beam.inner[0, q]:
                beam.contact[0] += pairs[p, q]
    look_about(shapes, links, beam, 0, True, rules)
    return beam


@compiled
def grown_by_one(
    shapes: Shapes,
    outer: Outer,
    links: Links,
    beam: GrownBeam,
    keys: NDArray[np.int64],
    rules: Rules,
    taste: Taste,
) -> GrownBeam:
    """The best arrangements of one piece more, different from each other; ``keys`` are numbers of pieces."""
    pieces, joints = beam.inner.shape[1], len(links.first)
    total = len(beam.root) * taste.tries
    found = Places(
        np.empty(total, dtype=np.int64),
        np.empty(total, dtype=np.int64),
        np.empty(total, dtype=np.complex128),
        np.empty(total, dtype=np.complex128),
        np.empty(total),
    )
    count = 0
    for b in range(len(beam.root)):
        count = _tried(shapes, outer, links, beam, b, rules, taste, found, count)
    following = empty_beam(taste.width, pieces, joints)
    marks = np.zeros(taste.width, dtype=np.int64)
    of_root = np.zeros(joints, dtype=np.int64)
    kept = 0
    order = np.argsort(-found.scores[:count], kind="mergesort")
    for k in range(count):
        at = order[k]
        if kept == taste.width:
            break
        b, piece = int(found.states[at]), int(found.pieces[at])
        turn, shift = complex(found.turns[at]), complex(found.shifts[at])
        root = beam.root[b]
        if of_root[root] >= taste.of_a_root:
            continue
        mark = int(keys[piece])
        for p in range(pieces):
            if beam.inner[b, p]:
                mark ^= int(keys[p])
        if _is_double(shapes, beam, b, piece, turn, shift, mark, following, marks, kept):
            continue
        grow_into(shapes, outer, beam, b, piece, turn, shift, following, kept, rules, taste)
        marks[kept] = mark
        of_root[root] += 1
        kept += 1
    for b in range(kept):
        look_about(shapes, links, following, b, False, rules)
    return first_of(following, kept)


@compiled
def _tried(
    shapes: Shapes,
    outer: Outer,
    links: Links,
    beam: GrownBeam,
    b: int,
    rules: Rules,
    taste: Taste,
    found: Places,
    count: int,
) -> int:
    """Note the best different places of a further piece in an arrangement, and what it would be worth."""
    values = np.empty(len(links.first))
    for j in range(len(values)):
        is_open = beam.inner[b, links.first[j]] != beam.inner[b, links.second[j]]
        value = -np.inf
        if is_open and beam.added[b, j] > -np.inf:
            value = links.liking[j] * (beam.added[b, j] + corner_worth(beam.corners[b, j]))
        values[j] = value
    inner, turns, shifts = beam.inner[b].copy(), beam.turns[b].copy(), beam.shifts[b].copy()
    begin, tries = count, 0
    for j in np.argsort(-values, kind="mergesort"):
        if tries == taste.tries or values[j] < rules.least:
            break
        piece, turn, shift = placed_by(links, beam, b, j)
        if _is_known(shapes, found, begin, count, piece, turn, shift):
            continue
        tries += 1
        turn, shift = fitted_to(shapes, beam, b, piece, turn, shift, rules)
        if _is_known(shapes, found, begin, count, piece, turn, shift):
            continue
        worth, met = shared_with(shapes, beam, b, piece, turn, shift, -1, rules.tolerance, rules)
        if worth + corner_worth(met) < rules.least:
            continue
        inner[piece], turns[piece], shifts[piece] = True, turn, shift
        looks = worth_for_looks(outer, inner, turns, shifts, taste)
        inner[piece] = False
        found.states[count], found.pieces[count] = b, piece
        found.turns[count], found.shifts[count] = turn, shift
        found.scores[count] = beam.contact[b] + links.liking[j] * (worth + corner_worth(met)) + looks
        count += 1
    return count


@compiled
def _is_known(
    shapes: Shapes, found: Places, begin: int, end: int, piece: int, turn: complex, shift: complex
) -> bool:
    """Whether a piece was tried at this place."""
    for k in range(begin, end):
        if found.pieces[k] == piece and abs(turn - found.turns[k]) < SAME_TURN:
            off = shift - found.shifts[k] + (turn - found.turns[k]) * shapes.centres[piece]
            if abs(off) < SAME_SHIFT:
                return True
    return False


@compiled
def _is_double(
    shapes: Shapes,
    beam: GrownBeam,
    b: int,
    piece: int,
    turn: complex,
    shift: complex,
    mark: int,
    following: GrownBeam,
    marks: NDArray[np.int64],
    kept: int,
) -> bool:
    """Whether an arrangement with this piece added lies as one of those that are kept."""
    for k in range(kept):
        if marks[k] != mark:
            continue
        turn_to = following.turns[k, piece] * turn.conjugate()
        shift_to = following.shifts[k, piece] - turn_to * shift
        same = True
        for p in range(beam.inner.shape[1]):
            if beam.inner[b, p]:
                there = turn_to * beam.turns[b, p]
                centre = shapes.centres[p]
                off = there * centre + turn_to * beam.shifts[b, p] + shift_to
                off -= following.turns[k, p] * centre + following.shifts[k, p]
                if abs(there - following.turns[k, p]) > 2.0 * SAME_TURN or abs(off) > 2.0 * SAME_SHIFT:
                    same = False
                    break
        if same:
            return True
    return False


class Growth(NamedTuple):
    """How a beam grows: over these joints, each liked so much."""

    scene: Scene
    outer: Outer
    links: Links
    rules: Rules
    params: ContoursParams
    stop: Stop

    def anew(self, hope: NDArray[np.float64], time: int) -> Arrangement:
        """The best arrangement of the first, second ... beam; its other pieces are alone.

        It begins with the joints that are hoped for most; where there is a target, with some of its own.
        """
        scene, count = self.scene, len(self.scene.outlines)
        width = max(1, int(WIDTHS[min(time, len(WIDTHS)) - 1] * min(1.0, PIECES / count)))
        hope = np.where((self.links.first >= scene.pieces) == scene.has_target, hope, -np.inf)
        roots = np.argsort(-hope, kind="stable")[: min(width, int(np.isfinite(hope).sum()))]
        taste = self._taste(width)
        return self._best_of(sown(scene.shapes, self.outer, self.links, roots, self.rules, taste), taste)

    def onward(self, clusters: Clusters) -> Arrangement:
        """The largest cluster, or the target's, with all other pieces added to it one by one."""
        label = int(clusters.labels[-1] if self.scene.has_target else np.bincount(clusters.labels).argmax())
        return self._best_of(
            planted(self.scene.shapes, self.links, clusters, label, self.rules), self._taste(ONWARD_WIDTH)
        )

    def _taste(self, width: int) -> Taste:
        return Taste(self.params.emptiness, self.params.rim_worth, width, OF_A_ROOT, TRIES)

    def _best_of(self, beam: GrownBeam, taste: Taste) -> Arrangement:
        """The best arrangement while a beam grows; by the time that ``stop`` says so, if it does."""
        count = len(self.scene.outlines)
        keys: NDArray[np.int64] = np.random.default_rng(count).integers(1, 2**62, count, dtype=np.int64)
        best = Arrangement(singles(count), 0.0)
        while len(beam.root):
            k = int(beam.worth.argmax())
            if beam.worth[k] > best.worth:
                clusters = singles(count)
                clusters.labels[beam.inner[k]] = int(beam.newest[k])
                clusters.turns[:], clusters.shifts[:] = beam.turns[k], beam.shifts[k]
                relisted(clusters)
                best = Arrangement(clusters, float(beam.worth[k]))
            if self.stop(0):
                break
            beam = grown_by_one(self.scene.shapes, self.outer, self.links, beam, keys, self.rules, taste)
        return best

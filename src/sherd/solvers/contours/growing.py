"""A beam: many arrangements grow by one piece a step, each wherever its pieces share most (compiled).

Merging takes the best joint that there is and cannot go back; where wrong joints look as good as right ones,
what comes of them tells, two or three pieces later.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sherd.core.compiled import compiled
from sherd.solvers.contours.clusters import (
    Clusters,
    are_near,
    bonds,
    pair_collides,
    pair_worth,
    relisted,
    singles,
)
from sherd.solvers.contours.compact import Outer, looks_within
from sherd.solvers.contours.contact import RUN_POINTS, corner_worth, pull, pulled
from sherd.solvers.contours.improve import Arrangement
from sherd.solvers.contours.merge import Rules
from sherd.solvers.contours.params import ContoursParams
from sherd.solvers.contours.posegraph import relax
from sherd.solvers.contours.scene import Scene
from sherd.solvers.contours.shapes import Shapes
from sherd.solvers.stop import Stop

SAME_SHIFT, SAME_TURN = 0.08, 0.08  # two places of a piece that are one
# A piece is looked for where it touches within so many tolerances; then it is fitted by steps within these.
WIDE = 2.5
FIT = (4.0, 2.0, 1.0)
RELAXED = ((2.0, 1), (1.0, 2))  # tolerances and steps of least squares after a piece was added


# Arrangements that grow at once: of 16 pieces and fewer, the first and any other time; fewer of more pieces.
WIDTHS, PIECES = (30, 60, 120), 16
ONWARD_WIDTH = 6  # where some pieces are taken out and added again
OF_A_ROOT = 10  # of them that began with the same joint
TRIES = 24  # places of further pieces that are tried of each


class Links(NamedTuple):
    """Joints by the array: two pieces, the second's pose in the first's frame, and how much each is liked."""

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    turns: NDArray[np.complex128]
    shifts: NDArray[np.complex128]
    liking: NDArray[np.float64]


class Beam(NamedTuple):
    """Arrangements (B,) of as many pieces each, (B, N), and what each joint would add to them, (B, J).

    ``root`` is the joint that an arrangement began with, ``newest`` the piece that came last, ``contact``
    what its pieces share, ``worth`` that and how it looks; ``added`` is what the piece at the other end of a
    joint would share, without the ``corners`` that it would meet.
    """

    inner: NDArray[np.bool_]
    turns: NDArray[np.complex128]
    shifts: NDArray[np.complex128]
    root: NDArray[np.int64]
    newest: NDArray[np.int64]
    contact: NDArray[np.float64]
    worth: NDArray[np.float64]
    added: NDArray[np.float64]
    corners: NDArray[np.float64]


class Places(NamedTuple):
    """Places of further pieces: the arrangement, the piece, its pose there, and what that would be worth."""

    states: NDArray[np.int64]
    pieces: NDArray[np.int64]
    turns: NDArray[np.complex128]
    shifts: NDArray[np.complex128]
    scores: NDArray[np.float64]


class Taste(NamedTuple):
    """What emptiness costs and a rim is worth; how many arrangements there are, of a root, tries of each."""

    emptiness: float
    rim_worth: float
    width: int
    of_a_root: int
    tries: int


@compiled
def empty_beam(width: int, pieces: int, joints: int) -> Beam:
    return Beam(
        np.zeros((width, pieces), dtype=np.bool_),
        np.ones((width, pieces), dtype=np.complex128),
        np.zeros((width, pieces), dtype=np.complex128),
        np.zeros(width, dtype=np.int64),
        np.zeros(width, dtype=np.int64),
        np.zeros(width),
        np.full(width, -np.inf),
        np.full((width, joints), -np.inf),
        np.zeros((width, joints)),
    )


@compiled
def sown(
    shapes: Shapes, outer: Outer, links: Links, roots: NDArray[np.int64], rules: Rules, taste: Taste
) -> Beam:
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
        piece, turn, shift = _placed(links, alone, 0, j)
        _grow(shapes, outer, alone, 0, piece, turn, shift, beam, k, rules, taste)
        _look_about(shapes, links, beam, k, True, rules)
    return beam


@compiled
def planted(shapes: Shapes, links: Links, clusters: Clusters, label: int, rules: Rules) -> Beam:
    """One arrangement that is there already: a cluster."""
    beam = empty_beam(1, len(clusters.labels), len(links.first))
    beam.inner[0], beam.turns[0], beam.shifts[0] = clusters.labels == label, clusters.turns, clusters.shifts
    beam.newest[0] = clusters.heads[label]
    pairs, _ = bonds(shapes, clusters, rules.tolerance, rules.stride)
    for p in range(len(clusters.labels)):
        for q in range(p):
            if beam.inner[0, p] and beam.inner[0, q]:
                beam.contact[0] += pairs[p, q]
    _look_about(shapes, links, beam, 0, True, rules)
    return beam


@compiled
def grown_by_one(
    shapes: Shapes,
    outer: Outer,
    links: Links,
    beam: Beam,
    keys: NDArray[np.int64],
    rules: Rules,
    taste: Taste,
) -> Beam:
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
        _grow(shapes, outer, beam, b, piece, turn, shift, following, kept, rules, taste)
        marks[kept] = mark
        of_root[root] += 1
        kept += 1
    for b in range(kept):
        _look_about(shapes, links, following, b, False, rules)
    return _first(following, kept)


@compiled
def _first(beam: Beam, count: int) -> Beam:
    return Beam(
        beam.inner[:count],
        beam.turns[:count],
        beam.shifts[:count],
        beam.root[:count],
        beam.newest[:count],
        beam.contact[:count],
        beam.worth[:count],
        beam.added[:count],
        beam.corners[:count],
    )


@compiled
def _placed(links: Links, beam: Beam, b: int, j: int) -> tuple[int, complex, complex]:
    """The piece at the end of a joint that is not in an arrangement, and its pose there."""
    first, second = links.first[j], links.second[j]
    if beam.inner[b, first]:
        turn = beam.turns[b, first]
        return second, turn * links.turns[j], turn * links.shifts[j] + beam.shifts[b, first]
    turn = beam.turns[b, second] * links.turns[j].conjugate()
    return first, turn, beam.shifts[b, second] - turn * links.shifts[j]


@compiled
def _tried(
    shapes: Shapes,
    outer: Outer,
    links: Links,
    beam: Beam,
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
        piece, turn, shift = _placed(links, beam, b, j)
        if _is_known(shapes, found, begin, count, piece, turn, shift):
            continue
        tries += 1
        turn, shift = _fitted(shapes, beam, b, piece, turn, shift, rules)
        if _is_known(shapes, found, begin, count, piece, turn, shift):
            continue
        worth, met = _shared(shapes, beam, b, piece, turn, shift, -1, rules.tolerance, rules)
        if worth + corner_worth(met) < rules.least:
            continue
        inner[piece], turns[piece], shifts[piece] = True, turn, shift
        looks = _looks(outer, inner, turns, shifts, taste)
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
def _fitted(
    shapes: Shapes, beam: Beam, b: int, piece: int, turn: complex, shift: complex, rules: Rules
) -> tuple[complex, complex]:
    """The pose of a piece at which it lies best against all pieces of an arrangement."""
    for wide in FIT:
        tolerance = wide * rules.tolerance
        matrix, right = np.zeros((3, 3)), np.zeros(3)
        count, middle = 0, 0.0 + 0.0j
        for p in range(beam.inner.shape[1]):
            if beam.inner[b, p]:
                frame, origin = beam.turns[b, p], beam.shifts[b, p]
                back = frame.conjugate()
                t, s = back * turn, back * (shift - origin)
                if are_near(shapes, p, piece, t, s, tolerance):
                    more, where = pull(
                        shapes, p, piece, t, s, frame, origin, tolerance, rules.stride, matrix, right
                    )
                    count, middle = count + more, middle + where
        if count * rules.stride < RUN_POINTS:
            break
        turn, shift = pulled(turn, shift, count, middle, matrix, right)
    return turn, shift


@compiled
def _shared(
    shapes: Shapes,
    beam: Beam,
    b: int,
    piece: int,
    turn: complex,
    shift: complex,
    only: int,
    tolerance: float,
    rules: Rules,
) -> tuple[float, float]:
    """What a further piece shares with those of an arrangement, or one of them, and corners that meet."""
    total, corners = 0.0, 0.0
    for looking in (True, False):  # most places are ruled out by a quick look
        for p in range(beam.inner.shape[1]):
            if beam.inner[b, p] and only in (-1, p):
                back = beam.turns[b, p].conjugate()
                t, s = back * turn, back * (shift - beam.shifts[b, p])
                if looking:
                    if pair_collides(shapes, p, piece, t, s, tolerance):
                        return -np.inf, 0.0
                else:
                    worth, met = pair_worth(
                        shapes, p, piece, t, s, tolerance, rules.stride, rules.most_inside
                    )
                    if worth == -np.inf:
                        return worth, 0.0
                    total, corners = total + worth, corners + met
    return total, corners


@compiled
def _is_double(
    shapes: Shapes,
    beam: Beam,
    b: int,
    piece: int,
    turn: complex,
    shift: complex,
    mark: int,
    following: Beam,
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


@compiled
def _grow(
    shapes: Shapes,
    outer: Outer,
    beam: Beam,
    b: int,
    piece: int,
    turn: complex,
    shift: complex,
    following: Beam,
    to: int,
    rules: Rules,
    taste: Taste,
) -> None:
    """Write an arrangement with a piece added, at rest."""
    pieces = beam.inner.shape[1]
    following.inner[to], following.turns[to], following.shifts[to] = (
        beam.inner[b],
        beam.turns[b],
        beam.shifts[b],
    )
    following.inner[to, piece] = True
    following.turns[to, piece], following.shifts[to, piece] = turn, shift
    following.root[to], following.newest[to] = beam.root[b], piece
    following.added[to], following.corners[to] = beam.added[b], beam.corners[b]
    clusters = Clusters(
        np.arange(pieces),
        following.turns[to],
        following.shifts[to],
        np.empty(pieces, dtype=np.int64),
        np.empty(pieces, dtype=np.int64),
    )
    clusters.labels[following.inner[to]] = piece
    relisted(clusters)
    for wide, steps in RELAXED:
        relax(shapes, clusters, piece, wide * rules.tolerance, steps, np.ones(pieces, dtype=np.bool_))
    pairs, _ = bonds(shapes, clusters, rules.tolerance, rules.stride)
    following.contact[to] = pairs.sum() / 2.0
    looks = _looks(outer, following.inner[to], following.turns[to], following.shifts[to], taste)
    following.worth[to] = following.contact[to] + looks


@compiled
def _looks(
    outer: Outer,
    inner: NDArray[np.bool_],
    turns: NDArray[np.complex128],
    shifts: NDArray[np.complex128],
    taste: Taste,
) -> float:
    """What pieces that lie so are worth for how they look, where no target tells."""
    if len(outer.areas) < len(inner):
        return 0.0
    empty, rim = looks_within(outer, inner, turns, shifts)
    return taste.rim_worth * rim - taste.emptiness * empty


@compiled
def _look_about(shapes: Shapes, links: Links, beam: Beam, b: int, all_new: bool, rules: Rules) -> None:
    """What further pieces would share with an arrangement whose newest piece, or all of it, is new."""
    new = beam.newest[b]
    for j in range(len(links.first)):
        u, v = links.first[j], links.second[j]
        if beam.inner[b, u] == beam.inner[b, v] or links.liking[j] <= 0.0:
            continue
        is_fresh = all_new or new == (u if beam.inner[b, u] else v)
        if is_fresh:
            beam.added[b, j], beam.corners[b, j] = 0.0, 0.0
        if beam.added[b, j] > -np.inf:
            piece, turn, shift = _placed(links, beam, b, j)
            worth, met = _shared(
                shapes, beam, b, piece, turn, shift, -1 if is_fresh else new, WIDE * rules.tolerance, rules
            )
            beam.added[b, j] += worth
            beam.corners[b, j] += met


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

    def _best_of(self, beam: Beam, taste: Taste) -> Arrangement:
        """The best arrangement while a beam grows; by the time that ``stop`` says so, if it does."""
        count = beam.inner.shape[1]
        keys: NDArray[np.int64] = np.random.default_rng(count).integers(1, 2**62, count)
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

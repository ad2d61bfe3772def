"""Sets with pieces that belong to something else: those are found, and left out.

The pieces of a puzzle have the target's area. Where they have more, the surplus is the area of what does
not belong; few sets of pieces have just that area, and each is left out in turn until the rest is solved.
Where pieces are lost as well, areas tell nothing, and what fits nowhere, or lies loose, is left out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, islice

import numpy as np
import shapely
from shapely import Polygon

from sherd.core.assembly import Assembly
from sherd.core.geometry import size_of
from sherd.core.in_target import explained_by_gaps
from sherd.core.kerf import grow, likely_kerf, likely_scale, scaled
from sherd.core.metrics import measure
from sherd.core.puzzle import Puzzle
from sherd.core.verdict import Tolerance
from sherd.layout.holding import fits_closely, loose_pieces
from sherd.layout.layout import Layout, lay_out
from sherd.solvers.base import OnProgress, Proposal, Result
from sherd.solvers.run import Assembler
from sherd.solvers.stop import AnyOf, MaxSeconds, Stop
from sherd.solvers.straightness import are_straight
from sherd.workshop.closing import close_gaps
from sherd.workshop.proposal import JobProposal

# A surplus above this share of the target's area is more than worn or traced outlines make.
LEAST_SURPLUS = 0.002
# By how much the pieces left out may miss the surplus, as a share of the target's area.
SET_AREA_SLACK = 0.01
# The most pieces that are taken for foreign, and the most sets of them that are tried.
MOST_FOREIGN = 3
MOST_SETS = 12
# An assembly this good needs no comparison with others.
EXACT_IOU = 1.0 - 1e-4
# Pieces are grown by what a cut may have taken for this share of the time, and must fill the target so well.
CUT_SHARE = 0.2
GLANCE_SHARE = 0.05
CUT_IOU = 0.995
# Pieces with this share of the target's area fill it, but for wear; the verdict looks at the gaps.
FILLED = 0.98
# Why a piece needs no place.
SURPLUS = "foreign: its area is too much"
NOT_MISSED = "foreign: the others fit without it"
NOT_HELD = "foreign: nothing holds it"
# Sets of three, and of two to try one by one, among more pieces than this are too many.
MOST_FOR_THREE = 150
MOST_FOR_TWO = 16


def surplus(puzzle: Puzzle) -> float:
    """How much more area than the target the pieces have, as a share of the target's."""
    return float(_areas(puzzle).sum()) / puzzle.target.area - 1.0


def foreign_sets(puzzle: Puzzle) -> Iterator[frozenset[str]]:
    """Ids of pieces whose area is that of the surplus, the best match first, small sets before large ones."""
    areas = _areas(puzzle)
    excess = float(areas.sum()) - puzzle.target.area
    count = len(areas)
    most = MOST_FOREIGN if count <= MOST_FOR_THREE else MOST_FOREIGN - 1
    found: list[tuple[float, int, tuple[int, ...]]] = []
    for size in range(1, min(most, count - 1) + 1):
        sets = np.array(list(combinations(range(count), size)))
        misses = np.abs(areas[sets].sum(axis=1) - excess) / puzzle.target.area
        for k in np.flatnonzero(misses <= SET_AREA_SLACK).tolist():
            # Matches within a thousandth of the slack are equally good: then the smaller set is likelier.
            rank = math.ceil(float(misses[k]) / SET_AREA_SLACK * 1000.0)
            found.append((rank, size, tuple(sets[k].tolist())))
    for _, _, members in sorted(found):
        yield frozenset(puzzle.fragments[k].id for k in members)


def assemble_own(
    assembler: Assembler,
    puzzle: Puzzle,
    *,
    seconds: float,
    rng: np.random.Generator,
    most: int | None = None,
    stop: Stop | None = None,
    on_progress: OnProgress | None = None,
) -> JobProposal:
    """As the assembler does, but pieces that do not belong are left out, and the reason is given.

    Where areas add up, all belong. So do they where a cut took what is not there, or a scale is off: pieces
    grown by half of it, or scaled, fill the target. Pieces that are torn or curved are told by what fits, not
    by areas, which are seldom exact. Where there is more, sets that have the surplus are left out: the first
    whose rest is solved exactly is taken or, of rough outlines, the one whose rest fits best when the time is
    up. Where that solves nothing, or there is less, some may be foreign and others lost: what found no place
    is left out, then any one piece, then any two, until a rest is solved and lies firmly. Of several the one
    that fills most of the target is taken. All of it ends after ``seconds``.
    """
    limit, solves = MaxSeconds(seconds), list[tuple[str, Result]]()

    def put_together(puzzle: Puzzle, what: str, seconds: float) -> tuple[str, Result]:
        solver, result = assembler(
            puzzle, seconds=seconds, rng=rng, most=most, stop=stop, on_progress=on_progress
        )
        solves.append((what, result))
        return solver, result

    def proposed(solver: str, kept: Result, proposal: Proposal, excused: Mapping[str, str]) -> JobProposal:
        """The proposal with the attempts of all solves, those of the one that is kept last."""
        others = (
            replace(one, name=f"{what}: {one.name}")
            for what, result in solves
            if result is not kept
            for one in result.attempts
        )
        return JobProposal(solver, replace(proposal, attempts=(*others, *kept.attempts)), excused)

    closing = limit if stop is None else AnyOf((limit, stop))
    over = surplus(puzzle)
    if abs(over) <= LEAST_SURPLUS or not are_straight(puzzle):
        solver, result = put_together(puzzle, "all pieces", seconds)
        found = result if result.solved else close_gaps(puzzle, result, closing)
        return JobProposal(solver, found, _not_missed(puzzle, found.assembly))
    if (resized := _in_other_sizes(puzzle, put_together, seconds)) is not None:
        return resized
    best: _Rest | None = None

    def is_over() -> bool:
        return best is not None and (limit(0) or (stop is not None and stop(best.result.evaluations)))

    def without(left_out: frozenset[str], why: str, share: float) -> _Rest:
        own = tuple(fragment for fragment in puzzle.fragments if fragment.id not in left_out)
        what = f"without {', '.join(sorted(left_out))}" if left_out else "all pieces"
        left = share * limit.seconds_left
        solver, result = put_together(replace(puzzle, fragments=own), what, left)
        found = _Rest(puzzle, solver, result, dict.fromkeys(sorted(left_out), why))
        return found if best is None or found.worth > best.worth else best

    sets = list(islice(foreign_sets(puzzle), MOST_SETS)) if over > 0.0 else []
    for left_out in sets:
        if is_over():
            break
        best = without(left_out, SURPLUS, 0.5)  # so that the likeliest sets get the most
        if best.result.solved and best.iou >= EXACT_IOU:
            break
    if best is None or not (best.is_firm and best.is_close):
        best = without(frozenset(), "", 0.3)
        count = 0
        for left_out, share in _few(puzzle, best):
            enough = best.is_firm and (best.is_close or len(left_out) > 1)
            if is_over() or (enough and len(left_out) > count):
                break
            best, count = without(left_out, NOT_MISSED, share), len(left_out)
    assert best is not None
    # The first look had a share of the time, which compiling alone may take.
    if not (best.is_solved or is_over()):
        resized = _in_other_sizes(puzzle, put_together, limit.seconds_left)
        if resized is not None:
            return resized
    firm = tuple(placement for placement in best.result.assembly if placement.id not in best.loose)
    # Other sets of the same area might be left out too, and not all assemblies of those are known.
    alone = best.result.all_found and len(sets) == 1
    found = replace(best.result, assembly=Assembly(firm), all_found=alone)
    proposal = found if best.result.solved else close_gaps(puzzle, found, closing)
    return proposed(best.solver, best.result, proposal, best.excused)


def _not_missed(puzzle: Puzzle, assembly: Assembly) -> dict[str, str]:
    """The pieces without a place, and why they need none, where the others fill the target."""
    placed = sum(puzzle[placement.id].polygon.area for placement in assembly)
    if placed < FILLED * puzzle.target.area:
        return {}
    return {one.id: NOT_MISSED for one in puzzle.fragments if one.id not in assembly}


@dataclass(frozen=True)
class _Rest:
    """What a solver made of a puzzle's pieces without those that were left out, and why they were."""

    puzzle: Puzzle
    solver: str
    result: Result
    left_out: Mapping[str, str]

    @property
    def excused(self) -> dict[str, str]:
        """The pieces that need no place: loose ones and, if the rest is solved, those that were left out."""
        return {
            **dict.fromkeys(sorted(self.loose), NOT_HELD),
            **(self.left_out if self.result.solved else {}),
        }

    @cached_property
    def _layout(self) -> Layout:
        return lay_out(self.puzzle, self.result.assembly)

    @cached_property
    def loose(self) -> frozenset[str]:
        """The pieces that nothing holds where they lie."""
        return loose_pieces(self._layout)

    @cached_property
    def iou(self) -> float:
        """How well the placed pieces fill the target."""
        return measure(self.result.assembly, self.puzzle).iou

    @property
    def is_firm(self) -> bool:
        """Whether all its pieces are placed, and held."""
        return self.is_solved and not self.loose

    @cached_property
    def is_solved(self) -> bool:
        """Whether the rest is, and no gap is left that a piece left out could fill."""
        return self.result.solved and not explained_by_gaps(self.puzzle, self.result.assembly, self.excused)

    @cached_property
    def is_close(self) -> bool:
        """Whether its pieces lie along each other, as drawn ones do; worn ones do not."""
        return fits_closely(self._layout)

    @cached_property
    def worth(self) -> tuple[bool, bool, bool, float]:
        """What is solved and firm is worth most, then what fits closely, then what fills the target best.

        Of unsolved ones the fullest: few pieces lie closely whatever is left out.
        """
        return self.is_solved, self.is_firm, self.is_solved and self.is_close, self.iou


def _few(puzzle: Puzzle, partial_rest: _Rest) -> Iterator[tuple[frozenset[str], float]]:
    """Sets of few pieces to be left out, the likeliest first, and the share of the time left for each."""
    everything = frozenset(fragment.id for fragment in puzzle.fragments)
    unplaced = everything - {placement.id for placement in partial_rest.result.assembly}
    few = min(MOST_FOREIGN, len(everything) - 1)
    suspects = [one for one in (unplaced, partial_rest.loose) if 0 < len(one) <= few]
    most = min(2 if len(everything) <= MOST_FOR_TWO else 1, len(everything) - 1)
    sets = [frozenset(one) for k in range(1, most + 1) for one in combinations(sorted(everything), k)]
    for left_out in sorted({*sets, *suspects}, key=lambda one: (len(one), one not in suspects, sorted(one))):
        yield left_out, 0.3 if left_out in suspects else 3.0 / len(sets)


@dataclass(frozen=True)
class _OtherSize:
    """A puzzle whose pieces have other sizes, in words, and how far that moves their outlines."""

    puzzle: Puzzle
    words: str
    off: float


def _in_other_sizes(
    puzzle: Puzzle, put_together: Callable[[Puzzle, str, float], tuple[str, Result]], seconds: float
) -> JobProposal | None:
    """The places of pieces that fill the target once a cut is made up for, or a scale that is off.

    Where areas differ by as much as a piece, one may be lost or foreign, and only what fits exactly counts.
    """
    areas = _areas(puzzle)
    is_less = abs(puzzle.target.area - areas.sum()) < areas.min()
    share, enough = (CUT_SHARE, CUT_IOU) if is_less else (GLANCE_SHARE, EXACT_IOU)
    found: list[tuple[float, str, Result, _OtherSize]] = []
    for other in _other_sizes(puzzle):
        solver, result = put_together(other.puzzle, other.words, share * seconds)
        iou = measure(result.assembly, other.puzzle).iou
        if result.solved and iou >= enough:
            found.append((iou, solver, result, other))
        if iou >= EXACT_IOU:
            break
    if not found:
        return None
    _, solver, result, best = max(found, key=lambda one: one[0])
    off = Tolerance.of_corners(best.off / puzzle.size)
    wider = replace(
        result.tolerance,
        seam=max(off.seam, result.tolerance.seam),
        depth=max(off.depth, result.tolerance.depth),
    )
    return JobProposal(solver, replace(result, tolerance=wider), taken_for=best.words)


def _other_sizes(puzzle: Puzzle) -> Iterator[_OtherSize]:
    """The puzzle with pieces of the target's area, by what a cut took and by scale, if likely."""
    outlines = [fragment.polygon for fragment in puzzle.fragments]

    def changed(by: Callable[[Polygon], Polygon]) -> Puzzle:
        return replace(puzzle, fragments=tuple(replace(p, polygon=by(p.polygon)) for p in puzzle.fragments))

    if kerf := likely_kerf(outlines, puzzle.target):
        grown = changed(lambda polygon: grow(polygon, kerf / 2.0))
        yield _OtherSize(grown, f"as if cut with a kerf of {kerf:.3g}", abs(kerf) / 2.0)
    if (scale := likely_scale(outlines, puzzle.target)) != 1.0:
        reach = abs(scale - 1.0) * max(map(size_of, outlines))
        percent = f"{abs(1.0 / scale - 1.0):.2%} too {'large' if scale < 1.0 else 'small'}"
        yield _OtherSize(
            changed(lambda polygon: scaled(polygon, scale)), f"{percent} (scale {scale:.5g})", reach
        )


def _areas(puzzle: Puzzle) -> np.ndarray:
    return np.asarray(shapely.area([fragment.polygon for fragment in puzzle.fragments]))

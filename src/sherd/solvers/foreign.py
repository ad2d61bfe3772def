"""Sets with pieces that belong to something else: those are found by area, and left out.

The pieces of a puzzle have the target's area. Where they have more, the surplus is the area of what does
not belong; few sets of pieces have just that area, and each is left out in turn until the rest is solved.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, islice

import numpy as np
import shapely

from sherd.metrics import measure
from sherd.puzzle import Puzzle
from sherd.solvers.base import Result
from sherd.solvers.run import Assembler
from sherd.solvers.stop import Stop

# A surplus above this share of the target's area is more than worn or traced outlines make.
LEAST_SURPLUS = 0.002
# By how much the pieces left out may miss the surplus, as a share of the target's area.
AREA_SLACK = 0.01
# At most so many pieces are taken for foreign, and so many sets of them are tried.
MOST_FOREIGN = 3
MOST_SETS = 12
# An assembly this good needs no comparison with others.
EXACT_IOU = 1.0 - 1e-4
# Sets of three among more pieces than this are too many to look at.
MOST_FOR_THREE = 150


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
        for k in np.flatnonzero(misses <= AREA_SLACK).tolist():
            # Matches within a thousandth of the slack are equally good: then the smaller set is likelier.
            rank = math.ceil(float(misses[k]) / AREA_SLACK * 1000.0)
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
) -> tuple[str, Result]:
    """As the assembler does, but where the pieces have more area than fits, some of them are left out.

    Those are then not in the assembly. The first set whose rest is solved exactly is taken; where outlines
    are rough, sets are tried until the time is up, and the one whose rest fits best is taken.
    """
    if surplus(puzzle) <= LEAST_SURPLUS:
        return assembler(puzzle, seconds=seconds, rng=rng, most=most, stop=stop)
    started = time.perf_counter()
    best: tuple[tuple[bool, float], str, Result] | None = None
    sets = list(islice(foreign_sets(puzzle), MOST_SETS))
    for k, left_out in enumerate([*sets, frozenset[str]()]):
        passed = time.perf_counter() - started
        if best is not None and (passed >= seconds or (stop is not None and stop(best[2].evaluations))):
            break
        own = tuple(fragment for fragment in puzzle.fragments if fragment.id not in left_out)
        # Half of what is left to each, so that the likeliest sets get the most.
        share = max(seconds - passed, 0.0) / (1.0 if k == len(sets) else 2.0)
        name, result = assembler(replace(puzzle, fragments=own), seconds=share, rng=rng, most=most, stop=stop)
        worth = (result.solved, measure(result.assembly, puzzle).iou)
        if best is None or worth > best[0]:
            # Other sets of the same area might be left out too, and not all assemblies of those are known.
            alone = result.all_found and len(sets) == 1
            best = worth, name, replace(result, all_found=alone)
        if result.solved and worth[1] >= EXACT_IOU:
            break
    assert best is not None
    return best[1], replace(best[2], seconds=time.perf_counter() - started)


def _areas(puzzle: Puzzle) -> np.ndarray:
    return np.asarray(shapely.area([fragment.polygon for fragment in puzzle.fragments]))

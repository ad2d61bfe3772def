"""The geometric search: gluing where the pieces fit exactly, filling corner by corner where they do not."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from shapely import Polygon

from sherd.assembly import Assembly
from sherd.geometry import Pose, angle_between, size_of
from sherd.puzzle import Puzzle, without_slivers
from sherd.solvers.base import OnProgress, Progress, Result
from sherd.solvers.refine import RefineParams, refine
from sherd.solvers.search.alternatives import Others, find_all
from sherd.solvers.search.fill import Tolerance, fill
from sherd.solvers.search.gap import leave_gap
from sherd.solvers.search.glue import Beam, Part, glue, glue_some
from sherd.solvers.search.leftover import lay_leftover
from sherd.solvers.search.outline import Outline, ring_of
from sherd.solvers.search.reason import reason
from sherd.solvers.search.rough import Roughness, assemble_rough
from sherd.solvers.search.tile import ANY, areas_add_up, tile, tile_at_once, tile_thoroughly
from sherd.solvers.search.verdict import Answer, depth_of, is_solved, judged, lies_tightly, lies_within
from sherd.solvers.search.worn import is_worn
from sherd.solvers.stop import AnyOf, MaxEvaluations, MaxQuestions, Resumed, Stop

# A puzzle, a tolerance and a stop rule to poses by piece number, and how many evaluations they took.
Attempt = Callable[[Puzzle, float, Stop], tuple[dict[int, Pose], int]]


# Outlines known worse than this share of the target's size are traced.
TRACED = 1e-4
WIDE = Beam(width=16, ways=6)
# So many placements show whether nothing but a lost piece is wrong.
FEW = 30
# A gap that is one convex piece is looked for in so many ways; rectangles can leave it in very many places.
GAP_WAYS = 1000
# Where nothing is known about how far outlines are off, tiling is no looser than this.
LOOSEST = 2e-3
# Wear and tracing make a convex piece's hull larger by no more: eroded pieces of 32 came to 1.10.
MOST_BENT = 1.15
# Parts of a chart that lacks joints are held against regions so often, at first and later; later they may
# leave this share of the target open.
FEW_FITS, MANY_FITS = 200_000, 1_000_000
MOST_OPEN = 0.05
# Most puzzles need few joints if the guess is right, so guesses up to this size are tried with few first.
HASTY_JOINTS = 400
HASTY_SIZE = 0.01
# Where pieces overlap more than they should by chance, so many assemblies of a guess are refined and weighed,
# if they cost no more than this above the likeliest, and so many looser guesses are tried. Assemblies that
# differ by less than this share of the target's size, and this angle in radians, are weighed once.
MOST_WEIGHED = 3
DEAREST = 5.0
LOOSER = 1
ALIKE = 0.006
ALIKE_ANGLE = 0.1
# When time is up and nothing is placed, tiling goes on until it has asked so often whether to stop: a
# fraction of a second, whatever the pieces. No clock is read, so that every machine gives the same answer.
LAST_QUESTIONS = 4
# So does refining what was laid last.
LAST_POLISH = 1000
# Pieces that have less of the target's area than all but this share are not all there.
LOST_AREA = 1e-3


# Beliefs say where pieces are to about this, as a share of the target's size; refinement goes on from there.
POLISH = RefineParams(first_step=4e-3, last_step=5e-4)
# Many pieces would take seconds to refine to the end, for next to nothing.
MOST_POLISH = 5000
ROUGH = tuple(
    Roughness(size=size, traced=traced, joints=3000)
    for traced, sizes in (
        (True, (0.0006, 0.008, 0.01, 0.012, 0.018)),
        (False, (0.002, 0.005, 0.01, 0.015, 0.02)),
    )
    for size in sizes
)


@dataclass(frozen=True, kw_only=True)
class SearchParams:
    """The ladders of tolerances, from tight to loose, as shares of the target's size.

    Gluing is for exact outlines and those traced from grey masks; what is worse is ``rough``, climbed
    once for each number of ``patience`` with so many times its joints. Filling allows angles to be off by
    ``angle_factor`` times as much, in radians, since edges are short beside the target. Tiling is for exact
    pieces and takes what it can at once; only when pieces that must be exact, by their area, neither tile
    quickly nor glue, is every way tried. ``loose`` rungs of tiling end where the puzzle tells its tolerance.
    """

    tile: tuple[float, ...] = (1e-8, 1e-6, 1e-5, 1e-4)
    loose: tuple[float, ...] = (2e-4, 4e-4, 7e-4, 1e-3, 2e-3, 4e-3, 8e-3)
    glue: tuple[float, ...] = (1e-9, 1e-6, 1e-4, 3e-4)
    rough: tuple[Roughness, ...] = ROUGH
    patience: tuple[int, ...] = (1, 2, 6, 30)
    fill: tuple[float, ...] = (1e-6, 1e-3)
    angle_factor: float = 20.0


class SearchSolver:
    """Finds assemblies by geometry alone; nothing about it is random."""

    def __init__(self, params: SearchParams | None = None) -> None:
        self.params = params or SearchParams()
        self._ladder = self._attempts()

    def solve(
        self,
        puzzle: Puzzle,
        *,
        stop: Stop,
        rng: np.random.Generator,
        on_progress: OnProgress | None = None,
    ) -> Result:
        """Climb the ladders until all pieces lie within a rung's tolerance; else the best partial answer.

        Where the puzzle tells its own tolerance, nothing looser counts.
        """
        puzzle = without_slivers(puzzle)
        best, evaluations = Answer({}, 0.0), 0
        ended: set[tuple[bool, float]] = set()
        tolerated = math.inf if puzzle.tolerance is None else puzzle.tolerance / size_of(puzzle.target)
        for attempt, rung, depth in self._ladder:
            if stop(evaluations):
                break
            guess = _guess_of(attempt)
            if guess is not None and (guess.traced, guess.size) in ended:
                continue
            poses, tried = attempt(puzzle, rung, Resumed(stop, evaluations))
            evaluations += tried
            if guess is not None and tried < guess.joints and len(poses) == len(puzzle.fragments):
                ended.add((guess.traced, guess.size))  # with more joints it would end with the same
            answer = judged(puzzle, poses)
            if answer.coverage > best.coverage:
                best = answer
                if on_progress is not None:
                    assembly = _assembly(puzzle, best.poses)
                    on_progress(Progress(assembly=assembly, objective=best.coverage, evaluations=evaluations))
            # What covers most may hide a piece on another, where what fits better covers less.
            for one in (best, answer):
                if is_solved(puzzle, one, min(rung, tolerated), depth):
                    return _result(puzzle, one, evaluations)
        if evaluations > 0 and not best.poses:
            # Whatever is wrong, pieces that fill a corner each are soon laid, and are better than nothing.
            soon = MaxQuestions(LAST_QUESTIONS)
            poses, _ = tile(puzzle, self.params.tile[0], soon, most=1, quick=False, whatever_areas=True)
            best = judged(puzzle, poses)
        if not any(_bends_inward(fragment.polygon) for fragment in puzzle.fragments):
            more = lay_leftover(puzzle, best.poses)
            if len(more) > len(best.poses):
                best = judged(puzzle, _polished(puzzle, more, MaxEvaluations(LAST_POLISH)))
        exact = self.params.tile[0]
        if areas_add_up(puzzle, exact) and is_solved(puzzle, best, min(exact, tolerated), depth_of(exact)):
            return _result(puzzle, best, evaluations)  # what was laid last fills the target
        why = reason(puzzle, best.poses, tries=evaluations, stopped=stop(evaluations))
        return _result(puzzle, best, evaluations, why)

    def solve_all(
        self,
        puzzle: Puzzle,
        *,
        most: int,
        stop: Stop,
        rng: np.random.Generator,
        on_progress: OnProgress | None = None,
    ) -> Result:
        """The first assembly and, of exact puzzles, others until there are ``most`` or none are left."""
        if most < 1:
            raise ValueError(f"at least 1 assembly must be asked for, not {most}")
        puzzle = without_slivers(puzzle)
        result = self.solve(puzzle, stop=stop, rng=rng, on_progress=on_progress)
        if not result.solved:
            return result
        assemblies: tuple[Assembly, ...] = (result.assembly,)
        all_found, evaluations = False, result.evaluations
        # Rounded outlines may lie within a rung in one assembly and not in another, so that all are known
        # only when a looser rung shows no more.
        is_exhausted = False
        for rung in (rung for rung in self.params.tile if lies_within(puzzle, result.objective, rung)):
            make, rest = partial(_assembly, puzzle), Resumed(stop, evaluations)
            assemblies, others, tried = find_all(puzzle, assemblies, rung, make, most=most, stop=rest)
            evaluations += tried
            all_found = is_exhausted and others is Others.NONE
            if all_found or others is Others.MAYBE:
                break
            is_exhausted = others is Others.NONE
        return replace(result, alternatives=assemblies[1:], all_found=all_found, evaluations=evaluations)

    def _attempts(self) -> list[tuple[Attempt, float, float]]:
        """What is tried, in turn, with which tolerance, and how deep pieces may lie in each other then."""
        params = self.params
        tiled: list[Attempt] = [tile_at_once, tile_thoroughly]
        with_parts = partial(_filled_with_parts, angle_factor=params.angle_factor)
        filled = partial(_filled, angle_factor=params.angle_factor)
        # Only area speaks for parts that are laid without their joints: at first it has to be nearly all.
        hasty = [replace(rough, joints=HASTY_JOINTS) for rough in params.rough if rough.size <= HASTY_SIZE]
        roughs = [
            replace(rough, fits=FEW_FITS if rough.traced else 0)
            if times == 1
            else replace(rough, joints=times * rough.joints, fits=MANY_FITS, most_open=MOST_OPEN)
            for times in params.patience
            for rough in params.rough
        ]
        exact = params.tile[0]
        quick: list[tuple[Attempt, float]] = [
            (tiled[0], exact),
            *((_glued, rung) for rung in params.glue if rung < TRACED),
            *((attempt, exact) for attempt in tiled[1:]),
            *((tiled[0], rung) for rung in params.tile[1:]),
            (_with_a_gap, params.fill[0]),
            *((_glued, rung) for rung in params.glue if rung >= TRACED),
            (partial(with_parts, most=FEW), params.fill[0]),
        ]
        wide: list[tuple[Attempt, float]] = [
            *((partial(_glued, beam=WIDE), rung) for rung in params.glue if rung >= TRACED),
            *((partial(_loosely, quick=True, only_told=True), rung) for rung in params.loose),
        ]
        patient: list[tuple[Attempt, float]] = [
            *((partial(_loosely, quick=True), rung) for rung in params.loose),
            *((attempt, rung) for rung in params.tile[1:] for attempt in tiled[1:]),
            *((_loosely, rung) for rung in params.loose),
            *((with_parts, rung) for rung in params.fill),
            *((filled, rung) for rung in params.fill),
        ]
        guesses: list[tuple[Attempt, float, float]] = [
            (partial(_roughly, roughness=rough, looser=self._looser(rough)), rough.seam, rough.depth)
            for rough in (*roughs[:1], *hasty, *roughs[1:])
        ]
        # The tightest guess does what the beam does for outlines from grey masks, in a tenth of the time.
        return [
            *((attempt, rung, depth_of(rung)) for attempt, rung in quick),
            *guesses[:1],
            *((attempt, rung, depth_of(rung)) for attempt, rung in wide),
            *guesses[1:],
            *((attempt, rung, depth_of(rung)) for attempt, rung in patient),
        ]

    def _looser(self, rough: Roughness) -> tuple[Roughness, ...]:
        """The next guesses at corners that are moved more."""
        return tuple(r for r in self.params.rough if not r.traced and r.size > rough.size)[:LOOSER]


def _glued(
    puzzle: Puzzle, rung: float, stop: Stop, *, beam: Beam | None = None
) -> tuple[dict[int, Pose], int]:
    """Poses by gluing, none where it leads nowhere."""
    if _has_holes(puzzle):
        return {}, 0
    return _best_glued(puzzle, *_outlines(puzzle, rung), rung, stop, beam or Beam())


def _roughly(
    puzzle: Puzzle, rung: float, stop: Stop, *, roughness: Roughness, looser: tuple[Roughness, ...] = ()
) -> tuple[dict[int, Pose], int]:
    """Poses by gluing rough outlines: of the likeliest assemblies, each refined, the one that covers most.

    Where it is solved but pieces overlap more than they should by chance, what ``looser`` guesses find is
    weighed against it.
    """
    if _has_holes(puzzle) or any(_bends_inward(fragment.polygon) for fragment in puzzle.fragments):
        return {}, 0
    best, joints, weighed = Answer({}, 0.0), 0, list[dict[int, Pose]]()
    for guess in (roughness, *looser):
        found = assemble_rough(puzzle, guess, Resumed(stop, joints))
        joints += found.joints
        if not found.wholes and guess is roughness:
            return found.some, joints
        likely = [whole.poses for whole in found.wholes if whole.cost <= found.wholes[0].cost + DEAREST]
        for poses in likely[:MOST_WEIGHED]:
            if any(_are_alike(puzzle, poses, others) for others in weighed):
                continue
            weighed.append(poses)
            answer = judged(puzzle, _polished(puzzle, poses, partial(_stops_after, stop, joints)))
            best = max(best, answer, key=lambda one: one.coverage)
            if lies_tightly(puzzle, best) or stop(joints):
                return best.poses, joints
        if not is_solved(puzzle, best, rung, roughness.depth):
            break
    return best.poses, joints


def _guess_of(attempt: Attempt) -> Roughness | None:
    """How rough pieces are taken to be, if an attempt is a guess at that."""
    if isinstance(attempt, partial) and attempt.func is _roughly:
        return attempt.keywords["roughness"]
    return None


def _stops_after(stop: Stop, spent: int, evaluations: int) -> bool:
    """Whether to stop, when refinement's own evaluations are not counted."""
    return stop(spent)


def _are_alike(puzzle: Puzzle, poses: dict[int, Pose], others: dict[int, Pose]) -> bool:
    """Whether refinement would make the same of two assemblies."""
    farthest = ALIKE * size_of(puzzle.target)
    return all(
        abs(pose.x - others[number].x) <= farthest
        and abs(pose.y - others[number].y) <= farthest
        and angle_between(pose.theta, others[number].theta) <= ALIKE_ANGLE
        for number, pose in poses.items()
    )


def _loosely(
    puzzle: Puzzle, rung: float, stop: Stop, *, quick: bool = False, only_told: bool = False
) -> tuple[dict[int, Pose], int]:
    """Poses by tiling rough outlines of any shape, refined on area, if the puzzle tolerates as much.

    If ``quick``, not every way is tried; if ``only_told``, none where the puzzle tells no tolerance.
    """
    size = size_of(puzzle.target)
    if only_told and puzzle.tolerance is None:
        return {}, 0
    if rung * size > (LOOSEST * size if puzzle.tolerance is None else puzzle.tolerance):
        return {}, 0
    poses, tried = tile_at_once(puzzle, rung, stop)
    if len(poses) < len(puzzle.fragments) and not quick:
        poses, more = tile_thoroughly(puzzle, rung, Resumed(stop, tried))
        tried += more
    if len(poses) < len(puzzle.fragments):
        return poses, tried
    return _polished(puzzle, poses, lambda evaluations: stop(tried)), tried


def _polished(puzzle: Puzzle, poses: dict[int, Pose], stop: Stop) -> dict[int, Pose]:
    """The poses refined on area."""
    limited = AnyOf((stop, MaxEvaluations(MOST_POLISH)))
    refined = refine(puzzle, _assembly(puzzle, poses), stop=limited, params=POLISH)
    numbers = {fragment.id: number for number, fragment in enumerate(puzzle.fragments)}
    return {numbers[placement.id]: placement.pose for placement in refined}


def _best_glued(
    puzzle: Puzzle, pieces: list[Outline], target: Outline, rung: float, stop: Stop, beam: Beam
) -> tuple[dict[int, Pose], int]:
    """Of all ways in which the outlines can be glued, the one that covers most; each is an evaluation."""
    best, ways = Answer({}, 0.0), 0
    uncertainty = rung * size_of(puzzle.target)
    for poses in glue(pieces, target, puzzle.rotations, uncertainty, beam=beam, stop=lambda: stop(1)):
        answer, ways = judged(puzzle, poses), ways + 1
        best = max(best, answer, key=lambda one: one.coverage)
        if is_solved(puzzle, best, rung, depth_of(rung)) or stop(ways):
            break
    return best.poses, max(1, ways)


def _filled_with_parts(
    puzzle: Puzzle, rung: float, stop: Stop, *, angle_factor: float, most: int | None = None
) -> tuple[dict[int, Pose], int]:
    """Poses by filling with what can be glued before: a lost piece leaves the others fitting each other.

    At ``most`` so many placements are tried; then it is not tried at all unless most pieces could be glued
    and none is worn, which takes area too.
    """
    if most is not None and any(is_worn(ring_of(fragment.polygon)) for fragment in puzzle.fragments):
        return {}, 0
    parts, _ = _parts_around_a_gap(puzzle, rung, stop)
    if not parts or (most is not None and len(parts) > 1 + len(puzzle.fragments) // 2):
        return {}, 0
    limited = stop if most is None else AnyOf((stop, MaxEvaluations(most)))
    outlines = [Polygon(part.outline.corners) for part in parts]
    mirror = _mirror(puzzle)
    together = [all(mirror[number] for number, _ in part.members) for part in parts]
    whole, tried = _fill(outlines, together, puzzle, rung, limited, angle_factor)
    return _unglued(parts, whole), tried


def _with_a_gap(puzzle: Puzzle, rung: float, stop: Stop) -> tuple[dict[int, Pose], int]:
    """Poses that leave one convex gap, that with the shortest outline: most of the others is in contact."""
    parts, target = _parts_around_a_gap(puzzle, rung, stop)
    if not parts:
        return {}, 0
    outlines, slack = [part.outline for part in parts], rung * size_of(puzzle.target)
    limited = AnyOf((stop, MaxEvaluations(GAP_WAYS)))
    gaps, tried = leave_gap(outlines, target, puzzle.rotations, slack, limited)
    best = min(gaps, key=lambda gap: gap.around, default=None)
    return ({} if best is None else _unglued(parts, best.poses)), max(1, tried)


def _parts_around_a_gap(puzzle: Puzzle, rung: float, stop: Stop) -> tuple[list[Part], Outline]:
    """What can be glued where a piece is lost, nothing where none is, and the target's outline."""
    pieces, target = _outlines(puzzle, rung)
    if _has_holes(puzzle) or _possible_coverage(puzzle) >= 1.0 - LOST_AREA:
        return [], target
    uncertainty = rung * size_of(puzzle.target)
    parts = glue_some(pieces, target, puzzle.rotations, uncertainty, stop=lambda: stop(1))
    return [sound for part in parts for sound in _sound_parts(part, puzzle)], target


def _sound_parts(part: Part, puzzle: Puzzle) -> list[Part]:
    """The part, or its pieces one by one if its outline crosses itself: then they were glued by mistake."""
    if Polygon(part.outline.corners).is_valid:
        return [part]
    return [
        Part(Outline(ring_of(puzzle.fragments[number].polygon)), ((number, Pose()),))
        for number, _ in part.members
    ]


def _unglued(parts: list[Part], poses: dict[int, Pose]) -> dict[int, Pose]:
    """The poses of the pieces, from those of the parts."""
    return {number: pose @ member for part, pose in poses.items() for number, member in parts[part].members}


def _filled(puzzle: Puzzle, rung: float, stop: Stop, *, angle_factor: float) -> tuple[dict[int, Pose], int]:
    if _possible_coverage(puzzle) >= 1.0 - LOST_AREA:
        return tile(puzzle, rung, stop, most=ANY, quick=False, whatever_areas=True)
    polygons = [fragment.polygon for fragment in puzzle.fragments]
    return _fill(polygons, _mirror(puzzle), puzzle, rung, stop, angle_factor)


def _fill(
    polygons: list[Polygon],
    mirror: list[bool],
    puzzle: Puzzle,
    rung: float,
    stop: Stop,
    angle_factor: float,
) -> tuple[dict[int, Pose], int]:
    found, tried = fill(
        polygons,
        puzzle.target,
        puzzle.rotations,
        Tolerance(length=rung * size_of(puzzle.target), angle=rung * angle_factor),
        mirror=mirror,
        stop=stop,
    )
    return dict(found.poses), tried


def _mirror(puzzle: Puzzle) -> list[bool]:
    return [puzzle.may_mirror(fragment.id) for fragment in puzzle.fragments]


def _outlines(puzzle: Puzzle, rung: float) -> tuple[list[Outline], Outline]:
    """The pieces' outlines and the target's, corners too blunt for the rung left out."""
    pieces = [Outline.of(ring_of(fragment.polygon), rung) for fragment in puzzle.fragments]
    return pieces, Outline.of(ring_of(puzzle.target), rung)


def _has_holes(puzzle: Puzzle) -> bool:
    return any(p.interiors for p in (puzzle.target, *(fragment.polygon for fragment in puzzle.fragments)))


def _bends_inward(polygon: Polygon) -> bool:
    """Whether a piece is not convex, and more so than wear makes it."""
    return polygon.convex_hull.area > MOST_BENT * polygon.area


def _possible_coverage(puzzle: Puzzle) -> float:
    """The share of the target that the pieces' areas could cover."""
    return min(1.0, sum(fragment.polygon.area for fragment in puzzle.fragments) / puzzle.target.area)


def _assembly(puzzle: Puzzle, poses: dict[int, Pose]) -> Assembly:
    """The placements from bottom to top, left to right: an order that a person can follow."""
    assembly = Assembly()
    for number, pose in sorted(poses.items(), key=lambda item: (round(item[1].y, 9), item[1].x)):
        assembly = assembly.place(puzzle.fragments[number].id, pose)
    return assembly


def _result(puzzle: Puzzle, best: Answer, evaluations: int, why: str = "") -> Result:
    """The answer as a result; without a reason against it, it is solved."""
    assembly = _assembly(puzzle, best.poses)
    return Result(
        assembly=assembly,
        solved=not why,
        objective=best.coverage,
        evaluations=evaluations,
        trace=tuple(Assembly(assembly.placements[: k + 1]) for k in range(len(assembly))),
        reason=why,
        set_aside=puzzle.set_aside,
    )

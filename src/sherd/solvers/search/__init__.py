"""The geometric search: gluing where the pieces fit exactly, filling corner by corner where they do not."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sherd.assembly import Assembly
from sherd.geometry import Pose, intersection, size_of, union
from sherd.puzzle import Puzzle
from sherd.solvers.base import OnProgress, Progress, Result
from sherd.solvers.search.fill import fill
from sherd.solvers.search.glue import Tolerance, glue
from sherd.solvers.search.outline import Outline, ring_of
from sherd.solvers.stop import Stop


@dataclass(frozen=True, kw_only=True)
class SearchParams:
    """The ladders of tolerances, from tight to loose, as shares of the target's size.

    Angles may be off by ``angle_factor`` times as much, in radians, since edges are short beside the target.
    """

    glue: tuple[float, ...] = (1e-9, 1e-6, 1e-4, 1e-3, 5e-3)
    fill: tuple[float, ...] = (1e-6, 1e-3)
    angle_factor: float = 20.0


class SearchSolver:
    """Finds exact assemblies by geometry alone; nothing about it is random."""

    def __init__(self, params: SearchParams | None = None) -> None:
        self.params = params or SearchParams()

    def solve(
        self,
        puzzle: Puzzle,
        *,
        stop: Stop,
        rng: np.random.Generator,
        on_progress: OnProgress | None = None,
    ) -> Result:
        """Try each rung of the ladders until all pieces lie within its tolerance; else the best partial."""
        best, evaluations = _Answer({}, 0.0), 0
        rungs = [(glue, rung) for rung in self.params.glue] + [(fill, rung) for rung in self.params.fill]
        for method, rung in rungs:
            if stop(evaluations):
                break
            tolerance = Tolerance(
                length=rung * size_of(puzzle.target), angle=min(0.2, rung * self.params.angle_factor)
            )
            if method is glue:
                poses, tried = _glued(puzzle, tolerance), 1
            else:
                poses, tried = _filled(puzzle, tolerance, stop, evaluations)
            evaluations += tried
            answer = _judged(puzzle, poses)
            if answer.coverage > best.coverage:
                best = answer
                if on_progress is not None:
                    on_progress(
                        Progress(
                            assembly=_assembly(puzzle, best.poses),
                            objective=best.coverage,
                            evaluations=evaluations,
                        )
                    )
            if _is_solved(puzzle, best, rung):
                assembly = _assembly(puzzle, best.poses)
                return Result(
                    assembly=assembly,
                    solved=True,
                    objective=best.coverage,
                    evaluations=evaluations,
                    trace=_trace(assembly),
                )
        assembly = _assembly(puzzle, best.poses)
        return Result(
            assembly=assembly,
            solved=False,
            objective=best.coverage,
            evaluations=evaluations,
            trace=_trace(assembly),
            reason=_reason(puzzle, best, stopped=stop(evaluations)),
        )


@dataclass(frozen=True)
class _Answer:
    """Poses by piece number, and the share of the target that they cover."""

    poses: dict[int, Pose]
    coverage: float


def _glued(puzzle: Puzzle, tolerance: Tolerance) -> dict[int, Pose]:
    if puzzle.target.interiors or any(fragment.polygon.interiors for fragment in puzzle.fragments):
        return {}
    pieces = [Outline.of(ring_of(f.polygon), tolerance.angle) for f in puzzle.fragments]
    target = Outline.of(ring_of(puzzle.target), tolerance.angle)
    return glue(pieces, target, puzzle.rotations, tolerance) or {}


def _filled(puzzle: Puzzle, tolerance: Tolerance, stop: Stop, spent: int) -> tuple[dict[int, Pose], int]:
    partial, tried = fill(
        [fragment.polygon for fragment in puzzle.fragments],
        puzzle.target,
        puzzle.rotations,
        tolerance,
        mirror=puzzle.mirror,
        stop=lambda count: stop(spent + count),
    )
    return dict(partial.poses), tried


def _judged(puzzle: Puzzle, poses: dict[int, Pose]) -> _Answer:
    if not poses:
        return _Answer({}, 0.0)
    covered = union(puzzle.placed(_assembly(puzzle, poses)))
    return _Answer(poses, intersection(covered, puzzle.target).area / puzzle.target.area)


def _is_solved(puzzle: Puzzle, answer: _Answer, rung: float) -> bool:
    """Whether all pieces are placed and cover what their areas let them, but for the rung's tolerance."""
    pieces = [fragment.polygon for fragment in puzzle.fragments]
    possible = min(1.0, sum(piece.area for piece in pieces) / puzzle.target.area)
    seams = sum(piece.length for piece in pieces) * size_of(puzzle.target) / puzzle.target.area
    return len(answer.poses) == len(pieces) and answer.coverage >= possible - max(1e-9, rung * seams)


def _assembly(puzzle: Puzzle, poses: dict[int, Pose]) -> Assembly:
    """The placements from bottom to top, left to right: an order that a person can follow."""
    assembly = Assembly()
    for number, pose in sorted(poses.items(), key=lambda item: (round(item[1].y, 9), item[1].x)):
        assembly = assembly.place(puzzle.fragments[number].id, pose)
    return assembly


def _trace(assembly: Assembly) -> tuple[Assembly, ...]:
    return tuple(Assembly(assembly.placements[: k + 1]) for k in range(len(assembly)))


def _reason(puzzle: Puzzle, best: _Answer, *, stopped: bool) -> str:
    left = len(puzzle.fragments) - len(best.poses)
    area = sum(fragment.polygon.area for fragment in puzzle.fragments) / puzzle.target.area
    if stopped:
        why = "stopped before a fit was found"
    elif abs(area - 1.0) > 0.01:
        why = f"the pieces have {area:.0%} of the target's area"
    else:
        why = "no piece fits what remains"
    return f"{why}; {left} of {len(puzzle.fragments)} pieces not placed" if left else why

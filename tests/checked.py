"""Answers that tests produce, checked from what is written: the checker may disagree with the verdict."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sherd.bench.checker import DEEPEST, check_answer
from sherd.core.puzzle import Puzzle
from sherd.io.puzzle_files import puzzle_to_json
from sherd.solvers.base import Result
from sherd.workshop.judging import PINS
from sherd.workshop.result import JobResult

__all__ = ["DEEPEST", "check_answer_to_job", "check_document", "check_result"]

# Larger puzzles than this take the checker too long.
MOST_CHECKED_PIECES = 200
# A checker that measures otherwise than the verdict may find a little more.
SLACK = 1.1


def check_document(puzzle: dict[str, Any], answer: dict[str, Any], deepest: float, **rules: Any) -> None:
    """Fail if the answer is called solved, and something stands against that."""
    if not answer["solved"] or len(puzzle["fragments"]) > MOST_CHECKED_PIECES:
        return
    found = check_answer(puzzle, answer, **rules).against(deepest)
    assert not found, f"called solved: {'; '.join(found)}"


def check_result(puzzle: Puzzle, result: Result) -> None:
    """The same of what a solver gave, as files would say it."""
    placements = [
        {"id": one.id, "matrix": one.pose.matrix, **({} if puzzle.has_target else {"group": 1})}
        for one in result.assembly
    ]
    check_document(
        puzzle_to_json(puzzle.without_paint()),
        {"solved": True, "placements": placements},
        SLACK * max(result.tolerance.depth, 1e-9),
    )


def check_answer_to_job(found: JobResult, path: Path) -> None:
    """The same of a file whose placements move pieces from where they are drawn."""
    job, puzzle = found.job, found.job.puzzle
    answer = json.loads(path.read_text())
    if not answer["solved"] or len(puzzle.fragments) > MOST_CHECKED_PIECES:
        return
    document = puzzle_to_json(puzzle.without_paint())
    for one in document["fragments"]:
        home, outline = job.home(one["id"]), puzzle[one["id"]].polygon
        drawn = home.apply(outline)
        one["exterior"] = list(drawn.exterior.coords)
        one["holes"] = [list(hole.coords) for hole in drawn.interiors]
    if puzzle.has_target:
        parts = getattr(job.origin.apply(puzzle.target), "geoms", [job.origin.apply(puzzle.target)])
        document["target"] = {
            "parts": [
                {
                    "exterior": list(part.exterior.coords),
                    "holes": [list(hole.coords) for hole in part.interiors],
                }
                for part in parts
            ]
        }
    depth = max(found.result.tolerance.depth, 1e-9, PINS.depth if len(job.pinned) else 0.0)
    pinned = {pin.id: job.motion(pin).matrix for pin in job.pinned}
    check_document(document, answer, SLACK * depth, pinned=pinned, forbidden=tuple(job.forbidden))

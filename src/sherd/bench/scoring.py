"""Answers of any solver, as files, scored against a file of puzzles."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sherd.bench.checker import DEEPEST, Checked, check_answer
from sherd.core.alignment import GroupScores, score_groups
from sherd.core.errors import ArgumentError, FileFormatError
from sherd.core.geometry import size_of
from sherd.core.metrics import Measures, Scores, measure, score
from sherd.core.puzzle import Puzzle, Sample
from sherd.core.slides import seen_off
from sherd.core.tolerance import Tolerance
from sherd.core.verdict import Verdict, judge
from sherd.io.assembly_files import SavedAssembly, assembly_from_json
from sherd.io.document import Document, documents, only_document
from sherd.io.puzzle_files import puzzle_from_json

ENDING = ".assembly.json"
# The number of a puzzle in its file stands before the ending, as `sherd assemble` writes it.
NUMBER = re.compile(r"-(\d+)\.assembly\.json$")


@dataclass(frozen=True, kw_only=True)
class ScoredAnswer:
    """The answer to one puzzle, and its scores where the file holds the truth.

    ``scores`` are those of answers with a target, ``groups`` of those without. ``verdict`` is the one on what
    is called solved without a target, where no area says whether pieces lie right.
    """

    name: str
    checked: Checked
    measures: Measures | None
    scores: Scores | None
    groups: GroupScores | None
    seconds: float
    solver: str
    verdict: Verdict | None = None

    def against(self, deepest: float) -> tuple[str, ...]:
        """What stands against calling it solved."""
        found = self.checked.against(deepest)
        return found or (() if self.verdict is None else self.verdict.against)


@dataclass(frozen=True)
class ScoredSet:
    """Answers to a file of puzzles, and how many puzzles have none in the folder."""

    answers: tuple[ScoredAnswer, ...]
    unanswered: int

    @property
    def count(self) -> int:
        """How many puzzles there are."""
        return len(self.answers) + self.unanswered

    @property
    def figures(self) -> dict[str, float]:
        """The benchmark's figures over all puzzles, where each answer has its truth beside it.

        Those without an answer count as not covered at all. Where there are answers with a target and
        others without, nothing can be said of all.
        """
        covering = [one.scores for one in self.answers if one.scores is not None]
        groups = [one.groups for one in self.answers if one.groups is not None]
        if covering and len(covering) == len(self.answers):
            return {
                "cov95": sum(row.coverage >= 0.95 for row in covering) / self.count,
                "cov90": sum(row.coverage >= 0.90 for row in covering) / self.count,
                "cov": sum(row.coverage for row in covering) / self.count,
                "iou": sum(row.iou for row in covering) / self.count,
                "right": sum(row.posed_right for row in covering) / self.count,
            }
        if groups and len(groups) == len(self.answers):
            return {
                "all_right": sum(row.all_right for row in groups) / self.count,
                "largest_right": sum(row.largest_right for row in groups) / self.count,
                "overlap": sum(row.overlap for row in groups) / self.count,
            }
        return {}


@dataclass(frozen=True, kw_only=True)
class Rules:
    """What was asked beside the puzzle: matrices of pinned pieces, and which must not be used."""

    pinned: Mapping[str, Sequence[float]] = field(default_factory=dict[str, Sequence[float]])
    forbidden: tuple[str, ...] = ()


def score_files(puzzles: Path, answers: Path, rules: Rules | None = None) -> ScoredSet:
    """The answers in a folder, or the one in a file, each beside its puzzle.

    An answer in a folder is that to the puzzle whose number its name ends with, or to the only one. Answers
    that place other pieces than their puzzle has, and those to puzzles that there are not, are refused.
    """
    rules = Rules() if rules is None else rules
    found = dict(_numbered(answers, puzzles.stem))
    scored: list[ScoredAnswer] = []
    count = 0
    for number, document in enumerate(documents(puzzles)):
        count += 1
        if (path := found.pop(number, None)) is not None:
            scored.append(_score_one(document, path, rules))
    if found:
        number, path = next(iter(found.items()))
        raise FileFormatError(f"{path}: there is no puzzle {number}: {puzzles} holds {count}, counted from 0")
    return ScoredSet(tuple(scored), count - len(scored) if answers.is_dir() else 0)


def _number(answer: Path, stem: str) -> int | None:
    """The number of the puzzle in its file, if the name tells it; that of a file may end in one, too."""
    if answer.name == stem + ENDING:
        return 0
    numbered = NUMBER.search(answer.name)
    return int(numbered[1]) if numbered else None


def _numbered(answers: Path, stem: str) -> Iterator[tuple[int, Path]]:
    """The answers to puzzles in a file with this stem, and the numbers of their puzzles."""
    if not answers.is_dir():
        yield _number(answers, stem) or 0, answers
        return
    files = sorted(answers.glob(f"*{ENDING}"))
    if not files:
        raise FileFormatError(f"{answers}: no answer there: their names end in {ENDING}")
    # Further assemblies of a puzzle are called NAME.2.assembly.json, and so on.
    files = [file for file in files if not re.search(r"\.\d+\.assembly\.json$", file.name)]
    seen: dict[int, Path] = {}
    for file in files:
        numbered = _number(file, stem)
        if numbered is None and len(files) > 1:
            raise FileFormatError(f"{file}: its name must end in the puzzle's number, as in set-3{ENDING}")
        number = numbered or 0
        if number in seen:
            raise FileFormatError(f"{file}: puzzle {number} is answered by {seen[number].name}, too")
        seen[number] = file
        yield number, file


def _score_one(document: Document, path: Path, rules: Rules) -> ScoredAnswer:
    answer = only_document(path)
    item, saved = document.read(puzzle_from_json), answer.read(assembly_from_json)
    puzzle = item.puzzle if isinstance(item, Sample) else item
    _refuse_other_pieces(puzzle, saved, path)
    for name in (*rules.pinned, *rules.forbidden):
        if name not in {one.id for one in puzzle.fragments}:
            raise ArgumentError(f"{document.path}: there is no piece {name!r} to pin or forbid")
    told: dict[str, Any] = json.loads(document.text)
    if not saved.has_target:
        told["target"] = None
    has_target = puzzle.has_target and saved.has_target
    checked = check_answer(told, json.loads(answer.text), pinned=rules.pinned, forbidden=rules.forbidden)
    return ScoredAnswer(
        name=path.name.removesuffix(ENDING),
        checked=checked,
        measures=measure(saved.assembly, puzzle) if has_target else None,
        scores=score(saved.assembly, item) if has_target and isinstance(item, Sample) else None,
        groups=_score_groups(saved, item) if not saved.has_target and isinstance(item, Sample) else None,
        seconds=saved.seconds,
        solver=saved.solver,
        verdict=_verdict(puzzle, saved) if saved.solved and not saved.has_target else None,
    )


def _verdict(puzzle: Puzzle, saved: SavedAssembly) -> Verdict:
    """The verdict on a group that is called solved; how far outlines are off is told by how they lie."""
    alone = puzzle.without_target() if puzzle.has_target else puzzle
    laid = [one.pose.apply(puzzle[one.id].polygon) for one in saved.assembly]
    off = seen_off(laid, DEEPEST * alone.size) / alone.size if laid else 0.0
    return judge(alone, saved.assembly, Tolerance(seam=off, depth=DEEPEST))


def _score_groups(saved: SavedAssembly, sample: Sample) -> GroupScores | None:
    """How far the groups of an answer without a target are right; None where the truth has no size."""
    if not sample.puzzle.has_target:
        return None
    return score_groups(
        {fragment.id: fragment.polygon for fragment in sample.puzzle.fragments},
        {placement.id: placement.pose for placement in sample.truth},
        [{one.id: one.pose for one in group.assembly} for group in saved.groups],
        side=size_of(sample.puzzle.target),
    )


def _refuse_other_pieces(puzzle: Puzzle, saved: SavedAssembly, path: Path) -> None:
    known = {*(fragment.id for fragment in puzzle.fragments), *puzzle.set_aside}
    named = [one.id for group in saved.groups for one in group.assembly] or [one.id for one in saved.assembly]
    if strange := [name for name in named if name not in known]:
        raise FileFormatError(f"{path}: an answer to another puzzle: this one has no piece {strange[0]!r}")

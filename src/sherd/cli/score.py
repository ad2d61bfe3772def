"""``sherd score``: check and measure answers from their files alone."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sherd.cli.console import UNSOLVED, say, say_error
from sherd.core.errors import ArgumentError

if TYPE_CHECKING:
    from sherd.bench.scoring import ScoredAnswer, ScoredSet

# Answers that are named one by one; the rest is counted.
MOST_NAMED = 20


def score(
    puzzles: Annotated[Path, typer.Argument(metavar="PUZZLES", help="Puzzles, JSON or JSONL.")],
    answers: Annotated[
        Path,
        typer.Argument(
            metavar="ANSWERS",
            help="An answer, or a folder of them: NAME-3.assembly.json is that to puzzle 3.",
        ),
    ],
    tolerance: Annotated[
        float,
        typer.Option(
            metavar="SHARE",
            help="How deep pieces may lie in each other, or out of the target, as a share of its size.",
        ),
    ] = 0.02,
    pin: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ID=X,Y,DEG", help="A piece that had to lie there, in the puzzle's frame; again for more."
        ),
    ] = None,
    forbid: Annotated[
        list[str] | None, typer.Option(metavar="ID", help="A piece that must not be used; again for more.")
    ] = None,
    json: Annotated[Path | None, typer.Option(metavar="FILE", help="Also write the figures there.")] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Exit with 1 if an answer is called solved that is not.")
    ] = False,
) -> None:
    """Check and measure answers, whichever solver wrote them.

    Nothing is solved here, and nothing is believed: overlap, what lies outside, turning, turning over, pins
    and which pieces are used are worked out from the files. Where the puzzles hold their truth, cov95, cov90,
    cov, iou and right are those of sherd bench; puzzles without an answer count as not covered at all.
    Answers without a target have all right, largest right and overlap instead, and where they are called
    solved the verdict must say so: pieces touch, and none could be pushed along others. The JSON names the
    frozen public set, if the puzzles are one.

    \b
    Example:
      sherd score puzzles.jsonl answers/
    """
    from sherd.bench.scoring import Rules, score_files

    if not 0.0 < tolerance < 1.0:
        raise ArgumentError(f"--tolerance is a share between 0 and 1, not {tolerance:g}")
    rules = Rules(pinned=dict(map(_pinned, pin or ())), forbidden=tuple(forbid or ()))
    scored = score_files(puzzles, answers, rules)
    wrong = [one for one in scored.answers if one.checked.claims_solved and one.against(tolerance)]
    for one in scored.answers[:MOST_NAMED]:
        say(_line(one, tolerance))
    if len(scored.answers) > MOST_NAMED:
        say(f"and {len(scored.answers) - MOST_NAMED:,} more")
    for sentence in _summary(scored, tolerance):
        say(sentence)
    if json is not None:
        _write(json, puzzles, scored, tolerance)
    if wrong:
        names = ", ".join(one.name for one in wrong[:MOST_NAMED])
        say_error(f"called solved, and not: {names}")
        if check:
            raise typer.Exit(UNSOLVED)


def _pinned(text: str) -> tuple[str, Sequence[float]]:
    """A piece, and the matrix of where it had to lie."""
    from math import radians

    from sherd.core.geometry import Pose
    from sherd.workshop.params import Pin

    name, place = Pin.parse(text)
    if place is None:
        raise ArgumentError(f"--pin says where a piece had to lie, as in {name}=1,2,90")
    return name, Pose(place.x, place.y, radians(place.turn_deg)).matrix


def _line(one: ScoredAnswer, tolerance: float) -> str:
    """One answer: what it claims, what was found, and what stands against it."""
    checked = one.checked
    said = [f"{checked.placed:,} of {checked.pieces:,} placed"]
    if one.measures is not None:
        said.append(f"open {100.0 * checked.open_area:.2g} %")
        said.append(f"outside {checked.outside_depth:.2g} deep")
    said.append(f"overlap {checked.overlap_depth:.2g} deep")
    if one.scores is not None:
        said.append(f"right {one.scores.posed_right:.3f}")
    claim = "called solved" if checked.claims_solved else "not called solved"
    against = one.against(tolerance)
    return f"{one.name}: {claim}; {', '.join(said)}{'; ' + '; '.join(against) if against else ''}"


def _summary(scored: ScoredSet, tolerance: float) -> list[str]:
    answers = scored.answers
    claimed = [one for one in answers if one.checked.claims_solved]
    held = sum(not one.against(tolerance) for one in claimed)
    said = [
        f"{len(answers):,} of {scored.count:,} puzzles answered, {len(claimed):,} called solved, "
        f"of which {held:,} hold at a tolerance of {tolerance:g}"
    ]
    if figures := scored.figures:
        said.append(", ".join(f"{name.replace('_', ' ')} {value:.3f}" for name, value in figures.items()))
    return said


def _write(path: Path, puzzles: Path, scored: ScoredSet, tolerance: float) -> None:
    import json
    from dataclasses import asdict

    from sherd.bench.public_sets import set_of
    from sherd.io import write_atomically

    document = {
        "format": "sherd.score",
        "version": 1,
        "tolerance": tolerance,
        "set": set_of(puzzles),
        "unanswered": scored.unanswered,
        "figures": scored.figures,
        "answers": [
            {
                "name": one.name,
                "solver": one.solver,
                "seconds": one.seconds,
                "against": list(one.against(tolerance)),
                **asdict(one.checked),
                **({} if one.scores is None else asdict(one.scores)),
                **({} if one.groups is None else asdict(one.groups)),
            }
            for one in scored.answers
        ],
    }
    write_atomically(path, json.dumps(document, allow_nan=False, indent=1) + "\n")

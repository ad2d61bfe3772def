"""What ``sherd assemble`` says of groups without a target, and of joints."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from sherd.cli.console import PIECES_WIDTH, printable, say, say_note, say_table

if TYPE_CHECKING:
    from sherd.core.assembly import Joint
    from sherd.core.puzzle import Puzzle, Sample
    from sherd.solvers import Result

# A longer table is cut here; the JSON file has all rows.
MOST_ROWS = 50
MOST_NAMES = 20


def say_groups(puzzle: Puzzle, result: Result, unit: str = "") -> None:
    """The joints of each group, in ``unit`` if it is known, its pieces, those left alone, and the verdict."""
    from sherd.io.drawings.figures import some_of
    from sherd.workshop.groups import groups_in_words

    rows = [(str(k), joint) for k, group in enumerate(result.groups, start=1) for joint in group.joints]
    if rows:
        _say_joints(rows, unit)
    state = result.verdict.in_words
    say_note(f"{state}: {groups_in_words(puzzle, result)}" + (f"; {result.reason}" if result.reason else ""))
    for number, group in enumerate(result.groups, start=1):
        say_note(f"group {number}: {some_of([one.id for one in group.assembly], MOST_NAMES)}")
    grouped = {placement.id for group in result.groups for placement in group.assembly}
    if alone := [fragment.id for fragment in puzzle.fragments if fragment.id not in grouped]:
        say_note(f"alone: {some_of(alone, MOST_NAMES)}")


def say_unplaced(result: Result) -> None:
    """Groups that found no place in the target, which somebody may lay there."""
    from sherd.io.drawings.figures import some_of
    from sherd.workshop.hints import unplaced_groups

    for group in unplaced_groups(result):
        say_note(f"together, but without a place: {some_of([one.id for one in group.assembly], MOST_NAMES)}")


def say_hints(result: Result, most: int, unit: str = "") -> None:
    """The likeliest joints of two pieces, in the answer or not; lengths in ``unit``, if known."""
    from sherd.core.assembly import likeliest

    found = likeliest(result.joints, most)
    if found:
        say("the likeliest joint:" if len(found) == 1 else f"the {len(found):,} likeliest joints:")
        _say_joints([("", joint) for joint in found], unit)
    else:
        say("no joints were looked for, or none found: --hints goes with the contours solver")


def hints_in_words(result: Result, most: int) -> list[str]:
    """The same, a line each."""
    from sherd.core.assembly import in_percent, likeliest

    return [
        f"{in_percent(joint.likelihood)}: {joint.first or 'the target'} and {joint.second} "
        f"along {joint.length:.3g}"
        for joint in likeliest(result.joints, most)
    ]


def right_in_words(sample: Sample, result: Result) -> str:
    """How many pieces are right among each other, by the truth."""
    from sherd.core.alignment import score_groups

    scores = score_groups(
        {fragment.id: fragment.polygon for fragment in sample.puzzle.fragments},
        {placement.id: placement.pose for placement in sample.truth},
        [{one.id: one.pose for one in group.assembly} for group in result.groups],
        side=sample.puzzle.size,
    )
    if scores.all_right:
        return "all pieces are right"
    count = round(scores.largest_right * len(sample.truth))
    return f"{count:,} of {len(sample.truth):,} pieces are right in one group"


def _say_joints(rows: Iterable[tuple[str, Joint]], unit: str) -> None:
    from rich.table import Table
    from rich.text import Text

    from sherd.core.assembly import in_percent
    from sherd.plan.table import measured

    rows = list(rows)
    table = Table()
    in_unit = f", {unit}" if unit else ""
    headings = ("group", "piece", "and", f"along{in_unit}", f"apart{in_unit}", "likely")
    for heading in headings if any(group for group, _ in rows) else headings[1:]:
        table.add_column(heading, justify="left" if heading in ("piece", "and") else "right", overflow="fold")
    for group, joint in rows[:MOST_ROWS]:
        table.add_row(
            *([group] if group else []),
            Text(printable(joint.first or "target")),
            Text(printable(joint.second)),
            measured(joint.length),
            measured(joint.residual),
            in_percent(joint.likelihood),
        )
    say_table(table, PIECES_WIDTH)
    if len(rows) > MOST_ROWS:
        say(f"and {len(rows) - MOST_ROWS:,} more")

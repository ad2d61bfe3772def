"""Everything that one needs to build an assembly, and to judge it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from sherd.core.assembly import Assembly, Group
from sherd.core.geometry import Region
from sherd.core.hold import Hold
from sherd.core.puzzle import Puzzle
from sherd.layout.contact import find_contacts
from sherd.layout.gaps import Gap, find_gaps
from sherd.layout.holding import covered_outline, find_group_holds, find_holds, moved_pieces
from sherd.layout.layout import DrawnPiece, Layout
from sherd.layout.order import Step, laying_order

if TYPE_CHECKING:
    from sherd.solvers.base import Result


@dataclass(frozen=True)
class PlannedGroup:
    """The pieces that lie together without a target, and the outline that they imply."""

    pieces: frozenset[str]
    outline: Region


@dataclass(frozen=True)
class Plan:
    """A layout with the order of laying, how each piece is held, and what stays open.

    ``warning`` stands on every page of a plan that is not to be built from, and ``why`` on the first.
    Without a target ``groups`` are in its place.
    """

    layout: Layout
    steps: tuple[Step, ...]
    holds: Mapping[str, Hold]
    gaps: tuple[Gap, ...]
    warning: str = ""
    groups: tuple[PlannedGroup, ...] = ()
    why: str = ""

    @property
    def title(self) -> str:
        """The layout's name, with the warning if there is one."""
        return f"{self.warning}: {self.layout.name}" if self.warning else self.layout.name

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number of each placed piece by id: when it is laid."""
        return {step.id: step.number for step in self.steps}

    @cached_property
    def in_order(self) -> tuple[DrawnPiece, ...]:
        """The placed pieces in the order of laying."""
        pieces = {piece.id: piece for piece in self.layout.placed}
        return tuple(pieces[step.id] for step in self.steps)


def make_plan(
    layout: Layout,
    *,
    puzzle: Puzzle | None = None,
    assembly: Assembly | None = None,
    alternatives: Sequence[Assembly] = (),
    all_found: bool = False,
    elsewhere: Collection[str] = (),
) -> Plan:
    """The plan of a layout.

    With the puzzle, the assembly laid out and further complete assemblies of it, places that those fill
    differently are known, unless ``elsewhere`` names these pieces; ``all_found`` says that there are no
    others.
    """
    contacts = find_contacts(layout)
    moved = frozenset(elsewhere)
    if puzzle is not None and assembly is not None and alternatives and not moved:
        moved = moved_pieces(puzzle, assembly, alternatives, layout.tolerance)
    return Plan(
        layout,
        laying_order(layout, contacts),
        find_holds(layout, contacts, moved=moved, all_found=all_found),
        find_gaps(layout),
    )


def plan_groups(layout: Layout, groups: Sequence[Group], *, warning: str = "") -> Plan:
    """The plan of groups without a target, which the layout has side by side: one is laid after the other."""
    drawn = {piece.id: piece for piece in layout.placed}
    steps: list[Step] = []
    holds: dict[str, Hold] = {}
    planned: list[PlannedGroup] = []
    for group in groups:
        own = replace(
            layout, pieces=tuple(drawn[one.id] for one in group.assembly), tolerance=layout.tolerance
        )
        contacts = find_contacts(own)
        laid = len(steps)
        steps += [
            Step(laid + step.number, step.id, tuple(laid + number for number in step.after))
            for step in laying_order(own, contacts)
        ]
        holds |= find_group_holds(own, contacts, group.joints)
        planned.append(PlannedGroup(frozenset(one.id for one in group.assembly), covered_outline(own)))
    return Plan(layout, tuple(steps), holds, (), warning, tuple(planned))


def plan_result(layout: Layout, puzzle: Puzzle, result: Result) -> Plan:
    """The plan of what a solver found, of which the layout was made; unless it is solved, with a warning."""
    plan = make_plan(
        layout,
        puzzle=puzzle,
        assembly=result.assembly,
        alternatives=result.alternatives,
        all_found=result.solved and result.all_found,
        elsewhere=result.elsewhere,
    )
    if result.solved:
        return plan
    return replace(plan, warning=result.verdict.in_words.upper(), why=result.verdict.why)

"""Answers without a target: groups as files and pictures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from sherd.core.assembly import Assembly, Group, Joint, Placement
from sherd.core.geometry import union
from sherd.core.puzzle import Puzzle
from sherd.draw import draw_assembly, to_png
from sherd.draw.pdf import to_pdf
from sherd.draw.reassembled import reassembled_png
from sherd.io import SavedAssembly
from sherd.io.assembly_files import assembly_to_text
from sherd.io.atomic import write_atomically
from sherd.layout.layout import NO_PLACE
from sherd.layout.side_by_side import side_by_side
from sherd.plan.files import FORMATS
from sherd.plan.formats.csv import plan_to_csv
from sherd.plan.formats.dxf import layout_to_dxf
from sherd.plan.formats.geojson import plan_to_geojson
from sherd.plan.formats.names import path_inside, safe_file_name
from sherd.plan.formats.svg import layout_to_svg
from sherd.plan.pages import draw_plan
from sherd.plan.plan import Plan, plan_groups
from sherd.solvers.base import Result
from sherd.workshop.job import Job
from sherd.workshop.job_layout import lay_out_job

# What can be written where there is no target: gaps are places in one.
GROUP_FORMATS = tuple(kind for kind in FORMATS if kind != "gaps")
# Of these, what tells how to lay pieces.
LAID = ("dxf", "geojson", "pdf", "csv")


def groups_to_save(puzzle: Puzzle, solver: str, result: Result) -> SavedAssembly:
    """Groups as files hold them, each in its own frame."""
    grouped = {placement.id for group in result.groups for placement in group.assembly}
    alone = {one.id: NO_PLACE for one in puzzle.fragments if one.id not in grouped}
    return SavedAssembly(
        assembly=result.assembly,
        solver=solver,
        seconds=result.seconds,
        solved=result.solved,
        coverage=0.0,
        iou=0.0,
        overlap=_overlap(puzzle, result.groups),
        reason=result.reason,
        set_aside={**alone, **dict.fromkeys((*puzzle.set_aside, *result.set_aside), "hardly any area")},
        verdict=result.verdict,
        has_target=False,
        groups=result.groups,
    )


def _overlap(puzzle: Puzzle, groups: tuple[Group, ...]) -> float:
    """The area covered more than once, each time but the first, as a share of all that is placed."""
    area = doubled = 0.0
    for group in groups:
        placed = puzzle.placed(group.assembly)
        own = sum(piece.area for piece in placed)
        area, doubled = area + own, doubled + own - union(placed).area
    return max(doubled / area, 0.0) if area else 0.0


def groups_in_words(puzzle: Puzzle, result: Result) -> str:
    """How many groups there are, and of how many pieces; how many pieces are alone."""
    sizes = [len(group) for group in result.groups]
    alone = len(puzzle.fragments) - sum(sizes)
    if not sizes:
        return f"no group: {alone:,} {'piece is' if alone == 1 else 'pieces are'} alone"
    if len(sizes) == 1:
        said = f"1 group of {sizes[0]:,} pieces"
    else:
        said = f"{len(sizes):,} groups of {', '.join(f'{size:,}' for size in sizes)} pieces"
    return f"{said}; {f'{alone:,} alone' if alone else 'none alone'}"


def plan_of_groups(job: Job, result: Result, name: str) -> Plan:
    """The groups side by side, no two of them touching; unless they are solved, with a warning."""
    layout = lay_out_job(job, side_by_side(job.puzzle, result.groups), name=name)
    apart = result.tolerance.seam * job.puzzle.size
    warning = "" if result.solved else result.verdict.in_words.upper()
    return plan_groups(
        replace(layout, tolerance=max(layout.tolerance, apart)), result.groups, warning=warning
    )


def export_groups(
    job: Job, solver: str, result: Result, plan: Plan, folder: Path, kinds: tuple[str, ...], paper: str
) -> tuple[Path, ...]:
    """Write groups into a folder, made if need be, and return the files.

    Poses in the JSON file refer to the drawing, each group in a frame of its own; all others have the groups
    side by side. Where nothing lies together there is no plan, and old ones are taken away.
    """
    folder.mkdir(parents=True, exist_ok=True)
    puzzle, layout = job.puzzle, plan.layout
    saved = replace(groups_of_drawing(job, solver, result), holds=plan.holds)
    caption = f"{plan.title}: {groups_in_words(puzzle, result)}"
    makers: dict[str, Callable[[], str | bytes]] = {
        "json": lambda: assembly_to_text(saved),
        "svg": lambda: layout_to_svg(replace(layout, name=plan.title), plan.numbers),
        "dxf": lambda: layout_to_dxf(layout),
        "geojson": lambda: plan_to_geojson(plan),
        "png": lambda: to_png(draw_assembly(puzzle, side_by_side(puzzle, result.groups), caption=caption)),
        "pdf": lambda: to_pdf(draw_plan(plan, paper), title=plan.title),
        "csv": lambda: plan_to_csv(plan),
        "photo": lambda: reassembled_png(layout.pixels, plan.warning),
    }
    written: list[Path] = []
    for kind in kinds:
        (ending,) = FORMATS[kind]
        path = path_inside(folder, f"{safe_file_name(layout.name)}{ending}")
        if (kind in LAID and not plan.steps) or (kind == "photo" and not layout.pixels):
            path.unlink(missing_ok=True)
            continue
        write_atomically(path, makers[kind]())
        written.append(path)
    return tuple(written)


def groups_of_drawing(job: Job, solver: str, result: Result) -> SavedAssembly:
    """Groups as files hold them, with poses that move the pieces as they are drawn."""
    saved = groups_to_save(job.puzzle, solver, result)

    def moved(assembly: Assembly) -> Assembly:
        return Assembly(tuple(Placement(one.id, job.motion(one)) for one in assembly))

    def joined(joint: Joint) -> Joint:
        pose = joint.pose @ job.home(joint.second).inverse()
        return replace(joint, pose=pose if joint.first is None else job.home(joint.first) @ pose)

    groups = tuple(Group(moved(group.assembly), tuple(map(joined, group.joints))) for group in saved.groups)
    return replace(
        saved,
        assembly=moved(saved.assembly),
        groups=groups,
        units="" if job.unit == "unknown" else job.unit,
        set_aside={**saved.set_aside, **{one.figure.id: one.reason for one in job.set_aside}},
    )

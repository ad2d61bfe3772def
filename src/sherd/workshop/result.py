"""The answer to a job, in terms of what was drawn: its plan, and the files to build from."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory

from sherd.core.assembly import Assembly, Placement
from sherd.core.errors import ArgumentError
from sherd.core.metrics import Measures, measure
from sherd.core.showing import shown
from sherd.core.verdict import Verdict
from sherd.draw.contact_sheet import draw_contact_sheet
from sherd.draw.png import to_png
from sherd.io import SavedAssembly
from sherd.io.assembly_files import assembly_to_json, assembly_to_text
from sherd.io.atomic import write_atomically, writing_lines
from sherd.layout.side_by_side import side_by_side
from sherd.plan.files import FORMATS, export, parse_formats
from sherd.plan.formats.names import path_inside, safe_file_name
from sherd.plan.paper import PAPERS
from sherd.plan.plan import Plan, plan_result
from sherd.solvers.base import Result
from sherd.workshop.groups import GROUP_FORMATS, export_groups, groups_of_drawing, plan_of_groups
from sherd.workshop.job import Job
from sherd.workshop.job_layout import lay_out_job
from sherd.workshop.judging import judge_job
from sherd.workshop.saving import answer_to_save

# The formats that are one file each, by the ending that asks for them.
SAVED_KINDS = tuple(kind for kind, endings in FORMATS.items() if len(endings) == 1)


@dataclass(frozen=True, repr=False)
class JobResult:
    """What a solver of this name found for a job; ``result`` has the pinned pieces in it.

    ``name`` is what the plan and its files are called. ``remark`` is what else there is to say, such as which
    outline the pieces imply where its size was not known.
    """

    job: Job
    solver: str
    result: Result
    name: str
    remark: str = ""

    def __repr__(self) -> str:
        return f"<JobResult {self._in_a_line}>"

    @property
    def _in_a_line(self) -> str:
        placed, every = len(self.result.assembly), len(self.job.puzzle.fragments)
        why = "" if self.solved else f": {self.result.reason}"
        return (
            f"{self.name}: {self.verdict.in_words}, {placed} of {every} pieces placed by {self.solver}{why}"
        )

    def _repr_svg_(self) -> str:
        return shown("answer_in_svg", self.job.puzzle, self._shown, self._in_a_line)

    @property
    def _shown(self) -> Assembly:
        """All pieces of the answer in one frame, groups side by side."""
        if self.job.puzzle.has_target:
            return self.result.assembly
        return side_by_side(self.job.puzzle, self.result.groups)

    @property
    def verdict(self) -> Verdict:
        """Whether the job is solved and, if not, why."""
        return self.result.verdict

    @property
    def solved(self) -> bool:
        """Whether the verdict is that the job is solved."""
        return self.result.solved

    @cached_property
    def plan(self) -> Plan:
        """The order of laying, how each piece is held, and what stays open; groups are side by side."""
        if not self.job.puzzle.has_target:
            return plan_of_groups(self.job, self.result, self.name)
        assembly = self.result.assembly
        layout = lay_out_job(self.job, assembly, name=self.name, reasons=self.verdict.excused)
        return plan_result(layout, self.job.puzzle, self.result)

    @property
    def is_planned(self) -> bool:
        """Whether the plan was made, which takes long of thousands of pieces."""
        return "plan" in self.__dict__

    @cached_property
    def measures(self) -> Measures:
        """How much of the target is covered, and how much overlaps."""
        return measure(self.result.assembly, self.job.puzzle)

    @cached_property
    def others(self) -> tuple[JobResult, ...]:
        """The further assemblies that were found as answers of their own, called NAME.2 and so on."""
        every = (self.result.assembly, *self.result.alternatives)
        return tuple(
            replace(
                self,
                name=f"{self.name}.{number}",
                result=replace(
                    self.result,
                    assembly=assembly,
                    alternatives=tuple(other for other in every if other is not assembly),
                    verdict=judge_job(self.job, assembly, self.result.tolerance, self.verdict.excused),
                ),
            )
            for number, assembly in enumerate(every[1:], start=2)
        )

    def save(self, path: str | os.PathLike[str], paper: str = "a4") -> Path:
        """Write one file, of the kind that its ending tells: pdf, svg, dxf, geojson, png, csv or json."""
        path = Path(path)
        kind = path.suffix.casefold().removeprefix(".")
        if kind not in SAVED_KINDS:
            raise ArgumentError(
                f"{path}: an answer is saved as {', '.join(SAVED_KINDS)}, not as {kind or path.name!r}"
            )
        with TemporaryDirectory() as folder:
            made = export_plan(self, folder, kind, paper)
            if not made:
                raise ArgumentError(f"{path}: nothing lies together, so there is no plan")
            write_atomically(path, made[0].read_bytes())
        return path

    def export(
        self, folder: str | os.PathLike[str], formats: str = "all", paper: str = "a4"
    ) -> tuple[Path, ...]:
        """Write the plan and the pictures into a folder, as `export_plan` does."""
        return export_plan(self, folder, formats, paper)


def export_plan(
    found: JobResult,
    out: str | os.PathLike[str],
    formats: str = "all",
    paper: str = "a4",
    name: str | None = None,
) -> tuple[Path, ...]:
    """Write an answer into a folder, made if need be, and return the files.

    ``formats`` is a list such as "pdf,svg", "all" or "none"; the files are called after the drawing, or by
    ``name``. What is not solved says so on every page and picture.
    """
    kinds, size = check_export(formats, paper, has_target=found.job.puzzle.has_target)
    if not kinds:
        return ()
    return write_answer(found if name is None else replace(found, name=name), Path(out), kinds, size)


def write_answer(found: JobResult, folder: Path, kinds: tuple[str, ...], paper: str) -> tuple[Path, ...]:
    """The one place that answers to jobs are written from; tests check each from its file."""
    if not found.job.puzzle.has_target:
        return export_groups(found.job, found.solver, found.result, found.plan, folder, kinds, paper)
    saved = answer_to_save(found.job.puzzle, found.solver, found.result, found.measures, counted=True)
    caption = f"{found.plan.title}: {found.measures.coverage:.1%} of the target is covered"
    folder.mkdir(parents=True, exist_ok=True)
    return export(found.plan, saved, folder, kinds, paper=paper, caption=caption)


def export_bare(found: JobResult, out: str | os.PathLike[str]) -> Path:
    """Write where the pieces lie and nothing that takes long: neither how they are held nor what is open."""
    Path(out).mkdir(parents=True, exist_ok=True)
    path = path_inside(Path(out), f"{safe_file_name(found.name)}{FORMATS['json'][0]}")
    has_target = found.job.puzzle.has_target
    saved = _other_to_save(found) if has_target else groups_of_drawing(found.job, found.solver, found.result)
    write_atomically(path, assembly_to_text(saved))
    return path


def export_others(found: JobResult, out: str | os.PathLike[str], formats: str = "all") -> tuple[Path, ...]:
    """Write the further assemblies: their poses into one file, an answer a line, and a sheet of pictures."""
    kinds, _ = check_export(formats, "a4")
    others = found.others
    if not others:
        return ()
    stem = safe_file_name(found.name)
    written: list[Path] = []
    if "json" in kinds:
        path = path_inside(Path(out), f"{stem}.others.jsonl")
        with writing_lines(path) as lines:
            for other in others:
                lines.write(json.dumps(assembly_to_json(_other_to_save(other)), allow_nan=False))
        written.append(path)
    if "png" in kinds:
        path = path_inside(Path(out), f"{stem}.others.png")
        assemblies = [other.result.assembly for other in others]
        write_atomically(path, to_png(draw_contact_sheet(found.job.puzzle, assemblies, first=2)))
        written.append(path)
    return tuple(written)


def _other_to_save(other: JobResult) -> SavedAssembly:
    """A further assembly as files hold it, with poses that refer to the drawing."""
    job = other.job
    saved = answer_to_save(job.puzzle, other.solver, other.result, other.measures, counted=True)
    moved = Assembly(tuple(Placement(one.id, job.motion(one)) for one in other.result.assembly))
    aside = {**saved.set_aside, **{one.figure.id: one.reason for one in job.set_aside}}
    return replace(saved, assembly=moved, units="" if job.unit == "unknown" else job.unit, set_aside=aside)


def check_export(formats: str, paper: str, *, has_target: bool = True) -> tuple[tuple[str, ...], str]:
    """The formats and the paper asked for; `ValueError` if there are no such, or not without a target."""
    if paper.casefold() not in PAPERS:
        raise ArgumentError(f"paper must be one of {', '.join(PAPERS)}, not {paper!r}")
    kinds = parse_formats(formats)
    if not has_target:
        if formats.strip().casefold() == "all":
            kinds = GROUP_FORMATS
        elif others := [kind for kind in kinds if kind not in GROUP_FORMATS]:
            raise ArgumentError(
                f"{', '.join(others)} needs a target; without one: {', '.join(GROUP_FORMATS)}"
            )
    return kinds, paper.casefold()

"""What a worker process does for the server: read, solve, judge, export. All by way of `sherd.workshop`."""

from __future__ import annotations

import io
import json
import shutil
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from sherd.core.assembly import Assembly, Group, Placement
from sherd.core.errors import ArgumentError, SherdError
from sherd.core.texture import Texture
from sherd.draw.files import write_gif
from sherd.draw.png import to_png
from sherd.io import SavedAssembly, puzzle_to_json, write_samples
from sherd.io.drawings.model import clean_name
from sherd.studio import job_documents as documents
from sherd.studio.api import Board, Solve
from sherd.studio.found import found_from_json, found_to_json
from sherd.studio.generate import make_puzzle
from sherd.studio.store import write_document
from sherd.studio.telling import Tell, Telling
from sherd.studio.understood import Understood, reading_document
from sherd.workshop import Job, JobResult, assemble_job, export_plan, make_job
from sherd.workshop.by_hand import laid_by_hand
from sherd.workshop.project import ENDING, Project, read_project, write_project
from sherd.workshop.reading import picture_of
from sherd.workshop.source import read_source, with_roles

# Drawings that a worker remembers, so that judging what hands do needs no reading.
REMEMBERED = 4
# States that a project with an answer can have been left in.
LEFT_AS = ("done", "stopped", "interrupted")

Task = Mapping[str, Any]
Answer = dict[str, Any]


class Tasks:
    """The tasks of one worker process, which remembers the drawings that it has read last."""

    def __init__(self, tell: Tell, is_stopped: Callable[[], bool]) -> None:
        self._tell = tell
        self._is_stopped = is_stopped
        self._remembered: OrderedDict[str, Understood] = OrderedDict()

    def run(self, task: Task) -> Answer:
        """Do a task and say what came of it; what users can mend is a `SherdError` or a `ValueError`."""
        match task["task"]:
            case "read":
                return self._read(task)
            case "solve":
                return self._solve(task)
            case "judge":
                return self._judge(task)
            case "keep":
                return self._keep(task)
            case "answer":
                return self._answer(task)
            case "export":
                return self._export(task)
            case "picture":
                return self._picture(task)
            case "project":
                return self._project(task)
            case other:
                raise ArgumentError(f"there is no task {other!r}")

    def _prepared(self, task: Task) -> Understood:
        key = json.dumps([task[name] for name in ("folder", "source", "params", "roles")], sort_keys=True)
        if key in self._remembered:
            self._remembered.move_to_end(key)
            return self._remembered[key]
        drawing, params = read_source(Path(task["folder"]) / task["source"], task["params"])
        if len(drawing.pieces) > task["most_pieces"]:
            most = f"no more than {task['most_pieces']:,} are taken here"
            raise ArgumentError(f"{drawing.source}: there are {len(drawing.pieces):,} pieces, and {most}")
        # An outline that is read no more, with other parameters, has no role.
        known = {figure.id for figure in drawing.figures}
        chosen = with_roles(drawing, {name: role for name, role in task["roles"].items() if name in known})
        try:
            made = Understood(drawing, chosen, params, make_job(chosen, params), "")
        except SherdError as error:
            made = Understood(drawing, chosen, params, None, str(error))
        self._remembered[key] = made
        while len(self._remembered) > REMEMBERED:
            self._remembered.popitem(last=False)
        return made

    def _read(self, task: Task) -> Answer:
        """Read, or make, what the source is; write what was understood."""
        folder, source = Path(task["folder"]), str(task["source"])
        opened: Project | None = None
        if task.get("generate") and not (folder / source).exists():
            write_samples(folder / source, [make_puzzle(task["generate"])])
        elif source.endswith(ENDING):
            opened = read_project(folder / source, folder, task["most_unpacked"])
            task = {**task, "source": opened.source, "params": opened.params, "roles": opened.roles}
        prepared = self._prepared(task)
        shutil.rmtree(folder / "pictures", ignore_errors=True)
        pixels = _write_picture(prepared.whole.scan, folder, "scan", "picture.png", task)
        job = prepared.job
        reading = reading_document(prepared, task["roles"], f"/jobs/{task['id']}/read.png", pixels)
        write_document(folder, "reading", reading)
        write_document(folder, "puzzle", None if job is None else _puzzle(job, folder, task))
        answer: Answer = {"pieces": 0 if job is None else len(job.puzzle.fragments), "error": prepared.reason}
        if opened is None:
            return answer
        return {**answer, **_opened(opened, job, folder)}

    def _solve(self, task: Task) -> Answer:
        folder = Path(task["folder"])
        write_document(folder, "progress", None)
        prepared = self._prepared(task)
        job = prepared.ready
        forbid = frozenset(task["forbid"]) - {item.figure.id for item in job.set_aside}
        if forbid:
            job = make_job(prepared.drawing, prepared.params.changed(forbid=forbid))
        asked = job
        pins = documents.placements_from(task["pins"], job)
        start = documents.placements_from(task["start"], job) if task["start"] else Assembly()
        saved: SavedAssembly | None = None
        if job.puzzle.has_target:
            job = replace(
                job, pinned=Assembly((*job.pinned, *(one for one in pins if one.id not in job.pinned)))
            )
            start = Assembly(tuple(one for one in start if one.id not in job.pinned))
        else:
            start = Assembly((*pins, *(one for one in start if one.id not in pins)))
        if len(start):
            saved = _to_start(job, start)
        telling = Telling(self._tell, folder, job, task)
        with telling.heard():
            found = assemble_job(
                job,
                solver=task["solver"],
                seconds=task["seconds"],
                seed=task["seed"],
                most=task["all"] if job.puzzle.has_target else None,
                start=saved,
                stop=telling.asked(self._is_stopped),
                on_progress=telling,
            )
        return _write_found(found, asked, folder)

    def _judge(self, task: Task) -> Answer:
        """The verdict on where hands have laid pieces."""
        job = self._prepared(task).ready
        found = laid_by_hand(job, documents.placements_from(task["placements"], job))
        return {"answer": documents.answer_document(found, 0, 0)}

    def _keep(self, task: Task) -> Answer:
        """The last progress of a search that was ended as its answer; nothing if it had none."""
        folder = Path(task["folder"])
        progress = _document(folder, "progress")
        if not progress or not progress["placements"]:
            return {}
        job = self._prepared(task).ready
        laid = documents.placements_from(progress["placements"], job)
        found = laid_by_hand(
            job, laid, solver=progress["method"], seconds=progress["seconds"], remark=task["remark"]
        )
        return _write_found(found, job, folder)

    def _found(self, task: Task) -> JobResult:
        """The answer that a task is about: what hands made, or the ``number``-th that was found."""
        job = self._prepared(task).ready
        if task["of"] == "board":
            return laid_by_hand(job, documents.placements_from(task["placements"], job))
        document = _document(Path(task["folder"]), "found")
        if document is None:
            raise ArgumentError("there is no answer yet")
        found = found_from_json(document, job)
        every: tuple[JobResult, ...] = (found, *found.others)
        number = int(task["number"])
        if not 1 <= number <= len(every):
            raise ArgumentError(f"there is no answer {number}: there are {len(every)}")
        return every[number - 1]

    def _answer(self, task: Task) -> Answer:
        of = 1 + len(self._found({**task, "number": 1}).others)
        return {"answer": documents.answer_document(self._found(task), task["number"], of)}

    def _export(self, task: Task) -> Answer:
        """Write one file; its path, and the name to save it under."""
        found, kind = self._found(task), str(task["kind"])
        folder = Path(task["folder"]) / "out"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        if kind == "gif":
            path = folder / "assembled.gif"
            _write_replay(found, path)
            return {"path": str(path)}
        written = export_plan(found, folder, kind.partition(".")[0], task["paper"])
        chosen = [path for path in written if path.name.endswith(f".{kind.rpartition('.')[2]}")]
        if kind in ("json", "photo"):
            chosen = list(written)
        if not chosen:
            what = {"gaps": "nothing stays open", "photo": "the pieces have no picture"}.get(
                kind.partition(".")[0], "nothing lies together"
            )
            raise ArgumentError(f"{what}, so there is no such file")
        return {"path": str(chosen[0])}

    def _picture(self, task: Task) -> Answer:
        """What was read, as a picture."""
        prepared = self._prepared(task)
        picture = picture_of(prepared.drawing, no_target=prepared.params.no_target)
        path = Path(task["folder"]) / "read.png"
        path.write_bytes(to_png(picture, zoom=1.5))
        return {"path": str(path)}

    def _project(self, task: Task) -> Answer:
        folder = Path(task["folder"])
        board, found = _document(folder, "board"), _document(folder, "found")
        project = Project(
            name=task["name"],
            state=task["state"],
            source=task["source"],
            folder=folder,
            params=task["params"],
            roles=task["roles"],
            solve=task["solve"],
            board=board or {},
            found=found or {},
        )
        extras: dict[str, str | bytes] = {}
        prepared = self._prepared(task)
        if prepared.job is not None:
            extras["puzzle.json"] = json.dumps(puzzle_to_json(prepared.job.puzzle.without_paint()))
            if found is not None:
                out = folder / "out"
                shutil.rmtree(out, ignore_errors=True)
                (path,) = export_plan(found_from_json(found, prepared.job), out, "json")
                extras["answer.json"] = path.read_bytes()
        path = folder / "project.sherd"
        write_project(project, path, extras)
        return {"path": str(path)}


def _opened(project: Project, job: Job | None, folder: Path) -> Answer:
    """Write the board and the answer of a project; what it says beside them, all of it checked."""
    try:
        if project.board:
            write_document(folder, "board", Board.model_validate(project.board).model_dump())
        solve = Solve.model_validate(project.solve).model_dump(include=set(project.solve))
        found: Answer = {}
        if job is not None and project.found:
            found = _write_found(found_from_json(project.found, job), job, folder)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        raise ArgumentError("the project's board or answer is not one that can be read") from None
    about: dict[str, Any] = {
        "name": clean_name(project.name) or "pieces",
        "source": project.source,
        "state": project.state if project.state in LEFT_AS else "done",
        "params": dict(project.params),
        "roles": dict(project.roles),
        "solve": solve,
    }
    return {**found, "opened": about}


def _write_found(found: JobResult, asked: Job, folder: Path) -> Answer:
    of = 1 + len(found.result.alternatives)
    write_document(folder, "found", found_to_json(found, asked))
    write_document(folder, "answer", documents.answer_document(found, 1, of))
    return {"verdict": found.verdict.state}


def _to_start(job: Job, start: Assembly) -> SavedAssembly:
    """Placements to keep, as files hold them: poses that move pieces from where they are drawn."""
    moved = Assembly(tuple(Placement(one.id, job.motion(one)) for one in start))
    return SavedAssembly(
        assembly=moved,
        solver="",
        seconds=0.0,
        solved=False,
        coverage=0.0,
        iou=0.0,
        overlap=0.0,
        has_target=job.puzzle.has_target,
        groups=() if job.puzzle.has_target else (Group(moved),),
    )


def _write_replay(found: JobResult, path: Path) -> None:
    """Each piece laid after the other, in the order of the plan, as an animation."""
    if not found.job.puzzle.has_target:
        raise ArgumentError("a replay is shown in a target, and there is none")
    placed = [Placement(step.id, found.result.assembly[step.id]) for step in found.plan.steps]
    if not placed:
        raise ArgumentError("no piece is placed, so there is nothing to replay")
    steps = [Assembly(tuple(placed[:count])) for count in range(1, len(placed) + 1)]
    write_gif(found.job.puzzle, steps, path)


def _puzzle(job: Job, folder: Path, task: Task) -> dict[str, Any]:
    pictures = {
        fragment.id: _write_picture(fragment.texture, folder, str(number), f"pieces/{number}.png", task)
        for number, fragment in enumerate(job.puzzle.fragments)
    }
    return documents.puzzle_document(job, pictures)


def _write_picture(
    texture: Texture | None, folder: Path, name: str, address: str, task: Task
) -> dict[str, Any] | None:
    """Write a picture with its own transparency, and say where it lies and where it is served."""
    if texture is None:
        return None
    alpha = np.full(texture.image.shape[:2], 255, np.uint8) if texture.alpha is None else texture.alpha
    stream = io.BytesIO()
    Image.fromarray(np.dstack([texture.image, alpha])).save(stream, format="PNG")
    (folder / "pictures").mkdir(exist_ok=True)
    (folder / "pictures" / f"{name}.png").write_bytes(stream.getvalue())
    return {"url": f"/jobs/{task['id']}/{address}", **documents.frame_of(texture)}


def _document(folder: Path, name: str) -> Any:
    path = folder / f"{name}.json"
    return json.loads(path.read_bytes()) if path.is_file() else None

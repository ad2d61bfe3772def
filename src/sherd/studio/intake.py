"""From a request to a job, or to what a solver is asked; refused in one sentence where it cannot be."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from fastapi import Request
from pydantic import ValidationError
from starlette.datastructures import UploadFile
from starlette.formparsers import MultiPartException

from sherd.core.errors import SherdError
from sherd.io.document import is_list
from sherd.solvers import solver_names
from sherd.studio import api
from sherd.studio.benchmark_rows import row_called
from sherd.studio.examples import EXAMPLES
from sherd.studio.generate import kind_of
from sherd.studio.service import RefusedError, Service
from sherd.studio.store import JobRow
from sherd.studio.uploads import MOST_FILES, check_params, keep_files, parsed, shown_name
from sherd.workshop.project import SOURCE

LONGEST_FIELD = 2**20
# A new job, the puzzle that is to be made for it, and how it is to be solved at once, if these are asked for.
Asked = tuple[JobRow, dict[str, Any] | None, dict[str, Any] | None]


async def from_form(request: Request, job_id: str, folder: Path, service: Service) -> Asked:
    try:
        form = await request.form(max_files=MOST_FILES, max_fields=10, max_part_size=LONGEST_FIELD)
    except MultiPartException as error:
        raise RefusedError(400, f"the form is broken: {error.message}") from None
    async with request.form() as form:
        params = parsed(str(form.get("params") or "{}"), "params")
        wants = str(form.get("solve", "false")) == "true"
        service.refuse_if_full(solve=wants)
        files = [one for _, one in form.multi_items() if isinstance(one, UploadFile)]
        target = params.get("target")
        source, name = await keep_files(files, folder, target if isinstance(target, str) else None)
    params = check_params(params, (folder / source).parent)
    solve = api.Solve().model_dump() if wants else None
    return JobRow(id=job_id, name=name, source=source, params=params), None, solve


async def from_json(request: Request, job_id: str, folder: Path, service: Service) -> Asked:
    try:
        asked = api.Create.model_validate_json(await request.body())
    except ValidationError as error:
        raise RefusedError(422, sentence_of(list(error.errors()))) from None
    given = [one for one in (asked.puzzle, asked.generate, asked.measured, asked.example) if one is not None]
    if len(given) != 1:
        raise RefusedError(422, "one of puzzle, generate, measured and example is needed, and only one")
    service.refuse_if_full(solve=bool(asked.solve))
    params, generate = asked.params, None
    (folder / SOURCE).mkdir(parents=True)
    if asked.example is not None:
        example = EXAMPLES.get(asked.example)
        if example is None:
            raise RefusedError(422, f"there is no such example: choose {', '.join(EXAMPLES)}")
        file, name = example.file.name, example.name
        (folder / SOURCE / file).write_bytes(example.file.read_bytes())
        params = {**example.params, **params}
    elif asked.generate is not None:
        generate, file = asked.generate.model_dump(), "puzzle.jsonl"
        _check_pieces(asked.generate.pieces, service)
        try:
            kind = kind_of(generate)
        except SherdError as error:
            raise RefusedError(422, " ".join(str(error).split())) from None
        name = f"{kind.shape.name} of {kind.pieces}"
    elif asked.measured is not None:
        generate, file = asked.measured.model_dump(), "puzzle.jsonl"
        name = _name_of(asked.measured)
    else:
        fragments = (asked.puzzle or {}).get("fragments")
        _check_pieces(len(fragments) if is_list(fragments) else 0, service)
        file, name = "puzzle.json", "puzzle"
        (folder / SOURCE / file).write_text(json.dumps(asked.puzzle))
    params = check_params(params, folder / SOURCE)
    solve = asked.solve if isinstance(asked.solve, api.Solve) else api.Solve() if asked.solve else None
    if solve is not None:
        _check_solver(solve)
    row = JobRow(id=job_id, name=shown_name(asked.name or name), source=f"{SOURCE}/{file}", params=params)
    return row, generate, None if solve is None else solve.model_dump()


def _name_of(asked: api.Measured) -> str:
    """What a puzzle that was measured is called; `RefusedError` if there is none."""
    try:
        row = row_called(asked.row)
    except KeyError:
        raise RefusedError(422, "there is no such row") from None
    if asked.number > row["count"]:
        raise RefusedError(422, f"the row has {row['count']:.0f} puzzles, and no number {asked.number:,}")
    return f"{row.get('shape', row.get('kind'))}, puzzle {asked.number}"


def _check_pieces(count: int, service: Service) -> None:
    most = service.settings.most_pieces
    if count > most:
        raise RefusedError(422, f"there are {count:,} pieces, and no more than {most:,} are taken here")


def _check_solver(asked: api.Solve) -> None:
    try:
        solver_names(asked.solver)
    except ValueError as error:
        raise RefusedError(422, str(error)) from None


def solve_request(service: Service, job_id: str, asked: api.Solve) -> dict[str, Any]:
    """What a worker is asked, with the placements to start from in it; `RefusedError` if it cannot be."""
    _check_solver(asked)
    if asked.seconds > service.settings.most_seconds:
        most = f"{service.settings.most_seconds:g} seconds"
        raise RefusedError(422, f"a job may be solved for {most} at most, not {asked.seconds:g}")
    puzzle: Any = service.store.document(job_id, "puzzle")
    known: set[str] = set() if puzzle is None else {piece["id"] for piece in puzzle["pieces"]}
    pinned = [one.id for one in asked.pins]
    if len(set(pinned)) < len(pinned):
        raise RefusedError(422, "a piece is pinned twice")
    for name in (*pinned, *asked.forbid):
        if known and name not in known:
            raise RefusedError(422, f"there is no piece {name!r}")
    if both := set(pinned) & set(asked.forbid):
        raise RefusedError(422, f"{min(both)!r} is both pinned and forbidden")
    if known and known <= set(asked.forbid):
        raise RefusedError(422, "all pieces are forbidden")
    task = asked.model_dump()
    if asked.start is not None:
        document = service.store.document(job_id, asked.start)
        if document is None:
            raise RefusedError(422, f"there is no {asked.start} to start from")
        kept = [
            {"id": one["id"], "pose": one["pose"]}
            for one in document["placements"]
            if one["id"] in known and one["id"] not in {*pinned, *asked.forbid}
        ]
        if len(kept) + len(pinned) >= len(known) - len(set(asked.forbid)):
            raise RefusedError(422, "all pieces are placed there: pin those to keep, or start from nothing")
        task["start"] = kept
    return task


def sentence_of(errors: list[Any]) -> str:
    """What is wrong with a request first, in one sentence."""
    first = errors[0]
    where = ".".join(str(part) for part in first["loc"] if part != "body")
    said = str(first["msg"]).removeprefix("Value error, ")
    sentence = f"{where}: {said[0].lower()}{said[1:]}" if where else said
    return " ".join("".join(c if c.isprintable() else " " for c in sentence).split())[:300]

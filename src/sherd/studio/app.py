"""The web application: its routes, which check what is asked and leave the rest to the service."""

from __future__ import annotations

import json
import mimetypes
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import FastAPI, Query, Request
from fastapi import Path as InPath
from fastapi.exceptions import RequestValidationError
from fastapi.responses import (
    FileResponse,
    HTMLResponse,
    JSONResponse,
    PlainTextResponse,
    Response,
    StreamingResponse,
)
from pydantic import ValidationError
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException

from sherd.core.errors import SherdError
from sherd.io.document import is_list
from sherd.plan.formats.names import safe_file_name
from sherd.solvers import solver_names
from sherd.studio import api, examples
from sherd.studio.docs_page import docs_page
from sherd.studio.generate import kind_of
from sherd.studio.security import Guard
from sherd.studio.service import RefusedError, Service
from sherd.studio.settings import Settings
from sherd.studio.store import JobRow, new_id
from sherd.studio.uploads import MOST_FILES, check_params, keep_files, parsed, shown_name
from sherd.workshop.project import SOURCE

HERE = Path(__file__).parent
PAGE = HERE / "page"
# A new job is answered with what was read of it if that is done within so many seconds.
PATIENCE = 1.0
LONGEST_FIELD = 2**20
KINDS: dict[str, str] = {
    "json": "application/json",
    "svg": "image/svg+xml",
    "dxf": "image/vnd.dxf",
    "pdf": "application/pdf",
    "geojson": "application/geo+json",
    "png": "image/png",
    "csv": "text/csv",
    "gif": "image/gif",
    "photo": "image/png",
    "gaps.svg": "image/svg+xml",
    "gaps.dxf": "image/vnd.dxf",
}
# A picture that is opened by itself must not run anything, whatever its names hold.
AS_FILE = {"content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox"}

JobId = Annotated[str, InPath(pattern="^[a-z2-7]{16}$", description="A job's id.")]
REFUSALS: dict[int | str, dict[str, Any]] = {
    status: {"model": api.Refused, "description": said}
    for status, said in (
        (400, "not understood"),
        (401, "a token is needed"),
        (403, "asked by a page of another site"),
        (404, "no such job"),
        (409, "not in this state"),
        (413, "too long"),
        (415, "neither a form nor JSON"),
        (421, "not a name of this server"),
        (422, "it cannot be read or done"),
        (429, "the queue is full"),
        (500, "something broke"),
    )
}
CREATE_BODY = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {
                "schema": api.Create.model_json_schema(ref_template="#/components/schemas/{model}")
            },
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["files"],
                    "properties": {
                        "files": {
                            "type": "array",
                            "items": {"type": "string", "format": "binary"},
                            "minItems": 1,
                            "description": "A drawing, a picture or several, a puzzle or a project.",
                        },
                        "params": {"type": "string", "description": "Parameters as a JSON object."},
                        "solve": {"type": "string", "enum": ["true", "false"]},
                    },
                }
            },
        },
    }
}


def make_app(settings: Settings) -> FastAPI:
    """A server over the jobs of one folder; all of its state is in the service that it holds."""
    service = Service(settings)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncGenerator[None, None]:
        service.start()
        yield
        await service.close()

    app = FastAPI(
        title="sherd studio",
        version=version("sherd"),
        description="Puts pieces back together: send a drawing, pictures or a puzzle, and get a plan.",
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        responses=REFUSALS,
    )
    app.state.service = service
    app.add_middleware(Guard, settings=settings, metrics=service.metrics)
    _add_refusals(app)
    _add_jobs(app, service)
    _add_files(app, service)
    _add_pages(app, service)
    return app


def _add_refusals(app: FastAPI) -> None:
    @app.exception_handler(RefusedError)
    async def refused(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, RefusedError)
        return JSONResponse({"detail": error.sentence}, error.status)

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, RequestValidationError)
        return JSONResponse({"detail": _sentence(list(error.errors()))}, 422)

    @app.exception_handler(HTTPException)
    async def plain(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, HTTPException)
        return JSONResponse({"detail": str(error.detail)}, error.status_code, headers=error.headers)


def _add_jobs(app: FastAPI, service: Service) -> None:
    store, settings = service.store, service.settings

    @app.post(
        "/jobs",
        status_code=201,
        responses={201: {"model": api.Job}},
        openapi_extra=CREATE_BODY,
        summary="Make a job",
    )
    async def create(request: Request) -> Response:
        """Of files (a form), or of a puzzle, a puzzle to be made or an example (JSON).

        The answer comes when it is read, or after a second: then the state is still "reading".
        """
        kind = request.headers.get("content-type", "").partition(";")[0].strip().casefold()
        row_id = new_id()
        folder = store.folder_of(row_id)
        try:
            if kind == "multipart/form-data":
                row, generate, solve = await _from_form(request, row_id, folder, service)
            elif kind == "application/json":
                row, generate, solve = await _from_json(request, row_id, folder, service)
            else:
                raise RefusedError(415, "a job is a form with files, or JSON")
            service.add(row, generate=generate, solve=solve)
        except BaseException:
            if folder.is_dir():
                store.remove(row_id)
            raise
        await service.settled(row_id, PATIENCE if solve is None else 0.0)
        return JSONResponse(service.job(row_id), 201, headers={"location": f"/jobs/{row_id}"})

    @app.get("/jobs", responses={200: {"model": list[api.JobLine]}}, summary="List jobs, the newest first")
    async def list_jobs(most: Annotated[int, Query(ge=1, le=10_000)] = 200) -> Response:
        """Without their readings and answers."""
        names = ("id", "name", "state", "created", "pieces", "verdict")
        return JSONResponse([{name: getattr(row, name) for name in names} for row in store.all(most)])

    @app.get("/jobs/{job_id}", responses={200: {"model": api.Job}}, summary="A job, all of it")
    async def get_job(job_id: JobId) -> Response:
        """Its state, what was read, its puzzle, its answer and its board."""
        return JSONResponse(service.job(job_id))

    @app.delete("/jobs/{job_id}", status_code=204, summary="End a job and forget it")
    async def delete_job(job_id: JobId) -> Response:
        """Its process ends at once, and its files are removed."""
        await service.remove(job_id)
        return Response(status_code=204)

    @app.patch("/jobs/{job_id}", responses={200: {"model": api.Job}}, summary="Say otherwise, and read again")
    async def patch_job(job_id: JobId, patch: api.Patch) -> Response:
        """Answers to what was read before are dropped."""
        row = service.row(job_id)
        folder = (store.folder_of(job_id) / row.source).parent
        params = check_params({**row.params, **patch.params}, folder)
        if patch.name is not None:
            store.change(job_id, name=shown_name(patch.name))
        if patch.params or patch.roles or row.state in ("failed", "interrupted"):
            service.read_again(job_id, params, {**row.roles, **patch.roles})
            await service.settled(job_id, PATIENCE)
        return JSONResponse(service.job(job_id))

    @app.post(
        "/jobs/{job_id}/solve", status_code=202, responses={202: {"model": api.Job}}, summary="Solve a job"
    )
    async def solve_job(job_id: JobId, asked: api.Solve) -> Response:
        """It waits for its turn, and is solved; listen to its events, or ask for it again."""
        service.row(job_id)
        service.solve(job_id, _solve_request(service, job_id, asked))
        return JSONResponse(service.job(job_id), 202)

    @app.post(
        "/jobs/{job_id}/stop", responses={200: {"model": api.Job}}, summary="Stop solving, keep the best"
    )
    async def stop_job(job_id: JobId) -> Response:
        """The search ends at once; the best that it had found is judged and kept."""
        await service.stop(job_id)
        return JSONResponse(service.job(job_id))

    @app.put("/jobs/{job_id}/board", responses={200: {"model": api.Answer}}, summary="Lay pieces by hand")
    async def put_board(job_id: JobId, board: api.Board) -> Response:
        """The board is kept, and judged by the same verdict as all answers."""
        if len({one.id for one in board.placements}) < len(board.placements):
            raise RefusedError(422, "a piece lies in two places")
        return JSONResponse(await service.lay(job_id, board.model_dump()))

    @app.get(
        "/jobs/{job_id}/answers/{number}",
        responses={200: {"model": api.Answer}},
        summary="One of the answers",
    )
    async def get_answer(job_id: JobId, number: Annotated[int, InPath(ge=1, le=1000)]) -> Response:
        """Counted from 1, which is the one that the job shows."""
        _refuse_without_answer(service, job_id)
        task = {"task": "answer", "of": "answer", "number": number}
        found = await service.quick(job_id, task)
        return JSONResponse(found["answer"])

    @app.get(
        "/jobs/{job_id}/events",
        response_class=StreamingResponse,
        responses={200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}},
        summary="What happens, as it happens",
    )
    async def events(job_id: JobId) -> Response:
        """Server-sent events: job, progress and, when nothing more happens, done."""
        service.row(job_id)
        if service.hub.is_full:
            raise RefusedError(429, f"{settings.most_streams:,} listen already, and no more may: try later")
        stream = service.hub.listen(job_id, lambda: service.events_now(job_id))
        return StreamingResponse(
            stream,
            media_type="text/event-stream",
            headers={"cache-control": "no-store", "x-accel-buffering": "no"},
        )


def _add_files(app: FastAPI, service: Service) -> None:
    store = service.store

    async def exported(job_id: str, kind: str, of: str, number: int, paper: str) -> Response:
        row = service.row(job_id)
        task: dict[str, Any] = {"task": "export", "kind": kind, "of": of, "number": number, "paper": paper}
        if of == "board":
            board = store.document(job_id, "board")
            if board is None:
                raise RefusedError(409, "nothing was laid by hand yet")
            task["placements"] = board["placements"]
        else:
            _refuse_without_answer(service, job_id)
        made = await service.quick(job_id, task)
        return _file(made["path"], KINDS[kind], f"{safe_file_name(row.name)}.{_ending(kind)}")

    @app.get(
        "/jobs/{job_id}/answer.{kind}",
        responses={200: {"content": {kind: {} for kind in dict.fromkeys(KINDS.values())}}},
        response_class=Response,
        summary="An answer as a file",
    )
    async def answer_file(
        job_id: JobId,
        kind: Literal[
            "json", "svg", "dxf", "pdf", "geojson", "png", "csv", "gif", "photo", "gaps.svg", "gaps.dxf"
        ],
        of: Literal["answer", "board"] = "answer",
        number: Annotated[int, Query(ge=1, le=1000)] = 1,
        paper: Literal["a4", "a3", "letter"] = "a4",
    ) -> Response:
        """The plan (pdf), drawings, pictures, the table of pieces, a replay (gif), or cut files of gaps."""
        return await exported(job_id, kind, of, number, paper)

    @app.get("/jobs/{job_id}/project.sherd", response_class=Response, summary="The project file")
    async def project(job_id: JobId) -> Response:
        """A zip of the source files, the puzzle and the answer; it opens again as it was left."""
        row = service.row(job_id)
        if store.document(job_id, "reading") is None:
            raise RefusedError(409, row.error or "the job is not read yet")
        made = await service.quick(job_id, {"task": "project"})
        return _file(made["path"], "application/zip", f"{safe_file_name(row.name)}.sherd")

    @app.get("/jobs/{job_id}/read.png", response_class=Response, summary="What was read, as a picture")
    async def read_picture(job_id: JobId) -> Response:
        """Outlines with their names, over the scan where there is one."""
        row = service.row(job_id)
        if store.document(job_id, "reading") is None:
            raise RefusedError(409, row.error or "the job is not read yet")
        path = store.folder_of(job_id) / "read.png"
        if not path.is_file():
            await service.quick(job_id, {"task": "picture"})
        return _shown(path)

    @app.get("/jobs/{job_id}/picture.png", response_class=Response, summary="The scan that was read")
    async def scan(job_id: JobId) -> Response:
        """Made smaller, in the frame that the reading tells."""
        service.row(job_id)
        return _shown(store.folder_of(job_id) / "pictures" / "scan.png")

    @app.get("/jobs/{job_id}/pieces/{number}.png", response_class=Response, summary="A piece's own pixels")
    async def piece_picture(job_id: JobId, number: Annotated[int, InPath(ge=0, le=100_000)]) -> Response:
        """Counted from 0, in the order of the puzzle."""
        service.row(job_id)
        return _shown(store.folder_of(job_id) / "pictures" / f"{number}.png")


def _add_pages(app: FastAPI, service: Service) -> None:
    def page(name: str) -> Response:
        path = PAGE / name
        if Path(name).name != name or not path.is_file():
            raise RefusedError(404, "there is no such page")
        kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
        return FileResponse(path, media_type=kind, headers={"cache-control": "no-cache"})

    @app.get("/", include_in_schema=False)
    async def index() -> Response:
        return page("index.html")

    @app.get("/bench", include_in_schema=False)
    async def bench() -> Response:
        return page("bench.html")

    @app.get("/page/{name}", include_in_schema=False)
    async def part_of_page(name: str) -> Response:
        return page(name)

    @app.get("/docs", include_in_schema=False)
    async def docs() -> Response:
        return HTMLResponse(docs_page(app.openapi()))

    @app.get("/docs.css", include_in_schema=False)
    async def docs_style() -> Response:
        return FileResponse(HERE / "docs.css", media_type="text/css")

    @app.get("/examples", summary="The examples")
    async def list_examples() -> Response:
        """Their names, titles and pictures."""
        return JSONResponse(
            [
                {"name": one.name, "title": one.title, "picture": f"/examples/{one.name}.png"}
                for one in examples.EXAMPLES.values()
            ]
        )

    @app.get("/examples/{name}.png", response_class=Response, summary="An example's picture")
    async def example_picture(name: str) -> Response:
        """What its pieces make."""
        if name not in examples.EXAMPLES:
            raise RefusedError(404, "there is no such example")
        return _shown(examples.EXAMPLES[name].picture)

    @app.get("/health", responses={200: {"model": api.Health}}, summary="Whether the server is there")
    async def health() -> Response:
        """Open to all."""
        settings = service.settings
        about = {"version": version("sherd"), "waiting": service.waiting, "queue": settings.queue}
        return JSONResponse({"status": "ok", **about})

    @app.get("/metrics", response_class=PlainTextResponse, summary="Counts for Prometheus")
    async def metrics() -> Response:
        """In its text format."""
        text = service.metrics.text(service.store.counts(), service.gauges)
        return PlainTextResponse(text, media_type="text/plain; version=0.0.4")


Asked = tuple[JobRow, dict[str, Any] | None, dict[str, Any] | None]


async def _from_form(request: Request, job_id: str, folder: Path, service: Service) -> Asked:
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


async def _from_json(request: Request, job_id: str, folder: Path, service: Service) -> Asked:
    try:
        asked = api.Create.model_validate_json(await request.body())
    except ValidationError as error:
        raise RefusedError(422, _sentence(list(error.errors()))) from None
    given = [one for one in (asked.puzzle, asked.generate, asked.example) if one is not None]
    if len(given) != 1:
        raise RefusedError(422, "one of puzzle, generate and example is needed, and only one")
    service.refuse_if_full(solve=bool(asked.solve))
    params, generate = asked.params, None
    (folder / SOURCE).mkdir(parents=True)
    if asked.example is not None:
        example = examples.EXAMPLES.get(asked.example)
        if example is None:
            raise RefusedError(422, f"there is no such example: choose {', '.join(examples.EXAMPLES)}")
        file, name = example.file.name, example.name
        (folder / SOURCE / file).write_bytes(example.file.read_bytes())
        params = {**example.params, **params}
    elif asked.generate is not None:
        generate, file = asked.generate.model_dump(), "puzzle.jsonl"
        _check_pieces(asked.generate.pieces, service)
        try:
            kind = kind_of(generate)
        except (SherdError, ValueError) as error:
            raise RefusedError(422, " ".join(str(error).split())) from None
        name = f"{kind.shape.name} of {kind.pieces}"
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


def _check_pieces(count: int, service: Service) -> None:
    most = service.settings.most_pieces
    if count > most:
        raise RefusedError(422, f"there are {count:,} pieces, and no more than {most:,} are taken here")


def _check_solver(asked: api.Solve) -> None:
    try:
        solver_names(asked.solver)
    except ValueError as error:
        raise RefusedError(422, str(error)) from None


def _solve_request(service: Service, job_id: str, asked: api.Solve) -> dict[str, Any]:
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


def _refuse_without_answer(service: Service, job_id: str) -> None:
    service.row(job_id)
    if service.store.document(job_id, "found") is None:
        raise RefusedError(409, "there is no answer yet")


def _ending(kind: str) -> str:
    return {"photo": "photo.png", "pdf": "plan.pdf", "json": "assembly.json"}.get(kind, kind)


def _file(path: str, kind: str, name: str) -> Response:
    """A file to be saved."""
    headers = {**AS_FILE, "cache-control": "no-store"}
    return FileResponse(path, media_type=kind, filename=name, headers=headers)


def _shown(path: Path) -> Response:
    """A picture to be shown."""
    if not path.is_file():
        raise RefusedError(404, "there is no such picture")
    return FileResponse(path, media_type="image/png", headers={**AS_FILE, "cache-control": "no-cache"})


def _sentence(errors: list[Any]) -> str:
    """What is wrong with a request first, in one sentence."""
    first = errors[0]
    where = ".".join(str(part) for part in first["loc"] if part != "body")
    said = str(first["msg"]).removeprefix("Value error, ")
    sentence = f"{where}: {said[0].lower()}{said[1:]}" if where else said
    return " ".join("".join(c if c.isprintable() else " " for c in sentence).split())[:300]

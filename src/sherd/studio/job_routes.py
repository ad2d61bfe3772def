"""Routes of jobs: made, looked at, changed, solved, stopped, laid by hand and removed."""

from __future__ import annotations

from typing import Annotated

from fastapi import FastAPI, Query, Request
from fastapi import Path as InPath
from fastapi.responses import JSONResponse, Response, StreamingResponse

from sherd.studio import api
from sherd.studio.intake import from_form, from_json, solve_request
from sherd.studio.service import RefusedError, Service
from sherd.studio.store import new_id
from sherd.studio.uploads import check_params, shown_name

# A new job is answered with what was read of it if that is done within so many seconds.
PATIENCE = 1.0
CREATE_BODY = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {"schema": {"$ref": "#/components/schemas/Create"}},
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


def add_job_routes(app: FastAPI, service: Service) -> None:
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
                row, generate, solve = await from_form(request, row_id, folder, service)
            elif kind == "application/json":
                row, generate, solve = await from_json(request, row_id, folder, service)
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
    async def get_job(job_id: api.JobId) -> Response:
        """Its state, what was read, its puzzle, its answer and its board."""
        return JSONResponse(service.job(job_id))

    @app.delete("/jobs/{job_id}", status_code=204, summary="End a job and forget it")
    async def delete_job(job_id: api.JobId) -> Response:
        """Its process ends at once, and its files are removed."""
        await service.remove(job_id)
        return Response(status_code=204)

    @app.patch("/jobs/{job_id}", responses={200: {"model": api.Job}}, summary="Say otherwise, and read again")
    async def patch_job(job_id: api.JobId, patch: api.Patch) -> Response:
        """Answers to what was read before are dropped."""
        row = service.row(job_id)
        folder = (store.folder_of(job_id) / row.source).parent
        params = check_params({**row.params, **patch.params}, folder)
        reading = store.document(job_id, "reading")
        known: set[str] = set() if reading is None else {figure["id"] for figure in reading["figures"]}
        for outline in patch.roles:
            if outline not in known:
                raise RefusedError(422, f"there is no outline {outline!r}")
        if patch.name is not None:
            store.change(job_id, name=shown_name(patch.name))
        if patch.params or patch.roles or row.state in ("failed", "interrupted"):
            service.read_again(job_id, params, {**row.roles, **patch.roles})
            await service.settled(job_id, PATIENCE)
        return JSONResponse(service.job(job_id))

    @app.post(
        "/jobs/{job_id}/solve", status_code=202, responses={202: {"model": api.Job}}, summary="Solve a job"
    )
    async def solve_job(job_id: api.JobId, asked: api.Solve) -> Response:
        """It waits for its turn, and is solved; listen to its events, or ask for it again."""
        service.row(job_id)
        service.solve(job_id, solve_request(service, job_id, asked))
        return JSONResponse(service.job(job_id), 202)

    @app.post(
        "/jobs/{job_id}/stop", responses={200: {"model": api.Job}}, summary="Stop solving, keep the best"
    )
    async def stop_job(job_id: api.JobId) -> Response:
        """The search ends at once; the best that it had found is judged and kept."""
        await service.stop(job_id)
        return JSONResponse(service.job(job_id))

    @app.put("/jobs/{job_id}/board", responses={200: {"model": api.Answer}}, summary="Lay pieces by hand")
    async def put_board(job_id: api.JobId, board: api.Board) -> Response:
        """The board is kept, and judged by the same verdict as all answers."""
        if len({one.id for one in board.placements}) < len(board.placements):
            raise RefusedError(422, "a piece lies in two places")
        return JSONResponse(await service.lay(job_id, board.model_dump()))

    @app.get(
        "/jobs/{job_id}/answers/{number}",
        responses={200: {"model": api.Answer}},
        summary="One of the answers",
    )
    async def get_answer(job_id: api.JobId, number: Annotated[int, InPath(ge=1, le=1000)]) -> Response:
        """Counted from 1, which is the one that the job shows."""
        service.refuse_without_answer(job_id)
        task = {"task": "answer", "of": "answer", "number": number}
        found = await service.quick(job_id, task)
        return JSONResponse(found["answer"])

    @app.get(
        "/jobs/{job_id}/events",
        response_class=StreamingResponse,
        responses={200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}},
        summary="What happens, as it happens",
    )
    async def events(job_id: api.JobId) -> Response:
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

"""Routes of files: answers in all formats, project files and pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import FastAPI, Query
from fastapi import Path as InPath
from fastapi.responses import FileResponse, Response

from sherd.plan.formats.names import safe_file_name
from sherd.studio import api
from sherd.studio.service import RefusedError, Service

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


def add_file_routes(app: FastAPI, service: Service) -> None:
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
            service.refuse_without_answer(job_id)
        made = await service.quick(job_id, task)
        return _file(made["path"], KINDS[kind], f"{safe_file_name(row.name)}.{_ending(kind)}")

    @app.get(
        "/jobs/{job_id}/answer.{kind}",
        responses={200: {"content": {kind: {} for kind in dict.fromkeys(KINDS.values())}}},
        response_class=Response,
        summary="An answer as a file",
    )
    async def answer_file(
        job_id: api.JobId,
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
    async def project(job_id: api.JobId) -> Response:
        """A zip of the source files, the puzzle and the answer; it opens again as it was left."""
        row = service.row(job_id)
        if store.document(job_id, "reading") is None:
            raise RefusedError(409, row.error or "the job is not read yet")
        made = await service.quick(job_id, {"task": "project"})
        return _file(made["path"], "application/zip", f"{safe_file_name(row.name)}.sherd")

    @app.get("/jobs/{job_id}/read.png", response_class=Response, summary="What was read, as a picture")
    async def read_picture(job_id: api.JobId) -> Response:
        """Outlines with their names, over the scan where there is one."""
        row = service.row(job_id)
        if store.document(job_id, "reading") is None:
            raise RefusedError(409, row.error or "the job is not read yet")
        path = store.folder_of(job_id) / "read.png"
        if not path.is_file():
            await service.quick(job_id, {"task": "picture"})
        return shown_picture(path)

    @app.get("/jobs/{job_id}/picture.png", response_class=Response, summary="The scan that was read")
    async def scan(job_id: api.JobId) -> Response:
        """Made smaller, in the frame that the reading tells."""
        service.row(job_id)
        return shown_picture(store.folder_of(job_id) / "pictures" / "scan.png")

    @app.get("/jobs/{job_id}/pieces/{number}.png", response_class=Response, summary="A piece's own pixels")
    async def piece_picture(job_id: api.JobId, number: Annotated[int, InPath(ge=0, le=100_000)]) -> Response:
        """Counted from 0, in the order of the puzzle."""
        service.row(job_id)
        return shown_picture(store.folder_of(job_id) / "pictures" / f"{number}.png")


def _ending(kind: str) -> str:
    return {"photo": "photo.png", "pdf": "plan.pdf", "json": "assembly.json"}.get(kind, kind)


def _file(path: str, kind: str, name: str) -> Response:
    """A file to be saved."""
    headers = {**AS_FILE, "cache-control": "no-store"}
    return FileResponse(path, media_type=kind, filename=name, headers=headers)


def shown_picture(path: Path) -> Response:
    """A picture to be shown."""
    if not path.is_file():
        raise RefusedError(404, "there is no such picture")
    return FileResponse(path, media_type="image/png", headers={**AS_FILE, "cache-control": "no-cache"})

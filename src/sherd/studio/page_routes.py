"""Routes of pages, and of what they show beside jobs: examples, records, documentation, health and counts."""

from __future__ import annotations

import mimetypes
from pathlib import Path

from fastapi import FastAPI
from fastapi.responses import FileResponse, HTMLResponse, JSONResponse, PlainTextResponse, Response

from sherd.core.about import version_of
from sherd.studio import api
from sherd.studio.benchmark_rows import records
from sherd.studio.docs_page import docs_page
from sherd.studio.examples import EXAMPLES
from sherd.studio.file_routes import shown_picture
from sherd.studio.service import RefusedError, Service

HERE = Path(__file__).parent
PAGE = HERE / "page"


def add_page_routes(app: FastAPI, service: Service) -> None:
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
                for one in EXAMPLES.values()
            ]
        )

    @app.get("/examples/{name}.png", response_class=Response, summary="An example's picture")
    async def example_picture(name: str) -> Response:
        """What its pieces make."""
        if name not in EXAMPLES:
            raise RefusedError(404, "there is no such example")
        return shown_picture(EXAMPLES[name].picture)

    @app.get("/bench/records.json", summary="What was measured")
    async def bench_records() -> Response:
        """The paper's rows, our cells that count, and those of broken things."""
        return JSONResponse(records())

    @app.get("/health", responses={200: {"model": api.Health}}, summary="Whether the server is there")
    async def health() -> Response:
        """Open to all."""
        settings = service.settings
        about = {"version": version_of("sherd"), "waiting": service.waiting, "queue": settings.queue}
        return JSONResponse({"status": "ok", **about})

    @app.get("/metrics", response_class=PlainTextResponse, summary="Counts for Prometheus")
    async def metrics() -> Response:
        """In its text format."""
        text = service.metrics.text(service.store.counts(), service.gauges)
        return PlainTextResponse(text, media_type="text/plain; version=0.0.4")

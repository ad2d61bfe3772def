"""The web application, put together: the service, what guards it, and its routes."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from sherd.core.about import version_of
from sherd.studio import api
from sherd.studio.file_routes import add_file_routes
from sherd.studio.intake import sentence_of
from sherd.studio.job_routes import add_job_routes
from sherd.studio.page_routes import add_page_routes
from sherd.studio.security import Guard
from sherd.studio.service import RefusedError, Service
from sherd.studio.settings import Settings

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
        version=version_of("sherd"),
        description="Puts pieces back together: send a drawing, pictures or a puzzle, and get a plan.",
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        responses=REFUSALS,
    )
    app.state.service = service
    app.add_middleware(Guard, settings=settings, metrics=service.metrics)
    _add_refusals(app)
    add_job_routes(app, service)
    add_file_routes(app, service)
    add_page_routes(app, service)
    app.openapi = lambda: _document(app)
    return app


def _document(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI document, with what a job is made of by JSON, which its route reads by itself."""
    if app.openapi_schema is None:
        document = get_openapi(
            title=app.title, version=app.version, description=app.description, routes=app.routes
        )
        create = api.Create.model_json_schema(ref_template="#/components/schemas/{model}")
        document["components"]["schemas"] |= {**create.pop("$defs"), "Create": create}
        app.openapi_schema = document
    return app.openapi_schema


def _add_refusals(app: FastAPI) -> None:
    @app.exception_handler(RefusedError)
    async def refused(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, RefusedError)
        return JSONResponse({"detail": error.sentence}, error.status)

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, RequestValidationError)
        return JSONResponse({"detail": sentence_of(list(error.errors()))}, 422)

    @app.exception_handler(Exception)
    async def broken(request: Request, error: Exception) -> JSONResponse:
        return JSONResponse({"detail": f"sherd made a mistake here ({type(error).__name__})"}, 500)

    @app.exception_handler(HTTPException)
    async def plain(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, HTTPException)
        return JSONResponse({"detail": str(error.detail)}, error.status_code, headers=error.headers)

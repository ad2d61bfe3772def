"""What the OpenAPI document says is what the server does, whatever is asked."""

from __future__ import annotations

from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.specs.openapi import checks as conforms

from .conftest import PATIENCE, Running

# Streams have no end, files take long to make, and generated requests would remove the job.
LEFT_OUT = {"/jobs/{job_id}/events", "/jobs/{job_id}/answer.{kind}", "/jobs/{job_id}/project.sherd"}
EXAMPLES = 6


@pytest.fixture(scope="module")
def document(server: Running) -> dict[str, Any]:
    return server.ask("GET", "/openapi.json").json()


def test_all_routes_are_documented(document: dict[str, Any]) -> None:
    routes = {f"{method.upper()} {path}" for path, route in document["paths"].items() for method in route}
    assert routes == {
        *("POST /jobs", "GET /jobs", "GET /jobs/{job_id}", "DELETE /jobs/{job_id}", "PATCH /jobs/{job_id}"),
        *("POST /jobs/{job_id}/solve", "POST /jobs/{job_id}/stop", "PUT /jobs/{job_id}/board"),
        *("GET /jobs/{job_id}/answers/{number}", "GET /jobs/{job_id}/events"),
        *("GET /jobs/{job_id}/answer.{kind}", "GET /jobs/{job_id}/project.sherd"),
        *("GET /jobs/{job_id}/read.png", "GET /jobs/{job_id}/picture.png"),
        *("GET /jobs/{job_id}/pieces/{number}.png", "GET /examples", "GET /examples/{name}.png"),
        *("GET /bench/records.json", "GET /health", "GET /metrics"),
    }
    names = set(document["components"]["schemas"])
    used = set(_references(document))
    assert used <= names, "what is referred to is there"


def _references(value: Any) -> list[str]:
    if isinstance(value, dict):
        own = [value["$ref"].rpartition("/")[2]] if isinstance(value.get("$ref"), str) else []
        return own + [found for one in value.values() for found in _references(one)]
    return [found for one in value for found in _references(one)] if isinstance(value, list) else []


def test_requests_of_any_kind_are_answered_as_documented(server: Running, document: dict[str, Any]) -> None:
    """Schemathesis makes them up from the document, for a job that is there."""
    job = server.make(generate={"pieces": 2, "rotations": 1}, solve=True)
    assert document["paths"].keys() >= LEFT_OUT
    kept = {
        path: {method: about for method, about in route.items() if method != "delete"}
        for path, route in document["paths"].items()
        if path not in LEFT_OUT
    }
    schema = schemathesis.openapi.from_dict({**document, "paths": kept})
    checks = (
        schemathesis.checks.not_a_server_error,
        conforms.status_code_conformance,
        conforms.content_type_conformance,
        conforms.response_schema_conformance,
    )
    asked = 0
    for found in schema.get_all_operations():
        operation = found.ok()

        @settings(
            max_examples=EXAMPLES,
            deadline=None,
            derandomize=True,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=operation.as_strategy())
        def answers(case: schemathesis.Case) -> None:
            nonlocal asked
            asked += 1
            if "job_id" in case.path_parameters:
                case.path_parameters["job_id"] = job["id"]
            answer = case.call(base_url=server.address, timeout=PATIENCE)
            case.validate_response(answer, checks=checks)
            assert b"which is a bug" not in answer.content

        answers()
        server.ask("POST", f"/jobs/{job['id']}/stop")
        server.settled(job["id"])
    assert asked >= 60
    assert server.ask("GET", "/health").status_code == 200

"""The OpenAPI document as a plain page: nothing is loaded from elsewhere to read it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

METHODS = ("get", "post", "put", "patch", "delete")


def docs_page(document: Mapping[str, Any]) -> str:
    """A page of HTML with every route, what it takes and what it answers."""
    about = document["info"]
    body = "".join(_routes(document))
    schemas = "".join(_schemas(document.get("components", {}).get("schemas", {})))
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>sherd studio: the service</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<link rel="stylesheet" href="/docs.css">'
        f"<h1>{escape(about['title'])} {escape(about['version'])}</h1><p>{escape(about['description'])}"
        f'<p><a href="/openapi.json">openapi.json</a> says the same for programs.{body}'
        f"<h2>What is sent and answered</h2>{schemas}</html>"
    )


def _routes(document: Mapping[str, Any]) -> Iterator[str]:
    for path, methods in document["paths"].items():
        for method in METHODS:
            if method not in methods:
                continue
            route = methods[method]
            yield f"<h2><code>{method.upper()} {escape(path)}</code></h2>"
            yield f"<p>{escape(route.get('summary', ''))}. {escape(route.get('description', ''))}"
            rows = "".join(_parameters(route)) + "".join(_bodies(route))
            if rows:
                yield f"<table>{rows}</table>"
            answers = ", ".join(
                f"{escape(status)} {escape(answer.get('description', ''))}"
                for status, answer in route["responses"].items()
            )
            yield f"<p class=answers>Answers: {answers}."


def _parameters(route: Mapping[str, Any]) -> Iterator[str]:
    for one in route.get("parameters", ()):
        schema = one.get("schema", {})
        yield _row(one["name"], f"in the {one['in']}", _kind(schema), schema.get("description", ""))


def _bodies(route: Mapping[str, Any]) -> Iterator[str]:
    for kind, content in route.get("requestBody", {}).get("content", {}).items():
        yield _row("the content", kind, _kind(content.get("schema", {})), "")
        for name, schema in content.get("schema", {}).get("properties", {}).items():
            yield _row(name, kind, _kind(schema), schema.get("description", ""))


def _schemas(schemas: Mapping[str, Any]) -> Iterator[str]:
    for name, schema in schemas.items():
        rows = "".join(
            _row(key, "", _kind(value), value.get("description", ""))
            for key, value in schema.get("properties", {}).items()
        )
        said = escape(schema.get("description", ""))
        yield f'<h3 id="{escape(name)}">{escape(name)}</h3><p>{said}<table>{rows}</table>'


def _row(*cells: str) -> str:
    name, *others = cells
    rest = "".join(f"<td>{escape(cell)}" for cell in others)
    return f"<tr><th>{escape(name)}{rest}"


def _kind(schema: Mapping[str, Any]) -> str:
    """What kind of value a schema allows, in a few words."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    for key in ("anyOf", "oneOf"):
        if key in schema:
            return " or ".join(_kind(one) for one in schema[key])
    if "enum" in schema:
        return " | ".join(map(str, schema["enum"]))
    if "const" in schema:
        return str(schema["const"])
    if schema.get("type") == "array":
        return f"list of {_kind(schema.get('items', {}))}"
    kind = str(
        schema.get("title")
        if schema.get("type") == "object" and "title" in schema
        else schema.get("type", "")
    )
    bounds = [f"{name} {schema[name]}" for name in ("minimum", "maximum", "pattern") if name in schema]
    default = [f"default {schema['default']}"] if schema.get("default") not in (None, [], {}) else []
    return ", ".join([kind or "anything", *bounds, *default])

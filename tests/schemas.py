"""Holds documents against JSON Schema files: the keywords that ours use, and no others."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "docs" / "reference" / "schemas"
SILENT = {"$schema", "$defs", "title", "description", "properties", "additionalProperties", "required"}
TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "number": (int, float),
    "integer": (int,),
    "boolean": (bool,),
    "null": (type(None),),
}


def schema(name: str) -> dict[str, Any]:
    return json.loads((FOLDER / f"{name}.schema.json").read_text())


def problems(value: Any, name: str) -> list[str]:
    """Where a document is not as the schema of that name says."""
    root = schema(name)
    return list(_problems(value, root, root, "$"))


def _is(value: Any, kind: str) -> bool:
    if kind != "boolean" and isinstance(value, bool):
        return False
    return isinstance(value, TYPES[kind])


def _problems(value: Any, rule: dict[str, Any], root: dict[str, Any], where: str) -> list[str]:
    found: list[str] = []
    for keyword, said in rule.items():
        if keyword == "$ref":
            found += _problems(value, root["$defs"][said.removeprefix("#/$defs/")], root, where)
        elif keyword == "anyOf":
            tried = [_problems(value, one, root, where) for one in said]
            found += [] if any(not one for one in tried) else min(tried, key=len)
        elif keyword == "items":
            found += [p for k, item in enumerate(value) for p in _problems(item, said, root, f"{where}[{k}]")]
        elif not _holds(value, keyword, said):
            return [f"{where}: {keyword} {said!r} does not hold of {str(value)[:60]}"]
    if isinstance(value, dict) and rule.get("type") == "object":
        found += _members(value, rule, root, where)
    return found


def _holds(value: Any, keyword: str, said: Any) -> bool:
    if keyword in SILENT:
        return True
    if keyword == "type":
        return any(_is(value, kind) for kind in ([said] if isinstance(said, str) else said))
    if keyword == "const":
        return value == said and isinstance(value, bool) == isinstance(said, bool)
    if keyword == "enum":
        return value in said
    if keyword == "minimum":
        return value >= said
    if keyword == "maximum":
        return value <= said
    if keyword == "exclusiveMinimum":
        return value > said
    if keyword in ("minItems", "minLength"):
        return len(value) >= said
    if keyword in ("maxItems", "maxLength"):
        return len(value) <= said
    raise ValueError(f"this keyword is not known here: {keyword}")


def _members(value: dict[str, Any], rule: dict[str, Any], root: dict[str, Any], where: str) -> list[str]:
    known, others = rule.get("properties", {}), rule.get("additionalProperties", True)
    found = [f"{where}: {name} is missing" for name in rule.get("required", ()) if name not in value]
    for name, member in value.items():
        if name in known:
            found += _problems(member, known[name], root, f"{where}.{name}")
        elif isinstance(others, dict):
            found += _problems(member, others, root, f"{where}.{name}")
        elif not others:
            found.append(f"{where}: {name} should not be there")
    return found

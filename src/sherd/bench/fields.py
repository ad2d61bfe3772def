"""Reading the members of a record's objects."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from sherd.io.document import Node

# Keys in the order of the file, and how each is read.
Readers = Mapping[str, Callable[[Node], Any]]
DAYS = ("%Y-%m-%d", "%Y-%m-%dT%H:%M:%SZ")


def read_fields(members: Mapping[str, Node], readers: Readers) -> dict[str, Any]:
    """The values of those members that there are readers for."""
    return {name: read(members[name]) for name, read in readers.items()}


def integer(node: Node) -> int:
    """A whole number, written as one."""
    if type(node.value) is not int:
        node.fail(f"expected a whole number, not {node}")
    return node.value


def natural(node: Node) -> int:
    """A whole number of at least 0."""
    if integer(node) < 0:
        node.fail(f"expected at least 0, not {node}")
    return node.value


def count_of_some(node: Node) -> int:
    """A whole number of at least 1."""
    if integer(node) < 1:
        node.fail(f"expected at least 1, not {node}")
    return node.value


def share(node: Node) -> float:
    """A number from 0 to 1."""
    if not 0.0 <= node.number() <= 1.0:
        node.fail(f"expected a share from 0 to 1, not {node}")
    return node.number()


def share_or_none(node: Node) -> float | None:
    """A number from 0 to 1, or null."""
    return None if node.value is None else share(node)


def day(node: Node) -> str:
    """A day, or a second of it in UTC, so written that texts in their order are days in theirs."""
    text = node.text()
    if not any(_is_written(text, form) for form in DAYS):
        node.fail(f"expected a date such as 2026-11-18 or 2026-11-18T09:30:00Z, not {node}")
    return text


def _is_written(text: str, form: str) -> bool:
    try:
        return datetime.strptime(text, form).strftime(form) == text
    except ValueError:
        return False


def number_or_none(node: Node) -> float | None:
    """A number or null."""
    return None if node.value is None else node.number()


def text_or_none(node: Node) -> str | None:
    """A text or null."""
    return None if node.value is None else node.text()

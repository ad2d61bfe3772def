"""A target shape of the user's own, from a file."""

from __future__ import annotations

import os
from pathlib import Path

from shapely import Polygon

from sherd.core.errors import InvalidPolygonError
from sherd.core.puzzle import Sample
from sherd.generation.shapes import Shape
from sherd.io.document import Node, documents
from sherd.io.puzzle_files import FORMAT, outline_from_json, puzzle_from_json


def read_shape(path: str | os.PathLike[str]) -> Shape:
    """A shape without holes: ``{"exterior": [[x, y], ...]}``, or the target of a puzzle."""
    document = next(documents(path))
    return document.read(lambda root: _shape_from_json(root, Path(path).stem))


def _shape_from_json(root: Node, name: str) -> Shape:
    members = root.members()
    if "format" in members and members["format"].value == FORMAT:
        item = puzzle_from_json(root)
        outline = item.puzzle.target if isinstance(item, Sample) else item.target
        if not isinstance(outline, Polygon):
            root.fail("the target is in several parts, and such shapes are not cut")
    else:
        outline = outline_from_json(root.object(["exterior"]), root)
    try:
        return Shape(name, outline)
    except InvalidPolygonError:
        root.fail("the outline has holes, and such shapes are not cut")

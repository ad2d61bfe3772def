"""Any file of pieces as a drawing: what is drawn, or a puzzle whose pieces are laid out beside its target."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import shapely

from sherd.core.assembly import Assembly, Group
from sherd.core.errors import ArgumentError
from sherd.core.geometry import Pose, polygons_in
from sherd.core.puzzle import Fragment, Puzzle, Sample
from sherd.io import read_one
from sherd.io.drawings.model import TARGET, Drawing, Figure
from sherd.io.drawings.read import is_drawing, read_drawing
from sherd.layout.side_by_side import side_by_side
from sherd.workshop.params import JobParams, params_from

Role = Literal["piece", "target", "aside"]
ROLES: tuple[Role, ...] = ("piece", "target", "aside")
# Between a target and the pieces beside it, as a share of its size.
SPACE = 0.15


def read_source(path: str | os.PathLike[str], asked: Mapping[str, Any]) -> tuple[Drawing, JobParams]:
    """The drawing in a file, and what is asked of it by a table such as settings hold.

    A file of puzzles gives its first one, which itself says how pieces may be turned and how far off they
    are, unless the table does.
    """
    path = Path(path)
    if is_drawing(path):
        params = params_from(asked, path.parent)
        return read_drawing(path, params), params
    item = read_one(path)
    puzzle = item.puzzle if isinstance(item, Sample) else item
    own = JobParams(
        rotations=puzzle.rotations,
        turns=puzzle.turns,
        mirror=puzzle.mirror,
        tolerance=puzzle.tolerance,
        no_target=not puzzle.has_target and not asked.keys() & {"target", "outline"},
    )
    given = params_from(asked, path.parent)
    params = replace(own, **{name: getattr(given, name) for name in asked})
    return drawing_of(puzzle, path.name), params


def drawing_of(puzzle: Puzzle, source: str) -> Drawing:
    """A puzzle as somebody would draw it: the target where it is, and the pieces in rows to its right."""
    centred = tuple(map(_centred, puzzle.fragments))
    bare = replace(puzzle, fragments=centred)
    laid = side_by_side(bare, [Group(Assembly().place(one.id, Pose())) for one in centred])
    low_x, _, high_x, high_y = puzzle.target.bounds if puzzle.has_target else (0.0, 0.0, 0.0, 0.0)
    beside = Pose(high_x + SPACE * (high_x - low_x), high_y)
    targets = [
        Figure(TARGET if number == 1 else f"{TARGET} {number}", part, label=TARGET)
        for number, part in enumerate(polygons_in(puzzle.target), start=1)
    ]
    taken = {figure.id for figure in targets}
    figures: list[Figure] = []
    for one in centred:
        at = beside @ laid[one.id]
        texture = None if one.texture is None else one.texture.moved(at.x, at.y)
        name = one.id if one.id not in taken else f"piece {one.id}"
        figures.append(Figure(name, at.apply(one.polygon), texture=texture, label="piece"))
    return Drawing(source, (*targets, *figures), "unknown", pixel=puzzle.pixel)


def _centred(fragment: Fragment) -> Fragment:
    """The fragment with its centroid at (0, 0), where files need not have it."""
    centre = fragment.polygon.centroid
    if shapely.Point(0.0, 0.0).distance(centre) == 0.0:
        return fragment
    texture = None if fragment.texture is None else fragment.texture.moved(-centre.x, -centre.y)
    return Fragment(fragment.id, Pose(-centre.x, -centre.y).apply(fragment.polygon), texture)


def with_roles(drawing: Drawing, roles: Mapping[str, Role]) -> Drawing:
    """The drawing with figures taken for what somebody says they are; those put aside are left out."""
    known = {figure.id for figure in drawing.figures}
    for name, role in roles.items():
        if name not in known:
            raise ArgumentError(f"there is no outline {name!r} to be a {role}")
    figures: list[Figure] = []
    for figure in drawing.figures:
        match roles.get(figure.id):
            case "aside":
                continue
            case "target":
                figures.append(replace(figure, label=TARGET))
            case "piece":
                figures.append(replace(figure, label="piece", groups=(), is_border=False))
            case _:
                figures.append(figure)
    return replace(drawing, figures=tuple(figures))

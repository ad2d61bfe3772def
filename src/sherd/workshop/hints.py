"""What was found of an answer that did not come out: groups, and the likeliest joints, to look at."""

from __future__ import annotations

from pathlib import Path

from sherd.core.assembly import Group, likeliest
from sherd.core.puzzle import Puzzle
from sherd.draw import draw_hints, to_png, to_svg
from sherd.io.atomic import write_atomically
from sherd.plan.formats.names import path_inside, safe_file_name
from sherd.solvers.base import Result


def unplaced_groups(result: Result) -> list[Group]:
    """The groups none of whose pieces lie in the target."""
    return [group for group in result.groups if not any(one.id in result.assembly for one in group.assembly)]


def write_hints(
    puzzle: Puzzle, result: Result, most: int, folder: Path, name: str, unit: str = ""
) -> tuple[Path, ...]:
    """Draw the ``most`` likeliest joints, and groups that belong together, as NAME.hints.svg and .png.

    Lengths are in ``unit``, if that is known. Nothing is written where no joint was found.
    """
    joints = likeliest(result.joints, most)
    if not joints:
        return ()
    groups = unplaced_groups(result) if puzzle.has_target else result.groups
    likeliest_joints = "the likeliest joint" if len(joints) == 1 else f"the {len(joints):,} likeliest joints"
    title = f"{name}: {likeliest_joints}, one a pair"
    picture = draw_hints(puzzle, joints, groups=groups, title=title, unit=unit)
    folder.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    for ending, content in ((".hints.svg", to_svg(picture)), (".hints.png", to_png(picture))):
        path = path_inside(folder, f"{safe_file_name(name)}{ending}")
        write_atomically(path, content)
        written.append(path)
    return tuple(written)

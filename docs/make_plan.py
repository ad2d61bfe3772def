"""Draws the pages of a plan that the documentation shows: ``python docs/make_plan.py``."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import shapely

from sherd.core.assembly import Assembly, Placement
from sherd.core.geometry import Pose
from sherd.core.puzzle import Fragment, Puzzle
from sherd.draw import write
from sherd.generation.tangram import tangram
from sherd.plan import lay_out, make_plan
from sherd.plan.pages import draw_plan

FOLDER = Path(__file__).parent / "pictures"
SIDE_MM = 280.0
MISSING = "medium"


def main() -> None:
    """Write the overview and one sheet of a tangram that lacks a piece into docs/pictures."""
    sample = tangram("square", np.random.default_rng(1))
    fragments = tuple(
        Fragment(fragment.id, shapely.transform(fragment.polygon, lambda points: points * SIDE_MM))
        for fragment in sample.puzzle.fragments
        if fragment.id != MISSING
    )
    target = shapely.transform(sample.puzzle.target, lambda points: points * SIDE_MM)
    assembly = Assembly(
        tuple(
            Placement(p.id, Pose(p.pose.x * SIDE_MM, p.pose.y * SIDE_MM, p.pose.theta, p.pose.mirrored))
            for p in sample.truth
            if p.id != MISSING
        )
    )
    layout = lay_out(Puzzle(target, fragments), assembly, name="tangram", unit="mm")
    overview, _, sheet, *_ = draw_plan(make_plan(layout))
    write(overview, FOLDER / "plan-overview.svg")
    write(sheet, FOLDER / "plan-sheet.svg")


if __name__ == "__main__":
    main()

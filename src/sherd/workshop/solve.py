"""From a file to an answer in one call."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TypedDict, Unpack

from sherd.core.geometry import Rotations
from sherd.io.drawings.read import read_drawing
from sherd.solvers.run import Assembler
from sherd.workshop.assembling import assemble_job
from sherd.workshop.job import make_job
from sherd.workshop.params import JobParams, Pin, read_settings, settings_beside
from sherd.workshop.result import JobResult


class Asked(TypedDict, total=False):
    """What can be asked of a drawing's pieces, as in `JobParams`."""

    target: str
    no_target: bool
    unit: str
    mm_per_px: float
    background: str
    sheet: str
    rotations: Rotations
    turns: Mapping[str, Rotations]
    mirror: bool | frozenset[str]
    kerf: float
    offset: float
    scale: float
    play: float
    tolerance: float
    pins: Mapping[str, Pin | None]
    forbid: frozenset[str]


def solve(
    file: str | os.PathLike[str],
    *,
    seconds: float = 10.0,
    seed: int = 0,
    solver: str = "auto",
    ignore_colour: bool = False,
    **asked: Unpack[Asked],
) -> JobResult:
    """Read a drawing or a picture and put its pieces together; settings beside it count, as do those given.

    ``sherd.solve("tile.dxf", kerf=0.2).save("plan.pdf")`` goes from a file to a plan.
    """
    beside = settings_beside(Path(file))
    params = (JobParams() if beside is None else read_settings(beside)).changed(**asked)
    job = make_job(read_drawing(file, params), params)
    assembler = Assembler(solver, ignore_colour=ignore_colour)
    return assemble_job(job, solver=assembler, seconds=seconds, seed=seed)

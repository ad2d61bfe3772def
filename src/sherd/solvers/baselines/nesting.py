"""A nesting engine as a baseline: what a practitioner would try who has to fit pieces into a sheet.

spyrrow (sparrow) packs the pieces, without overlap, into a strip as high as the target and as short as it
can. The packing is laid onto the target's left edge; what is longer than the target sticks out to the right.
"""

from __future__ import annotations

import contextlib
import json
import math
import queue
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from typing import IO, Any

import numpy as np

from sherd.core.assembly import Assembly
from sherd.core.errors import ArgumentError, UnsupportedError
from sherd.core.geometry import LENGTH_TOLERANCE, Pose
from sherd.core.puzzle import Puzzle
from sherd.solvers.base import BY_AREA, OnProgress, Progress, Proposal
from sherd.solvers.stop import Stop

MOST_SEED = 2**31
# How much higher than the target the strip is: the engine panics at a piece that just fits.
SLACK = 1e-3
# How long the engine may say nothing before somebody asks whether to go on.
SILENCE_S = 0.1
ENGINE = "sherd.solvers.baselines.nesting_process"


@dataclass(frozen=True, kw_only=True)
class NestingParams:
    """How to pack: ``seconds`` is what the engine plans for, whole ones, most of them to explore.

    A strip longer than the target by no more than the share ``enough`` is short enough to be a solution, if
    no more than that share of the target's area is missing from the pieces.
    """

    seconds: int = 10
    enough: float = 0.01

    def __post_init__(self) -> None:
        if self.seconds < 1:
            raise ArgumentError(f"the engine needs at least 1 second, not {self.seconds}")
        if not self.enough >= 0.0:
            raise ArgumentError(f"enough must be a share from 0 on, not {self.enough}")


class NestingSolver:
    """Packs the pieces into a strip of the target's height; an evaluation is a report of the engine."""

    def __init__(self, params: NestingParams | None = None) -> None:
        self.params = NestingParams() if params is None else params
        if find_spec("spyrrow") is None:
            raise UnsupportedError(
                "nesting needs the package spyrrow: install it with pip install 'sherd[nesting]'"
            )

    def solve(
        self, puzzle: Puzzle, *, stop: Stop, rng: np.random.Generator, on_progress: OnProgress | None = None
    ) -> Proposal:
        """The shortest packing that the engine found in time; its objective is how full the strip is."""
        if puzzle.mirror:
            raise UnsupportedError("nesting cannot turn pieces over")
        if any(fragment.polygon.interiors for fragment in puzzle.fragments):
            raise UnsupportedError("nesting knows no holes in pieces")
        low_x, low_y, high_x, high_y = puzzle.target.bounds
        wanted, area = high_x - low_x, sum(fragment.polygon.area for fragment in puzzle.fragments)
        seed = int(rng.integers(MOST_SEED))
        spent, width, trace = 0, math.inf, [Assembly()]
        if not stop(spent):
            for report in _reports(puzzle, (high_y - low_y) * (1.0 + SLACK), seed, self.params.seconds):
                spent += report is not None
                if report is not None and report["feasible"] and report["width"] < width:
                    width = report["width"]
                    trace.append(_assembly(puzzle, report["items"], low_x, low_y))
                    if on_progress is not None:
                        density = area / (width * (high_y - low_y))
                        on_progress(Progress(assembly=trace[-1], objective=density, evaluations=spent))
                if stop(spent):
                    break
        # A strip as long as the target says nothing of an outline that is not a strip itself.
        upright = puzzle.target.envelope.area - puzzle.target.area <= LENGTH_TOLERANCE * puzzle.target.area
        # Nor do pieces that fit into the target fill it where one is lost or worn.
        fills = area >= puzzle.target.area * (1.0 - self.params.enough)
        short_enough = upright and fills and width <= wanted * (1.0 + self.params.enough)
        reason = "" if short_enough else _reason(width / wanted, upright, fills)
        return Proposal(
            assembly=trace[-1],
            objective=area / (width * (high_y - low_y)),
            evaluations=spent,
            trace=tuple(trace[1:]),
            tolerance=BY_AREA,
            remark=reason,
            doubt=reason,
        )


def _reason(ratio: float, upright: bool, fills: bool) -> str:
    if ratio == math.inf:
        return "nothing was packed"
    if not upright:
        return "the pieces are packed into a strip, which the target is not"
    if not fills:
        return "the pieces are too small to fill the target, however short their strip"
    return f"the strip is {ratio:.3f} times as long as the target"


def _reports(puzzle: Puzzle, height: float, seed: int, seconds: int) -> Iterator[dict[str, Any] | None]:
    """What the engine reports, None while there is nothing new; leaving the loop ends the engine."""
    bins = puzzle.rotations.bins
    angles_deg = None if bins is None else np.degrees(puzzle.rotations.angles).tolist()
    items = [
        {"id": fragment.id, "shape": list(fragment.polygon.exterior.coords)[:-1], "angles_deg": angles_deg}
        for fragment in puzzle.fragments
    ]
    job = {"height": height, "seconds": seconds, "seed": seed, "items": items}
    with (
        tempfile.TemporaryFile("w+") as complaints,
        subprocess.Popen(
            [sys.executable, "-m", ENGINE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=complaints,
            text=True,
        ) as engine,
    ):
        assert engine.stdin is not None
        assert engine.stdout is not None
        try:
            engine.stdin.write(json.dumps(job))
            engine.stdin.close()
            for line in _lines(engine.stdout):
                yield json.loads(line) if line.strip() else None
            if engine.wait() != 0:
                complaints.seek(0)
                last = (complaints.read().strip() or f"exit code {engine.returncode}").splitlines()[-1]
                raise UnsupportedError(f"the nesting engine failed: {last}")
        finally:
            engine.kill()


def _lines(stream: IO[str]) -> Iterator[str]:
    """The lines of a stream, and empty ones while it is silent: one that hangs is not waited for."""
    lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()

    def read() -> None:
        with contextlib.suppress(ValueError):  # closed meanwhile
            for line in stream:
                lines.put(line)
        lines.put(None)

    threading.Thread(target=read, daemon=True).start()
    while True:
        try:
            line = lines.get(timeout=SILENCE_S)
        except queue.Empty:
            line = ""
        if line is None:
            return
        yield line


def _assembly(puzzle: Puzzle, items: list[Any], left: float, bottom: float) -> Assembly:
    assembly = Assembly()
    for fragment_id, x, y, rotation_deg in items:
        theta = puzzle.rotations.nearest(math.radians(rotation_deg))
        assembly = assembly.place(fragment_id, Pose(left + x, bottom + y, theta))
    return assembly

"""Drawings in millimetres whose answers are known."""

from __future__ import annotations

import math

import numpy as np
import pytest
import shapely

from sherd.core.assembly import Assembly, Placement
from sherd.core.geometry import Pose, Rotations
from sherd.core.puzzle import Sample
from sherd.io import SavedAssembly
from sherd.io.drawings import Drawing, Figure
from sherd.io.drawings.model import Unit
from sherd.plan import DrawnPiece, Layout, Plan, make_plan
from sherd.workshop.job import Job, make_job
from sherd.workshop.params import JobParams

Answered = tuple[Job, Assembly]


def draw(sample: Sample, side_mm: float, *, kerf: float = 0.0, unit: Unit = "mm") -> Answered:
    """The pieces of a sample strewn over a drawing, as a job with its answer; cut with a kerf."""
    rng = np.random.default_rng(5)
    figures: list[Figure] = [Figure("target", _scaled(sample.puzzle.target, side_mm))]
    lies: dict[str, Pose] = {}
    for k, fragment in enumerate(sample.puzzle.fragments):
        lies[fragment.id] = Pose(2.0 * side_mm + 40.0 * k, 30.0 * k, float(rng.uniform(0.0, 2.0 * math.pi)))
        cut = _scaled(fragment.polygon, side_mm).buffer(-kerf / 2.0, join_style="mitre")
        figures.append(Figure(fragment.id, lies[fragment.id].apply(cut), (f"layer {k % 2}",)))
    params = JobParams(kerf=kerf, rotations=Rotations(None), mirror=sample.puzzle.mirror)
    job = make_job(Drawing("strewn.svg", tuple(figures), unit), params)
    placements: list[Placement] = []
    for placement in sample.truth:
        pose = placement.pose
        whole = Pose(pose.x * side_mm, pose.y * side_mm, pose.theta, pose.mirrored)
        placements.append(
            Placement(placement.id, whole @ lies[placement.id].inverse() @ job.home(placement.id))
        )
    return job, Assembly(tuple(placements))


def _scaled(polygon: shapely.Polygon, factor: float) -> shapely.Polygon:
    return shapely.transform(polygon, lambda points: points * factor)


@pytest.fixture
def strewn(square_of_four: Sample) -> Answered:
    """Four rectangles of a square of 200 mm."""
    return draw(square_of_four, 200.0)


NASTY = [
    'quo"te',
    "sla/sh\\back",
    "<&>'",
    "emoji 🏺",
    "..",
    "con",
    "a,b;c|d*?",
    "x" * 90,
    "Ünï κ",
    "=1+1",
    "%s{}",
]


@pytest.fixture
def nasty_plan() -> Plan:
    boxes = [shapely.box(k, 0, k + 1, 5) for k in range(len(NASTY))]
    pieces = tuple(DrawnPiece(n, box, Pose(), f"layer {n}") for n, box in zip(NASTY, boxes, strict=True))
    return make_plan(Layout('../../a "nasty"/name 🏺', shapely.box(0, 0, len(NASTY), 5), pieces, "mm"))


def saved_of(assembly: Assembly) -> SavedAssembly:
    return SavedAssembly(
        assembly=assembly, solver="search", seconds=0.5, solved=True, coverage=1.0, iou=1.0, overlap=0.0
    )

"""What was understood of a drawing, for the page: a sentence, its outlines, and what is still to be said."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import shapely
from shapely import Polygon

from sherd.core.errors import ArgumentError
from sherd.core.geometry import polygons_in
from sherd.draw.reading import area_in_words
from sherd.io.drawings.model import Drawing
from sherd.plan.table import counted, measured
from sherd.studio.job_documents import outline_document
from sherd.workshop import Job, JobParams, warnings_of
from sherd.workshop.source import Role

# Outlines as they are read are shown with no more corners than this; pieces have all of theirs.
MOST_SHOWN = 2000
# Sheets that are often torn, in mm, and by how much of their area the pieces may differ from one of them.
SHEETS: Mapping[str, tuple[float, float]] = {
    "A3": (297.0, 420.0),
    "A4": (210.0, 297.0),
    "A5": (148.0, 210.0),
    "A6": (105.0, 148.0),
    "A7": (74.0, 105.0),
    "Letter": (215.9, 279.4),
    "Legal": (215.9, 355.6),
    "a photograph": (100.0, 150.0),
    "a bank card": (85.6, 53.98),
}
SAME_AREA = 0.02
# What outlines of unknown size are called.
SHAPES = {"rectangle": "some rectangle", "convex": "some shape without dents"}


@dataclass(frozen=True)
class Understood:
    """A drawing, what is asked of it, and the job that they make; None, and why, where they make none yet.

    ``drawing`` is the ``whole`` with roles that were given by hand.
    """

    whole: Drawing
    drawing: Drawing
    params: JobParams
    job: Job | None
    reason: str

    @property
    def ready(self) -> Job:
        """The job; `ValueError` where there is none."""
        if self.job is None:
            raise ArgumentError(self.reason)
        return self.job

    @property
    def wants_target(self) -> bool:
        """Whether all that is missing is what the pieces are to make."""
        said = self.params.target or self.params.outline or self.params.no_target
        return self.job is None and bool(self.drawing.figures) and not self.drawing.targets and not said


def reading_document(
    understood: Understood, roles: Mapping[str, Role], picture: str, pixels: Any
) -> dict[str, Any]:
    """What was understood, and choices where something is missing; ``pixels`` is the picture below it."""
    job, drawing = understood.job, understood.whole
    aside = {one.figure.id: one.reason for one in job.set_aside} if job is not None else {}
    figures: list[dict[str, Any]] = []
    for figure in drawing.figures:
        said = roles.get(figure.id)
        found = (figure.is_target or figure.is_border) and not understood.params.no_target
        is_target = said == "target" if said else found
        is_aside = said == "aside" or figure.id in aside
        figures.append(
            {
                "id": figure.id,
                **outline_document(_few_corners(figure.polygon)),
                "role": "aside" if is_aside else "target" if is_target else "piece",
                "reason": "put aside by hand" if said == "aside" else aside.get(figure.id, ""),
            }
        )
    return {
        "sentence": sentence_of(understood),
        "unit": drawing.unit,
        "notes": list(drawing.notes) if job is None else warnings_of(job),
        "area_share": None if job is None or not job.puzzle.has_target else job.share,
        "figures": figures,
        "picture": picture,
        "pixels": pixels,
        "choices": list(_choices(understood.drawing)) if understood.wants_target else [],
    }


def sentence_of(understood: Understood) -> str:
    """What was understood, in one sentence; empty where that makes no sense yet."""
    job, drawing = understood.job, understood.drawing
    in_unit = "" if drawing.unit == "unknown" else f" in {drawing.unit}"
    if job is None:
        if not understood.wants_target:
            return ""
        area = area_in_words(_area(drawing), "" if drawing.unit == "unknown" else drawing.unit)
        return f"{counted(len(drawing.pieces), 'piece')}{in_unit}, {area} in all; what they make is not said."
    pieces = f"{counted(len(job.puzzle.fragments), 'piece')}{in_unit}"
    if job.outline:
        return f"{pieces} of {SHAPES.get(job.outline, job.outline)}, whose size is to be found."
    if not job.puzzle.has_target:
        return f"{pieces}, and no target: those that belong together are looked for."
    low_x, low_y, high_x, high_y = job.puzzle.target.bounds
    unit = "" if job.unit == "unknown" else f" {job.unit}"
    size = f"{measured(high_x - low_x)} x {measured(high_y - low_y)}{unit}"
    parts = len(polygons_in(job.puzzle.target))
    target = f"a target of {size}" + (f" in {parts} parts" if parts > 1 else "")
    together = "together they have" if len(job.puzzle.fragments) > 1 else "it has"
    return f"{pieces}, and {target}; {together} {job.share:.1%} of its area."


def _choices(drawing: Drawing) -> Iterator[dict[str, Any]]:
    """What the pieces may make, where nothing says it: words, and the parameters that mean the same."""
    area = _area(drawing)
    for name, (width, height) in SHEETS.items():
        if drawing.unit == "mm" and abs(area / (width * height) - 1.0) <= SAME_AREA:
            size = f"{width:g}x{height:g}"
            yield {"text": f"{name}, {size.replace('x', ' x ')} mm", "params": {"target": f"rect:{size}"}}
    yield {"text": "Some rectangle", "params": {"outline": "rectangle"}}
    yield {"text": "Not known", "params": {"no_target": True}}


def _area(drawing: Drawing) -> float:
    return sum(figure.polygon.area for figure in drawing.pieces)


def _few_corners(polygon: Polygon) -> Polygon:
    """The outline with few enough corners to be shown."""
    if shapely.get_num_coordinates(polygon) <= MOST_SHOWN:
        return polygon
    low_x, low_y, high_x, high_y = polygon.bounds
    thin = shapely.simplify(polygon, math.hypot(high_x - low_x, high_y - low_y) / MOST_SHOWN)
    return polygon if thin.is_empty else thin

"""What is said about a job before any work is done: how many pieces, how large, and what looks wrong."""

from __future__ import annotations

from collections.abc import Iterator

import shapely

from sherd.core.geometry import intersection, size_of, union
from sherd.core.kerf import likely_kerf, likely_scale
from sherd.io.drawings.figures import some_of
from sherd.io.drawings.model import suspected_units
from sherd.workshop.fits_in import sizes_in_words
from sherd.workshop.job import Job
from sherd.workshop.judging import NESTING

# By how much the areas may differ before it is worth a word: drawings are exact, scans are not.
SHORT_SHARE = 0.005
EXCESS_SHARE = 0.005
# Pieces beyond these sizes are seldom what was meant.
LARGEST_MM = 3000.0
SMALLEST_MM = 0.5
# A pinned piece may stick out of the target, or lie on another, by this share of its area.
PIN_SHARE = 0.01


def summary(job: Job) -> str:
    """One line: pieces, their sizes and unit, the target, and how much of its area they cover."""
    if not job.puzzle.has_target:
        return f"{job.source}: {sizes_in_words(job.figures, job.puzzle.target, job.unit)}"
    square = "" if job.unit == "unknown" else f" {job.unit}²"
    target = job.puzzle.target.area
    area = pieces_area(job)
    return (
        f"{job.source}: {sizes_in_words(job.figures, job.puzzle.target, job.unit)}; "
        f"the pieces' area is {area / target:.1%} of the target's "
        f"({_shown(area)} of {_shown(target)}{square})"
    )


def _shown(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000.0 else f"{value:.4g}"


def pieces_area(job: Job) -> float:
    """The area of all pieces, kerf added."""
    return float(shapely.area([fragment.polygon for fragment in job.puzzle.fragments]).sum())


def warnings_of(job: Job) -> list[str]:
    """What may be wrong with a job, a line each, after what was noted while reading."""
    found = list(job.notes)
    reasons = dict.fromkeys(item.reason for item in job.set_aside)
    for reason in reasons:
        names = [item.figure.id for item in job.set_aside if item.reason == reason]
        found.append(f"set aside ({reason}): {some_of(names)}")
    return [*found, *_about_unit(job), *_about_area(job), *_about_pins(job)]


def _about_unit(job: Job) -> Iterator[str]:
    sizes = [size_of(figure.polygon) for figure in job.figures]
    if job.unit == "mm" and max(sizes) > LARGEST_MM:
        yield f"a piece is {max(sizes):,.0f} mm long: is the unit right?"
    elif job.unit == "mm" and max(sizes) < SMALLEST_MM:
        yield f"no piece is longer than {max(sizes):.2g} mm: is the unit right?"
    elif job.unit == "unknown":
        yield "the file does not say what its unit is: lengths are bare numbers (the setting unit tells it)"
    elif job.unit == "px":
        yield "lengths are in pixels: the setting mm_per_px tells how large one is"


def _about_area(job: Job) -> Iterator[str]:
    if not job.puzzle.has_target:
        return
    if job.is_one_piece:
        yield "one piece, which is the target itself: is that all? Cuts are lines that end on it or cross it"
        return
    share = pieces_area(job) / job.puzzle.target.area
    everything = share + sum(item.figure.polygon.area for item in job.set_aside) / job.puzzle.target.area
    if units := suspected_units(everything):
        yield f"the unit looks wrong: sizes of pieces and target differ as {units} do"
        return
    if share < NESTING:
        yield (
            f"the pieces have only {share:.0%} of the target's area: laying them out is nesting, which sherd "
            "does not do; reassembly needs nearly all pieces of a thing"
        )
    elif share < 1.0 - SHORT_SHARE:
        why = _sizes_that_fit(job, "if the cut took it, try a kerf of", "if all is too small, a scale of")
        yield f"{1.0 - share:.1%} of the target's area is not there: a piece may be missing, or worn{why}"
    elif share > 1.0 + EXCESS_SHARE:
        why = _sizes_that_fit(
            job, "if outlines are too wide, try a kerf of", "if all is too large, a scale of"
        )
        more = "some pieces may not belong here, or be there twice"
        yield f"there is {share - 1.0:.1%} more than fits: {more}{why}"


def _sizes_that_fit(job: Job, kerf_if: str, scale_if: str) -> str:
    """Which kerf, and which scale, would give the pieces the target's area, if that is not done already."""
    if job.is_changed:
        return ""
    outlines = [fragment.polygon for fragment in job.puzzle.fragments]
    kerf, scale = likely_kerf(outlines, job.puzzle.target), likely_scale(outlines, job.puzzle.target)
    return (f"; {kerf_if} {kerf:.2g}" if kerf else "") + (f"; {scale_if} {scale:.4g}" if scale != 1.0 else "")


def _about_pins(job: Job) -> Iterator[str]:
    """What is wrong with where pinned pieces must lie."""
    placed = job.puzzle.placed(job.pinned)
    for placement, polygon in zip(job.pinned, placed, strict=True):
        if intersection(polygon, job.puzzle.target).area < (1.0 - PIN_SHARE) * polygon.area:
            yield f"the pinned piece {placement.id!r} sticks out of the target"
    if placed and sum(p.area for p in placed) > (1.0 + PIN_SHARE) * union(placed).area:
        yield "pinned pieces lie on each other"

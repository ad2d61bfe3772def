"""The answer to a job in terms of the drawing that it came from."""

from __future__ import annotations

from sherd.core.assembly import Assembly
from sherd.io.drawings.job import Job
from sherd.layout.layout import NO_PLACE, DrawnPiece, Layout


def lay_out_job(job: Job, assembly: Assembly, *, name: str = "") -> Layout:
    """The layout of an answer to a job, pinned pieces included, in the drawing's own terms."""
    placements = {placement.id: placement for placement in assembly}
    pieces: list[DrawnPiece] = []
    for figure, fragment in zip(job.figures, job.puzzle.fragments, strict=True):
        found = placements.get(figure.id)
        pieces.append(
            DrawnPiece(
                figure.id,
                figure.polygon,
                pose=None if found is None else job.motion(found),
                layer=figure.layer,
                grown=job.home(figure.id).apply(fragment.polygon) if job.kerf > 0.0 else None,
                reason=NO_PLACE if found is None else "",
            )
        )
    pieces += [
        DrawnPiece(item.figure.id, item.figure.polygon, layer=item.figure.layer, reason=item.reason)
        for item in job.set_aside
    ]
    return Layout(
        name or job.source,
        job.puzzle.target,
        tuple(pieces),
        "" if job.unit == "unknown" else job.unit,
        job.tolerance or 0.0,
        job.puzzle.set_aside,
    )

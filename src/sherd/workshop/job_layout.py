"""The answer to a job in terms of the drawing that it came from."""

from __future__ import annotations

from collections.abc import Mapping

from sherd.core.assembly import Assembly
from sherd.layout.layout import NO_PLACE, DrawnPiece, Layout
from sherd.workshop.job import Job


def lay_out_job(
    job: Job, assembly: Assembly, *, name: str = "", reasons: Mapping[str, str] | None = None
) -> Layout:
    """The layout of an answer to a job, pinned pieces included, in the drawing's own terms.

    ``reasons`` say why pieces have no place, where that is known.
    """
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
                grown=job.home(figure.id).apply(fragment.polygon) if job.is_changed else None,
                reason="" if found is not None else (reasons or {}).get(figure.id, NO_PLACE),
                texture=figure.texture,
            )
        )
    pieces += [
        DrawnPiece(item.figure.id, item.figure.polygon, layer=item.figure.layer, reason=item.reason)
        for item in job.set_aside
    ]
    return Layout(
        name or job.source,
        job.target,
        tuple(pieces),
        "" if job.unit == "unknown" else job.unit,
        job.tolerance or 0.0,
        job.puzzle.set_aside,
        max((one.texture.grid.pixel for one in job.figures if one.texture is not None), default=0.0),
    )

"""The pieces of a plan as a table that spreadsheets open."""

from __future__ import annotations

import csv
import io
import math

from sherd.io.puzzle_files import rotation_deg
from sherd.plan.plan import Plan
from sherd.plan.sizes import sides

# A text that begins so is a formula to a spreadsheet.
FORMULA = ("=", "+", "-", "@", "\t")
COLUMNS = (
    "number", "name", "layer", "length", "width", "area", "turn_deg", "turned_over", "x", "y",
    "touches", "held", "held_share", "at_edge", "gap", "overlap", "slides", "elsewhere", "band",
)  # fmt: skip


def plan_to_csv(plan: Plan) -> str:
    """A row a piece, those set aside at the end, lengths in the drawing's unit."""
    stream = io.StringIO()
    rows = csv.writer(stream, lineterminator="\n")
    rows.writerow(COLUMNS)
    for step, piece in zip(plan.steps, plan.in_order, strict=True):
        assert piece.pose is not None
        hold = plan.holds[piece.id]
        centre = piece.placed.centroid
        rows.writerow(
            [
                step.number,
                _plain(piece.id),
                _plain(piece.layer),
                *(f"{side:.6g}" for side in sides(piece.drawn)),
                f"{piece.drawn.area:.6g}",
                f"{rotation_deg(piece.pose):.6g}",
                _yes(piece.pose.mirrored),
                f"{centre.x:.6g}",
                f"{centre.y:.6g}",
                " ".join(map(str, step.after)),
                f"{hold.contact:.6g}",
                f"{math.floor(hold.share * 1000) / 1000:g}",
                f"{hold.edge:.6g}",
                f"{hold.gap:.6g}",
                f"{hold.overlap:.6g}",
                _yes(hold.slides),
                "unknown" if hold.elsewhere is None else _yes(hold.elsewhere),
                hold.band,
            ]
        )
    drawn = {piece.id: piece for piece in plan.layout.pieces}
    for name in plan.layout.set_aside:
        piece = drawn.get(name)
        if piece is None:
            known = ["", "", "", ""]
        else:
            known = [_plain(piece.layer), *(f"{v:.6g}" for v in (*sides(piece.drawn), piece.drawn.area))]
        rows.writerow(["", _plain(name), *known, *[""] * 12, "set aside"])
    return stream.getvalue()


def _plain(text: str) -> str:
    return f"'{text}" if text.startswith(FORMULA) else text


def _yes(value: bool) -> str:
    return "yes" if value else "no"

"""A plan into a folder, in all the formats that were asked for."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from sherd.core.assembly import Assembly, Placement
from sherd.core.errors import ArgumentError
from sherd.core.geometry import size_of
from sherd.core.puzzle import LARGEST_PIECE, LONGEST_PIECE, Fragment, Puzzle
from sherd.draw import draw_assembly, to_png
from sherd.draw.reassembled import reassembled_png
from sherd.io.assembly_files import SavedAssembly, assembly_to_text
from sherd.io.atomic import write_atomically
from sherd.plan.formats.csv import plan_to_csv
from sherd.plan.formats.dxf import gaps_to_dxf, layout_to_dxf
from sherd.plan.formats.geojson import plan_to_geojson
from sherd.plan.formats.names import path_inside, safe_file_name
from sherd.plan.formats.svg import gaps_to_svg, layout_to_svg
from sherd.plan.paper import PAPERS
from sherd.plan.plan import Plan

# What each format is called on the command line, and the files that it stands for.
FORMATS: Mapping[str, tuple[str, ...]] = {
    "json": (".assembly.json",),
    "svg": (".assembled.svg",),
    "dxf": (".assembled.dxf",),
    "geojson": (".assembled.geojson",),
    "png": (".assembled.png",),  # not ".png", which may be the very picture that was read
    "pdf": (".plan.pdf",),
    "csv": (".pieces.csv",),
    "gaps": (".gaps.svg", ".gaps.dxf"),
    "photo": (".reassembled.png",),
}


def parse_formats(text: str) -> tuple[str, ...]:
    """The formats of a list such as "svg,pdf", in our order; "all" and "none" are allowed.

    >>> parse_formats("pdf, svg"), parse_formats("none")
    (('svg', 'pdf'), ())
    """
    words = {word.strip().casefold() for word in text.split(",") if word.strip()}
    if words == {"all"}:
        return tuple(FORMATS)
    if words == {"none"}:
        return ()
    for word in sorted(words - FORMATS.keys()):
        raise ArgumentError(f"unknown format {word!r}: choose from {', '.join(FORMATS)}, or all or none")
    return tuple(name for name in FORMATS if name in words)


def export(
    plan: Plan,
    saved: SavedAssembly,
    folder: str | os.PathLike[str],
    formats: Iterable[str] = tuple(FORMATS),
    *,
    paper: str = "a4",
    caption: str = "",
) -> tuple[Path, ...]:
    """Write a plan into a folder that exists and return the files, each written whole or not at all.

    Their names begin with the layout's, made safe. ``saved`` says how the assembly was found; its poses
    are replaced by those of the layout, which refer to the drawing. Cut files of gaps are written only
    where there are gaps, the photograph put together again only where pieces have pixels, and old ones are
    taken away.
    """
    formats = tuple(dict.fromkeys(formats))
    for name in formats:
        if name not in FORMATS:
            raise ArgumentError(f"unknown format {name!r}: choose from {', '.join(FORMATS)}")
    if paper not in PAPERS:
        raise ArgumentError(f"unknown paper {paper!r}: choose {', '.join(PAPERS)}")
    layout = plan.layout
    makers: dict[str, Callable[[], str | bytes]] = {
        ".assembly.json": lambda: assembly_to_text(_in_the_drawing(saved, plan)),
        ".assembled.svg": lambda: layout_to_svg(layout, plan.numbers),
        ".assembled.dxf": lambda: layout_to_dxf(layout),
        ".assembled.geojson": lambda: plan_to_geojson(plan),
        ".assembled.png": lambda: _picture(plan, caption),
        ".plan.pdf": lambda: _pages(plan, paper),
        ".pieces.csv": lambda: plan_to_csv(plan),
        ".gaps.svg": lambda: gaps_to_svg(plan.gaps, layout),
        ".gaps.dxf": lambda: gaps_to_dxf(plan.gaps, layout),
        ".reassembled.png": lambda: reassembled_png(layout.pixels, plan.warning),
    }
    stem = safe_file_name(layout.name)
    written: list[Path] = []
    for name in formats:
        for ending in FORMATS[name]:
            path = path_inside(Path(folder), f"{stem}{ending}")
            if (name == "gaps" and not plan.gaps) or (name == "photo" and not layout.pixels):
                path.unlink(missing_ok=True)
                continue
            write_atomically(path, makers[ending]())
            written.append(path)
    return tuple(written)


def _in_the_drawing(saved: SavedAssembly, plan: Plan) -> SavedAssembly:
    """The answer as files hold it, with poses from the drawing's frame in the order of laying."""
    layout = plan.layout
    assembly = Assembly(tuple(Placement(piece.id, layout.assembly[piece.id]) for piece in plan.in_order))
    return replace(
        saved,
        assembly=assembly,
        units=layout.unit,
        set_aside=layout.set_aside,
        holds=plan.holds,
        gaps=tuple(gap.polygon for gap in plan.gaps),
    )


def _pages(plan: Plan, paper: str) -> bytes:
    """The plan to print; what writes PDF files takes most of a second to load."""
    from sherd.draw.pdf import to_pdf
    from sherd.plan.pages import draw_plan

    return to_pdf(draw_plan(plan, paper), title=plan.title)


def _picture(plan: Plan, caption: str) -> bytes:
    """The assembly with its flaws, as sherd draws all answers; pieces that dwarf the target are left out."""
    target = plan.layout.target
    low_x, low_y, high_x, high_y = target.bounds
    longest = LONGEST_PIECE * math.hypot(high_x - low_x, high_y - low_y)
    shown = tuple(
        Fragment(piece.id, piece.drawn if piece.grown is None else piece.grown)
        for piece in plan.layout.pieces
        if piece.drawn.area <= LARGEST_PIECE * target.area and size_of(piece.drawn) <= longest
    )
    return to_png(draw_assembly(Puzzle(target, shown), plan.layout.assembly, caption=caption))

"""``sherd marker``: the page to lay pieces on, so that photographs of them have a scale."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sherd.cli.console import say


def marker(
    out: Annotated[Path, typer.Option(metavar="FILE", help="The file to write: .pdf, .svg or .png.")] = Path(
        "marker.pdf"
    ),
    paper: Annotated[str, typer.Option(metavar="SIZE", help="Paper: a4 or letter.")] = "a4",
) -> None:
    """Write the marker page, to be printed at 100 %.

    Pieces that are photographed on it, or beside it, are measured and squared up by themselves, however the
    camera is held.

    \b
    Example:
      sherd marker --out marker.pdf
      sherd assemble photo.jpg --target rect:210x297
    """
    from sherd.draw import write
    from sherd.draw.marker_page import draw_marker_page
    from sherd.draw.pdf import to_pdf
    from sherd.io.atomic import write_atomically

    page = draw_marker_page(paper.casefold())
    if out.suffix.lower() == ".pdf":
        write_atomically(out, to_pdf([page], title=page.title))
    else:
        write(page, out, zoom=300.0 / 72.0)
    say(f"{out}: written; print it at 100 %, and check its line of 50 mm")

"""What was read of somebody's pieces, as a picture to check before anything else."""

from __future__ import annotations

from pathlib import Path

from sherd.core.geometry import size_of
from sherd.draw.files import write
from sherd.draw.reading import area_in_words, draw_reading
from sherd.draw.scene import Picture
from sherd.io.drawings.model import Drawing
from sherd.plan.formats.names import path_inside, safe_file_name
from sherd.plan.table import counted


def picture_of(drawing: Drawing, *, no_target: bool = False) -> Picture:
    """The pieces of a drawing with their names, over the scan where there is one."""
    pieces = drawing.figures if no_target else drawing.pieces or drawing.figures
    names = {figure.id for figure in pieces}
    targets = [figure for figure in drawing.figures if figure.id not in names]
    unit = "" if drawing.unit == "unknown" else drawing.unit
    sizes = sorted(size_of(figure.polygon) for figure in pieces)
    across = f"{sizes[0]:.4g} to {sizes[-1]:.4g}" if len(sizes) > 1 else f"{sizes[0]:.4g}"
    area = sum(figure.polygon.area for figure in pieces)
    of = f" {unit}" if unit else ""
    said = f"{counted(len(pieces), 'piece')}, {across}{of} across, {area_in_words(area, unit)} in all"
    return draw_reading(
        [(figure.id, figure.polygon, figure.texture) for figure in pieces],
        [target.polygon for target in targets],
        unit=unit,
        scan=drawing.scan,
        caption=f"{drawing.source}: {said}",
    )


def write_reading(drawing: Drawing, folder: Path, name: str, *, no_target: bool = False) -> Path:
    """Write the picture into a folder, made if need be, as NAME.read.png."""
    folder.mkdir(parents=True, exist_ok=True)
    path = path_inside(folder, f"{safe_file_name(name)}.read.png")
    write(picture_of(drawing, no_target=no_target), path, zoom=1.5)
    return path

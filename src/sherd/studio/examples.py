"""The examples that the page offers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "examples"


@dataclass(frozen=True)
class Example:
    """A drawing or a picture, what must be said about it, and a picture of what its pieces make."""

    name: str
    title: str
    file: Path
    params: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @property
    def picture(self) -> Path:
        """What its pieces make."""
        return FOLDER / f"{self.name}.picture.png"


EXAMPLES: Mapping[str, Example] = {
    one.name: one
    for one in (
        Example("tangram", "A tangram: seven pieces and a swan, as SVG", FOLDER / "tangram.svg"),
        Example("tile", "A broken tile of which a piece is lost, as DXF", FOLDER / "tile.dxf"),
        Example("sheet", "A torn sheet, as a scan", FOLDER / "sheet.png", {"target": "rect:105x148"}),
        Example("glass", "A leaded window: thirteen panes, as SVG", FOLDER / "glass.svg", {"kerf": 1.6}),
        Example("puzzle", "A puzzle of thirty pieces, as GeoJSON", FOLDER / "puzzle.geojson", {"unit": "mm"}),
        Example("mixed", "Two sets in one box, as a table", FOLDER / "mixed.csv", {"unit": "cm"}),
    )
}

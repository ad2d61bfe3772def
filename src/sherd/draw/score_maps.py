"""What a learned solver saw: for each step, how likely it held every place to be."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import shapely
from numpy.typing import ArrayLike, NDArray

from sherd.core.assembly import Assembly
from sherd.core.errors import ArgumentError
from sherd.core.grid import Grid
from sherd.core.puzzle import Puzzle
from sherd.core.texture import Texture
from sherd.draw.board import within_reach
from sherd.draw.colours import INK, MUTED, PAGE_COLOUR
from sherd.draw.compose import HEADING_PX, LINE, MARGIN, SMALL_PX, SWATCH
from sherd.draw.labels import shorten, text_width
from sherd.draw.scene import Area, Layer, Paint, Picture, Text
from sherd.draw.steps import lay_panels, new_piece
from sherd.tracing.raster import masks

# Places less likely than this, as a natural logarithm, all look alike.
LEAST = -12.0
# From what is out of the question to what is certain, as in a glowing iron.
GLOW = (
    (0.0, (24, 22, 40)),
    (0.4, (92, 32, 96)),
    (0.7, (222, 84, 60)),
    (0.9, (250, 186, 70)),
    (1.0, (255, 255, 230)),
)
# What is out of the question where the target is filled already, and beyond the target.
FILLED, BEYOND = (86, 94, 118), (255, 255, 255)
PLACED, CHOSEN = "#b4c3d8", "#3fd0ff"
# From a heading down to the chances below it.
CHANCES_LINE = 18.0
# The probabilities of a pixel that the key shows.
KEY = (0.1, 0.01, 0.001, 0.0001)


def draw_scores(
    puzzle: Puzzle,
    steps: Sequence[Assembly],
    maps: Sequence[NDArray[np.floating]],
    certainty: Sequence[float] = (),
    chances: Sequence[Mapping[str, float]] = (),
) -> Picture:
    """A panel for each step: what the solver held likely before it, and the piece that it then placed.

    ``maps`` (H, W) are logarithms of probabilities that the middle of a piece's box lies at a pixel of the
    target's box. ``certainty`` and ``chances``, a `Result`'s, are written above the panels. Of more than 24
    steps, that many are shown.
    """
    if not steps or len(maps) < len(steps):
        raise ArgumentError(f"there must be a map for each of the steps, not {len(maps)} for {len(steps)}")
    panels, width, height = lay_panels(puzzle, steps, 0.6, CHANCES_LINE if chances else 0.0)
    layers: list[Layer] = []
    for panel in panels:
        k = panel.k
        before = steps[k - 1] if k > 0 else Assembly()
        words = _words(k, new_piece(before, steps[k]), certainty)
        heading = [Text(panel.heading_x, panel.heading_y, words, HEADING_PX, INK)]
        if k < len(chances):
            parts = ", ".join(f"{name} {chance:.0%}" for name, chance in chances[k].items())
            heading.append(Text(panel.heading_x, panel.heading_y - CHANCES_LINE, parts, SMALL_PX, MUTED))
        layers += [
            Layer(f"step{k + 1}", _panel(puzzle, before, steps[k], maps[k]), panel.frame),
            Layer("heading", tuple(heading)),
        ]
    key, key_width = _key(MARGIN, -height)
    layers.append(Layer("key", key))
    title = f"what was held likely in {len(steps)} steps"
    return Picture(max(width, key_width + 2.0 * MARGIN), height + LINE, tuple(layers), title=title)


def _words(k: int, piece: str | None, certainty: Sequence[float]) -> str:
    name = "" if piece is None else f"  {shorten(piece)}"
    return f"{k + 1}.{name}" + (f",  {certainty[k]:.0%} sure" if k < len(certainty) else "")


def _panel(
    puzzle: Puzzle, before: Assembly, after: Assembly, scores: NDArray[np.floating]
) -> tuple[Area, ...]:
    """The map, the target's outline, the pieces that were there and the one that came, lowest first."""
    grid = Grid.around(puzzle.target, scores.shape[-1])
    side = grid.size_px * grid.pixel
    box = shapely.box(grid.left, grid.top - side, grid.left + side, grid.top)
    known = set(before)
    placed = [outline for _, outline in within_reach(puzzle, before)]
    target = masks([puzzle.target], grid)[0]
    left = np.clip(target - masks(placed, grid).sum(axis=0), 0.0, 1.0)
    shares = np.stack([left, target - left, 1.0 - target], axis=-1)  # (H, W, 3)
    colours = glowing(scores, cold=shares @ np.array([GLOW[0][1], FILLED, BEYOND]))
    areas = [
        Area(box, Paint(PAGE_COLOUR), texture=Texture(colours, grid)),
        Area(puzzle.target, Paint(stroke=PLACED, width=1.6)),
    ]
    for placement in sorted(after, key=lambda placement: placement not in known):
        paint = Paint(stroke=PLACED, width=1.0) if placement in known else Paint(stroke=CHOSEN, width=2.4)
        areas.append(Area(puzzle[placement.id].polygon, paint, placement.pose))
    return tuple(areas)


def glowing(scores: NDArray[np.floating], cold: ArrayLike = GLOW[0][1]) -> NDArray[np.uint8]:
    """Logarithms of probabilities (H, W) as colours (H, W, 3).

    What is out of the question has the colour ``cold``, one for all or (H, W, 3).

    >>> glowing(np.array([[0.0, -50.0]])).tolist()
    [[[255, 255, 230], [24, 22, 40]]]
    """
    at = np.clip(1.0 - np.asarray(scores, dtype=np.float64) / LEAST, 0.0, 1.0)
    stops = [stop for stop, _ in GLOW]
    channels = [np.interp(at, stops, [colour[c] for _, colour in GLOW]) for c in range(3)]
    # The scale's first stretch begins with the other colour.
    share = 1.0 - np.minimum(at / stops[1], 1.0)
    colours = np.stack(channels, axis=-1) + share[..., None] * (np.asarray(cold) - GLOW[0][1])
    return colours.round().astype(np.uint8)


def _key(x: float, y: float) -> tuple[tuple[Area | Text, ...], float]:
    """What the colours mean, in a line that starts at (x, y), and the line's width."""
    colours = glowing(np.array([[math.log(probability) for probability in KEY]]))[0].tolist()
    entries = [
        *((_hex(colour), None, f"{100.0 * p:g}%") for colour, p in zip(colours, KEY, strict=True)),
        (_hex(GLOW[0][1]), None, "less"),
        (_hex(FILLED), None, "filled"),
        (_hex(GLOW[0][1]), CHOSEN, "placed then"),
    ]
    words = "the middle of a piece may lie here:"
    items: list[Area | Text] = [Text(x, y, words, SMALL_PX, INK, "start")]
    at = x + text_width(words, SMALL_PX) + 8.0
    for fill, stroke, name in entries:
        box = shapely.box(at, y - SWATCH / 2.0, at + SWATCH, y + SWATCH / 2.0)
        items += [
            Area(box, Paint(fill, stroke, 2.4)),
            Text(at + SWATCH + 6.0, y, name, SMALL_PX, INK, "start"),
        ]
        at += SWATCH + 6.0 + text_width(name, SMALL_PX) + 14.0
    return tuple(items), at - 14.0 - x


def _hex(colour: Sequence[int]) -> str:
    return "#{:02x}{:02x}{:02x}".format(*colour)

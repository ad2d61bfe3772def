"""Pictures: composed as a `Picture` by the draw functions, then written as exact SVG, PNG or GIF."""

from __future__ import annotations

from sherd.draw.colours import Colours, piece_colours
from sherd.draw.comparison import Compared, draw_comparison
from sherd.draw.compose import draw_assembly, draw_puzzle
from sherd.draw.files import write, write_gif
from sherd.draw.hints import draw_hints
from sherd.draw.png import to_image, to_png
from sherd.draw.scene import Picture
from sherd.draw.steps import draw_frames, draw_steps
from sherd.draw.svg import to_svg

__all__ = [
    "Colours",
    "Compared",
    "Picture",
    "draw_assembly",
    "draw_comparison",
    "draw_frames",
    "draw_hints",
    "draw_puzzle",
    "draw_steps",
    "piece_colours",
    "to_image",
    "to_png",
    "to_svg",
    "write",
    "write_gif",
]

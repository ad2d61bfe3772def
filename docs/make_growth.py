"""Draws how the time of the search grows with the number of pieces: ``python docs/make_growth.py``.

Reads the record that `python benchmarks/search.py --record FILE` wrote in experiments/benchmarks/search.
"""

from __future__ import annotations

import json
import math
from html import escape
from pathlib import Path

from sherd.io.atomic import write_atomically

RECORD = Path(__file__).parents[1] / "experiments" / "benchmarks" / "search" / "bc8fea9.json"
PICTURE = Path(__file__).parent / "pictures" / "growth.svg"
COLOURS = {"1": "#2a6fb8", "free": "#c2571a"}
NAMES = {"1": "pieces not turned", "free": "free to turn"}
FONTS = "Helvetica, Arial, sans-serif"
WIDTH, HEIGHT = 640, 380
LEFT, RIGHT, TOP, BOTTOM = 70, 30, 44, 56
PIECES = (3.5, 300.0)
MILLISECONDS = (0.5, 100.0)


def place(value: float, limits: tuple[float, float], start: float, end: float) -> float:
    """Where a value lies between two places of the picture, on a logarithmic scale."""
    low, high = math.log(limits[0]), math.log(limits[1])
    return start + (math.log(value) - low) / (high - low) * (end - start)


def across(pieces: float) -> float:
    return place(pieces, PIECES, LEFT, WIDTH - RIGHT)


def up(milliseconds: float) -> float:
    return place(milliseconds, MILLISECONDS, HEIGHT - BOTTOM, TOP)


def text(
    x: float, y: float, words: str, *, anchor: str = "middle", colour: str = "#333", size: int = 13
) -> str:
    """A line of text, with a rim that keeps grid lines away from it."""
    rim = 'stroke="#fff" stroke-width="4" paint-order="stroke"'
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}" font-size="{size}" {rim}>'
        f"{escape(words)}</text>"
    )


def axes(shape: str) -> list[str]:
    """Grid lines with their values, and what is drawn."""
    parts = [text(LEFT, 22, f"Time a puzzle by number of pieces: exact {shape}s", anchor="start", size=15)]
    for milliseconds in (1, 10, 100):
        y = up(milliseconds)
        parts.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>')
        parts.append(text(LEFT - 8, y + 4, f"{milliseconds} ms", anchor="end"))
    for pieces in (4, 8, 16, 32, 64, 128, 256):
        x = across(pieces)
        parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{HEIGHT - BOTTOM}" stroke="#eee"/>')
        parts.append(text(x, HEIGHT - BOTTOM + 20, f"{pieces}"))
    return [*parts, text(across(32), HEIGHT - 14, "pieces")]


def curve(name: str, seconds: dict[str, float], row: int) -> list[str]:
    """The times of one kind of puzzle joined by a line, and its name in the corner."""
    colour = COLOURS[name]
    points = [(across(int(pieces)), up(1e3 * time)) for pieces, time in seconds.items()]
    joined = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    parts = [f'<polyline points="{joined}" fill="none" stroke="{colour}" stroke-width="2"/>']
    parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"/>' for x, y in points]
    return [*parts, text(LEFT + 14, TOP + 22 + 20 * row, NAMES[name], anchor="start", colour=colour)]


def main() -> None:
    """Write docs/pictures/growth.svg."""
    record = json.loads(RECORD.read_text(encoding="utf-8"))
    parts = axes(record["shape"])
    for row, (name, seconds) in enumerate(record["seconds"].items()):
        parts += curve(name, seconds, row)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="{FONTS}">'
    paper = f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>'
    lines = [head, "<title>Time a puzzle by number of pieces</title>", paper, *parts, "</svg>"]
    write_atomically(PICTURE, "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()

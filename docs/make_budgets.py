"""Draws how quality grows with the time a puzzle: ``python docs/make_budgets.py``.

Reads the records of experiments/results whose names say "budget", which `sherd bench --json` wrote with
different time limits.
"""

from __future__ import annotations

import math
from html import escape
from pathlib import Path

from sherd.bench.record import CellResult, read_record
from sherd.io.atomic import write_atomically

RECORDS = Path(__file__).parents[1] / "experiments" / "results"
PICTURE = Path(__file__).parent / "pictures" / "budgets.svg"
COLOURS = {"annealing": "#2a6fb8", "annealing-joint": "#1b8a5a", "bayesopt": "#c2571a", "nesting": "#7a4fb0"}
NAMED_ABOVE = ("annealing-joint",)
# What the paper reports on the same puzzles, and the seconds that it took.
PUBLISHED = {"SA": (0.655, 1860.0, COLOURS["annealing"]), "BayesOpt": (0.664, 155.0, COLOURS["bayesopt"])}
FONTS = "Helvetica, Arial, sans-serif"
WIDTH, HEIGHT = 720, 400
LEFT, RIGHT, TOP, BOTTOM = 60, 120, 44, 56
SECONDS = (0.02, 3000.0)
IOU = (0.5, 1.0)


def across(seconds: float) -> float:
    """Where a time lies in the picture, on a logarithmic scale."""
    low, high = math.log(SECONDS[0]), math.log(SECONDS[1])
    return LEFT + (math.log(seconds) - low) / (high - low) * (WIDTH - LEFT - RIGHT)


def up(iou: float) -> float:
    """Where an IoU lies in the picture."""
    return HEIGHT - BOTTOM - (iou - IOU[0]) / (IOU[1] - IOU[0]) * (HEIGHT - TOP - BOTTOM)


def text(
    x: float, y: float, words: str, *, anchor: str = "start", colour: str = "#333", size: int = 13
) -> str:
    """A line of text."""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}" font-size="{size}">'
        f"{escape(words)}</text>"
    )


def axes() -> list[str]:
    """Grid lines with their values, and what is drawn."""
    parts = [text(LEFT, 22, "IoU by time a puzzle: square, 8 pieces, no rotation", size=15)]
    for tenths in range(5, 11):
        y = up(tenths / 10)
        parts.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>')
        parts.append(text(LEFT - 8, y + 4, f"{tenths / 10:.1f}", anchor="end"))
    for seconds in (0.1, 1.0, 10.0, 100.0, 1000.0):
        x = across(seconds)
        parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{HEIGHT - BOTTOM}" stroke="#eee"/>')
        parts.append(text(x, HEIGHT - BOTTOM + 20, f"{seconds:g}", anchor="middle"))
    parts.append(text(across(8.0), HEIGHT - 14, "seconds", anchor="middle"))
    return parts


def curve(solver: str, results: list[CellResult]) -> list[str]:
    """A solver's figures joined by a line, its name at the end, or above where others end nearby."""
    points = [(across(r.figures.seconds_median), up(r.figures.iou)) for r in results]
    colour = COLOURS[solver]
    joined = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    parts = [f'<polyline points="{joined}" fill="none" stroke="{colour}" stroke-width="2"/>']
    parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"/>' for x, y in points]
    if solver in NAMED_ABOVE:
        x, y = points[len(points) // 2]
        return [*parts, text(x - 4, y - 10, solver, anchor="end", colour=colour)]
    x, y = points[-1]
    return [*parts, text(x + 9, y + 4, solver, colour=colour)]


def main() -> None:
    """Write docs/pictures/budgets.svg."""
    found: dict[str, list[CellResult]] = {}
    for path in sorted(RECORDS.glob("*/custom/*-budget-*.json")):
        for result in read_record(path).cells:
            found.setdefault(result.cell.solver, []).append(result)
    parts = axes()
    for solver in COLOURS:
        parts += curve(solver, sorted(found[solver], key=lambda result: result.time_limit))
    for name, (iou, seconds, colour) in PUBLISHED.items():
        x, y = across(seconds), up(iou)
        parts.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="none" stroke="{colour}" stroke-width="2"/>'
        )
        parts.append(text(x, y + 20, f"{name}, paper", anchor="middle", colour=colour))
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="{FONTS}">'
    paper = f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>'
    lines = [head, "<title>IoU by time a puzzle</title>", paper, *parts, "</svg>"]
    write_atomically(PICTURE, "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()

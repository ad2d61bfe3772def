"""Draws what the whole command costs as pieces become more: ``python docs/make_cost_curves.py``.

Reads the records in experiments/benchmarks/growth, which ``sherd bench --suite growth --json FILE`` wrote.
"""

from __future__ import annotations

import json
import math
from html import escape
from pathlib import Path

from sherd.io.atomic import write_atomically

RECORDS = Path(__file__).parents[1] / "experiments" / "benchmarks" / "growth"
PICTURE = Path(__file__).parent / "pictures" / "cost-curves.svg"
COLOURS = {
    "exact cuts": "#2a6fb8",
    "on a grid": "#3c8a4e",
    "broken": "#c2571a",
    "jigsaw": "#7a4fa3",
    "lattice": "#b8902a",
}
FONTS = "Helvetica, Arial, sans-serif"
WIDTH, HEIGHT, BETWEEN = 400, 360, 20
LEFT, RIGHT, TOP, BOTTOM = 62, 14, 48, 52
PIECES = (3.0, 22_000.0)
# What is drawn, its heading, the limits of its axis and the values that stand there.
PANELS = (
    ("cpu_seconds", "CPU seconds of the command", (1.0, 300.0), (1, 3, 10, 30, 100, 300)),
    ("peak_mib", "MiB at most", (100.0, 4096.0), (128, 256, 512, 1024, 2048, 4096)),
)


def place(value: float, limits: tuple[float, float], start: float, end: float) -> float:
    """Where a value lies between two places of the picture, on a logarithmic scale."""
    low, high = math.log(limits[0]), math.log(limits[1])
    return start + (math.log(value) - low) / (high - low) * (end - start)


def text(x: float, y: float, words: str, anchor: str = "middle", colour: str = "#333", size: int = 12) -> str:
    """A line of text."""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}" font-size="{size}">'
        f"{escape(words)}</text>"
    )


def panel(index: int, costs: list[dict[str, float]]) -> list[str]:
    """One figure of all kinds against the number of pieces; what was not solved is an open dot."""
    key, heading, limits, values = PANELS[index]
    left = index * (WIDTH + BETWEEN) + LEFT
    right = left + WIDTH - LEFT - RIGHT
    parts = [text(left, 24, heading, anchor="start", size=15)]
    for value in values:
        y = place(value, limits, HEIGHT - BOTTOM, TOP)
        parts.append(f'<line x1="{left}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>')
        parts.append(text(left - 6, y + 4, f"{value:,}", anchor="end"))
    for pieces in (4, 16, 64, 256, 1024, 4096, 16_384):
        x = place(pieces, PIECES, left, right)
        parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{HEIGHT - BOTTOM}" stroke="#eee"/>')
        parts.append(text(x, HEIGHT - BOTTOM + 18, f"{pieces:,}"))
    parts.append(text((left + right) / 2, HEIGHT - 12, "pieces"))
    for row, (kind, colour) in enumerate(COLOURS.items()):
        own = [cost for cost in costs if cost["kind"] == kind]
        points = [
            (
                place(cost["pieces"], PIECES, left, right),
                place(min(max(cost[key], limits[0]), limits[1]), limits, HEIGHT - BOTTOM, TOP),
                colour if cost["solved"] else "#fff",
            )
            for cost in own
        ]
        joined = " ".join(f"{x:.1f},{y:.1f}" for x, y, _ in points)
        parts.append(f'<polyline points="{joined}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{inside}" stroke="{colour}"/>'
            for x, y, inside in points
        ]
        parts.append(text(left + 10, TOP + 18 + 18 * row, kind, anchor="start", colour=colour, size=13))
    return parts


def main() -> None:
    """Write docs/pictures/cost-curves.svg."""
    records = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(RECORDS.glob("*.json"))]
    costs = sorted((cost for record in records for cost in record["costs"]), key=lambda cost: cost["pieces"])
    width = 2 * WIDTH + BETWEEN
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {HEIGHT}" font-family="{FONTS}">'
    paper = f'<rect width="{width}" height="{HEIGHT}" fill="#fff"/>'
    lines = [head, "<title>What the whole command costs by number of pieces</title>", paper]
    for index in range(len(PANELS)):
        lines += panel(index, costs)
    write_atomically(PICTURE, "\n".join([*lines, "</svg>"]) + "\n")


if __name__ == "__main__":
    main()

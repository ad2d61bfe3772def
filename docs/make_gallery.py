"""Makes the gallery, page and pictures: ``python docs/make_gallery.py [NAME ...]``, in about five minutes.

Every thing is assembled anew by the command that stands beside it, and drawn as an SVG that moves: each piece
goes from the tray to its place, those at the top first. What is not called solved is not shown, but for
things without a target, which say how many pieces hang together.
"""

from __future__ import annotations

import base64
import io
import json
import math
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np
import shapely
from PIL import Image
from shapely import Polygon
from shapely.geometry.base import BaseGeometry

import sherd
from sherd.cli import run
from sherd.core.geometry import size_of
from sherd.core.texture import Texture
from sherd.draw import piece_colours
from sherd.layout.side_by_side import side_by_side

ROOT = Path(__file__).resolve().parents[1]
PICTURES = ROOT / "docs" / "pictures" / "gallery"
PAGE = ROOT / "docs" / "gallery.md"
# Of a loop: all lie in the tray, then they move one after the other, then all stay.
LOOSE, MOVED, SECONDS_A_PIECE, STAY = 1.0, 0.55, 0.35, 4.0
# Outlines are thinned to this share of the size, and pixels of paint to so many across the whole.
THINNED, PAINT_PX = 8e-4, 900
UNITS = 1000.0  # how many units of the picture the target spans
WIDTH = 720.0  # of a picture, in pixels
INTRODUCTION = """\
# Gallery

Assembled by sherd, each by the command beside it; in the pictures the pieces are laid from the top. Times are
seconds of one core. Made by `python docs/make_gallery.py`.
"""


@dataclass(frozen=True, kw_only=True)
class Thing:
    """Something to assemble: a drawing and what is asked of it, or a puzzle that a command makes."""

    name: str
    title: str
    about: str
    file: str = ""
    asked: dict[str, Any] = field(default_factory=dict)
    made: str = ""
    seconds: float = 60.0

    @property
    def source(self) -> str:
        """Where it comes from."""
        if self.made:
            return "Made by the first command"
        return f"[Source](../{Path(self.file).parent.as_posix()}/README.md)"

    @property
    def commands(self) -> list[str]:
        """What one types."""
        if self.made:
            return [
                f"sherd generate {self.name}.jsonl {self.made} --count 1",
                f"sherd assemble {self.name}.jsonl",
            ]
        options = [
            f"--{key.replace('_', '-')}" + ("" if value is True else f" {value}")
            for key, value in (*self.asked.items(), ("time_limit", f"{self.seconds:g}"))
        ]
        return [f"sherd assemble {self.file} {' '.join(options)}"]


def island(folder: Path) -> None:
    """Write the outline of an island that is on no map."""
    rng = np.random.default_rng(12)
    angles = np.linspace(0.0, 2.0 * math.pi, 140, endpoint=False)
    waves = range(2, 22)
    bumps = sum(rng.normal(0.0, 0.16 / k) * np.cos(k * angles + rng.uniform(0, 6.28)) for k in waves)
    radius = 1.0 + np.asarray(bumps)
    places = np.stack([1.5 * radius * np.cos(angles), radius * np.sin(angles)], axis=-1).round(4)
    (folder / "island.json").write_text(json.dumps({"exterior": places.tolist()}))


THINGS = (
    Thing(
        name="letter",
        title="A torn letter",
        about="Sixteen scraps of a sheet of A5, from a scan of 150 dpi.",
        file="examples/letter/letter-scan.png",
        asked={"target": "rect:148x210"},
    ),
    Thing(
        name="plate",
        title="A broken plate",
        about="Twelve of thirteen sherds, from a scan; one was never found.",
        file="examples/plate/plate-scan.png",
        asked={"target": "examples/plate/plate.svg"},
    ),
    Thing(
        name="window",
        title="A leaded window",
        about="Thirteen panes, cut smaller than drawn to leave room for the lead.",
        file="examples/glass/glass.svg",
        asked={"kerf": 1.6},
        seconds=10.0,
    ),
    Thing(
        name="swan",
        title="A tangram",
        about="The seven pieces, and a swan.",
        file="examples/tangram/tangram.svg",
        seconds=10.0,
    ),
    Thing(
        name="jigsaw",
        title="A jigsaw, face down",
        about="Twenty-four pieces from a scan of their backs: only the knobs tell.",
        file="examples/jigsaw/jigsaw-scan.png",
        asked={"target": "rect:240x160"},
    ),
    Thing(
        name="tiles",
        title="A box of two tiles",
        about="Fifteen bits, no drawing, nothing to fill: two groups come out.",
        file="examples/box/box.svg",
        asked={"no_target": True},
        seconds=20.0,
    ),
    Thing(
        name="board",
        title="A board of thirty",
        about="Nineteen pieces are not convex, and all may be turned by any angle.",
        file="examples/puzzle/puzzle.geojson",
        asked={"unit": "mm"},
        seconds=20.0,
    ),
    Thing(
        name="island",
        title="A map",
        about="An island and its eighteen counties; docs/make_gallery.py draws its outline.",
        made="--shape island.json --dissection voronoi --pieces 18 --rotations free --seed 4",
    ),
    Thing(
        name="mondrian",
        title="A Mondrian",
        about="Sixteen rectangles, turned by quarters, as in the paper.",
        made="--shape mondrian --pieces 16 --rotations 4 --seed 21",
    ),
    Thing(
        name="hexagon",
        title="A hexagon in thirty-two",
        about="Straight cuts all over; eight pieces were the paper's most for this shape.",
        made="--shape hexagon --pieces 32 --rotations free --seed 5",
    ),
    Thing(
        name="star",
        title="A star, some pieces face down",
        about="Twenty pieces of any shape; which are to be turned over is for the solver to find.",
        made="--shape star --dissection merged --pieces 20 --rotations free --mirror --seed 8",
    ),
    Thing(
        name="pentominoes",
        title="The twelve pentominoes",
        about="In their box of 6 by 10, one of 2,339 ways.",
        made="--shape 6x10 --dissection lattice --pieces 12 --rotations free --mirror --seed 1",
    ),
    Thing(
        name="marble",
        title="A painted jigsaw",
        about="Twelve pieces with marble on them: outlines and colour together.",
        made="--dissection jigsaw --pieces 12 --rotations free --texture marble --seed 3",
    ),
)


@dataclass(frozen=True)
class Assembled:
    """A puzzle, its answer in one frame, and what is said of it."""

    puzzle: sherd.Puzzle
    assembly: sherd.Assembly
    seconds: float
    said: str


def assembled(thing: Thing) -> Assembled:
    """Run what the commands say; `RuntimeError` if it is not solved, but for things without a target."""
    started = time.process_time
    if thing.made:
        puzzle = _generated(thing)
        before = started()
        result = sherd.assemble(puzzle, seconds=thing.seconds)
        seconds, assembly, solved = started() - before, result.assembly, result.solved
    else:
        before = started()
        job = sherd.solve(ROOT / thing.file, seconds=thing.seconds, **_absolute(thing.asked))
        seconds, puzzle, solved = started() - before, job.job.puzzle, job.solved
        assembly = job.result.assembly
        if not puzzle.has_target:
            groups = job.result.groups
            sizes = " and ".join(str(len(group.assembly)) for group in groups)
            return Assembled(puzzle, side_by_side(puzzle, groups), seconds, f"groups of {sizes} pieces")
    if not solved:
        raise RuntimeError(f"{thing.name} is not solved, and so is not shown")
    return Assembled(puzzle, assembly, seconds, f"solved, {len(assembly)} pieces")


def _generated(thing: Thing) -> sherd.Puzzle:
    with tempfile.TemporaryDirectory() as folder:
        island(Path(folder))
        path = Path(folder) / f"{thing.name}.jsonl"
        made = thing.made.replace("island.json", f"{folder}/island.json")
        if run(["generate", str(path), *made.split(), "--count", "1"]):
            raise RuntimeError(f"{thing.name} cannot be made")
        (sample,) = sherd.read_samples(path)
        return sample.puzzle


def _absolute(asked: dict[str, Any]) -> dict[str, Any]:
    return {
        key: str(ROOT / value) if str(value).startswith("examples/") else value
        for key, value in asked.items()
    }


def animation(puzzle: sherd.Puzzle, assembly: sherd.Assembly) -> str:
    """An SVG in which each piece goes from a tray to its place; where nothing moves it shows the end."""
    outlines = {one.id: one.polygon for one in puzzle.fragments}
    placed = {one.id: one.pose.apply(outlines[one.id]) for one in assembly}
    whole: BaseGeometry = puzzle.target if puzzle.has_target else shapely.union_all(list(placed.values()))
    scale = UNITS / size_of(whole)
    low_x, low_y, high_x, high_y = whole.bounds
    gap = 0.06 * size_of(whole)
    tray, right = _tray(
        [outlines[one.id] for one in assembly], high_x + 2.0 * gap, high_y, high_y - low_y, gap
    )
    bottom = min([low_y, *(y - half for _, y, half in tray)])
    box = (low_x - gap, -high_y - gap, right - low_x + gap, high_y - bottom + 2.0 * gap)
    colours = piece_colours(puzzle, assembly)
    order = sorted(assembly, key=lambda one: -placed[one.id].centroid.y) if len(assembly) else []
    start = {one.id: (x, y) for one, (x, y, _) in zip(assembly, tray, strict=True)}
    total = LOOSE + SECONDS_A_PIECE * len(order) + MOVED + STAY
    styles, pieces = [], []
    for number, one in enumerate(order):
        pose, (x, y) = one.pose, start[one.id]
        turn = math.remainder(math.degrees(pose.theta), 360.0)
        at = f"{_n(x * scale)}px,{_n(y * scale)}px"
        to = f"{_n(pose.x * scale)}px,{_n(pose.y * scale)}px"
        flip = (" scale(1,1)", " scale(-1,1)") if pose.mirrored else ("", "")
        loose = f"translate({at}) rotate(0deg){flip[0]}"
        laid = f"translate({to}) rotate({_n(turn)}deg){flip[1]}"
        begins = 100.0 * (LOOSE + SECONDS_A_PIECE * number) / total
        ends = begins + 100.0 * MOVED / total
        styles.append(
            f"@keyframes k{number}{{0%,{begins:.2f}%{{transform:{loose}}}{ends:.2f}%,98%{{transform:{laid}}}"
            f"100%{{transform:{loose}}}}}"
            f"#p{number}{{transform:{laid};animation:k{number} {total:.1f}s infinite}}"
        )
        fragment = next(fragment for fragment in puzzle.fragments if fragment.id == one.id)
        pieces.append(_piece(number, fragment, colours[one.id], scale, size_of(whole)))
    target = (
        f'<path d="{_path(puzzle.target, scale, THINNED * size_of(whole))}" fill="#eef0f4" stroke="#2b303b" '
        f'stroke-width="4" fill-rule="evenodd"/>'
        if puzzle.has_target
        else ""
    )
    view = " ".join(_n(value * scale) for value in box)
    width, height = (_n(WIDTH * side / box[2]) for side in box[2:])
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{view}" width="{width}" height="{height}">'
        "<style>@media (prefers-reduced-motion:reduce){g g{animation:none!important}}"
        f'{"".join(styles)}</style><g transform="scale(1,-1)">{target}{"".join(pieces)}</g></svg>\n'
    )


def _n(value: float) -> str:
    """A number with one decimal, without noughts that say nothing."""
    return (
        f"{value:.1f}".removesuffix(".0").replace("-0", "0")
        if abs(value) < 0.05
        else f"{value:.1f}".removesuffix(".0")
    )


def _tray(
    outlines: list[Polygon], left: float, top: float, height: float, gap: float
) -> tuple[list[tuple[float, float, float]], float]:
    """Where each piece's own frame lies in a tray, and its height; and the tray's right end."""
    places: dict[int, tuple[float, float, float]] = {}
    x, y, width = left, top, 0.0
    for number in sorted(range(len(outlines)), key=lambda k: -_width(outlines[k])):
        low_x, low_y, high_x, high_y = outlines[number].bounds
        if y < top and y - (high_y - low_y) < top - 1.4 * height:
            x, y, width = x + width + gap / 2.0, top, 0.0
        places[number] = (x - low_x, y - high_y, (high_y - low_y))
        y -= high_y - low_y + gap / 2.0
        width = max(width, high_x - low_x)
    return [places[number] for number in range(len(outlines))], x + width + gap


def _width(outline: Polygon) -> float:
    low_x, _, high_x, _ = outline.bounds
    return high_x - low_x


def _path(region: BaseGeometry, scale: float, thinned: float) -> str:
    """The outlines of a region as the path of an SVG."""
    rings = [
        ring
        for part in shapely.get_parts(shapely.simplify(region, thinned))
        for ring in (part.exterior, *part.interiors)
    ]
    return "".join(
        "M" + " ".join(f"{_n(x * scale)},{_n(y * scale)}" for x, y in list(ring.coords)[:-1]) + "Z"
        for ring in rings
    )


def _piece(number: int, fragment: sherd.Fragment, colour: str, scale: float, size: float) -> str:
    path = _path(fragment.polygon, scale, THINNED * size)
    if fragment.texture is None:
        return f'<g id="p{number}"><path d="{path}" fill="{colour}" stroke="#2b303b" stroke-width="2.5"/></g>'
    return (
        f'<g id="p{number}"><clipPath id="c{number}"><path d="{path}"/></clipPath>'
        f'<g clip-path="url(#c{number})">'
        f'{_image(fragment.texture, scale, size)}</g><path d="{path}" fill="none" stroke="#2b303b" '
        'stroke-width="2"/></g>'
    )


def _image(texture: Texture, scale: float, size: float) -> str:
    """The paint as a JPEG image, cut to what is painted."""
    grid, image = texture.grid, Image.fromarray(texture.image)
    box = Image.fromarray(texture.alpha).getbbox() if texture.alpha is not None else None
    left, top, right, bottom = box or (0, 0, *image.size)
    across = (right - left) * grid.pixel, (bottom - top) * grid.pixel
    pixels = [max(8, round(PAINT_PX * length / size)) for length in across]
    small = image.crop((left, top, right, bottom)).resize((pixels[0], pixels[1]))
    file = io.BytesIO()
    small.save(file, format="JPEG", quality=60)
    x, y = (grid.left + left * grid.pixel) * scale, (grid.top - top * grid.pixel) * scale
    data = base64.b64encode(file.getvalue()).decode()
    return (
        f'<image width="{_n(across[0] * scale)}" height="{_n(across[1] * scale)}" '
        f'transform="translate({_n(x)},{_n(y)}) scale(1,-1)" preserveAspectRatio="none" '
        f"href={quoteattr('data:image/jpeg;base64,' + data)}/>"
    )


def section(thing: Thing, found: Assembled) -> str:
    """What the page says of a thing."""
    commands = "".join(f"    {command}\n" for command in thing.commands)
    return (
        f"\n## {thing.title}\n\n![{thing.title}, put together](pictures/gallery/{thing.name}.svg)\n\n"
        f"{thing.about} {thing.source}: {found.said}, in {found.seconds:.2f} s.\n\n{commands}"
    )


def main(names: list[str], say: Callable[[str], object] = sys.stdout.write) -> None:
    """Assemble the things that are named, or all, and write their pictures and sections."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    written = PAGE.read_text(encoding="utf-8").split("\n## ")[1:] if PAGE.is_file() else []
    sections = {text.split("\n", 1)[0]: f"\n## {text.rstrip()}\n" for text in written}
    for thing in THINGS:
        if names and thing.name not in names:
            continue
        try:
            found = assembled(thing)
        except RuntimeError as error:  # the picture of before stays
            say(f"{error}\n")
            continue
        picture = animation(found.puzzle, found.assembly)
        (PICTURES / f"{thing.name}.svg").write_text(picture, encoding="utf-8")
        sections[thing.title] = section(thing, found)
        say(f"{thing.name}: {found.said}, {found.seconds:.2f} s, {len(picture) // 1000} kB\n")
        known = [sections[one.title] for one in THINGS if one.title in sections]
        PAGE.write_text(INTRODUCTION + "".join(known), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])

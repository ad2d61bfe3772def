"""What is asked of somebody's pieces: from the command line, or a TOML file beside the drawing."""

from __future__ import annotations

import math
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from sherd.core.errors import ArgumentError, FileFormatError
from sherd.core.geometry import Rotations
from sherd.io.document import LARGEST_NUMBER, is_list, is_object
from sherd.io.drawings.params import ReadParams

MOST_TOML_BYTES = 2**20
# Shapes that are known without a drawing of them, but for their size.
OUTLINES = ("rectangle", "convex")


@dataclass(frozen=True)
class Pin:
    """Where a piece must lie: its centroid in the target's frame, and its turn from how it is drawn.

    >>> Pin.parse("left wing=10,20.5,90")
    ('left wing', Pin(x=10.0, y=20.5, turn_deg=90.0))
    """

    x: float
    y: float
    turn_deg: float = 0.0

    def __post_init__(self) -> None:
        if not all(map(math.isfinite, (self.x, self.y, self.turn_deg))):
            raise ArgumentError(f"a pin needs finite numbers, not {self.x}, {self.y}, {self.turn_deg}")
        if max(abs(self.x), abs(self.y), abs(self.turn_deg)) > LARGEST_NUMBER:
            raise ArgumentError(
                f"a pin's numbers are beyond all measure: {self.x}, {self.y}, {self.turn_deg}"
            )

    @classmethod
    def parse(cls, text: str) -> tuple[str, Pin | None]:
        """From ``id=x,y,deg`` or ``id=x,y``; ``id`` alone pins the piece where it is drawn (None)."""
        name, equals, values = text.rpartition("=")
        if not equals:
            return text, None
        try:
            numbers = [float(value) for value in values.split(",")]
            if not 2 <= len(numbers) <= 3:
                raise ValueError
        except ValueError:
            raise ArgumentError(f"a pin is id=x,y,degrees or only an id, not {text!r}") from None
        return name, cls(*numbers)


@dataclass(frozen=True, kw_only=True)
class JobParams(ReadParams):
    """Everything that can be said about a drawing: how it is read, and what is asked of its pieces.

    ``target`` names a file or a plain shape, and ``no_target`` says that none is known: every figure is then
    a piece. ``outline`` is a shape whose size is not known: one of `OUTLINES`, or, as a target, a file or a
    plain shape. ``turns`` are the rotations of pieces, by id, that may be turned in fewer ways than
    ``rotations`` says of all. ``mirror`` is true, false or the ids that may be turned over; ``kerf`` is the
    width that the cut took away, or that a tracing added if below 0; ``offset`` is how far outlines are
    moved outward besides, and ``scale`` what pieces are multiplied by before. The target is wider than what
    fills it by ``play``. Pieces that are forbidden are not used.
    """

    target: str | None = None
    no_target: bool = False
    outline: str | None = None
    rotations: Rotations = field(default_factory=lambda: Rotations(None))
    turns: Mapping[str, Rotations] = field(default_factory=dict[str, Rotations])
    mirror: bool | frozenset[str] = False
    kerf: float = 0.0
    offset: float = 0.0
    scale: float = 1.0
    play: float = 0.0
    tolerance: float | None = None
    pins: Mapping[str, Pin | None] = field(default_factory=dict[str, "Pin | None"])
    forbid: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.tolerance is not None and not 0.0 < self.tolerance < math.inf:
            raise ArgumentError(f"tolerance must be above 0, not {self.tolerance:g}")
        for name in ("kerf", "offset"):
            if not math.isfinite(value := getattr(self, name)):
                raise ArgumentError(f"{name} must be a finite number, not {value:g}")
        if not 0.0 < self.scale < math.inf:
            raise ArgumentError(f"scale must be above 0, not {self.scale:g}")
        if self.scale < 1.0 / LARGEST_NUMBER:
            raise ArgumentError("scale is too small a number to mean anything")
        if not 0.0 <= self.play < math.inf:
            raise ArgumentError(f"play must be at least 0, not {self.play:g}")
        if self.no_target and self.target is not None:
            raise ArgumentError("a target is given, and that there is none: choose one")
        if self.outline is not None and (self.target is not None or self.no_target):
            raise ArgumentError(
                "an outline of unknown size is given, and a target, or that there is none: choose one"
            )
        if self.outline in OUTLINES and self.pins:
            raise ArgumentError("pieces are pinned in a target's frame, and its size is not known")
        if self.no_target and self.pins:
            raise ArgumentError("pieces are pinned in a target's frame, and there is none")
        both = self.forbid & self.pins.keys()
        if both:
            raise ArgumentError(f"{min(both)!r} is both pinned and forbidden")

    @property
    def growth(self) -> float:
        """How far outlines are moved outward, for whatever reason."""
        return self.kerf / 2.0 + self.offset

    def changed(self, **given: Any) -> JobParams:
        """These parameters with those changed that are not None; pins, turns and forbidden ids are added."""
        known = {name: value for name, value in given.items() if value is not None}
        for name in ("pins", "turns"):
            if name in known:
                known[name] = {**getattr(self, name), **known[name]}
        if "forbid" in known:
            known["forbid"] = self.forbid | known["forbid"]
        return replace(self, **known)


def settings_beside(path: Path) -> Path | None:
    """The TOML file that belongs to a drawing, NAME.toml, if it is there."""
    path = path if path.name else path.resolve()  # "." has no name
    beside = path.with_name(f"{path.name if path.is_dir() else path.stem}.toml")
    return beside if beside != path and beside.is_file() else None


def read_settings(path: str | os.PathLike[str]) -> JobParams:
    """Parameters from a TOML file; an unknown key is an error."""
    path = Path(path)
    with path.open("rb") as file:
        data = file.read(MOST_TOML_BYTES + 1)
    if len(data) > MOST_TOML_BYTES:
        raise FileFormatError(f"{path}: longer than 1 MiB, which no settings are")
    try:
        table = tomllib.loads(data.decode())
    except UnicodeDecodeError:
        raise FileFormatError(f"{path}: not UTF-8 text") from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        reason = str(error) if isinstance(error, tomllib.TOMLDecodeError) else "nested too deeply"
        raise FileFormatError(f"{path}: not TOML: {reason}") from None
    except ValueError:  # Python's limit on the digits of a whole number
        raise FileFormatError(f"{path}: not TOML: a number has thousands of digits") from None
    try:
        return params_from(table, path.parent)
    except ArgumentError as error:
        raise FileFormatError(f"{path}: {error}") from None


def params_from(table: Mapping[str, Any], folder: Path) -> JobParams:
    """Parameters from a table such as settings hold; files are named as seen from a folder.

    >>> params_from({"kerf": 0.2, "rotations": 4}, Path()).rotations.bins
    4
    """
    known = {item.name for item in fields(JobParams)}
    for key in table:
        if key not in known:
            raise ArgumentError(f"unknown key {key!r}: choose {', '.join(sorted(known))}")
    values: dict[str, Any] = {}
    for key, value in table.items():
        match key:
            case "rotations":
                values[key] = Rotations.parse(value)
            case "mirror":
                values[key] = value if isinstance(value, bool) else frozenset(_texts(key, value))
            case "forbid":
                values[key] = frozenset(_texts(key, value))
            case "pins":
                values[key] = _pins(value)
            case "turns":
                values[key] = _turns(value)
            case "no_target":
                values[key] = _flag(key, value)
            case "mm_per_px" | "flatten" | "gap" | "kerf" | "offset" | "scale" | "play" | "tolerance":
                values[key] = _number(key, value)
            case "threshold" | "specks":
                values[key] = _number(key, value)
            case _:
                values[key] = _text(key, value)
    # A file is named as seen from the settings, wherever the command is run.
    for key in ("target", "outline"):
        named = values.get(key)
        if named is not None and named not in OUTLINES and (folder / named).exists():
            values[key] = str(folder / named)
    return JobParams(**values)


def _pins(value: Any) -> dict[str, Pin | None]:
    if not is_object(value):
        raise ArgumentError('pins must be a table such as {left = [10, 20, 90], right = "drawn"}')
    pins: dict[str, Pin | None] = {}
    for name, place in value.items():
        if place == "drawn":
            pins[name] = None
        elif is_list(place) and 2 <= len(place) <= 3:
            pins[name] = Pin(*(_number(f"pins.{name}", number) for number in place))
        else:
            raise ArgumentError(f'pins.{name} must be [x, y], [x, y, degrees] or "drawn", not {place!r}')
    return pins


def _turns(value: Any) -> dict[str, Rotations]:
    if not is_object(value):
        raise ArgumentError("turns must be a table such as {plank = 2, tile = 4}")
    return {name: Rotations.parse(rotations) for name, rotations in value.items()}


def _number(key: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ArgumentError(f"{key} must be a number, not {value!r}")
    try:
        return float(value)
    except OverflowError:
        raise ArgumentError(f"{key} is a number beyond all measure") from None


def _flag(key: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise ArgumentError(f"{key} must be true or false, not {value!r}")
    return value


def _text(key: str, value: Any) -> str:
    if not isinstance(value, str):
        raise ArgumentError(f"{key} must be a text, not {value!r}")
    return value


def _texts(key: str, value: Any) -> list[str]:
    if not is_list(value):
        raise ArgumentError(f"{key} must be a list of ids, not {value!r}")
    return [_text(key, item) for item in value]

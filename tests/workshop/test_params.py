"""What can be said about a job, in Python and in TOML."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from sherd.core.errors import FileFormatError
from sherd.core.geometry import Rotations
from sherd.workshop.params import JobParams, Pin, read_settings, settings_beside

BAD_PARAMS: list[tuple[dict[str, object], str]] = [
    ({"unit": "furlong"}, "unknown unit 'furlong': choose mm"),
    ({"play": -1.0}, "play must be at least 0, not -1"),
    ({"kerf": math.nan}, "kerf must be a finite number, not nan"),
    ({"kerf": 1e308}, "kerf is a number beyond all measure"),
    ({"mm_per_px": 1e300}, "mm_per_px is a number beyond all measure"),
    ({"mm_per_px": 1e-300}, "mm_per_px is too small a number to mean anything"),
    ({"scale": 1e-300}, "scale is too small a number to mean anything"),
    ({"mm_per_px": 0.0}, "mm_per_px must be above 0, not 0"),
    ({"tolerance": math.inf}, "tolerance must be above 0, not inf"),
    ({"nested": "both"}, "nested must be one of holes, pieces, not 'both'"),
    ({"pins": {"a": None}, "forbid": frozenset("a")}, "'a' is both pinned and forbidden"),
]


@pytest.mark.parametrize(("given", "reason"), BAD_PARAMS)
def test_bad_parameters(given: dict[str, object], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        JobParams(**given)  # pyright: ignore


def test_what_pins_look_like() -> None:
    assert Pin.parse("a=b=1,2") == ("a=b", Pin(1, 2))
    assert Pin.parse("left") == ("left", None)
    for text in ("a=1", "a=1,2,3,4", "a=x,y", "a=", "a=1,nan", "a=1,1e300"):
        with pytest.raises(ValueError, match="pin"):
            Pin.parse(text)


def test_settings_in_toml(tmp_path: Path) -> None:
    (tmp_path / "tray.wkt").write_text("POLYGON ((0 0, 9 0, 9 9, 0 9, 0 0))")
    path = tmp_path / "a.toml"
    path.write_text(
        'unit = "in"\ntarget = "tray.wkt"\nrotations = 4\nmirror = ["left"]\nkerf = 0.2\nforbid = ["x"]\n'
        '[pins]\nleft = [1, 2, 90]\n"right one" = "drawn"\n'
    )
    params = read_settings(path)
    assert params == JobParams(
        unit="in",
        target=str(tmp_path / "tray.wkt"),
        rotations=Rotations(4),
        mirror=frozenset(["left"]),
        kerf=0.2,
        forbid=frozenset("x"),
        pins={"left": Pin(1, 2, 90), "right one": None},
    )
    assert settings_beside(tmp_path / "a.svg") == path
    assert settings_beside(tmp_path / "b.svg") is None
    changed = params.changed(kerf=0.5, unit=None, forbid=frozenset("y"), pins={"z": None})
    assert (changed.kerf, changed.unit, changed.forbid) == (0.5, "in", {"x", "y"})
    assert set(changed.pins) == {"left", "right one", "z"}


BAD_TOML = {
    "colour = 3": "unknown key 'colour': choose",
    "kerf = 'wide'": "kerf must be a number, not 'wide'",
    "kerf = true": "kerf must be a number, not True",
    f"kerf = {'9' * 400}": "kerf is a number beyond all measure",
    "play = -1": "play must be at least 0",
    "forbid = 'a'": "forbid must be a list of ids, not 'a'",
    "rotations = 0": "rotations must be a positive number",
    "unit = 5": "unit must be a text, not 5",
    "pins = 3": "pins must be a table such as",
    "pins = {a = [1]}": "pins.a must be",
    "a = = b": "not TOML: ",
    "kerf = " + "9" * 5000: "not TOML: a number has thousands of digits",
    "x = " + "[" * 5000: "not TOML: ",
}


@pytest.mark.parametrize("text", BAD_TOML)
def test_bad_settings(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.toml"
    path.write_text(text)
    with pytest.raises(FileFormatError) as caught:
        read_settings(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert BAD_TOML[text] in str(caught.value)
    assert "\n" not in str(caught.value)

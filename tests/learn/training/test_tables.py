from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import pytest

from sherd.core.errors import FileFormatError
from sherd.learn.training.tables import Table, as_json


@dataclass(frozen=True, kw_only=True)
class Oven:
    degrees: float = 200.0
    trays: int = 1
    fan: bool = False
    heat: Literal["top", "bottom"] = "top"
    name: str | None = None
    dishes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.trays < 1:
            raise ValueError(f"trays must be at least 1, not {self.trays}")


def test_what_is_given_replaces_the_defaults() -> None:
    table = Table({"degrees": 180, "dishes": ["bread", "pie"]}, "")
    assert table.filled(Oven(fan=True)) == Oven(degrees=180, fan=True, dishes=("bread", "pie"))
    assert Table({}, "").filled(Oven(trays=2)) == Oven(trays=2)


def test_what_json_keeps_comes_back() -> None:
    oven = Oven(name="old", dishes=("pie",), heat="bottom")
    assert Table(as_json(oven), "").filled(Oven()) == oven


@pytest.mark.parametrize(
    ("key", "value", "reason"),
    [
        ("racks", 1, "unknown key 'racks': there are degrees, trays, fan, heat, name, dishes"),
        ("degrees", "hot", "degrees must be a number, not 'hot'"),
        ("degrees", True, "degrees must be a number, not True"),
        ("trays", 1.5, "trays must be a whole number, not 1.5"),
        ("trays", True, "trays must be a whole number, not True"),
        ("trays", 0, "trays must be at least 1, not 0"),
        ("fan", 1, "fan must be true or false, not 1"),
        ("heat", "left", "heat must be one of top, bottom, not 'left'"),
        ("name", 3, "name must be a text, not 3"),
        ("dishes", "pie", "dishes must be a list of texts, not 'pie'"),
        ("dishes", [1], r"dishes must be a list of texts, not \[1\]"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(key: str, value: object, reason: str) -> None:
    with pytest.raises(FileFormatError, match=rf"^oven.toml: \[oven\] {reason}$"):
        Table({key: value}, "oven.toml: [oven] ").filled(Oven())


def test_some_keys_may_be_left_out() -> None:
    table = Table({"racks": 3, "trays": 2}, "")
    assert table.without("racks").filled(Oven()) == Oven(trays=2)

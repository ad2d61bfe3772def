"""Tables of a settings file as frozen dataclasses, every key and type checked.

By hand: msgspec lets unknown keys of dataclasses pass, does not say the wrong value, and saves twenty lines.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Literal, NoReturn, TypeVar, get_args, get_origin, get_type_hints

from sherd.core.errors import FileFormatError
from sherd.io.document import is_object

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Filled = TypeVar("Filled")


@dataclass(frozen=True)
class Table:
    """Values by key, and the place that every message about them begins with."""

    values: Mapping[str, Any]
    place: str

    def without(self, *keys: str) -> Table:
        """The rest, where some keys are read in another way."""
        return replace(self, values={key: value for key, value in self.values.items() if key not in keys})

    def fail(self, reason: str) -> NoReturn:
        """`FileFormatError` with the place."""
        raise FileFormatError(f"{self.place}{reason}")

    def filled(self, defaults: Filled) -> Filled:
        """The defaults with what the table says instead."""
        hints = get_type_hints(type(defaults))
        values: dict[str, Any] = {}
        for key, value in self.values.items():
            if key not in hints:
                self.fail(f"unknown key {key!r}: there are {', '.join(hints)}")
            if not _fits(value, hints[key]):
                self.fail(f"{key} must be {_named(hints[key])}, not {value!r}")
            values[key] = tuple(value) if isinstance(value, list) else value
        try:
            return replace(defaults, **values)  # pyright: ignore[reportArgumentType, reportUnknownVariableType]
        except (ValueError, OverflowError) as error:
            raise FileFormatError(f"{self.place}{error}") from None


def as_json(settings: DataclassInstance) -> dict[str, Any]:
    """Settings as JSON has them, to be read as tables again."""
    return json.loads(json.dumps(asdict(settings)))


def difference(there: Mapping[str, Any], here: Mapping[str, Any]) -> str:
    """The first thing that is not the same in two documents, as JSON has them, with the table it stands in.

    >>> difference({"seed": 1, "training": {"steps": 1}}, {"seed": 1, "training": {"steps": 2}})
    '[training] steps is 1 there and 2 here'
    """
    known, asked = (dict(_leaves(json.loads(json.dumps(each)))) for each in (there, here))
    name = next(name for name in (*asked, *known) if known.get(name) != asked.get(name))
    return f"{name} is {known.get(name)!r} there and {asked.get(name)!r} here"


def _leaves(document: Mapping[str, Any], place: str = "") -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []
    for name, member in document.items():
        found += _leaves(member, f"[{name}] ") if is_object(member) else [(f"{place}{name}", member)]
    return found


def _fits(value: Any, hint: Any) -> bool:
    if get_origin(hint) is UnionType:
        return any(_fits(value, option) for option in get_args(hint))
    if get_origin(hint) is Literal:
        return value in get_args(hint)
    if get_origin(hint) is tuple:
        return isinstance(value, list) and all(_fits(item, get_args(hint)[0]) for item in value)
    if get_origin(hint) is dict:
        return isinstance(value, dict) and all(_fits(item, get_args(hint)[1]) for item in value.values())
    if hint is float:
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return isinstance(value, hint) and isinstance(value, bool) == (hint is bool)


def _named(hint: Any) -> str:
    names = {int: "a whole number", float: "a number", bool: "true or false", str: "a text"}
    if get_origin(hint) is UnionType:
        return " or ".join(_named(option) for option in get_args(hint) if option is not NoneType)
    if get_origin(hint) is Literal:
        return f"one of {', '.join(map(str, get_args(hint)))}"
    if get_origin(hint) is dict:
        return f"{_named(get_args(hint)[1])} by each name"
    if get_origin(hint) is tuple:
        return "a list of texts" if get_args(hint)[0] is str else "a list of whole numbers"
    return names[hint]

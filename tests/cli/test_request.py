"""What sherd assemble was asked for is checked before any work."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sherd.cli.request import AssembleRequest


def request(**values: Any) -> AssembleRequest:
    return AssembleRequest(file=Path("a.json"), out=Path("out"), **values)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"seconds": -1.0}, "time limit"),
        ({"solver": "magic"}, "unknown solver 'magic'"),
        ({"seed": -1}, "--seed must be at least 0, not -1"),
        ({"index": -1}, "--index"),
        ({"hints": 0}, "--hints"),
        ({"keep": ("a",)}, "--keep goes with --start"),
        ({"most": 0}, "--all must be at least 1, not 0"),
        ({"most": 2, "refine": True}, "--refine does not go with --all"),
    ],
)
def test_bad_values_are_named(wrong: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        request(**wrong)


def test_only_networks_explain_themselves_or_take_weights() -> None:
    for solver in ("random", "auto"):
        with pytest.raises(ValueError, match=f"not with {solver}"):
            request(solver=solver).make_explainer()
    with pytest.raises(ValueError, match="weights of one's own go with"):
        request(solver="random", weights=Path("w.safetensors")).make_assembler()


def test_a_file_in_the_way_of_the_folder_is_found(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    made = AssembleRequest(file=Path("a.json"), out=tmp_path / "file" / "below")
    with pytest.raises(ValueError, match="a file in the way"):
        made.refuse_file_in_the_way()
    AssembleRequest(file=Path("a.json"), out=tmp_path / "new" / "below").refuse_file_in_the_way()

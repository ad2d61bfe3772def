"""The notebook of the documentation runs, and shows what it is stored with."""

from __future__ import annotations

import importlib.util
import json
import re
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any
from xml.etree import ElementTree

DOCS = Path(__file__).parents[1] / "docs"


def module() -> ModuleType:
    """docs/make_notebook.py, which runs cells."""
    found = importlib.util.spec_from_file_location("make_notebook", DOCS / "make_notebook.py")
    assert found is not None
    assert found.loader is not None
    made = importlib.util.module_from_spec(found)
    found.loader.exec_module(made)
    return made


def drawn(svg: list[str]) -> Counter[str]:
    """How many of each kind of element a picture has."""
    return Counter(element.tag for element in ElementTree.fromstring("".join(svg)).iter())


def said(output: dict[str, Any]) -> str:
    """What is shown as text, without how long it took."""
    return re.sub(r"\d+\.\d\d s", "s", "".join(output["data"]["text/plain"]))


def test_every_cell_runs_and_shows_what_is_stored():
    notebook = json.loads((DOCS / "notebook.ipynb").read_text())
    stored = [cell["outputs"] for cell in notebook["cells"] if cell["cell_type"] == "code"]
    fresh = list(module().run_cells(notebook["cells"], DOCS.parent / "examples"))
    assert [len(outputs) for outputs in fresh] == [len(outputs) for outputs in stored]
    pictures = 0
    for (new,), (old,) in zip(fresh, stored, strict=True):
        assert said(new) == said(old)
        assert new["data"].keys() == old["data"].keys()
        if "image/svg+xml" in new["data"]:
            assert drawn(new["data"]["image/svg+xml"]) == drawn(old["data"]["image/svg+xml"])
            pictures += 1
    assert pictures == 5

"""Every figure in README and the documentation stands in a record."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]


def load() -> Any:
    spec = importlib.util.spec_from_file_location("check_figures", ROOT / "docs" / "check_figures.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_figure_stands_in_a_record() -> None:
    assert load().problems() == []


def test_figures_that_do_not_are_named() -> None:
    check = load()
    page = "At `98ead00` cov95 / cov90 / cov / iou was 0.772 / 0.918 / 0.962 / 0.959.\n"
    assert check.page_problems("page.md", page) == []
    [one] = check.page_problems("page.md", page.replace("0.772 /", "0.918 /"))
    assert one == "page.md:1: 0.918 / 0.918 / 0.962 / 0.959 do not stand together in a record"
    [one] = check.page_problems("page.md", "0.4567 is none, but 9.876 is one")
    assert one == "page.md:1: 9.876 stands in no record at a commit that the page names"
    readme = (ROOT / "README.md").read_text()
    [one] = check.readme_problems(readme.replace("| 0.763 ± 0.017 (3) |", "| 0.764 |"))
    assert one.startswith("README.md: pentagon, 8 pieces: ['0.452', '0.764'")

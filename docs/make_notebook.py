"""Runs the cells of a notebook and keeps what they show: ``python docs/make_notebook.py``.

Nothing but Python is needed: a cell is run as a module is, and what its last line gives is shown as in a
notebook, by its picture if it has one.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
NOTEBOOK = FOLDER / "notebook.ipynb"


def run_cells(cells: list[dict[str, Any]], drawings: Path) -> Iterator[list[dict[str, Any]]]:
    """The outputs of each code cell, in turn, run in an empty folder with ``drawings`` beside it."""
    names: dict[str, Any] = {"__name__": "notebook"}
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "examples").symlink_to(drawings)
        os.chdir(folder)
        try:
            for cell in cells:
                if cell["cell_type"] == "code":
                    yield _run("".join(cell["source"]), names)
        finally:
            os.chdir(before)


def _run(source: str, names: dict[str, Any]) -> list[dict[str, Any]]:
    tree, printed, last = ast.parse(source), io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        ending = tree.body[-1]
        if isinstance(ending, ast.Expr):
            tree.body.pop()
        exec(compile(tree, "cell", "exec"), names)
        if isinstance(ending, ast.Expr):
            last = eval(compile(ast.Expression(ending.value), "cell", "eval"), names)
    outputs: list[dict[str, Any]] = []
    if printed.getvalue():
        text = printed.getvalue().splitlines(keepends=True)
        outputs.append({"output_type": "stream", "name": "stdout", "text": text})
    if last is not None:
        data: dict[str, Any] = {"text/plain": [repr(last)]}
        if hasattr(last, "_repr_svg_"):
            data["image/svg+xml"] = last._repr_svg_().splitlines(keepends=True)
        outputs.append(
            {"output_type": "execute_result", "execution_count": None, "data": data, "metadata": {}}
        )
    return outputs


def main() -> None:
    """Run the notebook and write it back with what it shows."""
    notebook = json.loads(NOTEBOOK.read_text())
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    drawings = FOLDER.parent / "examples"
    for number, (cell, outputs) in enumerate(
        zip(code, run_cells(notebook["cells"], drawings), strict=True), start=1
    ):
        cell["execution_count"], cell["outputs"] = number, outputs
    NOTEBOOK.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()

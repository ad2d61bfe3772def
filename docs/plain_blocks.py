"""For the site's reference of Python: examples and aligned lists in docstrings are shown as they stand."""

from __future__ import annotations

import re
from typing import Any

import griffe

ALIGNED = re.compile(r"\S.*?\s{2,}\S")


def with_blocks(text: str) -> str:
    """The docstring with a fence around each paragraph that is an example or a list in columns.

    >>> print(with_blocks("One.\\n\\n>>> 1 + 1\\n2"))
    One.
    <BLANKLINE>
    ```python
    >>> 1 + 1
    2
    ```
    """
    return "\n\n".join(_fenced(paragraph) for paragraph in text.split("\n\n"))


def _fenced(paragraph: str) -> str:
    lines = [line for line in paragraph.splitlines() if line.strip()]
    if lines and lines[0].startswith(">>>"):
        return f"```python\n{paragraph}\n```"
    if len(lines) > 1 and all(ALIGNED.match(line) for line in lines):
        return f"```text\n{paragraph}\n```"
    return paragraph


class PlainBlocks(griffe.Extension):
    """Does so with every docstring."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Called for everything that is documented."""
        if obj.docstring is not None:
            obj.docstring.value = with_blocks(obj.docstring.value)

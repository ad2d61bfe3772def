"""Write what the command line says of itself: docs/reference/commands.md, and the manual page sherd.1.

python docs/make_reference.py
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from typer.main import get_command

from sherd.cli import COMMANDS, make_app

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "reference" / "commands.md"
MANUAL = ROOT / "docs" / "reference" / "sherd.1"
COLUMNS = 88
INTRODUCTION = """# The command line

What `sherd --help` and `sherd COMMAND --help` say. Exit codes: 0 all is well, 1 something is not solved (with
`--check`), 2 bad input, 70 an error of sherd's own, 130 interrupted.

To complete commands and options by tab: `eval "$(_SHERD_COMPLETE=source_bash sherd)"` in bash, with
`source_zsh` in zsh and `source_fish` in fish.
"""


def version() -> str:
    """The version as pyproject.toml has it, the one place that says it."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]


def helps() -> dict[str, str]:
    """What each command line that asks for help is told."""
    command = get_command(make_app("*"))
    said = {"sherd": _help(command, "sherd")}
    for name in COMMANDS:
        said[f"sherd {name}"] = _help(command.commands[name], f"sherd {name}")  # type: ignore[attr-defined]
    return said


def _help(command, name: str) -> str:  # the parser's types are private
    context = command.make_context(
        name, [], resilient_parsing=True, terminal_width=COLUMNS, max_content_width=COLUMNS
    )
    return "\n".join(line.rstrip() for line in command.get_help(context).splitlines())


def page(said: dict[str, str]) -> str:
    """The reference in Markdown."""
    parts = [INTRODUCTION, *(f"## {name}\n\n```text\n{text}\n```\n" for name, text in said.items())]
    return "\n".join(parts)


def manual(said: dict[str, str]) -> str:
    """The manual page, for `man`."""
    lines = [
        f'.TH SHERD 1 "" "sherd {version()}"',
        ".SH NAME",
        "sherd \\- puts the pieces back together",
    ]
    for name, text in said.items():
        lines += [f".SH {name.upper()}", ".nf", *map(_roff, text.splitlines()), ".fi"]
    return "\n".join(lines) + "\n"


def _roff(line: str) -> str:
    line = line.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", line)


def main() -> None:
    said = helps()
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page(said), encoding="utf-8")
    MANUAL.write_text(manual(said), encoding="utf-8")


if __name__ == "__main__":
    main()

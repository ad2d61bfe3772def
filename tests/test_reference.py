"""The reference of the command line is what the commands say of themselves."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"


def test_the_reference_and_the_manual_are_what_the_help_says() -> None:
    spec = spec_from_file_location("make_reference", DOCS / "make_reference.py")
    assert spec is not None and spec.loader is not None
    make = module_from_spec(spec)
    spec.loader.exec_module(make)
    said = make.helps()
    # After a change to a command: python docs/make_reference.py
    assert make.PAGE.read_text() == make.page(said)
    assert make.MANUAL.read_text() == make.manual(said)


def test_shells_are_told_how_a_line_may_go_on() -> None:
    asked = {"_SHERD_COMPLETE": "complete_bash", "COMP_WORDS": "sherd assemble --time-l", "COMP_CWORD": "2"}
    done = subprocess.run(
        [sys.executable, "-m", "sherd"],
        env={**os.environ, **asked},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["--time-limit"]

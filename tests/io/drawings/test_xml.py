"""What the XML reader lets pass."""

from __future__ import annotations

from pathlib import Path

from sherd.io.drawings import read_drawing

from .conftest import only


def test_a_plain_doctype_and_short_entities_pass(tmp_path: Path) -> None:
    (tmp_path / "a.svg").write_text(
        '<?xml version="1.0"?><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/svg11.dtd" '
        '[<!ENTITY ns "http://www.w3.org/2000/svg">]><svg xmlns="&ns;"><rect width="3" height="2"/></svg>'
    )
    assert only(read_drawing(tmp_path / "a.svg")).area == 6.0

"""How values show themselves in a notebook: by pictures that are drawn farther up, loaded when asked for."""

from __future__ import annotations

from importlib import import_module


def shown(how: str, *values: object) -> str:
    """A picture as SVG, drawn by this function of `sherd.draw.notebook`."""
    return str(getattr(import_module("sherd.draw.notebook"), how)(*values))

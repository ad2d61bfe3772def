"""``python -m sherd``: the same as ``sherd``."""

from __future__ import annotations

from sherd.cli import main

if __name__ == "__main__":
    main()

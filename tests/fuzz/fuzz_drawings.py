"""A target for atheris, to run at night.

    python tests/fuzz/fuzz_drawings.py tests/io/corpus -max_total_time=3600

Not run by pytest: atheris is no dependency (pip install atheris). The first byte of the input chooses the
format, the rest is the file; what it finds belongs into tests/io/corpus.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

SUFFIXES = (".svg", ".dxf", ".geojson", ".json", ".wkt", ".csv", ".png")


def main() -> None:
    """Run until a reader raises anything but `FileFormatError`."""
    if importlib.util.find_spec("atheris") is None:
        sys.exit("atheris is not installed")
    import atheris  # pyright: ignore

    with atheris.instrument_imports(include=["sherd"]):
        sys.path.insert(0, str(Path(__file__).parents[1] / "io"))
        from test_drawings_fuzz import read_bytes  # pyright: ignore

    def one_input(data: bytes) -> None:
        if data:
            read_bytes(data[1:], SUFFIXES[data[0] % len(SUFFIXES)])

    atheris.Setup(sys.argv, one_input)
    atheris.Fuzz()


if __name__ == "__main__":
    main()

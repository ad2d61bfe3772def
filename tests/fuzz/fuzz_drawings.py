"""A target for atheris, to run at night: one format at a time, from the files of the corpus on.

    python tests/fuzz/fuzz_drawings.py svg -max_total_time=600

Not run by pytest: atheris is no dependency (pip install atheris). What it tries is kept in build/fuzz; a file
that breaks a reader belongs into tests/io/corpus.
"""

from __future__ import annotations

import importlib.util
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
CORPUS = ROOT / "tests" / "io" / "corpus"


def main() -> None:
    """Run until a reader raises anything but `FileFormatError`."""
    suffixes = sorted({path.suffix for path in CORPUS.iterdir()})
    if len(sys.argv) < 2 or f".{sys.argv[1]}" not in suffixes:
        sys.exit(f"say which format: {', '.join(suffix[1:] for suffix in suffixes)}")
    if importlib.util.find_spec("atheris") is None:
        sys.exit("atheris is not installed")
    import atheris  # pyright: ignore

    suffix = f".{sys.argv[1]}"
    tried = ROOT / "build" / "fuzz" / sys.argv[1]
    tried.mkdir(parents=True, exist_ok=True)
    for path in CORPUS.glob(f"*{suffix}"):
        shutil.copy(path, tried)
    import sherd.tracing.vectorise  # pyright: ignore  # noqa: F401  # compiled code must not be instrumented

    with atheris.instrument_imports(include=["sherd"]):
        sys.path.insert(0, str(CORPUS.parent))
        from test_drawings_fuzz import read_bytes  # pyright: ignore

    def one_input(data: bytes) -> None:
        read_bytes(data, suffix)

    atheris.Setup([sys.argv[0], str(tried), *sys.argv[2:]], one_input)
    atheris.Fuzz()


if __name__ == "__main__":
    main()

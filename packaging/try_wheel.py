"""Install the wheel that ``make dist`` built in a bare environment, outside the clone, and use it there.

What is checked: nothing of the networks is installed unasked, the command runs, a puzzle and a drawing are
assembled, and what needs an extra says so in one line.

    python packaging/try_wheel.py dist [PYTHON ...]
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DRAWING = """<svg xmlns="http://www.w3.org/2000/svg" width="70mm" height="40mm" viewBox="0 0 70 40">
<rect id="target" x="0" y="0" width="20" height="10"/>
<path id="left" d="M30 0 h12 l-4 10 h-8 z"/><path id="right" d="M50 0 h8 v10 h-12 z"/></svg>"""


def run(*command: str | Path, folder: Path, expect: int = 0) -> str:
    done = subprocess.run(
        [str(word) for word in command], cwd=folder, capture_output=True, text=True, check=False
    )
    said = done.stdout + done.stderr
    if done.returncode != expect:
        sys.exit(f"{' '.join(map(str, command))}: ended with {done.returncode}, not {expect}\n{said}")
    return said


def try_wheel(wheel: Path, python: str) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run(python, "-m", "venv", folder / "env", folder=folder)
        inside = folder / "env" / "bin"
        run(inside / "pip", "install", "-q", "-c", ROOT / "constraints.txt", wheel, folder=folder)
        installed = run(inside / "pip", "list", "--format=freeze", folder=folder).casefold()
        for unasked in ("torch", "tensorboard", "scikit-image", "fastapi"):
            if f"{unasked}==" in installed:
                sys.exit(f"{unasked} was installed unasked")
        sherd = inside / "sherd"
        print(run(sherd, "--version", folder=folder).strip())
        run(sherd, "generate", "puzzles.jsonl", "--count", "2", "--pieces", "6", folder=folder)
        told = run(sherd, "assemble", "puzzles.jsonl", "--check", "--out", "answers", folder=folder)
        print(told.strip().splitlines()[-1])
        (folder / "tile.svg").write_text(DRAWING)
        told = run(sherd, "assemble", "tile.svg", "--check", "--out", "plan", folder=folder)
        print(next(line for line in told.splitlines() if "solved" in line))
        if not (folder / "plan" / "tile.plan.pdf").is_file():
            sys.exit("no plan was written")
        said = run(sherd, "train", "fan", "--minutes", "1", "--out", "run", folder=folder, expect=2)
        if len(said.strip().splitlines()) != 1 or "sherd[learn]" not in said:
            sys.exit(f"without torch, training says:\n{said}")


def main() -> None:
    folder, *pythons = sys.argv[1:]
    (wheel,) = sorted(Path(folder).resolve().glob("*.whl"))
    for python in pythons or [sys.executable]:
        print(f"== {wheel.name} with {python}")
        try_wheel(wheel, python)


if __name__ == "__main__":
    main()

"""Install the wheel that ``make dist`` built in a bare environment, outside the clone, and use it there.

What is checked: nothing of the networks is installed unasked, the command runs, a puzzle and a drawing are
assembled, and what needs an extra says so in one line.

    python packaging/try_wheel.py dist [PYTHON ...]     # with its dependencies, as a user would
    python packaging/try_wheel.py dist --here           # beside those of this interpreter: no download
"""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DRAWING = """<svg xmlns="http://www.w3.org/2000/svg" width="70mm" height="40mm" viewBox="0 0 70 40">
<rect id="target" x="0" y="0" width="20" height="10"/>
<path id="left" d="M30 0 h12 l-4 10 h-8 z"/><path id="right" d="M50 0 h8 v10 h-12 z"/></svg>"""
# Compiling would take longer than all else, and is tried by the tests.
UNCOMPILED = {"NUMBA_DISABLE_JIT": "1", "PYTHONWARNINGS": "ignore"}


def run(*command: str | Path, folder: Path, expect: int = 0, **environment: str) -> str:
    done = subprocess.run(
        [str(word) for word in command],
        cwd=folder,
        env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    said = done.stdout + done.stderr
    if done.returncode != expect:
        sys.exit(f"{' '.join(map(str, command))}: ended with {done.returncode}, not {expect}\n{said}")
    return said


def try_wheel(wheel: Path, python: str) -> None:
    """In an environment with nothing but the wheel and what it asks for."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run(python, "-m", "venv", folder / "env", folder=folder)
        inside = folder / "env" / "bin"
        run(inside / "pip", "install", "-q", "-c", ROOT / "constraints.txt", wheel, folder=folder)
        installed = run(inside / "pip", "list", "--format=freeze", folder=folder).casefold()
        for unasked in ("torch", "tensorboard", "scikit-image", "fastapi"):
            if f"{unasked}==" in installed:
                sys.exit(f"{unasked} was installed unasked")
        use(inside / "sherd", folder)
        said = run(
            inside / "sherd", "train", "fan", "--minutes", "1", "--out", "run", folder=folder, expect=2
        )
        if len(said.strip().splitlines()) != 1 or "sherd[learn]" not in said:
            sys.exit(f"without torch, training says:\n{said}")
        (source,) = wheel.parent.glob("*.tar.gz")
        again = ("install", "-q", "--force-reinstall", "--no-deps")
        run(inside / "pip", *again, source, folder=folder)
        print(f"from {source.name}: {run(inside / 'sherd', '--version', folder=folder).splitlines()[0]}")


def try_here(wheel: Path) -> None:
    """In an environment that sees what this one has installed, but for sherd itself."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run(sys.executable, "-m", "venv", "--without-pip", folder / "env", folder=folder)
        (site,) = (folder / "env" / "lib").glob("python*/site-packages")
        # A path within a .pth file is searched, and .pth files there are not, such as that of a clone.
        (site / "beside.pth").write_text(sysconfig.get_path("purelib"))
        python = folder / "env" / "bin" / "python"
        run(
            sys.executable,
            "-m",
            "pip",
            "--python",
            python,
            "install",
            "-q",
            "--no-deps",
            wheel,
            folder=folder,
        )
        said = run(python, "-c", "import sherd; print(sherd.__file__)", folder=folder)
        if not Path(said.strip()).is_relative_to(site):
            sys.exit(f"not the wheel but {said.strip()} was used")
        use(folder / "env" / "bin" / "sherd", folder, **UNCOMPILED)
        # What is read from the package's own folder.
        run(
            python,
            "-c",
            "from sherd.studio.benchmark_rows import records; records()['cells'][0]",
            folder=folder,
        )
        run(
            python,
            "-c",
            "from sherd.studio.examples import EXAMPLES as all; [one.file.stat() for one in all.values()]",
            folder=folder,
        )


def use(sherd: Path, folder: Path, **environment: str) -> None:
    """Call the command as a new user would."""
    print(run(sherd, "--version", folder=folder).strip())
    pieces = "3" if environment else "6"
    run(sherd, "generate", "puzzles.jsonl", "--count", "2", "--pieces", pieces, folder=folder)
    told = run(
        sherd, "assemble", "puzzles.jsonl", "--check", "--out", "answers", folder=folder, **environment
    )
    print(told.strip().splitlines()[-1])
    (folder / "tile.svg").write_text(DRAWING)
    told = run(sherd, "assemble", "tile.svg", "--check", "--out", "plan", folder=folder, **environment)
    print(next(line for line in told.splitlines() if "solved" in line))
    if not (folder / "plan" / "tile.plan.pdf").is_file():
        sys.exit("no plan was written")


def main() -> None:
    folder, *pythons = sys.argv[1:]
    (wheel,) = sorted(Path(folder).resolve().glob("*.whl"))
    if pythons == ["--here"]:
        try_here(wheel)
        return
    for python in pythons or [sys.executable]:
        print(f"== {wheel.name} with {python}")
        try_wheel(wheel, python)


if __name__ == "__main__":
    main()

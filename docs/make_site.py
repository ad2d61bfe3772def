"""Builds the site into build/site and checks it: ``python docs/make_site.py``, or ``make site``.

The pages stay where a code host shows them. They are mirrored into build/site-source in the same order of
folders, with all that they link to, so that every link works in both places.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

from check_site import problems

ROOT = Path(__file__).resolve().parents[1]
SOURCE, SITE = ROOT / "build" / "site-source", ROOT / "build" / "site"
PAGES = ("*.md", "docs/**/*.md", "examples/**/*.md", "experiments/*.md", "experiments/results/README.md")
ASSETS = ("docs/assets/*", "docs/reference/schemas/*.json")
LINK = re.compile(r"\]\(([^)#:\s]+)(?:#[^)\s]*)?\)")


def mirror() -> None:
    """Copy the pages, and what they show or link to, into an empty folder."""
    shutil.rmtree(SOURCE, ignore_errors=True)
    pages = {path for pattern in PAGES for path in ROOT.glob(pattern)}
    linked = {
        (page.parent / link).resolve()
        for page in pages
        for link in LINK.findall(page.read_text(encoding="utf-8"))
    }
    for path in sorted(pages | linked | {path for pattern in ASSETS for path in ROOT.glob(pattern)}):
        if path.is_file():
            copy = SOURCE / path.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)


def main() -> None:
    """Mirror, build, check."""
    mirror()
    shutil.rmtree(SITE, ignore_errors=True)
    zensical = Path(sys.executable).parent / "zensical"
    subprocess.run([zensical, "build", "--clean"], cwd=ROOT, check=True)
    found = problems(SITE)
    if found:
        sys.exit("\n".join(found))
    sys.stdout.write(f"{SITE / 'index.html'}: {len(list(SITE.rglob('*.html')))} pages\n")


if __name__ == "__main__":
    main()

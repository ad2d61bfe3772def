"""Checks a built site without a network: every link leads somewhere, and nothing is loaded from elsewhere.

python docs/check_site.py build/site
"""

from __future__ import annotations

import re
import sys
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# What a browser fetches by itself; links (a href) it does not.
LOADED = {"img": "src", "script": "src", "source": "src", "iframe": "src", "video": "src", "audio": "src"}
FETCHED_LINKS = {"stylesheet", "icon", "preload", "prefetch", "preconnect", "dns-prefetch", "manifest"}
FROM_ELSEWHERE = re.compile(r"""(?:url\(\s*['"]?|@import\s+['"])(?:https?:)?//""")


class Page(HTMLParser):
    """What a page links to, loads, and can be linked at."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.anchors: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = {name: value or "" for name, value in attrs}
        self.anchors |= {known[name] for name in ("id", "name") if name in known}
        if tag == "a" and "href" in known:
            self.links.append(known["href"])
        elif tag in LOADED and LOADED[tag] in known:
            self.loaded.append(known[LOADED[tag]])
        elif tag == "link" and FETCHED_LINKS & set(known.get("rel", "").split()):
            self.loaded.append(known.get("href", ""))


@cache
def read(path: Path) -> Page:
    """A page of the site."""
    page = Page()
    page.feed(path.read_text(encoding="utf-8"))
    return page


def problems(site: Path) -> list[str]:
    """Every link that leads nowhere, and everything that is loaded from elsewhere."""
    found: list[str] = []
    pages = sorted(site.rglob("*.html"))
    if not pages:
        return [f"{site}: there is no page"]
    for path in pages:
        page, name = read(path), path.relative_to(site).as_posix()
        found += [f"{name}: loads {one}" for one in page.loaded if _is_elsewhere(one)]
        here = [
            one for one in (*page.links, *page.loaded) if not urlsplit(one).scheme and not _is_elsewhere(one)
        ]
        found += [f"{name}: {why}" for one in dict.fromkeys(here) if (why := _broken(one, path, site))]
    for style in sorted(site.rglob("*.css")):
        if FROM_ELSEWHERE.search(style.read_text(encoding="utf-8")):
            found.append(f"{style.relative_to(site).as_posix()}: loads from elsewhere")
    return found


def _is_elsewhere(address: str) -> bool:
    return address.startswith("//") or urlsplit(address).scheme in ("http", "https")


def _broken(link: str, path: Path, site: Path) -> str:
    """Why a link leads nowhere; "" if it does not."""
    parts = urlsplit(link)
    if not parts.path:
        target = path
    else:
        base = site if parts.path.startswith("/") else path.parent
        target = (base / unquote(parts.path).lstrip("/")).resolve()
    if target.is_dir():
        target = target / "index.html"
    if not target.is_file():
        return "" if path.name == "404.html" else f"{link} leads nowhere"
    if parts.fragment and target.suffix == ".html" and unquote(parts.fragment) not in read(target).anchors:
        return f"{link}: there is no such place on the page"
    return ""


if __name__ == "__main__":
    wrong = problems(Path(sys.argv[1]))
    sys.exit("\n".join(wrong) if wrong else 0)

"""The studio's page in a browser: how tests open it, ask it and move its pieces."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

EXAMPLES = Path(__file__).parents[2] / "examples"
# Long enough for a machine that compiles, and does much else.
PATIENCE_MS = 120_000.0


def opened(browser: Browser, address: str, wrong: list[str], **screen: Any) -> Page:
    """The studio on a screen of its own; what goes wrong, or is asked of others, is added to ``wrong``."""
    context = browser.new_context(
        reduced_motion="reduce", **{"viewport": {"width": 1200, "height": 760}, **screen}
    )
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
    page.on(
        "request", lambda asked: None if asked.url.startswith((address, "blob:")) else wrong.append(asked.url)
    )
    page.goto(address)
    return page


def make(page: Page, **said: Any) -> None:
    """Make a puzzle by the form, and wait until it is read."""
    form = page.locator("#make")
    for name, value in said.items():
        field = form.locator(f"[name={name}]")
        if field.evaluate("field => field.tagName") == "SELECT":
            field.select_option(str(value))
        else:
            field.fill(str(value))
    form.get_by_role("button").click()
    page.locator("#sentence:not(:empty)").wait_for()


def solve(page: Page) -> None:
    """Ask for a first answer and wait for it."""
    page.locator("#solve").click()
    page.locator("#out").wait_for(state="visible")


def look(page: Page) -> str:
    """What the banner looks like."""
    return str(page.locator("#banner").get_attribute("data-look"))


def judged(page: Page, title: str) -> None:
    """Wait until the banner says this."""
    page.locator("#banner-title", has_text=title).wait_for()


def in_page(page: Page, script: str, given: Any = None) -> Any:
    """What a script with the studio at hand says."""
    opening = "async (given) => { const { studio } = await import('/page/studio.js');"
    return page.evaluate(f"{opening} {script} }}", given)


def place(page: Page, name: str) -> tuple[float, float]:
    """Where the middle of a piece is on the screen."""
    script = """
      const box = document.getElementById('canvas').getBoundingClientRect();
      const pose = studio.board.poseOf(given);
      const [x, y] = studio.board.view.toScreen([pose.x, pose.y]);
      return [x + box.left, y + box.top];"""
    x, y = in_page(page, script, name)
    return x, y


def poses(page: Page) -> dict[str, dict[str, Any]]:
    """Where all pieces lie."""
    return dict(in_page(page, "return Object.fromEntries(studio.hands.layout.poses);"))


def drag(page: Page, name: str, dx: float, dy: float) -> None:
    """Drag a piece by so many pixels."""
    x, y = place(page, name)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + dx / 2, y + dy / 2)
    page.mouse.move(x + dx, y + dy)
    page.mouse.up()


def take(page: Page, name: str) -> bytes:
    """A file from the buttons below the answer."""
    with page.expect_download() as started:
        page.locator(f"[data-file='{name}']").click()
    return Path(started.value.path()).read_bytes()


def same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether two poses are one, but for rounding."""
    turn = (one["angle_deg"] - other["angle_deg"] + 180.0) % 360.0 - 180.0
    return math.hypot(one["x"] - other["x"], one["y"] - other["y"]) < 1e-6 and abs(turn) < 1e-4

"""Hands on the studio's page, in a real browser: drag, turn, snap, pin, keys and touch."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
import shapely

import sherd

from .browsing import drag, in_page, judged, look, make, opened, place, poses, same, solve

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

    from .conftest import Running


def test_drag_undo_pin_and_solve_again(page: Page, server: Running) -> None:
    make(page, pieces=5, seed=3)
    solve(page)
    assert look(page) == "solved"
    right = poses(page)
    drag(page, "f0", 0, 120)
    judged(page, "Your board: ✕ Not solved")
    page.keyboard.press("Control+z")
    judged(page, "✓ Solved")
    assert poses(page) == right
    page.keyboard.press("Control+Shift+Z")
    judged(page, "Your board: ✕ Not solved")
    # Back near its place it snaps, and that is seen to be right.
    drag(page, "f0", 6, -117)
    judged(page, "Your board: ✓ Solved")
    # It is pinned, another one put away, and the rest is found again around it.
    page.keyboard.press("p")
    pinned = poses(page)["f0"]
    assert page.locator("[data-key=pin]").get_attribute("aria-pressed") == "true"
    drag(page, "f0", 40, 40)
    assert poses(page)["f0"] == pinned
    page.keyboard.press("n")
    page.keyboard.press("a")
    judged(page, "Your board: ◑ Partly solved")
    page.locator("#again").click()
    judged(page, "✓ Solved")
    assert same(poses(page)["f0"], pinned)
    job = server.job(page.url.rpartition("#")[2])
    assert [one["id"] for one in job["answer"]["placements"] if one["pinned"]] == ["f0"]


def test_keys_alone_do_the_work(page: Page, server: Running) -> None:
    make(page, pieces=4, seed=5)
    page.keyboard.press("m")
    page.keyboard.press("n")
    start = poses(page)["f0"]
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Shift+ArrowUp")
    page.keyboard.press("r")
    moved = poses(page)["f0"]
    assert moved["x"] < start["x"]
    assert (moved["angle_deg"] - start["angle_deg"]) % 360.0 == pytest.approx(345.0)
    page.keyboard.press("f")
    page.locator("#said", has_text="may not be turned over").wait_for(state="attached")
    page.keyboard.press("p")
    page.keyboard.press("Shift+N")
    page.keyboard.press("x")
    page.locator("#banner:not([data-look=plain])", has_text="Your board").wait_for()
    job = server.job(page.url.rpartition("#")[2])
    assert job["board"]["pinned"] == ["f0"]
    assert job["board"]["forbidden"] == ["f3"]
    (placed,) = job["board"]["placements"]
    assert same(placed["pose"], moved)
    # What was done last is there after a reload.
    page.keyboard.press("Shift+R")
    turned = poses(page)
    page.keyboard.press("N")
    page.reload()
    page.locator("#banner:not([data-look=plain])", has_text="Your board").wait_for()
    assert same(poses(page)["f0"], turned["f0"])
    page.keyboard.press("?")
    assert page.get_by_role("dialog").is_visible()
    page.keyboard.press("Escape")
    assert not page.get_by_role("dialog").is_visible()


def test_pieces_are_turned_by_wheel_and_handle(page: Page) -> None:
    make(page, pieces=4, seed=5)
    page.locator("#modes label", has_text="Board").click()
    x, y = place(page, "f1")
    page.mouse.click(x, y)
    page.mouse.wheel(0, 100)
    assert poses(page)["f1"]["angle_deg"] == pytest.approx(-15.0)
    assert (poses(page)["f1"]["x"], poses(page)["f1"]["y"]) == pytest.approx(
        in_page(page, "const { x, y } = studio.hands.table.slots.get('f1'); return [x, y];")
    )
    # The handle is above or below the piece: a quarter of a circle to the right turns it by as much.
    box = page.locator("#canvas").bounding_box()
    handle = in_page(page, "return studio.board.handle;")
    assert box is not None
    up = y - (handle[1] + box["y"])
    page.mouse.move(x, y - up)
    page.mouse.down()
    page.mouse.move(x + up * math.sin(math.pi / 4), y - up * math.cos(math.pi / 4))
    page.mouse.move(x + up, y)
    page.mouse.up()
    assert poses(page)["f1"]["angle_deg"] == pytest.approx(-105.0, abs=0.5)


def test_dark_and_narrow_screens_by_touch(browser: Browser, server: Running) -> None:
    wrong: list[str] = []
    narrow = {"viewport": {"width": 360, "height": 740}, "color_scheme": "dark", "has_touch": True}
    page = opened(browser, server.address, wrong, **narrow)
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    make(page, pieces=4, seed=5)
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    ground = "getComputedStyle(document.querySelector('.side > .card')).backgroundColor"
    dark = page.evaluate(ground)
    page.locator("#theme").click()
    light = page.evaluate(ground)
    assert sum(map(int, light[4:-1].split(","))) > sum(map(int, dark[4:-1].split(",")))
    page.locator("#modes label", has_text="Board").click()
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    # The loose pieces lie below the board, and a tap chooses one.
    assert in_page(page, "return studio.hands.table.isWide") is False
    page.touchscreen.tap(*place(page, "f1"))
    assert page.locator("#piece-title").inner_text() == "f1"
    page.context.close()
    assert wrong == []


def test_two_fingers_zoom_and_turn_what_is_dragged(browser: Browser, server: Running) -> None:
    wrong: list[str] = []
    page = opened(browser, server.address, wrong, has_touch=True)
    make(page, pieces=4, seed=5)
    page.locator("#modes label", has_text="Board").click()
    devices = page.context.new_cdp_session(page)

    def touch(kind: str, *points: tuple[float, float]) -> None:
        at = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(points)]
        devices.send("Input.dispatchTouchEvent", {"type": f"touch{kind}", "touchPoints": at})

    def scale() -> float:
        return in_page(page, "return studio.board.view.scale")

    # Both fingers at once, on a piece: the view comes closer, and the piece stays.
    before, lay = scale(), poses(page)
    x, y = place(page, "f1")
    touch("Start", (x, y))
    touch("Start", (x, y), (x + 20, y))
    for step in range(1, 6):
        touch("Move", (x, y), (x + 20 + 4 * step, y))
    touch("End")
    assert scale() == pytest.approx(2.0 * before)
    assert poses(page) == lay
    # A second finger beside one that drags: the piece turns, by a quarter of a circle.
    page.keyboard.press("0")
    x, y = place(page, "f1")
    touch("Start", (x, y))
    touch("Move", (x + 15, y))
    touch("Start", (x + 15, y), (x + 75, y))
    for degrees in range(15, 91, 15):
        turn = math.radians(degrees)
        touch("Move", (x + 15, y), (x + 15 + 60 * math.cos(turn), y - 60 * math.sin(turn)))
    touch("End")
    assert poses(page)["f1"]["angle_deg"] == pytest.approx(lay["f1"]["angle_deg"] + 90.0, abs=0.5)
    page.context.close()
    assert wrong == []


def test_poses_are_those_of_python(page: Page) -> None:
    random = np.random.default_rng(4)
    points = random.normal(size=(5, 2))
    script = """const { applyAll } = await import('/page/geometry.js');
      return applyAll(given.pose, given.points);"""
    for _ in range(20):
        x, y, theta = random.normal(scale=3.0, size=3)
        flipped = bool(random.random() < 0.5)
        pose = {"x": x, "y": y, "angle_deg": math.degrees(theta), "flipped": flipped}
        found = in_page(page, script, {"pose": pose, "points": points.tolist()})
        assert np.allclose(found, sherd.Pose(x, y, theta, flipped).points(points))


@pytest.mark.parametrize("seed", range(3))
def test_snapping_lays_pieces_where_they_belong(page: Page, seed: int) -> None:
    params = sherd.FragmentationParams(pieces=8, rotations=sherd.Rotations(None))
    (sample,) = sherd.generate(sherd.named_shape("square"), params, count=1, seed=seed)
    random = np.random.default_rng(seed)
    rings = {one.id: shapely.get_coordinates(one.polygon.exterior)[:-1] for one in sample.puzzle.fragments}
    placed = {one.id: one.pose for one in sample.truth}
    target = shapely.get_coordinates(sample.puzzle.target)[:-1].tolist()
    script = """const { snapped } = await import('/page/snap.js');
      return snapped(given.ring, given.pose, given.others, 0.03, true);"""
    for name, pose in placed.items():
        off = random.uniform(-0.008, 0.008, size=2)
        turn = random.uniform(-2.0, 2.0)
        given = {"x": pose.x + off[0], "y": pose.y + off[1], "angle_deg": math.degrees(pose.theta) + turn}
        others = [target, *(placed[one].points(ring).tolist() for one, ring in rings.items() if one != name)]
        asked = {"ring": rings[name].tolist(), "pose": {**given, "flipped": False}, "others": others}
        found = in_page(page, script, asked)
        lies = sherd.Pose(found["x"], found["y"], math.radians(found["angle_deg"]))
        assert np.abs(lies.points(rings[name]) - pose.points(rings[name])).max() < 1e-3

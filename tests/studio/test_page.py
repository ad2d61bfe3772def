"""The page of the studio, in a real browser and with the real server: whole jobs, hands, keys and screens."""

from __future__ import annotations

import io
import json
import math
import os
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import shapely

import sherd

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

    from conftest import Running

EXAMPLES = Path(__file__).parents[2] / "examples"
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
# Long enough for a machine that compiles, and does much else.
PATIENCE_MS = 120_000.0


@pytest.fixture(scope="module")  # playwright's loop must have ended when other tests start one
def browser() -> Iterator[Browser]:
    """Debian's chromium, or whichever is there."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        pytest.skip("there is no chromium: make setup-browser installs it")
    options = ["--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"]
    if os.getuid() == 0:  # for whom Chromium refuses to put itself into a sandbox
        options.append("--no-sandbox")
    with playwright.sync_playwright() as running:
        started = running.chromium.launch(executable_path=program, args=options)
        yield started
        started.close()


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


@pytest.fixture
def page(browser: Browser, server: Running) -> Iterator[Page]:
    """The studio's page; nothing may go wrong in it, and nothing may come from elsewhere."""
    wrong: list[str] = []
    page = opened(browser, server.address, wrong)
    yield page
    page.context.close()
    assert wrong == []


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


def test_a_drawing_from_file_to_plan(page: Page, tmp_path: Path) -> None:
    page.locator("#files").set_input_files(EXAMPLES / "tangram" / "tangram.svg")
    page.locator("#sentence", has_text="7 pieces in mm").wait_for()
    assert look(page) == "plain"
    solve(page)
    # A tangram has other answers, and must not look as if it had one.
    assert look(page) == "doubt"
    assert page.locator("#leaf-at").inner_text() == "Answer 1 of 2"
    before = poses(page)
    page.keyboard.press("]")
    page.locator("#leaf-differs", has_text="3 pieces lie otherwise than in answer 1").wait_for()
    assert take(page, "answer.pdf").startswith(b"%PDF")
    assert b"<svg" in take(page, "answer.svg")
    project = take(page, "project.sherd")
    assert zipfile.ZipFile(io.BytesIO(project)).testzip() is None
    # The project opens again as it was left.
    kept = tmp_path / "tangram.sherd"
    kept.write_bytes(project)
    page.locator("#new-job").click()
    page.locator("#files").set_input_files(kept)
    page.locator("#out").wait_for(state="visible")
    after = poses(page)
    assert after.keys() == before.keys()
    assert all(same(after[name], before[name]) for name in before)


def test_a_scan_without_a_target_is_put_right_and_solved(page: Page) -> None:
    page.locator("#files").set_input_files(EXAMPLES / "sheet" / "scan.png")
    judged(page, "Something is missing")
    assert "target" in page.locator("#banner-why").inner_text()
    page.locator("[name=target]").select_option("rect")
    page.locator("[name=width]").fill("105")
    page.locator("[name=height]").fill("148")
    page.locator("[name=height]").press("Enter")
    page.locator("#sentence", has_text="7 pieces in mm, and a target of 105 x 148 mm").wait_for()
    solve(page)
    assert look(page) == "solved"
    page.locator("#canvas").focus()
    page.keyboard.press("n")
    assert "held along" in page.locator("#piece-facts").inner_text()


def test_what_was_read_is_put_right_on_the_board(page: Page) -> None:
    page.locator("#files").set_input_files(EXAMPLES / "tangram" / "tangram.svg")
    page.locator("#sentence", has_text="7 pieces in mm").wait_for()
    page.locator("#outlines summary").click()
    page.get_by_label("What small 1 is", exact=True).select_option("aside")
    page.locator("#sentence", has_text="6 pieces in mm").wait_for()
    # A rectangle that is drawn over what was read is the target.
    page.locator("[name=target]").select_option("rect")
    page.locator("#draw").click()
    box = page.locator("#canvas").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 100, box["y"] + 100)
    page.mouse.down()
    page.mouse.move(box["x"] + 500, box["y"] + 300)
    page.mouse.up()
    page.locator("#draw[aria-pressed=false]").wait_for()
    page.locator("#sentence:not(:has-text('120 x 72'))", has_text="a target of").wait_for()
    size = [float(page.locator(f"#settings [name={name}]").input_value()) for name in ("width", "height")]
    assert size[0] == pytest.approx(2.0 * size[1], rel=1e-3)


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


def test_stop_keeps_the_best_and_a_reload_in_the_middle_goes_on(page: Page) -> None:
    make(page, dissection="merged", shape="square", pieces=60, degradation="eroded", seed=2)
    page.locator("#seconds").select_option("300")
    page.locator("#solve").click()
    page.locator("#progress-placed", has_text="of 60 pieces").wait_for()
    page.reload()
    page.locator("#progress-placed", has_text="of 60 pieces").wait_for()
    assert look(page) == "plain"
    page.locator("#stop").click()
    page.locator("#solve").wait_for(state="visible")
    assert look(page) in ("partly", "not solved")
    assert "stopped by hand" in page.locator("#banner-why").inner_text()


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


def test_files_are_dropped(page: Page) -> None:
    drawing = (EXAMPLES / "tangram" / "tangram.svg").read_text()
    page.evaluate(
        """(text) => {
          const dataTransfer = new DataTransfer();
          dataTransfer.items.add(new File([text], "dropped.svg", { type: "image/svg+xml" }));
          const how = { dataTransfer, bubbles: true, cancelable: true };
          document.body.dispatchEvent(new DragEvent("drop", how));
        }""",
        drawing,
    )
    page.locator("#sentence", has_text="7 pieces in mm").wait_for()
    assert page.locator("#job-name").inner_text() == "dropped"


def test_names_are_never_html(page: Page) -> None:
    name = "<img src=x onerror=alert(1)>"
    square = [[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]]
    features = [
        {
            "type": "Feature",
            "properties": {"name": name if k else "target"},
            "geometry": {"type": "Polygon", "coordinates": [[[x + 3 * k, y] for x, y in square]]},
        }
        for k in range(2)
    ]
    document = json.dumps({"type": "FeatureCollection", "features": features}).encode()
    file: Any = {"name": f"{name}.geojson", "mimeType": "application/geo+json", "buffer": document}
    page.locator("#files").set_input_files([file])
    page.locator("#sentence:not(:empty)").wait_for()
    page.locator("#outlines summary").click()
    assert page.locator("#figures button", has_text=name).count() == 1
    assert "<img" in page.locator("#job-name").inner_text()
    assert page.locator("img[src=x]").count() == 0


def test_what_cannot_be_read_is_told_in_a_line(page: Page) -> None:
    file: Any = {"name": "broken.svg", "mimeType": "image/svg+xml", "buffer": b"<svg><g"}
    page.locator("#files").set_input_files([file])
    page.locator("#banner[data-look=failed]").wait_for()
    assert "broken" in page.locator("#banner-why").inner_text()
    assert not page.locator("#solve").is_visible()


def test_a_photograph_is_taken_by_the_camera(page: Page, server: Running) -> None:
    page.locator("#camera").click()
    page.locator("#camera-video").evaluate("""async (video) => {
      if (video.readyState < 2) await new Promise((ready) => (video.onloadeddata = ready));
    }""")
    page.locator("#camera-take").click()
    page.locator("#job-name", has_text="photograph").wait_for()
    assert not page.locator("#camera-dialog").is_visible()
    job_id = page.url.rpartition("#")[2]
    assert server.ask("DELETE", f"/jobs/{job_id}", headers={"X-Sherd": "1"}).status_code == 204


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


def test_benchmarks_are_filtered_by_suite(page: Page, server: Running) -> None:
    page.goto(f"{server.address}/bench")
    page.locator("#rows tr").first.wait_for()
    assert page.locator("[name=suite]").input_value() == "paper"
    assert "Published cov95" in page.locator("#columns").inner_text()
    page.locator("[name=suite]").select_option("lattice")
    rows = page.locator("#rows tr")
    cells = server.ask("GET", "/bench/records.json").json()["cells"]
    lattice = [row for row in cells if "/lattice/" in row["record"]]
    assert rows.count() == len(lattice)
    page.locator("[name=failed]").check()
    assert rows.count() == sum(row["solved"] < 1 for row in lattice)
    # Any puzzle of a row is opened in the studio.
    page.locator("[name=failed]").uncheck()
    page.locator("[name=number]").fill("2")
    page.locator("[name=number]").press("Enter")
    rows.first.get_by_role("button").click()
    page.locator("#sentence", has_text=f"{lattice[0]['pieces']:.0f} pieces").wait_for()

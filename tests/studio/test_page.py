"""The page of the studio, in a real browser and with the real server: whole jobs, from files to plans."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from PIL import Image, ImageDraw

from .browsing import EXAMPLES, judged, look, make, poses, same, solve, take

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from .conftest import Running


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
    judged(page, "What do they make?")
    page.locator("#sentence", has_text="7 pieces in mm, 15,5").wait_for()
    choices = page.locator("#choices button")
    assert choices.all_inner_texts() == [
        *("A6, 105 x 148 mm", "Some rectangle", "Not known", "Another size …")
    ]
    # A size of one's own is asked for where it is put right.
    choices.last.click()
    assert page.locator("[name=width]").evaluate("field => field === document.activeElement")
    choices.first.click()
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


def test_a_folder_of_pictures_is_dropped(page: Page, tmp_path: Path) -> None:
    for name in ("one", "two"):
        image = Image.new("RGB", (150, 100), "#101820")
        ImageDraw.Draw(image).polygon([(20, 20), (110, 30), (60, 80)], fill="#f0e8d0")
        (tmp_path / "scraps" / "more").mkdir(parents=True, exist_ok=True)
        image.save(tmp_path / "scraps" / ("more" if name == "two" else "") / f"{name}.png")
    box = page.locator("#drop").bounding_box()
    assert box is not None
    devices = page.context.new_cdp_session(page)
    files = {"items": [], "files": [str(tmp_path / "scraps")], "dragOperationsMask": 1}
    at = {"x": box["x"] + 20, "y": box["y"] + 20, "data": files}
    for kind in ("dragEnter", "dragOver", "drop"):
        devices.send("Input.dispatchDragEvent", {"type": kind, **at})
    page.locator("#sentence", has_text="2 pieces in px").wait_for()
    assert page.locator("#job-name").inner_text() == "2 pictures"


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
    # One that fails is looked for, and opened with the answer that fails.
    page.goto(f"{server.address}/bench")
    page.locator("[name=solver]").select_option("random")
    rows.first.get_by_role("button", name="A failed one").click()
    judged(page, "Not solved")
    page.locator("#out").wait_for(state="visible")

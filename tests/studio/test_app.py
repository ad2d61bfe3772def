"""The whole job by way of a real server: in, read, solved, laid by hand, and out again."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import requests
import shapely
from PIL import Image, ImageDraw

from sherd.cli import run
from sherd.core.geometry import Pose, Rotations
from sherd.generation.dataset import PuzzleKind, make_samples
from sherd.generation.shapes import named_shape
from sherd.studio.benchmark_rows import puzzle_of_row

from .conftest import Running

EXAMPLES = Path(__file__).parents[2] / "examples"


def outline(document: dict[str, Any]) -> shapely.Polygon:
    return shapely.Polygon(document["ring"], document["holes"])


def placed(piece: dict[str, Any], pose: dict[str, Any]) -> shapely.Polygon:
    """What the documentation says that a pose does, written out."""
    turn, side = np.radians(pose["angle_deg"]), -1.0 if pose["flipped"] else 1.0
    across = shapely.transform(outline(piece), lambda xy: xy * [side, 1.0])
    cos, sin = np.cos(turn), np.sin(turn)
    turned = shapely.transform(across, lambda xy: xy @ np.array([[cos, sin], [-sin, cos]]))
    return shapely.transform(turned, lambda xy: xy + np.array([pose["x"], pose["y"]]))


def scan_of(pieces: int) -> bytes:
    """Bright pieces side by side on a dark ground."""
    image = Image.new("RGB", (60 * pieces + 20, 100), "#101820")
    for number in range(pieces):
        corners = [(60 * number + 20, 20), (60 * number + 65, 25 + 5 * number), (60 * number + 40, 80)]
        ImageDraw.Draw(image).polygon(corners, fill="#f0e8d0")
    stream = io.BytesIO()
    image.save(stream, format="PNG")
    return stream.getvalue()


def test_a_drawing_becomes_a_plan(server: Running) -> None:
    made = server.upload(("tangram.svg", (EXAMPLES / "tangram" / "tangram.svg").read_bytes()))
    assert made.status_code == 201
    job = server.settled(made.json()["id"])
    assert job["state"] == "read" and job["name"] == "tangram"
    assert job["reading"]["sentence"].startswith("7 pieces in mm, and a target of ")
    assert [figure["role"] for figure in job["reading"]["figures"]].count("target") == 1
    at = f"/jobs/{job['id']}"
    assert server.ask("GET", f"{at}/answer.pdf").status_code == 409

    asked = server.ask("POST", f"{at}/solve", json={"seconds": 60})
    assert asked.status_code == 202 and asked.json()["state"] in ("queued", "solving")
    seen = list(server.events(job["id"]))
    assert seen[-1] == ("done", {"state": "done"})
    assert any(name == "progress" and {"placements", "trying", "limit"} <= data.keys() for name, data in seen)
    job = server.job(job["id"])
    answer = job["answer"]
    assert answer["verdict"]["word"] == "solved" and answer["coverage"] == pytest.approx(1.0, abs=1e-6)
    pieces = {piece["id"]: piece for piece in job["puzzle"]["pieces"]}
    whole = shapely.union_all([placed(pieces[one["id"]], one["pose"]) for one in answer["placements"]])
    target = shapely.union_all([outline(part) for part in job["puzzle"]["target"]["parts"]])
    assert shapely.symmetric_difference(whole, target).area < 1e-4 * target.area
    assert all(0.0 <= one["sure"] <= 1.0 and one["band"] and one["held"] for one in answer["placements"])

    begins = {
        "pdf": b"%PDF",
        "svg": b"<",
        "dxf": b"  0",
        "geojson": b"{",
        "png": b"\x89PNG",
        "csv": b"number,name",
        "json": b"{",
        "gif": b"GIF8",
    }
    for kind, first in begins.items():
        made = server.ask("GET", f"{at}/answer.{kind}")
        assert made.status_code == 200 and made.content.lstrip().startswith(first.lstrip()), kind
        assert made.headers["content-disposition"].startswith("attachment")
        assert "sandbox" in made.headers["content-security-policy"]
    assert server.ask("GET", f"{at}/answer.gaps.svg").json()["detail"] == (
        "nothing stays open, so there is no such file"
    )
    replay = Image.open(io.BytesIO(server.ask("GET", f"{at}/answer.gif").content))
    assert getattr(replay, "n_frames", 1) == 8  # all loose, then seven steps


def test_hands_are_judged_by_the_same_verdict(server: Running) -> None:
    job = server.make(generate={"pieces": 4, "seed": 3, "rotations": 4}, solve=True)
    assert job["state"] == "done" and job["answer"]["verdict"]["word"] == "solved"
    at = f"/jobs/{job['id']}"
    board = {"placements": [{"id": one["id"], "pose": one["pose"]} for one in job["answer"]["placements"]]}
    laid = server.ask("PUT", f"{at}/board", json=board).json()
    assert laid["verdict"]["word"] == "solved" and laid["solver"] == "by hand"
    board["placements"][0]["pose"]["x"] += 0.1
    laid = server.ask("PUT", f"{at}/board", json=board).json()
    assert laid["verdict"]["word"] == "not solved" and laid["verdict"]["why"]
    assert server.job(job["id"])["board"]["placements"] == board["placements"]
    assert server.ask("GET", f"{at}/answer.png?of=board").content.startswith(b"\x89PNG")
    board["placements"].append(board["placements"][0])
    assert server.ask("PUT", f"{at}/board", json=board).json() == {"detail": "a piece lies in two places"}

    pin = server.job(job["id"])["answer"]["placements"][0]
    asked = {"pins": [{"id": pin["id"], "pose": pin["pose"]}], "start": None}
    assert server.ask("POST", f"{at}/solve", json=asked).status_code == 202
    again = server.settled(job["id"])["answer"]
    assert again["verdict"]["word"] == "solved"
    (kept,) = [one for one in again["placements"] if one["id"] == pin["id"]]
    assert kept["pinned"]
    assert Pose(kept["pose"]["x"], kept["pose"]["y"]).is_close(Pose(pin["pose"]["x"], pin["pose"]["y"]), 1e-9)


def test_what_was_understood_can_be_put_right(server: Running) -> None:
    """A drawing without a target is read, and says what it lacks; a role or a parameter mends it."""
    drawing = (
        '<svg xmlns="http://www.w3.org/2000/svg" width="90mm" height="40mm" viewBox="0 0 90 40">'
        '<path id="whole" d="M0 0H30V30H0Z"/><path id="a" d="M40 0H50V30H40Z"/>'
        '<path id="b" d="M60 0H80V30H60Z"/></svg>'
    )
    job = server.settled(server.upload(("parts.svg", drawing.encode())).json()["id"])
    assert job["state"] == "read" and job["puzzle"] is None and "there is no target" in job["error"]
    assert [figure["id"] for figure in job["reading"]["figures"]] == ["whole", "a", "b"]
    at = f"/jobs/{job['id']}"
    assert server.ask("POST", f"{at}/solve", json={}).status_code == 409
    job = server.ask("PATCH", at, json={"roles": {"whole": "target"}}).json()
    job = server.settled(job["id"])
    assert job["error"] is None and job["reading"]["area_share"] == pytest.approx(1.0)
    assert [piece["id"] for piece in job["puzzle"]["pieces"]] == ["a", "b"]
    job = server.ask("PATCH", at, json={"roles": {"whole": "aside"}, "params": {"no_target": True}}).json()
    job = server.settled(job["id"])
    assert job["puzzle"]["target"] is None and job["params"] == {"no_target": True}
    assert server.ask("PATCH", at, json={"params": {"kerf": "wide"}}).json() == {
        "detail": "kerf must be a number, not 'wide'"
    }
    assert server.ask("PATCH", at, json={"params": {"target": "/etc/passwd"}}).status_code == 422


def test_a_project_opens_again_as_it_was_left(
    server: Running, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    job = server.make(example="mixed", solve={"seconds": 60})
    at = f"/jobs/{job['id']}"
    assert job["answer"]["verdict"]["word"] == "solved"
    pin = job["answer"]["placements"][0]
    board = {"placements": [{"id": pin["id"], "pose": pin["pose"]}], "pinned": [pin["id"]]}
    server.ask("PUT", f"{at}/board", json=board)
    job = server.job(job["id"])
    packed = server.ask("GET", f"{at}/project.sherd").content
    names = zipfile.ZipFile(io.BytesIO(packed)).namelist()
    assert names == ["project.json", "source/mixed.csv", "puzzle.json", "answer.json"]

    opened = server.settled(server.upload(("mine.sherd", packed)).json()["id"])
    same = ("name", "state", "params", "roles", "solve", "reading", "puzzle", "answer", "board")
    for name in same:
        left = json.dumps(job[name]).replace(job["id"], opened["id"])
        assert json.dumps(opened[name]) == left, name

    file = tmp_path / "mine.sherd"
    file.write_bytes(packed)
    code = run(["assemble", str(file), "--out", str(tmp_path / "out"), "--export", "json", "--check"])
    assert code == 0 and "mixed: solved, 10 of 12 pieces" in capsys.readouterr().out


def test_pictures_are_one_source_and_shown_again(server: Running) -> None:
    """Photographs come with their own pixels, each in the frame that the documents tell."""
    job = server.settled(server.upload(("a.png", scan_of(2)), params='{"no_target": true}').json()["id"])
    pixels = job["reading"]["pixels"]
    picture = server.ask("GET", pixels["url"])
    assert picture.headers["content-type"] == "image/png" and pixels["size"] > 0.0
    first = job["puzzle"]["pieces"][0]["picture"]
    size = Image.open(io.BytesIO(server.ask("GET", first["url"]).content)).size
    assert size[0] == size[1]
    ring = np.array(job["puzzle"]["pieces"][0]["ring"])
    assert (ring[:, 0] >= first["left"] - 1e-6).all() and (ring[:, 1] <= first["top"] + 1e-6).all()
    assert (ring[:, 0] <= first["left"] + first["size"] + 1e-6).all()
    assert server.ask("GET", job["reading"]["picture"]).content.startswith(b"\x89PNG")
    two = server.upload(("a.png", scan_of(2)), ("b.png", scan_of(3)), params='{"no_target": true}')
    job = server.settled(two.json()["id"])
    assert job["name"] == "2 pictures" and len(job["puzzle"]["pieces"]) == 5


def test_lists_pages_and_counts(server: Running) -> None:
    job = server.make(generate={"pieces": 2})
    assert server.ask("GET", "/jobs").json()[0]["id"] == job["id"]
    assert server.ask("DELETE", f"/jobs/{job['id']}").status_code == 204
    assert server.ask("GET", f"/jobs/{job['id']}").json() == {"detail": "there is no such job"}
    assert not (server.folder / "jobs" / job["id"]).exists()
    assert server.ask("GET", "/health").json()["status"] == "ok"
    counts = server.ask("GET", "/metrics").text
    assert 'sherd_requests_total{method="DELETE",status="204"}' in counts
    assert [one["name"] for one in server.ask("GET", "/examples").json()] == [
        *("tangram", "tile", "sheet", "glass", "puzzle", "mixed")
    ]
    assert server.ask("GET", "/examples/tile.png").content.startswith(b"\x89PNG")
    records = server.ask("GET", "/bench/records.json").json()
    assert len(records["published"]) == 45 and records["cells"] and records["contours"]
    docs = server.ask("GET", "/docs").text
    assert "POST /jobs/{job_id}/solve" in docs and "<script" not in docs and "http://" not in docs


def test_measured_puzzles_are_those_that_solvers_were_shown(server: Running) -> None:
    records = server.ask("GET", "/bench/records.json").json()

    def first(table: str, **said: Any) -> dict[str, Any]:
        return next(row for row in records[table] if said.items() <= row.items())

    exact = first("cells", shape="hexagon", pieces=8.0, input="polygons", rotations="free", noise=0.0)
    job = server.make(measured={"row": exact["id"], "number": 2})
    assert job["name"] == "hexagon, puzzle 2"
    kind = PuzzleKind(
        shape=named_shape("hexagon"), pieces=8, rotations=Rotations(None), degradation=exact["degradation"]
    )
    at = int(exact["first"]) + 1
    (sample,) = make_samples(kind, seed=int(exact["seed"]), start=at, stop=at + 1)
    assert [piece["id"] for piece in job["puzzle"]["pieces"]] == [one.id for one in sample.puzzle.fragments]
    # Seen as masks, and broken things without a target.
    masks = puzzle_of_row(first("cells", input="masks", shape="square", pieces=8.0), 1)
    assert masks.pixel == pytest.approx(1.0 / 128)
    assert not puzzle_of_row(first("contours", kind="jagged", target="no"), 1).has_target
    for asked in ({"row": "nothing"}, {"row": "all-x"}, {"row": exact["id"], "number": 10**6}):
        assert server.ask("POST", "/jobs", json={"measured": asked}).status_code == 422


def test_limits_are_said_in_one_sentence(server: Running) -> None:
    def refused(status: int, answer: requests.Response) -> str:
        assert answer.status_code == status, answer.text
        (detail,) = answer.json().values()
        return detail

    def posted(**asked: Any) -> requests.Response:
        return server.ask("POST", "/jobs", json=asked)

    assert refused(413, server.upload(("big.svg", b"x" * 3_100_000))).startswith("longer than 2.86")
    kind = {"content-type": "application/json"}
    streamed = server.ask("POST", "/jobs", data=iter([b"x" * 2_000_000] * 2), headers=kind)
    assert refused(413, streamed).startswith("longer than 2.86")
    assert refused(422, posted(generate={"pieces": 1001})).startswith("generate.pieces: ")
    assert refused(422, posted(puzzle={"fragments": [{}] * 1001})) == (
        "there are 1,001 pieces, and no more than 1,000 are taken here"
    )
    assert refused(422, posted()).startswith("one of puzzle, generate, measured and example")
    assert refused(422, posted(generate={"shape": "/etc/passwd"})).startswith("unknown shape")
    assert refused(415, server.ask("POST", "/jobs", data=b"{", headers={"content-type": "text/plain"}))
    solve = f"/jobs/{server.make(generate={'pieces': 2})['id']}/solve"
    assert refused(422, server.ask("POST", solve, json={"seconds": 601})) == (
        "a job may be solved for 600 seconds at most, not 601"
    )
    assert refused(422, server.ask("POST", solve, json={"solver": "magic"})).startswith("unknown solver")
    assert (
        refused(422, server.ask("POST", solve, json={"forbid": ["nobody"]})) == "there is no piece 'nobody'"
    )

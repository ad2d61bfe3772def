"""From a drawing to a puzzle and back: targets, kerf, pins, settings, and what is said about it all."""

from __future__ import annotations

import json
import math
from pathlib import Path

import ezdxf
import pytest
import shapely

from sherd.core.assembly import Assembly, Placement
from sherd.core.errors import FileFormatError, UnsupportedError
from sherd.core.geometry import Pose, Rotations, union
from sherd.generation.dataset import PuzzleKind, make_samples
from sherd.generation.shapes import named_shape
from sherd.io.drawings import Drawing, Figure, Unit, read_drawing
from sherd.solvers import assemble
from sherd.workshop.job import Job, make_job
from sherd.workshop.params import JobParams, Pin, read_settings, settings_beside
from sherd.workshop.summary import summary, warnings_of
from sherd.workshop.target import plain_target

LEFT = Figure("left", shapely.box(200, 0, 240, 100), ("tray",))
RIGHT = Figure("right", shapely.box(300, 0, 360, 100), ("tray",))
TARGET = Figure("outline", shapely.box(0, 0, 100, 100), ("Target",))
HALVES = Drawing("halves.svg", (TARGET, LEFT, RIGHT), "mm")
ANSWER = Assembly((Placement("left", Pose(20, 50)), Placement("right", Pose(70, 50))))


def test_a_job_keeps_what_was_drawn() -> None:
    job = make_job(HALVES)
    assert [fragment.id for fragment in job.puzzle.fragments] == ["left", "right"]
    assert job.puzzle.rotations == Rotations(None)
    for fragment in job.puzzle.fragments:
        assert fragment.polygon.centroid.distance(shapely.Point(0, 0)) < 1e-12
        assert (
            job.home(fragment.id).apply(fragment.polygon).equals_exact(job.figure(fragment.id).polygon, 1e-9)
        )
    assert job.figure("left").groups == ("tray",)
    placed = [job.placed_figure(placement) for placement in ANSWER]
    assert union(placed).symmetric_difference(job.puzzle.target).area < 1e-9
    assert job.motion(ANSWER.placements[0]).is_close(Pose(-200, 0))


@pytest.mark.parametrize("mirrored", [False, True])
def test_motions_move_what_was_drawn(mirrored: bool) -> None:
    job = make_job(HALVES)
    placement = Placement("left", Pose(3, 4, 1.0, mirrored))
    expected = placement.pose.apply(job.puzzle["left"].polygon)
    assert job.placed_figure(placement).equals_exact(expected, 1e-9)


def test_kerf_grows_pieces_by_half_of_it() -> None:
    cut = [
        Figure("left", shapely.box(200.1, 0.1, 239.9, 99.9)),
        Figure("right", shapely.box(300.1, 0.1, 359.9, 99.9)),
        TARGET,
    ]
    job = make_job(Drawing("cut.svg", tuple(cut), "mm"), JobParams(kerf=0.2))
    assert job.puzzle["left"].polygon.equals_exact(shapely.box(-20, -50, 20, 50), 1e-9, normalize=True)
    assert job.figure("left").polygon.area == pytest.approx(39.8 * 99.8)
    assert warnings_of(job) == []


TARGETS = {
    "rect:297x210": (0, 0, 297, 210),
    "RECT:297,210": (0, 0, 297, 210),
    "square:100": (0, 0, 100, 100),
    "polygon:4:50": (0, 0, 50, 50),
}


@pytest.mark.parametrize("text", TARGETS)
def test_plain_targets(text: str) -> None:
    target = plain_target(text)
    assert target is not None
    assert target.bounds == TARGETS[text]


def test_a_hexagon() -> None:
    target = plain_target("polygon:6:100")
    assert target is not None
    assert len(target.exterior.coords) == 7
    assert target.bounds[2] - target.bounds[0] == pytest.approx(100.0)


@pytest.mark.parametrize(
    "text", ["rect:5", "rect:axb", "square:-1", "square:nan", "polygon:2:5", "polygon:6", "rect:"]
)
def test_bad_plain_targets(text: str) -> None:
    with pytest.raises(ValueError, match="a target is a file, rect:297x210"):
        plain_target(text)


def test_a_target_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "tray.wkt").write_text("POLYGON ((0 0, 100 0, 100 100, 0 100, 0 0))")
    pieces = Drawing("a", (LEFT, RIGHT), "mm")
    job = make_job(pieces, JobParams(target=str(tmp_path / "tray.wkt")))
    assert job.puzzle.target.area == 10_000
    assert any(line.startswith("mixed units: the pieces are in mm") for line in warnings_of(job))
    known = make_job(pieces, JobParams(target=str(tmp_path / "tray.wkt"), unit="mm"))
    assert warnings_of(known) == []
    (tmp_path / "two.wkt").write_text("POLYGON ((0 0, 1 0, 1 1, 0 0))\nPOLYGON ((5 0, 6 0, 6 1, 5 0))")
    with pytest.raises(FileFormatError, match="the target is one shape, and there are 2"):
        make_job(pieces, JobParams(target=str(tmp_path / "two.wkt")))
    with pytest.raises(ValueError, match=r"'none.svg' is no file that exists, nor rect:297x210"):
        make_job(pieces, JobParams(target="none.svg"))


def test_a_target_of_two_rings_has_a_hole() -> None:
    inner = Figure("hole", shapely.box(40, 40, 60, 60), ("Target",))
    job = make_job(Drawing("a", (TARGET, inner, LEFT), "mm"))
    assert job.puzzle.target.area == 9600


def test_no_target_and_no_pieces() -> None:
    with pytest.raises(FileFormatError, match="there is no target: call a shape, group or layer 'target'"):
        make_job(Drawing("a.svg", (LEFT,), "mm"))
    with pytest.raises(FileFormatError, match="there are no pieces beside the target"):
        make_job(Drawing("a.svg", (TARGET,), "mm"))
    with pytest.raises(FileFormatError, match="no piece is small enough for the target: is the unit right"):
        make_job(HALVES, JobParams(target="square:3"))
    with pytest.raises(FileFormatError, match="all pieces are forbidden"):
        make_job(HALVES, JobParams(forbid=frozenset(("left", "right"))))


def test_foreign_and_forbidden_pieces_are_set_aside() -> None:
    large = Figure("door", shapely.box(0, 0, 900, 2000))
    long = Figure("stick", shapely.box(0, 0, 1, 500))
    job = make_job(Drawing("a", (*HALVES.figures, large, long), "mm"), JobParams(forbid=frozenset(["left"])))
    assert [(item.figure.id, item.reason) for item in job.set_aside] == [
        ("left", "forbidden"),
        ("door", "larger than the target"),
        ("stick", "longer than the target"),
    ]
    said = warnings_of(job)
    assert "set aside (larger than the target): door" in said


def test_pins() -> None:
    job = make_job(HALVES, JobParams(pins={"left": Pin(20, 50, 180)}))
    rest = job.to_solve()
    assert rest is not None
    assert [fragment.id for fragment in rest.fragments] == ["right"]
    assert rest.target.equals_exact(shapely.box(40, 0, 100, 100), 1e-6, normalize=True)
    whole = job.complete(Assembly((Placement("right", Pose(70, 50)),)))
    assert whole["left"].theta == pytest.approx(math.pi)
    assert union(job.puzzle.placed(whole)).symmetric_difference(job.puzzle.target).area < 1e-6
    loose = make_job(HALVES)
    assert loose.to_solve() is loose.puzzle


def test_pins_that_leave_nothing_or_two_parts() -> None:
    both = make_job(HALVES, JobParams(pins={"left": Pin(20, 50), "right": Pin(70, 50)}))
    assert both.to_solve() is None
    assert warnings_of(both) == []
    middle = make_job(HALVES, JobParams(pins={"left": Pin(50, 50)}))
    with pytest.raises(UnsupportedError, match="part what is left of the target into 2"):
        middle.to_solve()


def test_a_piece_pinned_as_drawn_and_one_that_sticks_out() -> None:
    drawn = Drawing("a", (TARGET, Figure("left", shapely.box(0, 0, 40, 100)), RIGHT), "mm")
    job = make_job(drawn, JobParams(pins={"left": None}))
    assert job.pinned["left"] == Pose(20, 50)
    out = make_job(drawn, JobParams(pins={"left": Pin(0, 50), "right": Pin(20, 50)}))
    said = warnings_of(out)
    assert "the pinned piece 'left' sticks out of the target" in said
    assert "pinned pieces lie on each other" in said


def test_mirroring_piece_by_piece() -> None:
    assert make_job(HALVES).puzzle.mirror is False
    assert make_job(HALVES, JobParams(mirror=True)).puzzle.mirror is True
    assert make_job(HALVES, JobParams(mirror=frozenset(["left"]))).puzzle.mirror == {"left"}


@pytest.mark.parametrize(
    "params", [{"forbid": frozenset("x")}, {"pins": {"x": None}}, {"mirror": frozenset("x")}]
)
def test_names_that_no_piece_has(params: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"halves.svg has no piece 'x'; it has left, right"):
        make_job(HALVES, JobParams(**params))  # pyright: ignore


BAD_PARAMS: list[tuple[dict[str, object], str]] = [
    ({"unit": "furlong"}, "unknown unit 'furlong': choose mm"),
    ({"kerf": -1.0}, "kerf must be at least 0, not -1"),
    ({"kerf": math.nan}, "kerf must be at least 0, not nan"),
    ({"mm_per_px": 0.0}, "mm_per_px must be above 0, not 0"),
    ({"tolerance": math.inf}, "tolerance must be above 0, not inf"),
    ({"nested": "both"}, "nested must be one of holes, pieces, not 'both'"),
    ({"pins": {"a": None}, "forbid": frozenset("a")}, "'a' is both pinned and forbidden"),
]


@pytest.mark.parametrize(("given", "reason"), BAD_PARAMS)
def test_bad_parameters(given: dict[str, object], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        JobParams(**given)  # pyright: ignore


def test_what_pins_look_like() -> None:
    assert Pin.parse("a=b=1,2") == ("a=b", Pin(1, 2))
    assert Pin.parse("left") == ("left", None)
    for text in ("a=1", "a=1,2,3,4", "a=x,y", "a=", "a=1,nan"):
        with pytest.raises(ValueError, match="pin"):
            Pin.parse(text)


def test_settings_in_toml(tmp_path: Path) -> None:
    (tmp_path / "tray.wkt").write_text("POLYGON ((0 0, 9 0, 9 9, 0 9, 0 0))")
    path = tmp_path / "a.toml"
    path.write_text(
        'unit = "in"\ntarget = "tray.wkt"\nrotations = 4\nmirror = ["left"]\nkerf = 0.2\nforbid = ["x"]\n'
        '[pins]\nleft = [1, 2, 90]\n"right one" = "drawn"\n'
    )
    params = read_settings(path)
    assert params == JobParams(
        unit="in",
        target=str(tmp_path / "tray.wkt"),
        rotations=Rotations(4),
        mirror=frozenset(["left"]),
        kerf=0.2,
        forbid=frozenset("x"),
        pins={"left": Pin(1, 2, 90), "right one": None},
    )
    assert settings_beside(tmp_path / "a.svg") == path
    assert settings_beside(tmp_path / "b.svg") is None
    changed = params.changed(kerf=0.5, unit=None, forbid=frozenset("y"), pins={"z": None})
    assert (changed.kerf, changed.unit, changed.forbid) == (0.5, "in", {"x", "y"})
    assert set(changed.pins) == {"left", "right one", "z"}


BAD_TOML = {
    "colour = 3": "unknown key 'colour': choose",
    "kerf = 'wide'": "kerf must be a number, not 'wide'",
    "kerf = true": "kerf must be a number, not True",
    "kerf = -1": "kerf must be at least 0",
    "forbid = 'a'": "forbid must be a list of ids, not 'a'",
    "rotations = 0": "rotations must be a positive number",
    "unit = 5": "unit must be a text, not 5",
    "pins = 3": "pins must be a table such as",
    "pins = {a = [1]}": "pins.a must be",
    "a = = b": "not TOML: ",
    "x = " + "[" * 5000: "not TOML: ",
}


@pytest.mark.parametrize("text", BAD_TOML)
def test_bad_settings(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.toml"
    path.write_text(text)
    with pytest.raises(FileFormatError) as caught:
        read_settings(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert BAD_TOML[text] in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_summary() -> None:
    assert summary(make_job(HALVES)) == (
        "halves.svg: 2 pieces, 100 to 100 mm across; target 100 x 100 mm; "
        "the pieces' area is 100.0% of the target's (10,000 of 10,000 mm²)"
    )


def scaled(factor: float, unit: str = "mm") -> Job:
    drawing = Drawing("a", (LEFT, RIGHT), "mm").scaled(factor, unit)  # pyright: ignore
    return make_job(drawing, JobParams(target="square:100"))


def test_warnings() -> None:
    short = make_job(HALVES, JobParams(target="rect:100x110"))
    assert "9.1% of the target's area is not there: a piece may be missing, or worn" in warnings_of(short)
    over = make_job(Drawing("a", (*HALVES.figures, Figure("c", shapely.box(0, 0, 10, 10))), "mm"))
    assert any(line.startswith("there is 1.0% more than fits") for line in warnings_of(over))
    inches = warnings_of(scaled(1 / 25.4))
    assert inches == ["the unit looks wrong: sizes of pieces and target differ as inches and millimetres do"]
    assert any("--unit mm" in line for line in warnings_of(scaled(1.0, "unknown")))
    assert any("--mm-per-px" in line for line in warnings_of(scaled(1.0, "px")))
    giant = make_job(HALVES.scaled(100.0, "mm"))
    assert "a piece is 10,000 mm long: is the unit right?" in warnings_of(giant)
    dwarf = make_job(HALVES.scaled(0.001, "mm"))
    assert "no piece is longer than 0.1 mm: is the unit right?" in warnings_of(dwarf)


def _places(polygon: shapely.Polygon) -> list[tuple[float, float]]:
    return [(x, y) for x, y in polygon.exterior.coords[:-1]]


def _svg(path: Path, shapes: dict[str, shapely.Polygon]) -> None:
    body = "".join(
        f'<path id="{name}" d="M{" L".join(f"{x!r} {-y!r}" for x, y in _places(polygon))}z"/>'
        for name, polygon in shapes.items()
    )
    path.write_text(f'<svg width="100mm" height="100mm" viewBox="0 -100 100 100">{body}</svg>')


def _dxf(path: Path, shapes: dict[str, shapely.Polygon]) -> None:
    document = ezdxf.new("R2010")  # pyright: ignore
    document.header["$INSUNITS"] = 4
    for name, polygon in shapes.items():
        document.modelspace().add_lwpolyline(_places(polygon), close=True, dxfattribs={"layer": name})
    document.saveas(path)


def _geojson(path: Path, shapes: dict[str, shapely.Polygon]) -> None:
    features = [
        {"type": "Feature", "id": name, "properties": {}, "geometry": shapely.geometry.mapping(polygon)}
        for name, polygon in shapes.items()
    ]
    path.write_text(json.dumps({"type": "FeatureCollection", "features": features}))


def _csv(path: Path, shapes: dict[str, shapely.Polygon]) -> None:
    rows = [f'{name},"{shapely.to_wkt(shape, rounding_precision=-1)}"\n' for name, shape in shapes.items()]
    path.write_text("id,wkt\n" + "".join(rows))


def _coco(path: Path, shapes: dict[str, shapely.Polygon]) -> None:
    annotations = [
        {"id": k, "name": name, "segmentation": [[value for x, y in _places(shape) for value in (x, -y)]]}
        for k, (name, shape) in enumerate(shapes.items())
    ]
    path.write_text(json.dumps({"annotations": annotations}))


WRITERS = {"a.svg": _svg, "a.dxf": _dxf, "a.geojson": _geojson, "a.csv": _csv, "a.json": _coco}


@pytest.mark.parametrize("name", WRITERS)
def test_a_drawing_of_a_known_puzzle_is_put_together(tmp_path: Path, name: str) -> None:
    kind = PuzzleKind(shape=named_shape("hexagon"), rotations=Rotations(None))
    (sample,) = make_samples(kind, seed=3, stop=1)
    # Apart from each other: the file shows where pieces lie on the table, not where they belong.
    shapes = {
        fragment.id: Pose(100 * k, 500.0).apply(_hundredfold(fragment.polygon))
        for k, fragment in enumerate(sample.puzzle.fragments)
    }
    WRITERS[name](tmp_path / name, {**shapes, "target": _hundredfold(sample.puzzle.target)})
    job = make_job(read_drawing(tmp_path / name), JobParams(rotations=sample.puzzle.rotations))
    assert {figure.id for figure in job.figures} == set(shapes)
    result = assemble(job.puzzle, seconds=5.0)
    placed = union([job.placed_figure(placement) for placement in result.assembly])
    assert placed.symmetric_difference(job.puzzle.target).area <= 1e-6 * job.puzzle.target.area


def _hundredfold(polygon: shapely.Polygon) -> shapely.Polygon:
    return shapely.transform(polygon, lambda xy: 100.0 * xy)


@pytest.mark.parametrize("kerf", [0.05, 0.2, 0.8])
def test_a_forgotten_kerf_is_guessed(kerf: float) -> None:
    cut = tuple(
        Figure(f.id, f.polygon.buffer(-kerf / 2.0, join_style="mitre"))  # pyright: ignore[reportArgumentType]
        for f in HALVES.pieces
    )
    drawing = Drawing("cut.svg", (TARGET, *cut), "mm")
    assert any(f"try --kerf {kerf:g}" in line for line in warnings_of(make_job(drawing))) == (kerf > 0.1)
    assert not any("--kerf" in line for line in warnings_of(make_job(drawing, JobParams(kerf=kerf))))
    lost = Drawing("lost.svg", (TARGET, cut[0]), "mm")
    assert not any("--kerf" in line for line in warnings_of(make_job(lost)))


@pytest.mark.parametrize(("unit", "asked"), [("mm", "is the unit right"), ("px", r"\(--mm-per-px\)")])
def test_pieces_that_are_all_too_large(unit: Unit, asked: str) -> None:
    drawing = Drawing("large", (TARGET, Figure("door", shapely.box(0, 0, 900, 900))), unit)
    with pytest.raises(FileFormatError, match=f"no piece is small enough for the target: .*{asked}"):
        make_job(drawing)


def test_pieces_in_another_unit_than_the_target_are_said_to_be() -> None:
    said = (
        r"2 pieces, .* mm across; target 4.724 x 3.15 mm; no piece is small enough for the target: "
        "sizes of pieces and target differ as inches and millimetres do"
    )
    with pytest.raises(FileFormatError, match=said):
        make_job(HALVES, JobParams(target="rect:4.724x3.15"))

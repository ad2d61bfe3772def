"""Tests mirror the source: each module has a test of its name, in the same folder below tests/."""

from __future__ import annotations

from pathlib import Path

TESTS = Path(__file__).parent
SOURCE = TESTS.parent / "src" / "sherd"

# Modules without a test of their own, and why.
EXCEPTED = {
    "__main__.py": "calls the command line",
    "core/arrays.py": "names of types",
    "cli/options.py": "declares options, which the tests of commands give",
    "cli/bench_options.py": "the same",
    "workshop/proposal.py": "a record without behaviour",
    "learn/training/experiment.py": "wires parts together; tests/cli/test_train.py runs it",
}
# Folders whose modules, and those of folders in them, are tested together, and where.
TOGETHER = {
    "bench/real": "bench/test_real.py",
    "solvers/arcs": "solvers/arcs/test_laying.py",
    "solvers/cells": "solvers/cells/test_search.py",
    "solvers/contours": "solvers/contours/test_assembling.py",
    "solvers/paint": "solvers/paint/test_decide.py",
    "solvers/search/constants": "solvers/search/test_constants.py",
    "solvers/search/lattice": "solvers/search/lattice/test_fill_grid.py",
    "tracing/photo": "io/drawings/test_photographs.py",
}
# Modules that are tested by way of what they serve, and where.
ELSEWHERE = {
    "core/showing.py": "workshop/test_solve.py",
    "draw/contact_sheet.py": "cli/test_plan_output.py",
    "draw/leaders.py": "draw/test_reading.py",
    "draw/marker_page.py": "io/drawings/test_tilted.py",
    "draw/notebook.py": "workshop/test_solve.py",
    "generation/drawn_tangram.py": "generation/test_lattice.py",
    "generation/photographs.py": "io/drawings/test_photographs.py",
    "generation/polyominoes.py": "generation/test_lattice.py",
    "io/drawings/image_files.py": "io/drawings/test_photographs.py",
    "plan/full_size.py": "plan/test_pages.py",
    "plan/numbered_pieces.py": "plan/test_pages.py",
    "solvers/learned/refining.py": "solvers/learned/test_matcher.py",
    "solvers/search/beliefs/cut_rounds.py": "solvers/search/beliefs/test_cut_lines.py",
    "solvers/search/beliefs/weigh_cuts.py": "solvers/search/beliefs/test_evidence.py",
    "studio/benchmark_rows.py": "studio/test_app.py",
    "studio/docs_page.py": "studio/test_app.py",
    "studio/job_documents.py": "studio/test_app.py",
    "studio/examples.py": "studio/test_app.py",
    "studio/file_routes.py": "studio/test_app.py",
    "studio/found.py": "studio/test_app.py",
    "studio/generate.py": "studio/test_app.py",
    "studio/intake.py": "studio/test_app.py",
    "studio/job_routes.py": "studio/test_app.py",
    "studio/page_routes.py": "studio/test_app.py",
    "studio/pool.py": "studio/test_service.py",
    "studio/serve.py": "studio/test_settings.py",
    "studio/tasks.py": "studio/test_app.py",
    "studio/telling.py": "studio/test_app.py",
    "tracing/parts.py": "io/drawings/test_pixels.py",
    "tracing/windows.py": "tracing/test_vectorise.py",
    "workshop/fits_in.py": "workshop/test_job.py",
    "workshop/reading.py": "cli/test_show_read.py",
}


def test_each_module_has_a_test_of_its_name() -> None:
    modules = {path.relative_to(SOURCE) for path in SOURCE.rglob("*.py") if path.name != "__init__.py"}
    without = sorted(
        module.as_posix()
        for module in modules
        if module.as_posix() not in EXCEPTED | ELSEWHERE
        and not any(folder.as_posix() in TOGETHER for folder in module.parents)
        and not (TESTS / module.parent / f"test_{module.name}").is_file()
    )
    assert not without, f"no test of their name: {', '.join(without)}"


def test_exceptions_are_still_needed() -> None:
    for name in EXCEPTED:
        assert (SOURCE / name).is_file(), f"{name} is no module"
        assert not (TESTS / Path(name).parent / f"test_{Path(name).name}").is_file(), f"{name} has a test"
    for source, test in (TOGETHER | ELSEWHERE).items():
        assert (SOURCE / source).exists()
        assert (TESTS / test).is_file()

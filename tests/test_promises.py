"""What is promised of real drawings and pictures, sentence by sentence, and the tests behind each."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parent

PROMISES: dict[str, tuple[str, ...]] = {
    "Solved: every piece that is not forbidden is placed, or is explained and no gap could hold it.": (
        "core/test_verdict.py::test_a_gap_with_most_of_an_excused_pieces_area_explains_it",
        "core/test_verdict.py::test_several_gaps_that_are_no_seams_explain_a_piece",
        "core/test_verdict.py::test_forbidden_pieces_are_not_used",
        "workshop/test_foreign.py::test_a_stranger_beside_a_lost_piece_is_set_aside",
    ),
    "Anything else is partly solved or not, with exit 1 under --check.": (
        "cli/test_assemble_puzzles.py::test_check_tells_unsolved_puzzles",
        "cli/test_assemble_drawing.py::test_a_pin_that_cannot_be_is_not_called_solved",
    ),
    "Targets have several parts, holes, and touch themselves, in files, drawings and Python.": (
        "workshop/test_target.py::test_targets_of_two_parts_are_drawn_in_many_ways",
        "workshop/test_target.py::test_tangram_figures_of_several_parts",
        "workshop/test_target.py::test_an_island_lies_in_the_hole_of_a_target",
        "io/test_puzzle_files.py::test_a_target_in_parts_needs_version_2",
        "io/test_puzzle_files.py::test_an_outline_that_touches_itself_is_read",
        "solvers/test_contract.py::test_a_target_in_two_parts_is_filled_or_refused_in_one_line",
    ),
    "Version 1 of the files is still read, and written where it says all.": (
        "io/test_puzzle_files.py::test_a_pixel_is_kept_and_needs_the_second_version",
        "test_package.py::test_the_puzzle_in_the_docs_can_be_read",
    ),
    "A border with cuts, shared edges drawn once, in SVG and DXF: what they close in are the pieces.": (
        "io/drawings/test_cut_lines.py::test_a_border_and_cuts_across_it",
        "io/drawings/test_cut_lines.py::test_the_same_in_dxf",
        "io/drawings/test_cut_lines.py::test_cuts_that_end_on_cuts_and_shapes_inside",
        "io/drawings/test_cut_lines.py::test_shared_edges_drawn_once",
        "io/drawings/test_strokes.py::test_neighbours_drawn_as_crossing_lines_become_pieces",
    ),
    "One piece that fills the target says so and asks.": (
        "io/drawings/test_cut_lines.py::test_one_piece_that_is_the_target_asks",
    ),
    "Plans and pictures of what is not solved say so on every page, and mark wrong overlaps.": (
        "workshop/test_result.py::test_a_plan_says_what_is_not_to_be_built_from",
        "cli/test_plan_output.py::test_what_is_not_solved_says_so_everywhere",
        "draw/test_reassembled.py::test_the_file_has_its_resolution_and_says_what_is_not_solved",
        "draw/test_flaws.py::test_flaws_of_two_boxes_are_exact",
    ),
    "Kerf and offset in both directions; a scale off by up to 3 % is found and named.": (
        "workshop/test_sizes.py::test_sizes_that_are_off_are_found_and_named",
        "workshop/test_foreign.py::test_a_scale_that_is_off_is_found_though_the_first_look_was_too_short",
        "workshop/test_summary.py::test_a_forgotten_kerf_is_guessed",
    ),
    "Limits hold for reading, solving and writing together.": (
        "cli/test_deadline.py::test_a_library_that_catches_every_error_is_ended",
        "workshop/test_assembling.py::test_all_that_is_tried_shares_one_limit",
        "solvers/test_contract.py::test_it_asks_often_and_ends_soon_when_told",
        "workshop/test_bad_jobs.py::test_outlines_of_twenty_thousand_points_come_right",
    ),
    "Nothing gives up while time and untried ways are left; more time is never worse.": (
        "solvers/search/test_more_time.py::test_twice_the_time_is_never_worse",
    ),
    "--all K writes one file of poses and a contact sheet.": (
        "cli/test_plan_output.py::test_all_assemblies_of_a_drawing_are_written",
    ),
    "sherd show takes any drawing or picture; assemble writes what was read first.": (
        "cli/test_show_read.py::test_show_reads_any_drawing_or_picture",
        "cli/test_show_read.py::test_assemble_writes_what_was_read_first_and_the_photograph",
        "draw/test_reading.py::test_outlines_lie_over_the_scan",
    ),
    "The photograph is put together again, as PNG at full resolution and in the PDF.": (
        "draw/test_reassembled.py::test_halves_give_back_the_picture",
        "draw/test_reassembled.py::test_the_file_has_its_resolution_and_says_what_is_not_solved",
        "cli/test_show_read.py::test_assemble_writes_what_was_read_first_and_the_photograph",
    ),
    "Progress tells the limit; one line at the end; 80 columns; colours, leader lines, no false 'loose'.": (
        "cli/test_words.py::test_progress_tells_the_limit_what_is_tried_and_how_many_are_placed",
        "cli/test_words.py::test_the_table_fits_80_columns_and_the_end_is_one_line",
        "draw/test_colours.py::test_a_piece_has_its_colour_in_all_pictures",
        "draw/test_reading.py::test_small_pieces_are_named_beside_a_line",
        "layout/test_holding.py::test_a_right_scan_is_not_loose",
    ),
    "Photographs: print is no hole, any plain ground, shadow, light, JPEG, the edge of a table.": (
        "io/drawings/test_photographs.py::test_pieces_are_found_to_a_pixel",
        "io/drawings/test_photographs.py::test_print_in_the_background_s_colour_is_no_hole",
        "io/drawings/test_photographs.py::test_a_background_that_the_border_does_not_show",
        "io/drawings/test_photographs.py::test_a_strip_of_another_table_is_no_piece",
        "io/drawings/test_pictures.py::test_a_noisy_photograph_in_falling_light",
    ),
    "Touching pieces are told apart or named.": (
        "io/drawings/test_photographs.py::test_touching_pieces_are_told_apart",
        "io/drawings/test_photographs.py::test_pieces_that_touch_along_an_edge_are_named",
    ),
    "One photograph a piece, front lit or on a light table; several photographs as one set.": (
        "io/drawings/test_photographs.py::test_a_real_piece_on_a_light_table_and_in_colour",
        "io/drawings/test_photographs.py::test_several_photographs_are_one_set",
    ),
    "A sheet or a marker page gives scale and squares it up.": (
        "io/drawings/test_tilted.py::test_a_marker_page_is_found_by_itself",
        "io/drawings/test_tilted.py::test_a_plain_sheet_that_is_named",
        "cli/test_marker.py::test_the_page_is_written",
    ),
    "EXIF orientation, HEIC, 16 bits, CMYK, alpha.": (
        "io/drawings/test_photographs.py::test_every_kind_of_pixel_gives_the_same_pieces",
        "io/drawings/test_photographs.py::test_heic_says_what_it_takes",
    ),
    "Settings for holes, specks and threshold; each refusal says what to do.": (
        "io/drawings/test_photographs.py::test_threshold_and_specks",
        "io/drawings/test_images.py::test_refusals",
        "io/drawings/test_tilted.py::test_no_sheet_says_what_to_do",
    ),
    "Colour is evidence: a lost piece of a Mondrian, and equal pieces with other prints.": (
        "solvers/paint/test_decide.py::test_a_lost_piece_of_a_mondrian_leaves_the_others_where_their_paint_goes_on",
        "solvers/paint/test_decide.py::test_equal_pieces_are_told_apart_by_their_prints",
        "solvers/paint/test_decide.py::test_equal_pieces_that_may_be_turned_are_told_apart_too",
        "io/drawings/test_pixels.py::test_the_pixels_lie_where_the_piece_does",
    ),
    "Paint is used wherever there is any, and --ignore-colour turns it off.": (
        "cli/test_colour.py::test_colours_decide_unless_they_are_ignored",
    ),
    "Shape alone, colour alone and both are measured, on 8, 16 and 36 pieces, clean and worn.": (
        "bench/test_contour_suites.py::test_the_colour_suite_has_each_puzzle_with_paint_and_without",
    ),
    "circle, ellipse and polygons of any number of sides; arcs are kept as arcs.": (
        "workshop/test_target.py::test_plain_targets",
        "workshop/test_target.py::test_round_targets_are_round",
        "solvers/arcs/test_laying.py::test_a_rose_window_is_put_together",
        "solvers/arcs/test_laying.py::test_chords_of_pieces_and_target_need_not_be_the_same",
    ),
    "Each piece may have rotations of its own, in solvers, files, settings and on the command line.": (
        "core/test_turning.py::test_the_search_goes_by_each_piece_s_own_rule",
        "io/test_puzzle_files.py::test_rotations_of_a_piece_are_kept_and_need_the_second_version",
        "workshop/test_turns.py::test_turns_stand_in_settings_and_on_the_command_line",
        "workshop/test_turns.py::test_a_file_of_puzzles_may_say_how_each_piece_is_turned",
    ),
    "Maps in kilometres; states simplified independently of their outline.": (
        "io/drawings/test_read.py::test_maps_are_told_in_kilometres",
        "bench/test_real.py::test_jobs_are_right_or_honest",
    ),
    "A tray with play; nesting is named.": (
        "workshop/test_sizes.py::test_a_tray_with_play_around_its_pieces",
        "workshop/test_judging.py::test_pieces_that_are_far_too_small_are_for_nesting",
    ),
    "HEIC, PDF and STL have a line of their own; pieces in several parts are noted.": (
        "io/drawings/test_read.py::test_what_people_have_instead_gets_a_line_of_its_own",
        "io/drawings/test_text_formats.py::test_geojson",
    ),
    "Values show themselves as a line and a picture; one line goes from a file to a plan; a notebook.": (
        "workshop/test_solve.py::test_one_line_goes_from_a_file_to_a_plan",
        "workshop/test_solve.py::test_answers_show_themselves_in_a_line_and_as_a_picture",
        "workshop/test_solve.py::test_groups_show_themselves_too",
        "workshop/test_solve.py::test_rotations_are_free_by_name",
        "test_notebook.py::test_every_cell_runs_and_shows_what_is_stored",
    ),
    "A suite of real jobs counts right, honest and wrong, and nothing wrong is called solved.": (
        "bench/test_real.py::test_answers_are_judged_by_where_pieces_lie",
        "bench/test_real.py::test_many_jobs_are_counted_by_kind",
        "cli/test_bench_real.py::test_a_wrong_answer_ends_with_1",
    ),
}


@pytest.mark.parametrize("promise", PROMISES)
def test_each_promise_has_tests_that_exist(promise: str) -> None:
    for test in PROMISES[promise]:
        path, name = test.split("::")
        assert re.search(rf"^def {name}\(", (TESTS / path).read_text(), re.MULTILINE), f"there is no {test}"

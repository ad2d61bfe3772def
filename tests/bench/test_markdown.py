"""Tables in Markdown."""

from __future__ import annotations

from sherd.bench.markdown import markdown_table


def test_a_table_has_a_rule_and_no_cell_breaks_its_line() -> None:
    text = markdown_table(["a", "b"], [["1|2", "two\nlines"], ["", "x"]])
    assert text == "| a | b |\n| --- | --- |\n| 1\\|2 | two lines |\n|  | x |\n"

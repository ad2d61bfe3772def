"""In which fonts a line is printed, with and without fonts on the machine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sherd.draw import pdf_fonts
from sherd.draw.pdf_fonts import BOX, HELVETICA, in_fonts

HAS_FONTS = all(font != HELVETICA for font, _ in in_fonts("κ"))


@pytest.fixture
def no_fonts(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A machine without any font."""
    monkeypatch.setattr(pdf_fonts, "_font_files", tuple)
    in_fonts.cache_clear()
    yield
    in_fonts.cache_clear()


@pytest.mark.parametrize("text", ["piece (7) \\ 100 %", "Stück ½ é … €"])
def test_western_texts_need_no_font(text: str) -> None:
    assert in_fonts(text) == ((HELVETICA, text),)


def test_nothing_and_what_cannot_be_printed() -> None:
    assert in_fonts("") == ()
    assert in_fonts("a\nb\ud800") == ((HELVETICA, "a b "),)


@pytest.mark.usefixtures("no_fonts")
@pytest.mark.parametrize(("text", "shown"), [("🏺 κ\n", "? ? "), ("Čapek 2", "Capek 2"), ("五", "?")])
def test_without_any_font_texts_are_shown_as_far_as_helvetica_goes(text: str, shown: str) -> None:
    assert in_fonts(text) == ((HELVETICA, shown),)


@pytest.mark.skipif(not HAS_FONTS, reason="this machine has no font")
def test_a_text_is_of_one_font_where_that_has_all_of_it() -> None:
    ((font, shown),) = in_fonts("Čapek, левое крыло 2")
    assert font.is_file()
    assert shown == "Čapek, левое крыло 2"


@pytest.mark.skipif(not HAS_FONTS, reason="this machine has no font")
def test_a_character_that_no_font_has_is_a_box() -> None:
    shown = "".join(run for _, run in in_fonts("κ\U00013000"))  # an Egyptian hieroglyph
    assert shown in (f"κ{BOX}", "κ\U00013000")


@pytest.mark.skipif(not HAS_FONTS, reason="this machine has no font")
def test_hebrew_runs_from_right_to_left() -> None:
    shown = "".join(run for _, run in in_fonts("אבג 12"))
    assert shown in ("12 גבא", BOX * 3)


def test_files_that_are_no_fonts_are_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "DejaVuSans.ttf").write_bytes(b"nonsense")
    (tmp_path / "empty.otf").write_bytes(b"")
    monkeypatch.setattr(pdf_fonts, "FOLDERS", (str(tmp_path), str(tmp_path / "nowhere")))
    pdf_fonts._font_files.cache_clear()  # pyright: ignore
    in_fonts.cache_clear()
    try:
        assert in_fonts("κ") == ((HELVETICA, "?"),)
    finally:
        pdf_fonts._font_files.cache_clear()  # pyright: ignore
        in_fonts.cache_clear()

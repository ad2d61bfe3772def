"""What was understood of a drawing: the sentence, and what pieces may make where nothing says it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import shapely
import shapely.affinity

from sherd.core.errors import SherdError
from sherd.io.drawings.model import Drawing, Figure
from sherd.studio.understood import SHEETS, Understood, reading_document, sentence_of
from sherd.workshop import JobParams, make_job


def torn(width: float, height: float, unit: Any = "mm") -> Drawing:
    """Two scraps of a sheet, apart."""
    left = shapely.Polygon([(0, 0), (0.4 * width, 0), (0.5 * width, height), (0, height)])
    right = shapely.Polygon([(0.4 * width, 0), (width, 0), (width, height), (0.5 * width, height)])
    figures = (
        Figure("left", left),
        Figure("right", shapely.affinity.translate(right, 2.0 * width)),
    )
    return Drawing("scan.png", figures, unit)


def understood(drawing: Drawing, **said: Any) -> Understood:
    params = JobParams(**said)
    try:
        return Understood(drawing, drawing, params, make_job(drawing, params), "")
    except (SherdError, ValueError) as error:
        return Understood(drawing, drawing, params, None, str(error))


@pytest.mark.parametrize("name", SHEETS)
def test_a_torn_sheet_is_known_by_its_area(name: str) -> None:
    width, height = SHEETS[name]
    document = reading_document(understood(torn(width, height)), {}, "", None)
    assert document["choices"][0]["text"].startswith(name)
    chosen = understood(torn(width, height), **document["choices"][0]["params"])
    assert chosen.ready.share == pytest.approx(1.0)
    assert not chosen.wants_target and reading_document(chosen, {}, "", None)["choices"] == []


def test_what_is_no_sheet_is_asked_for() -> None:
    for drawing in (torn(123.0, 77.0), torn(105.0, 148.0, "px")):
        document = reading_document(understood(drawing), {}, "", None)
        assert [choice["params"] for choice in document["choices"]] == [
            {"outline": "rectangle"},
            {"no_target": True},
        ]
        assert "what they make is not said" in document["sentence"]


def test_each_choice_has_its_sentence() -> None:
    drawing = torn(105.0, 148.0)
    assert (
        sentence_of(understood(drawing)) == "2 pieces in mm, 15,540 sq mm in all; what they make is not said."
    )
    assert sentence_of(understood(drawing, target="rect:105x148")) == (
        "2 pieces in mm, and a target of 105 x 148 mm; together they have 100.0% of its area."
    )
    assert sentence_of(understood(drawing, outline="rectangle")).endswith(
        "of some rectangle, whose size is to be found."
    )
    assert "no target" in sentence_of(understood(drawing, no_target=True))


def test_another_mistake_offers_no_choice() -> None:
    wrong = replace(understood(torn(105.0, 148.0), target="rect:0x0"), reason="no")
    assert wrong.job is None and not wrong.wants_target
    with pytest.raises(ValueError, match="no"):
        _ = wrong.ready

"""One base for all errors, and no two of them the same."""

from __future__ import annotations

from sherd.core import errors
from sherd.core.errors import ArgumentError, SherdError


def test_every_error_is_ours_and_named_in_the_docstring() -> None:
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type)]
    assert len(kinds) == 9
    for kind in kinds:
        assert issubclass(kind, SherdError)
        assert issubclass(kind, ValueError) == (kind is ArgumentError)
        assert kind.__name__ in (errors.__doc__ or "")

"""Every failure that sherd foresees.

    SherdError                  the one base: catch this to catch all of ours
    ├── InvalidPolygonError     an outline that encloses no proper area
    ├── InvalidPuzzleError      pieces and target that do not make a puzzle
    ├── FileFormatError         a file that does not say what it should
    ├── TrainingError           a network that cannot be trained further
    └── UnsupportedError        a request that this solver or install cannot serve

A bad argument from the calling code is a plain ``ValueError`` instead. The command line turns all of
these into one line on stderr and exit code 2.
"""


class SherdError(Exception):
    """Base of all errors that sherd raises on purpose."""


class InvalidPolygonError(SherdError):
    """An outline is self-crossing, empty, not finite or has fewer than 3 vertices."""


class InvalidPuzzleError(SherdError):
    """A target and its fragments do not form a puzzle."""


class FileFormatError(SherdError):
    """A file cannot be read as what it claims to be."""


class TrainingError(SherdError):
    """Training cannot go on."""


class UnsupportedError(SherdError):
    """A request is well formed, but cannot be served here."""

"""Every failure that sherd foresees.

    SherdError                  the one base: catch this to catch all of ours
    ├── InvalidPolygonError     an outline that encloses no proper area
    ├── InvalidPuzzleError      pieces and target that do not make a puzzle
    ├── FileFormatError         a file that does not say what it should
    ├── TrainingError           a network that cannot be trained further
    │   └── InterruptedTrainingError   training that was interrupted; it says what is kept
    ├── UnsupportedError        a request that this solver or install cannot serve
    │   └── LostDeviceError     an accelerator that failed while it computed
    └── ArgumentError           a bad argument, which is a ``ValueError``, too

The command line turns these, what a file system refuses, and want of memory into one line on stderr and exit
code 2. Any other error, a ``ValueError`` of a library among them, nobody foresaw: it is sherd's own.
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


class InterruptedTrainingError(TrainingError):
    """Training was interrupted; the line says what is kept of it."""


class UnsupportedError(SherdError):
    """A request is well formed, but cannot be served here."""


class LostDeviceError(UnsupportedError):
    """An accelerator failed while it computed: nothing more can be asked of it."""


class ArgumentError(SherdError, ValueError):
    """A value that somebody gave is none that can be used; the line says which, and what could."""

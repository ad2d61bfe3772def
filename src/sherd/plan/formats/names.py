"""Names that come from drawings, made fit for files, XML and DXF."""

from __future__ import annotations

import errno
import re
import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import Path

LONGEST_BYTES = 80
# Names that mean a device to some systems, whatever follows the first dot.
DEVICES = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)", re.IGNORECASE)
# What DXF does not allow in the names of layers and blocks, and control characters.
DXF_FORBIDDEN = re.compile("[<>/\\\\\":;?*|=`,'\x00-\x1f\x7f-\x9f\ud800-\udfff]")
XML_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")


def safe_file_name(text: str, default: str = "pieces") -> str:
    """A plain name for a file in any folder of any system, as like the text as that allows.

    >>> safe_file_name('../a "fine" vase 🏺/2'), safe_file_name("..."), safe_file_name("Con.1")
    ('a_fine_vase_2', 'pieces', '_Con.1')
    """
    plain = unicodedata.normalize("NFC", text)
    plain = "".join(c if c.isalnum() or c in "-_." else "_" for c in plain)
    plain = re.sub(r"_*\.*_{2,}|\.{2,}", "_", plain).strip("._-")
    plain = plain.encode()[:LONGEST_BYTES].decode(errors="ignore").strip("._-")
    if not plain:
        return default
    return f"_{plain}" if DEVICES.fullmatch(plain.split(".")[0]) else plain


def path_inside(folder: Path, name: str) -> Path:
    """The path of a file in a folder; `OSError` where it would lead out of it, as through a link."""
    path = folder / name
    if Path(name).name != name or path.resolve().parent != folder.resolve():
        raise OSError(errno.EPERM, "leads out of the folder", str(path))
    return path


def unique(names: Iterable[str], taken: Iterable[str] = ()) -> Iterator[str]:
    """Each name, with a number after it where the same came before, whatever its case.

    >>> list(unique(["a", "A", "b"], taken=["b"]))
    ['a', 'A-2', 'b-2']
    """
    seen = {name.casefold() for name in taken}
    for name in names:
        found, times = name, 1
        while found.casefold() in seen:
            times += 1
            found = f"{name}-{times}"
        seen.add(found.casefold())
        yield found


def xml_id(text: str) -> str:
    """The text where it is a plain name, else one made of its plain characters.

    >>> xml_id("left-2"), xml_id("7 o'clock")
    ('left-2', '_7_o_clock')
    """
    if XML_NAME.fullmatch(text):
        return text
    return "_" + re.sub("[^A-Za-z0-9.-]+", "_", text).strip("_")


def dxf_name(text: str, default: str) -> str:
    """The text without what DXF forbids in names.

    >>> dxf_name('a/b "c"', "0"), dxf_name("", "0")
    ('a_b _c_', '0')
    """
    return DXF_FORBIDDEN.sub("_", text).strip()[:200] or default

"""XML read without trusting it: nothing outside the file is fetched, nothing may grow without bounds."""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field
from xml.parsers import expat

from sherd.core.errors import FileFormatError

MOST_ELEMENTS = 500_000
MOST_DEPTH = 200
# Some drawing programs declare short texts, such as addresses of namespaces, as entities. Only these pass:
# nothing that could grow, or that names another file.
LONGEST_ENTITY = 200
MOST_ENTITIES = 50
# In attributes they are put in before anybody is asked: what all references may stand for is counted first.
MOST_EXPANDED_BYTES = 16 * 2**20


@dataclass
class Element:
    """An element without the prefixes of its names: attributes by name, children in order."""

    tag: str
    attributes: dict[str, str]
    line: int
    children: list[Element] = field(default_factory=list["Element"])
    text: str = ""


class _TooMuchError(Exception):
    pass


def parse_xml(data: bytes, most_bytes: int) -> Element:
    """The root element, or `FileFormatError` without the file's name; gzip is undone."""
    if data[:2] == b"\x1f\x8b":
        data = _unzipped(data, most_bytes)
    builder = _Builder(data.count(b"&"))
    try:
        builder.parser.Parse(data, True)
    except expat.ExpatError as error:
        reason = expat.errors.messages.get(error.code, "broken")
        raise FileFormatError(f"{error.lineno}: not XML: {reason}") from None
    except (_TooMuchError, LookupError, ValueError) as error:
        raise FileFormatError(f"{builder.parser.CurrentLineNumber}: {error}") from None
    assert builder.root is not None  # expat refuses a document without elements
    return builder.root


def _unzipped(data: bytes, most_bytes: int) -> bytes:
    unpacker = zlib.decompressobj(wbits=31)
    try:
        text = unpacker.decompress(data, most_bytes)
    except zlib.error:
        raise FileFormatError("1: the compressed file is broken") from None
    if unpacker.unconsumed_tail:
        raise FileFormatError(f"1: longer than {most_bytes // 2**20} MiB when unpacked")
    return text


class _Builder:
    def __init__(self, references: int) -> None:
        self._references = references
        self.root: Element | None = None
        self._open: list[Element] = []
        self._count = 0
        self._entities = 0
        self._longest = 0
        self.parser = expat.ParserCreate()
        self.parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text
        self.parser.EntityDeclHandler = self._entity

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._count += 1
        if self._count > MOST_ELEMENTS:
            raise _TooMuchError(f"more than {MOST_ELEMENTS:,} elements")
        if len(self._open) >= MOST_DEPTH:
            raise _TooMuchError(f"elements nested more than {MOST_DEPTH} deep")
        element = Element(_local(tag), {}, self.parser.CurrentLineNumber)
        for name, value in attributes.items():
            # href and xlink:href are the same; of other prefixed names only Inkscape's label is wanted.
            local = "inkscape:label" if name == "inkscape:label" else _local(name)
            if local == name or local not in attributes:
                element.attributes[local] = value
        if self._open:
            self._open[-1].children.append(element)
        elif self.root is None:
            self.root = element
        self._open.append(element)

    def _end(self, tag: str) -> None:
        self._open.pop()

    def _text(self, text: str) -> None:
        if self._open and self._open[-1].tag == "title" and len(self._open[-1].text) < 1000:
            self._open[-1].text += text

    def _entity(
        self,
        name: str,
        is_parameter: bool,
        value: str | None,
        base: str | None,
        system: str | None,
        public: str | None,
        notation: str | None,
    ) -> None:
        self._entities += 1
        if value is None or system is not None or is_parameter:
            raise _TooMuchError(f"the entity {name[:40]!r} refers to what is outside the file")
        if "&" in value or "<" in value or len(value) > LONGEST_ENTITY or self._entities > MOST_ENTITIES:
            raise _TooMuchError("entities that stand for more than a short text are not read")
        self._longest = max(self._longest, len(value))
        if self._references * self._longest > MOST_EXPANDED_BYTES:
            raise _TooMuchError("entities stand for more text than the file should hold")


def _local(name: str) -> str:
    return name.rpartition(":")[2]

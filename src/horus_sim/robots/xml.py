"""XML of robots and worlds: read without namespaces, with bounds, and with line numbers.

Files come from anywhere, so document types and entities are refused, and size, depth and number of
elements are bounded. Prefixes need no declaration (``<xacro:arg>`` is a tag with a colon), and an
XML declaration may follow white space and comments, as it does in many published worlds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn
from xml.parsers import expat

from horus_sim.errors import DescriptionError
from horus_sim.files.document import read_bytes
from horus_sim.robots.mesh.neighbours import LFS_POINTER, is_lfs_pointer

MAX_BYTES = 32 * 1024 * 1024
MAX_DEPTH = 200
MAX_ELEMENTS = 500_000

_BOMS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
_ENCODING = re.compile(rb"""encoding\s*=\s*["']([A-Za-z0-9._:-]{1,40})["']""")


@dataclass(slots=True, eq=False)
class Element:
    """An XML element.

    Attributes:
        tag: Name, with its prefix if it has one: 'xacro:arg'.
        attributes: Attributes as written, in order.
        line: Line of the start tag, counted from 1.
        source: The file, as errors name it.
        children: Elements inside, in order.
        text: All character data directly inside, joined; '' when there is none.
    """

    tag: str
    attributes: dict[str, str]
    line: int
    source: str
    children: list[Element] = field(default_factory=list)
    text: str = ""

    def get(self, attribute: str, default: str | None = None) -> str | None:
        """The attribute as written, or the default."""
        return self.attributes.get(attribute, default)

    def find(self, tag: str) -> Element | None:
        """The first child with that tag, or None."""
        return next((child for child in self.children if child.tag == tag), None)

    def find_all(self, tag: str) -> list[Element]:
        """The children with that tag, in order."""
        return [child for child in self.children if child.tag == tag]

    def iter(self) -> Iterator[Element]:
        """This element and all below it, parents first."""
        pending: list[Element] = [self]
        while pending:
            element = pending.pop()
            yield element
            pending.extend(reversed(element.children))

    def error(self, text: str) -> DescriptionError:
        """An error that names the file and the line of this element, to be raised."""
        return DescriptionError(f"{self.source}, line {self.line}: {text}")


def read_xml(path: Path) -> Element:
    """The root element of a file.

    Args:
        path: A regular file of at most `MAX_BYTES`.

    Raises:
        DescriptionError: The file cannot be read or is not acceptable XML; names file and line.
    """
    return parse_xml(read_bytes(path, MAX_BYTES, DescriptionError), str(path))


def parse_xml(data: bytes | str, source: str) -> Element:
    """The root element of a document.

    Args:
        data: The document; bytes in the encoding that it declares, UTF-8 otherwise.
        source: The file, as errors are to name it.

    Raises:
        DescriptionError: It is empty, too large, too deep, not well-formed, has a document type, or
            its bytes are not in its encoding.
    """
    is_text = isinstance(data, str)
    octets = data.encode("utf-8", "surrogatepass") if is_text else data
    if len(octets) > MAX_BYTES:
        raise DescriptionError(
            f"{source}: has {len(octets)} bytes, more than the limit of {MAX_BYTES}"
        )
    if not octets.strip():
        raise DescriptionError(f"{source}: the file is empty; an XML document is expected")
    if is_lfs_pointer(octets):
        raise DescriptionError(f"{source}: {LFS_POINTER}")
    octets, late_encoding = _without_late_declaration(octets)
    encoding = "utf-8" if is_text else late_encoding
    try:
        return _TreeBuilder(source, encoding).read(octets)
    except (expat.ExpatError, LookupError, ValueError) as error:
        if isinstance(error, DescriptionError):
            raise
        _explain(error, octets, encoding, source)


class _TreeBuilder:
    """Builds the tree from expat's events."""

    def __init__(self, source: str, encoding: str | None) -> None:
        self._source = source
        self._open: list[Element] = []
        self._texts: list[list[str]] = []
        self._root: Element | None = None
        self._count = 0
        parser = expat.ParserCreate(encoding)
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        parser.StartDoctypeDeclHandler = self._refuse_doctype
        self._parser = parser

    def read(self, data: bytes) -> Element:
        self._parser.Parse(data, True)  # noqa: FBT003 - positional only
        assert self._root is not None  # noqa: S101 - expat refuses a document without element
        return self._root

    def _fail(self, text: str) -> NoReturn:
        raise DescriptionError(f"{self._source}, line {self._parser.CurrentLineNumber}: {text}")

    def _refuse_html(self) -> NoReturn:
        self._fail("this is a web page (HTML) and no robot or world; download the file itself")

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if not self._open and tag.casefold() == "html":
            self._refuse_html()
        self._count += 1
        if self._count > MAX_ELEMENTS:
            self._fail(f"more than {MAX_ELEMENTS} elements, which is the limit")
        if len(self._open) >= MAX_DEPTH:
            self._fail(f"elements are nested deeper than the nesting depth limit of {MAX_DEPTH}")
        element = Element(tag, attributes, self._parser.CurrentLineNumber, self._source)
        if self._open:
            self._open[-1].children.append(element)
        else:
            self._root = element
        self._open.append(element)
        self._texts.append([])

    def _end(self, _tag: str) -> None:
        self._open.pop().text = "".join(self._texts.pop())

    def _characters(self, text: str) -> None:
        self._texts[-1].append(text)

    def _refuse_doctype(self, name: str, *_: object) -> None:
        if name.casefold() == "html":
            self._refuse_html()
        self._fail(
            "DTD and entity declarations are not allowed (<!DOCTYPE ...>), since they can read "
            "other files and fill the memory; remove the declaration"
        )


def _without_late_declaration(data: bytes) -> tuple[bytes, str | None]:
    """The document with a late XML declaration blanked out, and the encoding that it named."""
    if data.startswith((b"<?xml", b"\xff\xfe", b"\xfe\xff")):
        return data, None
    position = 3 if data.startswith(b"\xef\xbb\xbf") else 0
    while position < len(data):
        if data[position : position + 1].isspace():
            position += 1
        elif data.startswith(b"<!--", position):
            end = data.find(b"-->", position + 4)
            if end < 0:
                return data, None
            position = end + 3
        else:
            break
    end = data.find(b"?>", position)
    if re.match(rb"<\?xml\s", data[position : position + 6]) is None or end < 0:
        return data, None
    declaration = data[position : end + 2]
    named = _ENCODING.search(declaration)
    # Blanks keep the lines where they are.
    blank = bytes(octet if octet in b"\r\n" else 0x20 for octet in declaration)
    return data[:position] + blank + data[end + 2 :], named[1].decode() if named else None


def _explain(error: Exception, data: bytes, encoding: str | None, source: str) -> NoReturn:
    """Raises what went wrong, with a wrong encoding told apart from wrong XML."""
    declared = encoding or _declared_encoding(data)
    try:
        data.decode(declared)
    except UnicodeDecodeError as wrong:
        line = data.count(b"\n", 0, wrong.start) + 1
        raise DescriptionError(
            f"{source}, line {line}: byte 0x{data[wrong.start]:02x} at offset {wrong.start} is not "
            f"valid in the encoding of the file (declared {declared}); save it as UTF-8 or declare "
            "its real encoding"
        ) from error
    except (LookupError, ValueError):
        raise DescriptionError(
            f"{source}, line 1: the declared encoding '{declared}' is not known; save the file as "
            "UTF-8"
        ) from error
    line = error.lineno if isinstance(error, expat.ExpatError) else 1
    cause = expat.ErrorString(error.code) if isinstance(error, expat.ExpatError) else str(error)
    raise DescriptionError(f"{source}, line {line}: not well-formed XML: {cause}") from error


def _declared_encoding(data: bytes) -> str:
    for mark, name in _BOMS:
        if data.startswith(mark):
            return name
    if data.startswith(b"<?xml"):
        named = _ENCODING.search(data, 0, max(data.find(b"?>"), 0))
        if named:
            return named[1].decode()
    return "utf-8"

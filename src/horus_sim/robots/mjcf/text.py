"""The text of an MJCF document for MuJoCo, and the way back from its errors to the user's files.

MuJoCo's errors name a line. In the text that it gets every element has a line of its own, so that
the line tells the element, which knows its file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from xml.sax.saxutils import quoteattr

from horus_sim.robots.xml import Element

_LINE = re.compile(r"\bline (\d+)")
_NAME = re.compile(r"Element name '([^']*)'")
_TAIL = re.compile(r",? ?Element (name )?'[^']*'.*$")
_HEAD = re.compile(r"^(XML )?(Error: )+")


@dataclass(frozen=True, slots=True)
class Complaint:
    """An error of MuJoCo's.

    Attributes:
        cause: What is wrong, without the element.
        line: Line of the text in which the element is, or None.
        name: Name of the element; '' for one without, None where the text has an error of syntax.
    """

    cause: str
    line: int | None
    name: str | None

    @classmethod
    def of(cls, error: Exception) -> Complaint:
        """What an error says."""
        text = " ".join(str(error).split())
        line, name = _LINE.search(text), _NAME.search(text)
        cause = _HEAD.sub("", _TAIL.sub("", text))
        return cls(cause, int(line[1]) if line else None, name[1] if name else None)


def text_of(root: Element, without: frozenset[str] = frozenset()) -> str:
    """The document; the n-th element is in line n, whatever is left out.

    Args:
        root: The root element.
        without: Tags of sections to leave out.
    """
    pieces: list[str] = []
    line = number = 1
    left_out = 0
    for element, is_end, depth in _walk(root):
        is_section = depth == 1 and element.tag in without
        if is_end:
            left_out -= is_section
            if not left_out and not is_section:
                pieces.append(f"</{element.tag}>")
            continue
        left_out += is_section
        if not left_out:
            pieces.append("\n" * (number - line))
            line = number
            attributes = "".join(f" {key}={quoteattr(v)}" for key, v in element.attributes.items())
            pieces.append(f"<{element.tag}{attributes}>")
        number += 1
    return "".join(pieces)


def element_in(root: Element, line: int) -> Element | None:
    """The element that `text_of` puts into a line."""
    starts = (element for element, is_end, _ in _walk(root) if not is_end)
    return next((element for k, element in enumerate(starts, start=1) if k == line), None)


def named(element: Element) -> str:
    """An element with its name and place, for errors."""
    name = element.get("name")
    shown = f" '{name}'" if name else ""
    return f"{element.source}, line {element.line}: <{element.tag}>{shown}"


def _walk(root: Element) -> Iterator[tuple[Element, bool, int]]:
    """Start and end of each element, with its depth below the root."""
    pending = [(root, False, 0)]
    while pending:
        element, is_end, depth = pending.pop()
        yield element, is_end, depth
        if not is_end:
            pending.append((element, True, depth))
            pending.extend((child, False, depth + 1) for child in reversed(element.children))

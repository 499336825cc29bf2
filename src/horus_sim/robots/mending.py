"""Slips of the pen in numbers, mended before a document is read."""

from __future__ import annotations

import re
from collections.abc import Iterator

from horus_sim.robots.report import Note, NoteKind
from horus_sim.robots.xml import Element

_QUOTES = "'\"`"
_NAMES = frozenset({"name", "link", "joint", "reference"})
_QUOTED_NUMBERS = re.compile(r"[\s\d.eE+\-'\"`]*\d[\s\d.eE+\-'\"`]*", re.ASCII)


def mend_numbers(root: Element) -> Iterator[Note]:
    """Takes stray quotes out of numbers, in attributes and in texts.

    Args:
        root: The document, which is changed.

    Yields:
        A remark for each value that was mended.
    """
    for element in root.iter():
        for key, value in element.attributes.items():
            if key not in _NAMES and _is_quoted(value):
                element.attributes[key] = _unquoted(value)
                yield _note(f"<{element.tag}> {key}", value, element)
        if element.text and not element.children and _is_quoted(element.text):
            yield _note(f"<{element.tag}>", element.text.strip(), element)
            element.text = _unquoted(element.text)


def _is_quoted(text: str) -> bool:
    if not any(quote in text for quote in _QUOTES):
        return False
    return _QUOTED_NUMBERS.fullmatch(text) is not None


def _unquoted(text: str) -> str:
    return "".join(letter for letter in text if letter not in _QUOTES)


def _note(what: str, value: str, element: Element) -> Note:
    text = f"a stray quote was taken out of {value[:60]}"
    return Note(NoteKind.REPAIR, what, text, element.line)

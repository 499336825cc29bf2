"""Where in a JSON text a value stands, for error messages."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

_SPACE = re.compile(r"[ \t\r\n]*")
_value_end = json.JSONDecoder().raw_decode


def json_position(text: str, path: tuple[str | int, ...]) -> int:
    """Index of the first character of a key with its value, or of the nearest thing around it.

    Args:
        text: Valid JSON.
        path: Keys and indices from the root, such as ``('bodies', 0, 'mass')``.
    """
    shown = value = _skip(text, 0)
    for part in path:
        for name, begin, inside in _items(text, value):
            if name == part:
                shown, value = begin, inside
                break
        else:
            break
    return shown


def _items(text: str, at: int) -> Iterator[tuple[str | int, int, int]]:
    """Name, begin, and begin of the value of each item of a list or an object; else nothing."""
    if text[at] not in "{[":
        return
    is_object = text[at] == "{"
    at = _skip(text, at + 1)
    index = 0
    while text[at] not in "}]":
        name: str | int = index
        begin = at
        if is_object:
            name, at = _value_end(text, at)
            at = _skip(text, _skip(text, at) + 1)
        yield name, begin, at
        at = _skip(text, _value_end(text, at)[1])
        if text[at] == ",":
            at = _skip(text, at + 1)
        index += 1


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at

"""Lines of the keys in a JSON text, for error messages."""

from __future__ import annotations

import json
import re

_SPACE = re.compile(r"[ \t\r\n]*")
_SCALAR = re.compile(r"[^\s,\]}]+")

Path = tuple[str | int, ...]


def line_of(text: str, path: Path) -> int | None:
    """Line (from 1) of the value at a path of keys and indices, or of its nearest parent there is.

    Args:
        text: Valid JSON.
        path: Keys and indices from the root, such as ``('bodies', 0, 'mass')``.
    """
    found: dict[Path, int] = {}
    try:
        _walk(text, _skip(text, 0), (), path, found)
    except _Found:
        pass
    except (ValueError, IndexError):
        return None
    for length in range(len(path), -1, -1):
        if path[:length] in found:
            return text.count("\n", 0, found[path[:length]]) + 1
    return None


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _string(text: str, at: int) -> tuple[str, int]:
    return json.decoder.scanstring(text, at + 1)  # type: ignore[attr-defined]


class _Found(Exception):  # noqa: N818 - ends the search, no error
    pass


def _walk(text: str, at: int, here: Path, wanted: Path, found: dict[Path, int]) -> int:
    """Notes where values on the way to `wanted` begin; returns where the value at `at` ends."""
    if here == wanted[: len(here)]:
        found.setdefault(here, at)
        if here == wanted:
            raise _Found
    opening = text[at]
    if opening == '"':
        return _string(text, at)[1]
    if opening not in "{[":
        match = _SCALAR.match(text, at)
        return match.end() if match else at + 1
    at = _skip(text, at + 1)
    index = 0
    while text[at] not in "}]":
        key: str | int = index
        start = at
        if opening == "{":
            key, at = _string(text, at)
            at = _skip(text, at)
            at = _skip(text, at + 1)
            if (*here, key) == wanted[: len(here) + 1]:
                found.setdefault((*here, key), start)
        at = _skip(text, _walk(text, at, (*here, key), wanted, found))
        index += 1
        if text[at] == ",":
            at = _skip(text, at + 1)
    return at + 1


def key_text(path: Path) -> str:
    """A path as people write it: ``bodies[0].mass``."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text

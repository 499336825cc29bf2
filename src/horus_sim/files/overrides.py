"""Changes of a document as words of a command line: ``physics.timestep=0.002``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import yaml

from horus_sim.errors import HorusError
from horus_sim.files.document import Document, KeyPath
from horus_sim.files.yaml_loader import StrictLoader


def overridden(
    document: Document,
    changes: Mapping[str, Any] | Iterable[str],
    refuse: Callable[[str], HorusError],
    example: str,
) -> Document:
    """A document with some values replaced; mappings on the way are made where there are none.

    Args:
        document: What is changed; it stays as it is.
        changes: What to change, as ``{"physics.timestep": 0.002}`` or as words
            ``["physics.timestep=0.002"]`` with YAML as values; indices count from 0, as in
            ``robots.0.name``.
        refuse: Makes the error that is raised.
        example: A word that is right, for errors.

    Raises:
        HorusError: As `refuse` makes it; a word has no '=' or key, a value is not YAML, or a key
            leads into a value or to an item that a list lacks.
    """
    pairs = list(
        changes.items()
        if isinstance(changes, Mapping)
        else (_pair(word, refuse, example) for word in changes)
    )
    data = document.data
    for key, value in pairs:
        data = _put(data, key.split("."), value, (), refuse)
    replaced = [_path(key) for key, _ in pairs]

    def find_line(path: KeyPath) -> int | None:
        # The line of what was replaced would mislead.
        is_replaced = any(path[: len(at)] == at for at in replaced)
        return None if is_replaced else document.find_line(path)

    return Document(data, document.file, find_line)


def _pair(word: str, refuse: Callable[[str], HorusError], example: str) -> tuple[str, Any]:
    key, equals, text = word.partition("=")
    if not equals or not all(key.strip().split(".")):
        raise refuse(f"'{word}' is not a setting; write KEY=VALUE, such as {example}")
    try:
        return key.strip(), StrictLoader(text).get_single_data()
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        problem = f"'{word}': '{text}' is not a valid YAML value; put it in quotes"
        raise refuse(problem) from error


def _path(key: str) -> KeyPath:
    return tuple(int(part) if part.isdigit() else part for part in key.split("."))


def _put(
    at: Any,  # noqa: ANN401 - plain data
    parts: list[str],
    value: Any,  # noqa: ANN401 - plain data
    above: tuple[str, ...],
    refuse: Callable[[str], HorusError],
) -> Any:  # noqa: ANN401 - plain data
    """A copy of what is there with the value inside; aliases of YAML may share what is there."""
    if not parts:
        return value
    part, rest = parts[0], parts[1:]
    key = ".".join((*above, *parts))
    if isinstance(at, list):
        if not part.isdigit() or int(part) >= len(at):
            raise refuse(f"'{key}': '{part}' is not an index into a list of {len(at)} (from 0)")
        index = int(part)
        return [*at[:index], _put(at[index], rest, value, (*above, part), refuse), *at[index + 1 :]]
    if not isinstance(at, dict):
        raise refuse(f"'{key}': '{'.'.join(above)}' is a value already and holds no keys")
    return {**at, part: _put(at.get(part, {}), rest, value, (*above, part), refuse)}

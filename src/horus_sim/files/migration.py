"""Files in an older spelling, rewritten: keys get their new names; comments and layout stay.

`RENAMED` is the table: what a key was called, where it stands, and what takes its place.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from horus_sim.errors import HorusError
from horus_sim.files.document import read_document
from horus_sim.files.whole_file import write_whole
from horus_sim.files.yaml_loader import StrictLoader


@dataclass(frozen=True, slots=True)
class Renamed:
    """A key that has another name now.

    Attributes:
        inside: Keys of the mappings around it, the nearest last; indices of lists do not count.
        old: What it was called.
        new: What it is called now; ``pose.xyz`` is ``xyz`` in a mapping ``pose``.
        convert: Makes the new value of an old one; the value stays unless given.
        kind: The value of ``kind`` that stands beside it, where the rule needs one.
    """

    inside: tuple[str, ...]
    old: str
    new: str
    convert: Callable[[Any], Any] | None = None
    kind: str | None = None


def _degrees(angles: Any) -> Any:  # noqa: ANN401 - a number or a list of them
    if isinstance(angles, list):
        return [_degrees(angle) for angle in angles]
    return round(math.degrees(angles), 9)


RENAMED = (
    # Sensors of scenes.
    Renamed(("sensors",), "fov_horizontal_deg", "fov_deg"),
    Renamed(("sensors",), "field_of_view", "fov_deg", _degrees),
    Renamed(("sensors",), "sees_own", "ignore", lambda own: "nothing" if own else "robot"),
    Renamed(("sensors",), "xyz", "pose.xyz"),
    Renamed(("sensors",), "rpy", "pose.rpy_deg", _degrees),
    # Sensors of 2D robots.
    Renamed(("sensors", "params"), "max_range", "range_max"),
    Renamed(("sensors", "params"), "rate", "rate_hz"),
    # Tasks of reinforcement learning.
    Renamed((), "episode_seconds", "episode_duration"),
    Renamed((), "seconds", "delay", kind="latency"),
)


_ALIAS = re.compile(r"\s*:\s*(\*[^\s,\]}]+)")


def renamed_key(key: str, known: Collection[str]) -> str | None:
    """What a key of an earlier version is called now, if it stands among known ones."""
    for rule in RENAMED:
        if rule.old == key and rule.new.partition(".")[0] in known:
            return rule.new
    return None


class _Edit(NamedTuple):
    start: int
    end: int
    text: str


def migrate_text(text: str, *, is_json: bool) -> tuple[str, list[str]]:
    """A text with the present spelling of every key, and what was changed.

    Args:
        text: Valid YAML or JSON.
        is_json: Whether it is JSON, whose keys stand in quotes.
    """
    # JSON is YAML, except where it is indented with tabs.
    loader = StrictLoader(text.replace("\t", " ") if is_json else text)
    root = loader.get_single_node()
    edits: list[_Edit] = []
    changes: list[tuple[int, str]] = []
    for keys, mapping in _mappings(root, ()):
        nested: dict[str, dict[str, str]] = {}
        for rule, key, value in _found(keys, mapping):
            outer, _, inner = rule.new.partition(".")
            start, (begin, end) = key.start_mark.index, _span(text, key, value)
            written = text[begin:end]
            if rule.convert is not None or inner:
                held = loader.construct_object(value, deep=True)
                written = json.dumps(rule.convert(held) if rule.convert else held)
            changes.append((key.start_mark.line + 1, f"{rule.old} -> {rule.new}"))
            if inner:
                is_first = outer not in nested
                nested.setdefault(outer, {})[inner] = written
                edits.append(_Edit(start, end, outer) if is_first else _gone(text, start, end))
            else:
                edits.append(_Edit(start, end, f"{_key(outer, is_json)}: {written}"))
        for outer, parts in nested.items():
            whole = ", ".join(f"{_key(inner, is_json)}: {value}" for inner, value in parts.items())
            at = next(i for i, edit in enumerate(edits) if edit.text == outer)
            edits[at] = edits[at]._replace(text=f"{_key(outer, is_json)}: {{{whole}}}")
    for edit in sorted(edits, reverse=True):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text, [f"line {line}: {change}" for line, change in sorted(changes)]


def migrate_file(path: Path) -> list[str]:
    """Rewrites a YAML or JSON file in the present spelling, and says what was changed.

    Raises:
        HorusError: The file cannot be read or written, is neither, or must be changed by hand.
    """
    read_document(path, lambda problem: HorusError(str(problem)))
    old = path.read_text(encoding="utf-8")
    new, changes = migrate_text(old, is_json=path.suffix.lower() == ".json")
    if changes:
        _check(new, path, changes)
        write_whole(path, new, HorusError)
    return changes


def _check(text: str, path: Path, changes: list[str]) -> None:
    """Refuses a text that does not read, as where anchors cross what was renamed."""
    try:
        StrictLoader(text.replace("\t", " ")).get_single_data()
    except yaml.YAMLError as error:
        raise HorusError(
            f"{path} is left as it is: the renamed keys would not read; rename them by hand: "
            + ", ".join(changes)
        ) from error


def _mappings(
    node: yaml.Node | None, keys: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], yaml.MappingNode]]:
    """Every mapping with the keys around it; what an alias repeats comes once."""
    waiting: list[tuple[yaml.Node | None, tuple[str, ...]]] = [(node, keys)]
    seen: set[int] = set()
    while waiting:
        node, keys = waiting.pop()
        if node is None or id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, yaml.MappingNode):
            yield keys, node
            waiting += [(value, (*keys, str(key.value))) for key, value in node.value]
        elif isinstance(node, yaml.SequenceNode):
            waiting += [(value, keys) for value in node.value]


def _found(
    keys: tuple[str, ...], mapping: yaml.MappingNode
) -> Iterator[tuple[Renamed, yaml.Node, yaml.Node]]:
    kinds = [value.value for key, value in mapping.value if key.value == "kind"]
    for key, value in mapping.value:
        for rule in RENAMED:
            is_inside = keys[len(keys) - len(rule.inside) :] == rule.inside
            if key.value == rule.old and is_inside and rule.kind in (None, *kinds):
                yield rule, key, value


def _span(text: str, key: yaml.Node, value: yaml.Node) -> tuple[int, int]:
    """Where a value begins and ends."""
    alias = _ALIAS.match(text, key.end_mark.index)
    if alias is not None:
        # Its node is the one that it stands for, elsewhere.
        return alias.span(1)
    begin, end = value.start_mark.index, value.end_mark.index
    # A block reaches over what follows it.
    return begin, begin + len(text[begin:end].rstrip())


def _gone(text: str, start: int, end: int) -> _Edit:
    """Takes a key and its value out, with the comma or the line break before them."""
    before = text[:start].rstrip()
    if before.endswith(","):
        return _Edit(len(before) - 1, end, "")
    if "\n" in text[len(before) : start]:
        return _Edit(text.rindex("\n", 0, start), end, "")
    return _Edit(start, end + len(text[end:]) - len(text[end:].lstrip(", ")), "")


def _key(name: str, is_json: bool) -> str:  # noqa: FBT001 - of a private function
    return json.dumps(name) if is_json else name

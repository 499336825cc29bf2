"""YAML and JSON as plain data, with the line of every key; nothing in a file can run or explode."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from horus_sim.errors import SceneError
from horus_sim.files.yaml_reading import MOST_VALUES, BoundedLoader

KeyPath = tuple[str | int, ...]
_MOST_BYTES = 16 * 1024 * 1024
_DEEPEST = 40


def read_text(path: Path) -> str:
    """The text of a scene file.

    Raises:
        SceneError: It cannot be read, is too large or no UTF-8.
    """
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise SceneError(f"{path}: larger than {_MOST_BYTES >> 20} MB; a scene is small text")
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise SceneError(f"{path}: no UTF-8 text ({error.reason}); save it as UTF-8") from error
    except (OSError, ValueError) as error:
        raise SceneError(f"{path}: cannot be read ({error})") from error


def parse(text: str, name: str) -> tuple[Any, dict[KeyPath, int]]:
    """The data of a document and the line of each key.

    Args:
        text: YAML, or JSON, which is YAML too.
        name: The file, for errors.

    Raises:
        SceneError: It is no YAML, has a key twice, is nested too deep or expands to too much.
    """
    try:
        node = yaml.compose(text, Loader=BoundedLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        line = f":{mark.line + 1}" if mark is not None else ""
        raise SceneError(f"{name}{line}: no valid YAML: {error.problem}") from error
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        cause = "nested too deep" if isinstance(error, RecursionError) else str(error)
        raise SceneError(f"{name}: no valid YAML: {cause}") from error
    if node is None:
        return {}, {}
    return _Converter(name).convert(node)


class _Converter:
    """Turns nodes into data; aliases are followed, as long as the whole stays small."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.lines: dict[KeyPath, int] = {}
        self.count = 0
        self.scalars = yaml.constructor.SafeConstructor()

    def convert(self, node: yaml.Node) -> tuple[Any, dict[KeyPath, int]]:
        return self._value(node, ()), self.lines

    def _fail(self, node: yaml.Node, text: str) -> SceneError:
        return SceneError(f"{self.name}:{node.start_mark.line + 1}: {text}")

    def _value(self, node: yaml.Node, path: KeyPath) -> Any:  # noqa: ANN401 - any plain data
        self.count += 1
        if self.count > MOST_VALUES:
            raise self._fail(node, f"more than {MOST_VALUES} values; write fewer or use 'include'")
        if len(path) > _DEEPEST:
            raise self._fail(node, f"nested deeper than {_DEEPEST} levels")
        self.lines[path] = node.start_mark.line + 1
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, path)
        if isinstance(node, yaml.SequenceNode):
            return [self._value(child, (*path, i)) for i, child in enumerate(node.value)]
        try:
            return self.scalars.construct_object(node)
        except (yaml.YAMLError, ValueError, OverflowError) as error:
            raise self._fail(node, f"'{str(node.value)[:40]}' is no plain value") from error

    def _mapping(self, node: yaml.MappingNode, path: KeyPath) -> dict[str, Any]:
        data: dict[str, Any] = {}
        merged: dict[str, Any] = {}
        for key_node, value_node in node.value:
            if key_node.tag == "tag:yaml.org,2002:merge":
                for part in self._merged(value_node, path):
                    merged = part | merged
                continue
            if not isinstance(key_node, yaml.ScalarNode):
                raise self._fail(key_node, "a key must be plain text")
            key = str(key_node.value)
            if key in data:
                raise self._fail(key_node, f"the key '{key[:80]}' is there twice")
            data[key] = self._value(value_node, (*path, key))
            self.lines[(*path, key)] = key_node.start_mark.line + 1
        return merged | data

    def _merged(self, node: yaml.Node, path: KeyPath) -> list[dict[str, Any]]:
        parts = node.value if isinstance(node, yaml.SequenceNode) else [node]
        found = []
        for part in parts:
            value = self._value(part, (*path, "<<"))
            if not isinstance(value, dict):
                raise self._fail(part, "'<<' takes a mapping")
            found.append(value)
        return found

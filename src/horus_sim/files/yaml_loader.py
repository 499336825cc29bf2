"""PyYAML's safe loader made strict, and the lines of the keys in a YAML text."""

from __future__ import annotations

import re
from typing import Any, NoReturn

import yaml
from yaml.composer import ComposerError

DEEPEST = 60
"""Most lists and mappings inside each other."""
MOST_VALUES = 300_000
"""Most values of a file, counting those that aliases repeat each time."""
_MERGE = "tag:yaml.org,2002:merge"
_TEXT = "tag:yaml.org,2002:str"


class StrictLoader(yaml.SafeLoader):
    """PyYAML's safe loader with bounds, where keys are text and a repeated key is an error."""

    def __init__(self, stream: Any) -> None:  # noqa: ANN401 - PyYAML's signature
        super().__init__(stream)
        self._depth = 0
        self._sizes: dict[yaml.Node, int] = {}
        self._count = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:  # noqa: ANN401 - PyYAML's signature
        """As PyYAML's, with bounds on depth and number of values."""
        event = self.peek_event()
        if self._depth >= DEEPEST:
            self._refuse(event, f"lists or mappings are nested deeper than {DEEPEST} levels")
        before = self._count
        self._depth += 1
        node = super().compose_node(parent, index)
        self._depth -= 1
        if isinstance(event, yaml.AliasEvent) and node is not None:
            if node not in self._sizes:
                self._refuse(event, f"'*{event.anchor}' is inside of what it stands for")
            self._count += self._sizes[node]
        else:
            self._count += 1
        if self._count > MOST_VALUES:
            self._refuse(event, f"there are more than {MOST_VALUES} values")
        if node is not None:
            self._sizes[node] = self._count - before
        return node

    def compose_mapping_node(self, anchor: Any) -> yaml.MappingNode:  # noqa: ANN401 - PyYAML's signature
        """As PyYAML's, except that keys are the text that the file has, each one once."""
        node = super().compose_mapping_node(anchor)
        seen: set[str] = set()
        pairs = []
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                self._refuse(key, "a key must be plain text")
            if key.tag != _MERGE:
                if key.value in seen:
                    self._refuse(key, f"the key '{key.value[:80]}' is there twice")
                seen.add(key.value)
                key = yaml.ScalarNode(_TEXT, key.value, key.start_mark, key.end_mark)  # noqa: PLW2901
            pairs.append((key, value))
        node.value = pairs
        return node

    def _refuse(self, at: yaml.Event | yaml.Node, problem: str) -> NoReturn:
        raise ComposerError(None, None, problem, at.start_mark)


# PyYAML follows YAML 1.1, where 1e-3 without a dot is text.
StrictLoader.add_implicit_resolver(
    "tag:yaml.org,2002:float", re.compile(r"^[-+]?[0-9]+[eE][-+]?[0-9]+$"), list("-+0123456789")
)


def yaml_line(text: str, path: tuple[str | int, ...]) -> int:
    """Line, from 1, of the key at a path, or of the nearest thing around it.

    Args:
        text: YAML that `StrictLoader` reads.
        path: Keys and indices from the root, such as ``('robots', 0, 'name')``.
    """
    node = yaml.compose(text, Loader=StrictLoader)
    line = node.start_mark.line if node is not None else 0
    for part in path:
        found = _item(node, part)
        if found is None:
            break
        line, node = found
    return line + 1


def _item(node: yaml.Node | None, part: str | int) -> tuple[int, yaml.Node] | None:
    """Line from 0, and value, of one item of a list or a mapping."""
    if isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
        return node.value[part].start_mark.line, node.value[part]
    if not isinstance(node, yaml.MappingNode):
        return None
    for key, value in node.value:
        if key.tag != _MERGE and key.value == part:
            return key.start_mark.line, value
    for key, value in node.value:
        sources = value.value if isinstance(value, yaml.SequenceNode) else [value]
        for source in sources if key.tag == _MERGE else ():
            found = _item(source, part)
            if found is not None:
                return found
    return None

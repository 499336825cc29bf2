"""YAML files from users: read strictly, with errors that name the line."""

from __future__ import annotations

import re
from collections.abc import Hashable
from typing import TYPE_CHECKING, Any, NoReturn

import yaml
from yaml.composer import ComposerError

if TYPE_CHECKING:
    from pathlib import Path

    from horus_sim.errors import HorusError


DEEPEST = 60
"""Lists and mappings inside each other."""
MOST_VALUES = 300_000
"""Values of a file, those that aliases repeat counted each time."""


class BoundedLoader(yaml.SafeLoader):
    """PyYAML's safe loader, except that depth and number of values are bounded."""

    def __init__(self, stream: Any) -> None:  # noqa: ANN401 - PyYAML's signature
        super().__init__(stream)
        self._depth = 0
        self._sizes: dict[yaml.Node, int] = {}
        self._count = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:  # noqa: ANN401 - PyYAML's signature
        """As PyYAML's."""
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

    def _refuse(self, event: yaml.Event, problem: str) -> NoReturn:
        raise ComposerError(None, None, problem, event.start_mark)


class _UniqueKeyLoader(BoundedLoader):
    """The same, except that a repeated key is an error and not a silent overwrite."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:  # noqa: FBT001, FBT002 - PyYAML's signature
        seen: set[str] = set()
        for key_node, _ in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                continue
            if key_node.value in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"'{key_node.value}' is defined twice", key_node.start_mark
                )
            seen.add(key_node.value)
        return super().construct_mapping(node, deep=deep)


# PyYAML follows YAML 1.1, where 1e-3 without a dot is text.
_UniqueKeyLoader.add_implicit_resolver(
    "tag:yaml.org,2002:float", re.compile(r"^[-+]?[0-9]+[eE][-+]?[0-9]+$"), list("-+0123456789")
)


def read_yaml(path: Path, error_type: type[HorusError], where_else: str = "check it") -> object:
    """The content of a YAML file: mappings, lists, text and numbers.

    Args:
        path: The file, UTF-8.
        error_type: Raised where the file cannot be read or is not YAML.
        where_else: What to do about a file that cannot be read.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise error_type(f"'{path}' cannot be read: {error.strerror}; {where_else}.") from error
    except UnicodeDecodeError as error:
        raise error_type(f"'{path}' is not UTF-8 text; save it as such.") from error
    try:
        return _UniqueKeyLoader(text).get_single_data()
    except yaml.MarkedYAMLError as error:
        line = f", line {error.problem_mark.line + 1}" if error.problem_mark else ""
        raise error_type(f"'{path}'{line}: {error.problem}; correct the YAML.") from error
    except yaml.YAMLError as error:
        reason = " ".join(str(error).split())
        raise error_type(f"'{path}' is not YAML: {reason}; correct it.") from error
    except RecursionError as error:
        raise error_type(
            f"'{path}' nests lists or mappings too deeply; look for brackets that are not closed."
        ) from error
    except ValueError as error:
        # A date that does not exist, or an integer of thousands of digits.
        raise error_type(f"'{path}' has a value that YAML cannot hold: {error}; correct it.") from (
            error
        )

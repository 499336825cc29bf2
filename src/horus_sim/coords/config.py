"""Files in which users describe their own conventions (YAML)."""

from __future__ import annotations

from collections.abc import Hashable
from pathlib import Path
from typing import Any

import yaml

from horus_sim.errors import ConventionError

_SHAPE = (
    "write either name, right, forward, up and unit at the top, "
    "or 'conventions:' with a block of right, forward, up and unit under each name"
)


class _UniqueKeyLoader(yaml.SafeLoader):
    """PyYAML's safe loader, except that a repeated key is an error and not a silent overwrite."""

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


def read_convention_fields(path: str | Path) -> dict[str, dict[str, object]]:
    """Read the fields of every convention in a file, without judging their values.

    Args:
        path: A YAML file: one convention at the top level, or several under ``conventions:``.

    Returns:
        For each convention, by name, its fields other than the name.

    Raises:
        ConventionError: The file cannot be read, is not YAML, or has another layout.
    """
    content = _read_yaml(Path(path))
    if not isinstance(content, dict):
        raise ConventionError(f"'{path}' holds no mapping; {_SHAPE}.")
    if "conventions" not in content:
        fields = dict(content)
        name = fields.pop("name", None)
        if not isinstance(name, str):
            raise ConventionError(f"'{path}' names no convention; {_SHAPE}.")
        return {name: fields}

    blocks = content["conventions"]
    stray = [key for key in content if key != "conventions"]
    if stray:
        raise ConventionError(f"'{path}' has '{stray[0]}' beside 'conventions'; {_SHAPE}.")
    if not isinstance(blocks, dict) or not blocks:
        raise ConventionError(f"'{path}' has nothing by name under 'conventions'; {_SHAPE}.")
    for name, fields in blocks.items():
        if not isinstance(name, str):
            raise ConventionError(
                f"'{path}' names a convention {name!r}, which YAML does not read as text; quote it."
            )
        if not isinstance(fields, dict):
            raise ConventionError(f"'{path}' gives convention '{name}' no fields; {_SHAPE}.")
        if "name" in fields:
            raise ConventionError(
                f"'{path}' names convention '{name}' twice; remove 'name' from inside its block."
            )
    return blocks


def _read_yaml(path: Path) -> object:
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ConventionError(f"'{path}' cannot be read: {error.strerror}; check it.") from error
    except UnicodeDecodeError as error:
        raise ConventionError(f"'{path}' is not UTF-8 text; save it as such.") from error
    try:
        return _UniqueKeyLoader(text).get_single_data()
    except yaml.MarkedYAMLError as error:
        line = f", line {error.problem_mark.line + 1}" if error.problem_mark else ""
        raise ConventionError(f"'{path}'{line}: {error.problem}; correct the YAML.") from error
    except yaml.YAMLError as error:
        reason = " ".join(str(error).split())
        raise ConventionError(f"'{path}' is not YAML: {reason}; correct it.") from error

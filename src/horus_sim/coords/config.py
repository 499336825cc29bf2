"""Files in which users describe their own conventions (YAML)."""

from __future__ import annotations

from pathlib import Path

from horus_sim.errors import ConventionError
from horus_sim.files.yaml_reading import read_yaml

_SHAPE = (
    "write either name, right, forward, up and unit at the top, "
    "or 'conventions:' with a block of right, forward, up and unit under each name"
)


def read_convention_fields(path: str | Path) -> dict[str, dict[str, object]]:
    """Read the fields of every convention in a file, without judging their values.

    Args:
        path: A YAML file: one convention at the top level, or several under ``conventions:``.

    Returns:
        For each convention, by name, its fields other than the name.

    Raises:
        ConventionError: The file cannot be read, is not YAML, or has another layout.
    """
    content = read_yaml(Path(path), ConventionError)
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

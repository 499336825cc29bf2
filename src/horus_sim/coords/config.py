"""Files in which users describe their own conventions (YAML)."""

from __future__ import annotations

from pathlib import Path

from horus_sim.errors import ConventionError
from horus_sim.files.document import read_document

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
    document = read_document(Path(path), ConventionError)
    content = document.data
    if not isinstance(content, dict):
        raise ConventionError(document.problem((), f"this is not a mapping; {_SHAPE}"))
    if "conventions" not in content:
        fields = dict(content)
        name = fields.pop("name", None)
        if not isinstance(name, str):
            raise ConventionError(document.problem((), f"the convention has no name; {_SHAPE}"))
        return {name: fields}

    blocks = content["conventions"]
    stray = [key for key in content if key != "conventions"]
    if stray:
        text = f"there is '{stray[0]}' beside 'conventions'; {_SHAPE}"
        raise ConventionError(document.problem((stray[0],), text))
    if not isinstance(blocks, dict) or not blocks:
        text = f"there is nothing by name under it; {_SHAPE}"
        raise ConventionError(document.problem(("conventions",), text))
    for name, fields in blocks.items():
        at = ("conventions", name)
        if not isinstance(fields, dict):
            raise ConventionError(document.problem(at, f"it has no fields; {_SHAPE}"))
        if "name" in fields:
            text = f"convention '{name}' is named twice; remove 'name' from inside its block"
            raise ConventionError(document.problem((*at, "name"), text))
    return blocks

"""Arms from YAML files, with errors that name the key and the remedy."""

from __future__ import annotations

import dataclasses
import difflib
import types
from collections.abc import Hashable
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args, get_origin

import yaml
from pydantic import BaseModel, ValidationError

from horus_sim.arm.file_schema import ArmFile
from horus_sim.assets import asset_names, asset_path
from horus_sim.errors import ArmFileError, AssetError

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

    from horus_sim.arm.description import ArmDescription

_KIND = "arms"
_SUFFIXES = (".yaml",)


def shipped_arms() -> tuple[str, ...]:
    """Names of the arms that come with the package."""
    return asset_names(_KIND, _SUFFIXES)


def read_arm(name_or_path: str | Path) -> ArmDescription:
    """Read a shipped arm by name, or a file.

    Args:
        name_or_path: Such as 'ur5e', or a path with a suffix or a separator.

    Raises:
        ArmFileError: There is no such arm or file, or the file does not describe an arm.
    """
    path = Path(name_or_path)
    if path.suffix == ".urdf":
        raise ArmFileError(f"'{path}' is a URDF file; read it with Arm.from_urdf.")
    if path.suffix == "" and path.parent == Path() and not path.is_file():
        try:
            path = asset_path(_KIND, str(name_or_path), _SUFFIXES)
        except AssetError as error:
            raise ArmFileError(f"{error}; or give the path of a .yaml file.") from error
    description = parse_arm(_read_yaml(path), path)
    return dataclasses.replace(description, path=path)


def parse_arm(content: object, path: str | Path = "arm") -> ArmDescription:
    """The arm that the content of a file describes.

    Args:
        content: What YAML reads: mappings, lists and numbers.
        path: Name of the file, for errors.
    """
    if not isinstance(content, dict):
        raise ArmFileError(f"'{path}' holds no mapping; begin it with 'robot:' and its 'joints:'.")
    try:
        return ArmFile.model_validate(content).build(Path(path).stem)
    except ValidationError as error:
        # A tuple that lost its wrong items is also called too short.
        details = [d for d in error.errors() if d["type"] != "too_short"] or error.errors()
        more = f" ({len(details) - 1} more)" if len(details) > 1 else ""
        raise ArmFileError(f"'{path}': {_explain(details[0], content)}{more}") from error


def _explain(detail: ErrorDetails, content: dict[Any, Any]) -> str:
    loc = detail["loc"]
    where, key = _place(loc, content), loc[-1] if loc else ""
    parent = _place(loc[:-1], content) or "the file"
    match detail["type"]:
        case "missing":
            return f"{parent} has no '{key}'; add it."
        case "extra_forbidden":
            known = _keys_at(loc[:-1])
            close = difflib.get_close_matches(str(key), known, n=1, cutoff=0.5)
            hint = f"did you mean '{close[0]}'?" if close else f"it knows {', '.join(known)}."
            return f"{parent} has an unknown key '{key}'; {hint}"
        case "value_error":
            return f"{where or 'the file'}: {detail['msg'].removeprefix('Value error, ')}."
        case "literal_error":
            expected = detail.get("ctx", {}).get("expected", "")
            return f"{where} is {detail['input']!r}; write {expected}."
        case "too_short":
            return f"{where} is empty; describe at least one joint."
        case "float_parsing" | "float_type" | "int_parsing" | "int_type":
            return f"{where} is {detail['input']!r}, not a number; write one, such as 0.5."
        case "greater_than" | "greater_than_equal":
            message = detail["msg"].removeprefix("Input should be ")
            return f"{where} is {detail['input']!r}; it must be {message}."
        case _:
            return f"{where} is {str(detail['input'])[:80]!r}: {detail['msg']}; correct it."


def _place(loc: tuple[int | str, ...], content: Any) -> str:  # noqa: ANN401 - what YAML reads
    """Such as ``robot.joints[2] ('joint_3').alpha_rad``."""
    text = ""
    for part in loc:
        try:
            content = content[part]
        except (KeyError, IndexError, TypeError):
            content = None
        if isinstance(part, int):
            text += f"[{part}]"
            name = content.get("name") if isinstance(content, dict) else None
            text += f" ('{name}')" if isinstance(name, str) else ""
        else:
            text += f".{part}" if text else str(part)
    return text


def _keys_at(loc: tuple[int | str, ...]) -> list[str]:
    """The keys that the schema knows at a place."""
    model: type[BaseModel] = ArmFile
    for part in loc:
        if isinstance(part, str) and part in model.model_fields:
            model = _model_in(model.model_fields[part].annotation) or model
    return list(model.model_fields)


def _model_in(annotation: Any) -> type[BaseModel] | None:  # noqa: ANN401 - any annotation
    if isinstance(annotation, type) and not isinstance(annotation, types.GenericAlias):
        return annotation if issubclass(annotation, BaseModel) else None
    if get_origin(annotation) is None:
        return None
    return next(filter(None, map(_model_in, get_args(annotation))), None)


class _UniqueKeyLoader(yaml.SafeLoader):
    """PyYAML's safe loader, except that a repeated key is an error and not a silent overwrite."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:  # noqa: FBT001, FBT002 - PyYAML's signature
        seen: set[str] = set()
        for key_node, _ in node.value:
            if isinstance(key_node, yaml.ScalarNode):
                if key_node.value in seen:
                    raise yaml.constructor.ConstructorError(
                        None, None, f"'{key_node.value}' is defined twice", key_node.start_mark
                    )
                seen.add(key_node.value)
        return super().construct_mapping(node, deep=deep)


def _read_yaml(path: Path) -> object:
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ArmFileError(
            f"'{path}' cannot be read: {error.strerror}; check the path, or use a shipped arm: "
            f"{', '.join(shipped_arms())}."
        ) from error
    except UnicodeDecodeError as error:
        raise ArmFileError(f"'{path}' is not UTF-8 text; save it as such.") from error
    try:
        return _UniqueKeyLoader(text).get_single_data()
    except yaml.MarkedYAMLError as error:
        line = f", line {error.problem_mark.line + 1}" if error.problem_mark else ""
        raise ArmFileError(f"'{path}'{line}: {error.problem}; correct the YAML.") from error
    except yaml.YAMLError as error:
        reason = " ".join(str(error).split())
        raise ArmFileError(f"'{path}' is not YAML: {reason}; correct it.") from error

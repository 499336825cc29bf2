"""Arms from YAML files, with errors that name the key and the remedy."""

from __future__ import annotations

import dataclasses
import difflib
import types
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args, get_origin

from pydantic import BaseModel, ValidationError

from horus_sim.arm.checks import MAX_DOF
from horus_sim.arm.file_schema import ArmFile
from horus_sim.assets import asset_names, asset_path
from horus_sim.errors import ArmFileError, AssetError
from horus_sim.files.yaml_reading import read_yaml

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

    from horus_sim.arm.description import ArmDescription

_KIND = "arms"
_SUFFIXES = (".yaml",)
_RESEMBLES = 0.65


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
    shipped = f"check the path, or use a shipped arm: {', '.join(shipped_arms())}"
    description = parse_arm(read_yaml(path, ArmFileError, shipped), path)
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
        details = _worth_telling(error.errors())
        more = f" ({len(details) - 1} more)" if len(details) > 1 else ""
        raise ArmFileError(f"'{path}': {_explain(details[0], content)}{more}") from error


def _worth_telling(details: list[ErrorDetails]) -> list[ErrorDetails]:
    """The mistakes without those that follow from another one."""
    # A tuple that lost its wrong items is also called too short.
    kept = [d for d in details if d["type"] != "too_short"] or details
    # A misspelt key is unknown, and the right one is missing: that is one mistake.
    missing = {d["loc"]: d for d in kept if d["type"] == "missing"}
    misspelt = []
    for unknown in [d for d in kept if d["type"] == "extra_forbidden"]:
        absent = [key for key in _meant(unknown["loc"]) if (*unknown["loc"][:-1], key) in missing]
        if absent:
            kept.remove(missing.pop((*unknown["loc"][:-1], absent[0])))
            kept.remove(unknown)
            misspelt.append(unknown)
    return misspelt + kept


def _meant(loc: tuple[int | str, ...]) -> list[str]:
    """Keys that an unknown one resembles, the best first."""
    return difflib.get_close_matches(str(loc[-1]), _keys_at(loc[:-1]), n=3, cutoff=_RESEMBLES)


def _explain(detail: ErrorDetails, content: dict[Any, Any]) -> str:
    loc, value = detail["loc"], detail["input"]
    where, key = _place(loc, content) or "the file", loc[-1] if loc else ""
    parent = _place(loc[:-1], content) or "the file"
    shown = str(value)[:80] if isinstance(value, float | int) else repr(value)[:80]
    context = detail.get("ctx", {})
    match detail["type"]:
        case "missing" if isinstance(key, int):
            return f"{parent} has {key} numbers; write three, such as [0, 0, 0]."
        case "missing":
            return f"{parent} has no '{key}'; add it."
        case "extra_forbidden":
            meant = _meant(loc)
            known = ", ".join(_keys_at(loc[:-1]))
            hint = f"did you mean '{meant[0]}'?" if meant else f"it knows {known}."
            return f"{parent} has an unknown key '{key}'; {hint}"
        case "value_error":
            return f"{where}: {detail['msg'].removeprefix('Value error, ')}."
        case "literal_error":
            return f"{where} is {shown}; write {context.get('expected', '')}."
        case "too_short":
            return f"{where} is empty; describe at least one joint."
        case "too_long" if key == "joints":
            return f"{where} has more than {MAX_DOF} joints; an arm has 1 to {MAX_DOF}."
        case "too_long":
            return f"{where} has more than three numbers; write three, such as [0, 0, 0]."
        case "tuple_type" if key == "joints":
            return f"{where} is {shown}; write a list of joints, each beginning with '- name:'."
        case "tuple_type":
            return f"{where} is {shown}; write three numbers, such as [0, 0, 0]."
        case "model_type" | "model_attributes_type" | "dict_type":
            known = ", ".join(_keys_at(loc)[:4])
            return f"{where} is {shown}; write keys and values there, such as {known}."
        case "string_type":
            return f"{where} is {shown}, not text; put it in quotes."
        case "string_too_short":
            return f"{where} is empty; give it a name."
        case "float_type" | "int_type":
            return f"{where} is {shown}, not {_kind_of_number(detail)}."
        case "finite_number":
            return f"{where} is {shown}; every number must be finite: correct it."
        case "greater_than" | "greater_than_equal" | "less_than" | "less_than_equal":
            message = detail["msg"].removeprefix("Input should be ")
            return f"{where} is {shown}; it must be {message}."
        case _:
            return f"{where} is {shown}: {detail['msg']}; correct it."


def _kind_of_number(detail: ErrorDetails) -> str:
    text = "a whole number" if detail["type"] == "int_type" else "a number"
    example = "100" if detail["type"] == "int_type" else "0.5"
    quoted = ", without quotes" if isinstance(detail["input"], str) else ""
    return f"{text}; write one, such as {example}{quoted}"


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

"""What pydantic found wrong with data of a user, told with place, cause and remedy."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from types import UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, cast, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from horus_sim.files.document import Document, KeyPath, Problem, Refusal
from horus_sim.files.migration import renamed_key
from horus_sim.files.names import close_names, did_you_mean

_MOST_SHOWN = 5
_MOST_KEYS = 4
_NUMBERS = ("float_type", "float_parsing", "int_type", "int_parsing", "int_from_float")
_BOUNDS = ("greater_than", "greater_than_equal", "less_than", "less_than_equal")
_UNKNOWN_KEYS = ("extra_forbidden", "unknown_key")
M = TypeVar("M", bound=BaseModel)


def checked(kind: type[M], document: Document, refuse: Refusal) -> M:
    """The data of a document as a model.

    Args:
        kind: Class of the model.
        document: What the user wrote.
        refuse: Makes the error that is raised.

    Raises:
        HorusError: As `refuse` makes it; a key or value does not fit. Up to five problems are told.
    """
    try:
        return kind.model_validate(document.data)
    except ValidationError as error:
        raise refuse(explain(error, kind, document)) from None
    except RecursionError as error:
        raise refuse(document.problem((), "the data is nested too deeply")) from error


def explain(
    error: ValidationError, kind: type[BaseModel], document: Document, inside: KeyPath = ()
) -> Problem:
    """The problems that pydantic found; up to five are told, the first one with the others.

    Args:
        error: What pydantic raised.
        kind: The class that it checked.
        document: What the user wrote.
        inside: Where in the document the data stands that was checked.
    """
    data = document.data
    for part in inside:
        data = data[part]
    details = _worth_telling(error.errors(include_url=False), kind)
    problems = []
    for detail in details[:_MOST_SHOWN]:
        path, text = _explain_one(detail, kind, data)
        problems.append(document.problem((*inside, *path), text))
    left_out = len(details) - len(problems)
    return dataclasses.replace(problems[0], others=tuple(problems[1:]), left_out=left_out)


def _worth_telling(details: list[ErrorDetails], kind: type[BaseModel]) -> list[ErrorDetails]:
    """The mistakes without those that follow from another one."""
    # A tuple that lost its wrong items is also called too short.
    kept = [d for d in details if d["type"] != "too_short"] or details
    # A misspelt key is unknown, and the right one is missing: that is one mistake.
    missing = {d["loc"]: d for d in kept if d["type"] == "missing"}
    misspelt = []
    for unknown in [d for d in kept if d["type"] == "extra_forbidden"]:
        around = unknown["loc"][:-1]
        meant = close_names(str(unknown["loc"][-1]), _keys(_annotation_at(kind, around)))
        absent = [key for key in meant if (*around, key) in missing]
        if absent:
            kept.remove(missing.pop((*around, absent[0])))
            kept.remove(unknown)
            misspelt.append(unknown)
    return misspelt + kept


def _explain_one(detail: ErrorDetails, kind: type[BaseModel], data: object) -> tuple[KeyPath, str]:
    """Where one mistake is in the data, and what it is."""
    sort, loc, given = detail["type"], detail["loc"], detail["input"]
    context = detail.get("ctx", {})
    path = _path_in(data, loc)
    place = _annotation_at(kind, loc)
    match sort:
        case "missing" if isinstance(loc[-1], int):
            return (
                path,
                f"it has {len(given)} values; {_write_list(_annotation_at(kind, loc[:-1]))}",
            )
        case "missing":
            return (*path, loc[-1]), "this key is required; add it"
        case "extra_forbidden":
            return path, _unknown_key(str(loc[-1]), _keys(_annotation_at(kind, loc[:-1])))
        case "unknown_key":
            return (*path, str(context["key"])), _unknown_key(str(context["key"]), _keys(place))
        case "union_tag_invalid" | "union_tag_not_found":
            name = str(context["discriminator"]).strip("'")
            known = _tags(place, name)
            if sort == "union_tag_not_found":
                return path, f"it has no '{name}'; give one of {', '.join(known)}"
            hint = did_you_mean(context["tag"], known)
            return (*path, name), f"no {name} is called '{context['tag']}'; {hint}"
        case "model_type" | "model_attributes_type" | "dict_type":
            such = ", ".join(_keys(place)[:_MOST_KEYS])
            example = f", such as {such}" if such else ""
            return path, f"it is {_shown(given)}; write keys and values there{example}"
        case "tuple_type" | "list_type":
            return path, f"it is {_shown(given)}; {_write_list(place)}"
        case "too_long" if _length(place):
            return path, f"it has more than {_length(place)} values; {_write_list(place)}"
        case _:
            return path, _about_value(detail)


def _about_value(detail: ErrorDetails) -> str:
    """What is wrong with a single value."""
    sort, given = detail["type"], detail["input"]
    shown = _shown(given)
    context = detail.get("ctx", {})
    message = detail["msg"].removeprefix("Value error, ").removeprefix("Assertion failed, ")
    match sort:
        case "value_error" | "assertion_error":
            return message
        case "literal_error" | "enum":
            return f"it is {shown}; write {context.get('expected', '')}"
        case "too_long" | "too_short" | "string_too_short" if not given:
            return "it is empty; write at least one"
        case "too_long":
            return f"it has more than {context['max_length']} items; write fewer"
        case "too_short":
            return f"it has {len(given)} items; write at least {context['min_length']}"
        case "string_type":
            return f"it is {shown}, not text; put it in quotes"
        case "bool_type" | "bool_parsing":
            return f"it is {shown}, not a truth value; write true or false"
        case "finite_number":
            return f"it is {shown}; every number must be finite: correct it"
        case _ if sort in _NUMBERS:
            what, such = ("whole number", "100") if "int" in sort else ("number", "0.5")
            quoted = ", without quotes" if _is_number(given) else ""
            return f"it is {shown}, not a {what}; write one, such as {such}{quoted}"
        case _ if sort in _BOUNDS:
            return f"it is {shown}; it must be {message.removeprefix('Input should be ')}"
        case _:
            return f"{message[0].lower()}{message[1:]}, got {shown}"


def _is_number(text: object) -> bool:
    try:
        float(cast(Any, text))
    except (TypeError, ValueError):
        return False
    return isinstance(text, str)


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _unknown_key(key: str, known: Sequence[str]) -> str:
    if not close_names(key, known) and (new := renamed_key(key, known)):
        return f"the key '{key}' is called '{new}' now; run: horus-sim migrate FILE"
    return f"unknown key '{key}'; {did_you_mean(key, known, most=1)}"


def _write_list(place: Any) -> str:  # noqa: ANN401 - any annotation
    length = _length(place)
    if length is None:
        return "write a list"
    return f"write {length} values, such as [{', '.join(['0'] * length)}]"


def _path_in(data: Any, loc: Sequence[str | int]) -> KeyPath:  # noqa: ANN401 - plain data
    """The keys that lead to a place; tags of unions are in pydantic's path but not in the data."""
    path: KeyPath = ()
    at: Any = data
    for part in loc:
        is_index = isinstance(at, list | tuple) and isinstance(part, int) and part < len(at)
        if is_index or (isinstance(at, Mapping) and part in at):
            at = cast(Any, at)[part]
            path = (*path, part)
    return path


def _annotation_at(kind: Any, loc: Sequence[str | int]) -> Any:  # noqa: ANN401 - any annotation
    """What the value at a place should be, or None where that is not known."""
    here = _plain(kind)
    for part in loc:
        options = _options(here)
        if options:
            here = next((option for option in options if _is_called(option, part)), None)
        else:
            here = _inside(here, part)
        here = _plain(here)
    return here


def _plain(kind: Any) -> Any:  # noqa: ANN401 - any annotation
    """A type without what annotates it, and without None."""
    while get_origin(kind) is Annotated:
        kind = get_args(kind)[0]
    options = [option for option in _options(kind) if option is not type(None)]
    return _plain(options[0]) if len(options) == 1 else kind


def _options(kind: Any) -> tuple[Any, ...]:  # noqa: ANN401 - any annotation
    return get_args(kind) if get_origin(kind) in (Union, UnionType) else ()


def _is_model(kind: Any) -> bool:  # noqa: ANN401 - any annotation
    return isinstance(kind, type) and issubclass(kind, BaseModel)


def _keys(kind: Any) -> list[str]:  # noqa: ANN401 - any annotation
    return list(kind.model_fields) if _is_model(kind) else []


def _length(kind: Any) -> int | None:  # noqa: ANN401 - any annotation
    """How many values a tuple of a fixed length has."""
    arguments = get_args(kind)
    is_fixed = get_origin(kind) is tuple and Ellipsis not in arguments
    return len(arguments) if is_fixed else None


def _inside(kind: Any, part: str | int) -> Any:  # noqa: ANN401 - any annotation
    if _is_model(kind):
        field = kind.model_fields.get(part)
        return None if field is None else field.annotation
    arguments = get_args(kind)
    if not arguments:
        return None
    origin = get_origin(kind)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return arguments[1]
    is_fixed = _length(kind) is not None and isinstance(part, int) and part < len(arguments)
    return arguments[cast(int, part) if is_fixed else 0]


def _is_called(option: Any, part: str | int) -> bool:  # noqa: ANN401 - any annotation
    if not _is_model(option):
        return False
    return part == option.__name__ or any(part in _literals(option, k) for k in option.model_fields)


def _tags(kind: Any, name: str) -> tuple[str, ...]:  # noqa: ANN401 - any annotation
    """The values of the key that tells the classes of a union apart."""
    return tuple(tag for option in _options(kind) for tag in _literals(_plain(option), name))


def _literals(option: Any, name: str) -> tuple[Any, ...]:  # noqa: ANN401 - any annotation
    field = option.model_fields.get(name) if _is_model(option) else None
    return get_args(field.annotation) if field and get_origin(field.annotation) is Literal else ()

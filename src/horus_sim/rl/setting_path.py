"""Where in nested settings a problem is, in the names that a user wrote."""

from __future__ import annotations

from collections.abc import Mapping
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel

Part = str | int


def followed(kind: Any, parts: tuple[Part, ...]) -> tuple[str, Any]:  # noqa: ANN401 - any annotation
    """The dotted path of a place, and what its value should be, or None where that is not known.

    Args:
        kind: Class of the settings.
        parts: As pydantic has them: with the choice among several classes as a part of its own.
    """
    shown: list[str] = []
    here: Any = kind
    for part in parts:
        here = _plain(here)
        options = _options(here)
        if options:
            here = next((option for option in options if _is_called(option, part)), None)
            continue
        shown.append(str(part))
        here = _inside(here, part)
    return ".".join(shown), _plain(here)


def tags(kind: Any, name: str) -> tuple[str, ...]:  # noqa: ANN401 - any annotation
    """What the setting that tells classes apart may be, where a value is one of several classes."""
    return tuple(tag for option in _options(kind) for tag in _literals(option, name))


def _plain(kind: Any) -> Any:  # noqa: ANN401 - any annotation
    """Without what is said about it beside its type, and without None."""
    while get_origin(kind) is Annotated:
        kind = get_args(kind)[0]
    options = [option for option in _options(kind) if option is not type(None)]
    return _plain(options[0]) if len(options) == 1 else kind


def _options(kind: Any) -> tuple[Any, ...]:  # noqa: ANN401 - any annotation
    return get_args(kind) if get_origin(kind) in (Union, UnionType) else ()


def _is_model(kind: Any) -> bool:  # noqa: ANN401 - any annotation
    return isinstance(kind, type) and issubclass(kind, BaseModel)


def _inside(kind: Any, part: Part) -> Any:  # noqa: ANN401 - any annotation
    if _is_model(kind):
        field = kind.model_fields.get(part)
        return None if field is None else field.annotation
    arguments = get_args(kind)
    if not arguments:
        return None
    origin = get_origin(kind)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return arguments[1]
    return arguments[part] if isinstance(part, int) and part < len(arguments) else arguments[0]


def _is_called(option: Any, part: Part) -> bool:  # noqa: ANN401 - any annotation
    if not _is_model(option):
        return False
    return part == option.__name__ or any(part in _literals(option, k) for k in option.model_fields)


def _literals(option: Any, name: str) -> tuple[Any, ...]:  # noqa: ANN401 - any annotation
    field = option.model_fields.get(name) if _is_model(option) else None
    return get_args(field.annotation) if field and get_origin(field.annotation) is Literal else ()

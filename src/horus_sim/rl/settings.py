"""Frozen settings: how they are checked, merged and refused."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from horus_sim.errors import TaskError


class Config(BaseModel):
    """A frozen part of a task's settings; unknown keys, infinity and NaN are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


def ordered(value: tuple[float, float]) -> tuple[float, float]:
    """The range, if its ends are in order."""
    if not value[0] <= value[1]:
        raise ValueError(f"the range is {value}; give (least, largest)")
    return value


NotNegative = Annotated[float, Field(ge=0)]
Range = Annotated[tuple[float, float], AfterValidator(ordered)]
NotNegativeRange = Annotated[tuple[NotNegative, NotNegative], AfterValidator(ordered)]

ConfigT = TypeVar("ConfigT", bound=Config)


def build_config(kind: type[ConfigT], values: Mapping[str, Any], owner: str) -> ConfigT:
    """Settings of that kind from plain values.

    Args:
        kind: The class.
        values: By name; what is absent keeps its default.
        owner: Whose settings they are, for errors.

    Raises:
        TaskError: A key is unknown or a value does not fit; the text says which and proposes.
    """
    try:
        return kind.model_validate(dict(values))
    except ValidationError as error:
        raise TaskError(f"{owner}: {_first_problem(error, kind)}") from None


def merged(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Settings with those of `over` on top; mappings are merged key by key."""
    result = dict(base)
    for key, value in over.items():
        present = result.get(key)
        if isinstance(value, Mapping) and isinstance(present, Mapping):
            result[key] = merged(present, value)
        else:
            result[key] = value
    return result


def unknown_name(kind: str, name: str, known: tuple[str, ...]) -> str:
    """Text for a name that is not among the known ones."""
    close = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
    if close:
        return f"no {kind} is called '{name}'; did you mean {' or '.join(map(repr, close))}?"
    return f"no {kind} is called '{name}'; there are: {', '.join(known) or 'none'}"


def _first_problem(error: ValidationError, kind: type[BaseModel]) -> str:
    problem = error.errors()[0]
    path = ".".join(str(part) for part in problem["loc"])
    if problem["type"] == "extra_forbidden":
        return unknown_name("setting", path, tuple(kind.model_fields))
    more = f" ({len(error.errors())} problems in all)" if len(error.errors()) > 1 else ""
    return f"'{path}': {problem['msg']}, got {problem['input']!r}{more}"

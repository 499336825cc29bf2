"""Frozen settings: how they are checked, merged and refused."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Annotated, Any, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)

from horus_sim.errors import TaskError
from horus_sim.rl.setting_path import followed, tags


class Config(BaseModel):
    """A frozen part of a task's settings; unknown keys are errors, and so is what is no number."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _check_numbers(cls, values: object) -> object:
        # Pydantic takes True for 1.
        for name, value in values.items() if isinstance(values, Mapping) else ():
            field = cls.model_fields.get(name)
            if isinstance(value, bool) and field is not None and field.annotation in (int, float):
                raise ValueError(f"{name} is {value}; give a number")
        return values


def named(value: tuple[str, ...]) -> tuple[str, ...]:
    """The names, if there are any."""
    if not value:
        raise ValueError("no name is given, so that nothing would change; name at least one")
    return value


def ordered(value: tuple[float, float]) -> tuple[float, float]:
    """The range, if its ends are in order."""
    if not value[0] <= value[1]:
        raise ValueError(f"the range is {value}; give (least, largest)")
    return value


Names = Annotated[tuple[str, ...], AfterValidator(named)]
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
        raise TaskError(f"{owner}: {first_problem(error, kind)}") from None


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


def first_problem(error: ValidationError, kind: type[BaseModel]) -> str:
    """Text for the first of the problems that settings have, with its place and the remedy."""
    problems = error.errors()
    problem = problems[0]
    more = f" ({len(problems)} problems in all)" if len(problems) > 1 else ""
    return f"{_problem(problem['type'], dict(problem), kind)}{more}"


def _problem(sort: str, problem: dict[str, Any], kind: type[BaseModel]) -> str:
    path, place = followed(kind, problem["loc"])
    where = f"'{path}': " if path else ""
    if sort == "extra_forbidden":
        outer, model = followed(kind, problem["loc"][:-1])
        of = f"setting of '{outer}'" if outer else "setting"
        return unknown_name(of, str(problem["loc"][-1]), tuple(getattr(model, "model_fields", ())))
    if sort == "missing":
        return f"'{path}' is missing; give it"
    if sort == "value_error":
        return f"{where}{problem['ctx']['error']}"
    if sort in ("union_tag_invalid", "union_tag_not_found"):
        name = problem["ctx"]["discriminator"].strip("'")
        known = tags(place, name)
        if sort == "union_tag_invalid":
            return f"{where}{unknown_name(name, problem['ctx']['tag'], known)}"
        return f"{where}it has no '{name}'; give one of {', '.join(known)}"
    if sort in ("model_type", "model_attributes_type", "dict_type"):
        what = f"'{path}'" if path else "it"
        return f"{what} is {problem['input']!r}; give a mapping from names to values"
    return f"{where}{problem['msg']}, got {problem['input']!r}"

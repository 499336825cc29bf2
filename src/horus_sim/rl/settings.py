"""Settings of tasks and trainings: frozen, checked and merged; and whole numbers as arguments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, TypeGuard, TypeVar

import numpy as np
from pydantic import AfterValidator, model_validator

from horus_sim.errors import TaskError
from horus_sim.files.config import Config as FileConfig
from horus_sim.files.config import NotNegative
from horus_sim.files.document import Document
from horus_sim.files.explaining import checked


class Config(FileConfig):
    """A frozen part of a task's settings; unknown keys and what is not finite are refused."""

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
Range = Annotated[tuple[float, float], AfterValidator(ordered)]
NotNegativeRange = Annotated[tuple[NotNegative, NotNegative], AfterValidator(ordered)]

ConfigT = TypeVar("ConfigT", bound=Config)


def build_config(kind: type[ConfigT], values: Mapping[str, Any], owner: str) -> ConfigT:
    """Settings of that kind from plain values.

    Args:
        kind: Class of the settings.
        values: Values by name; what is absent keeps its default.
        owner: What they are settings of, for errors.

    Raises:
        TaskError: A key is unknown or a value does not fit; the text says which and proposes.
    """
    return checked(kind, Document(dict(values), owner), TaskError)


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


def is_whole(value: object) -> TypeGuard[int]:
    """Whether it is a whole number; True and False are not."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def whole_number(name: str, value: object, least: int) -> int:
    """The value as an int.

    Args:
        name: Name of the argument, for errors.
        value: What was given.
        least: The smallest that is allowed.

    Raises:
        TaskError: It is not a whole number, or too small.
    """
    if not is_whole(value) or value < least:
        raise TaskError(f"{name} is {value!r}; give a whole number of at least {least}")
    return int(value)

"""Values that launch files have in several places, and mistakes at a place inside of a model."""

from __future__ import annotations

import os
from typing import Annotated, Any

from pydantic import BeforeValidator
from pydantic_core import InitErrorDetails, PydanticCustomError, ValidationError


def _text(value: Any) -> Any:  # noqa: ANN401 - anything that a file may hold
    """Numbers and paths as text: programs get nothing else."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return str(value) if is_number or isinstance(value, os.PathLike) else value


def _several(value: Any) -> Any:  # noqa: ANN401 - anything that a file may hold
    return (value,) if isinstance(value, str | os.PathLike) else value


Text = Annotated[str, BeforeValidator(_text)]
Several = Annotated[tuple[Text, ...], BeforeValidator(_several)]
"""A list of texts, or a single one."""


def misfit(title: str, *place: str, text: str, value: object = None) -> ValidationError:
    """The error of a validator about a key inside of what it checks.

    Args:
        title: Name of the model.
        place: Keys that lead there.
        text: What is wrong, and what would be right.
        value: What stands there.
    """
    kind = PydanticCustomError("value_error", "{text}", {"text": text})
    return ValidationError.from_exception_data(
        title, [InitErrorDetails(type=kind, loc=place, input=value)]
    )

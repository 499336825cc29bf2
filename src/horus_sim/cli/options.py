"""Options that several commands have: declared once, as fields of a class."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import wraps
from typing import Any, cast, get_type_hints

import typer


class Commands(typer.Typer):
    """Commands that may take several options as one argument.

    Each field of a dataclass becomes an option where the class stands among the parameters:

        @app.command()
        def view(*, topics: TopicOptions) -> None:
            with topics.open() as hub: ...
    """

    def command(self, *names: Any, **settings: Any) -> Callable[[Any], Any]:  # noqa: ANN401
        """Adds a command, as Typer does."""
        register = super().command(*names, **settings)
        return lambda command: register(_expanded(command))


def _expanded(command: Callable[..., None]) -> Callable[..., None]:
    """The command with one parameter for each field of its dataclasses."""
    parameters: list[inspect.Parameter] = []
    groups: dict[str, type[Any]] = {}
    for name, parameter in inspect.signature(command, eval_str=True).parameters.items():
        if not is_dataclass(kind := parameter.annotation):
            parameters.append(parameter)
            continue
        groups[name] = cast("type[Any]", kind)
        hints = get_type_hints(kind, include_extras=True)
        parameters += [
            inspect.Parameter(
                field.name,
                parameter.KEYWORD_ONLY,
                default=field.default,
                annotation=hints[field.name],
            )
            for field in fields(kind)
        ]

    @wraps(command)
    def call(**given: Any) -> None:  # noqa: ANN401 - the options
        for name, kind in groups.items():
            given[name] = kind(**{field.name: given.pop(field.name) for field in fields(kind)})
        command(**given)

    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    call.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return call

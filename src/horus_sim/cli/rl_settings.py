"""Settings as words of a command line: `lidar.rays=36`."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from horus_sim.errors import TaskError
from horus_sim.installation import command


def parse_settings(words: Sequence[str] | None) -> dict[str, Any]:
    """Nested settings from words KEY=VALUE; dots in keys lead inside, values are YAML.

    Raises:
        TaskError: A word has no '=', a key is empty or leads into a value, or a value is no YAML.
    """
    result: dict[str, Any] = {}
    for word in words or ():
        key, equals, text = word.partition("=")
        parts = key.split(".")
        if not equals or not all(parts):
            raise TaskError(f"'{word}' is no setting; write KEY=VALUE, such as lidar.rays=36")
        try:
            value = yaml.safe_load(text)
        except yaml.YAMLError as error:
            raise TaskError(f"'{word}': the value is no YAML ({error}); put it in quotes") from None
        place = result
        for part in parts[:-1]:
            place = place.setdefault(part, {})
            if not isinstance(place, dict):
                raise TaskError(f"'{word}': '{part}' is a value already; give only one of them")
        place[parts[-1]] = _number(value)
    return result


def training_fields(
    options: Sequence[str] | None, settings: Sequence[str] | None, **fields: object
) -> dict[str, Any]:
    """Fields of a training that someone gave.

    Args:
        options: Words KEY=VALUE of any fields.
        settings: Words KEY=VALUE of the task's settings.
        **fields: Fields with options of their own; None where they were not given.

    Raises:
        TaskError: As in `parse_settings`.
    """
    from horus_sim.rl.settings import merged

    given = parse_settings(options)
    if settings:
        given = merged(given, {"settings": parse_settings(settings)})
    return given | {key: value for key, value in fields.items() if value is not None}


def command_line(*words: object, tasks: Path | None) -> str:
    """A command of `horus-sim rl` to type, with the file of tasks if there is one."""
    rest = () if tasks is None else ("--tasks", tasks)
    return command(shlex.join(["rl", *map(str, (*words, *rest))]))


def _number(value: Any) -> Any:  # noqa: ANN401 - anything of YAML
    # YAML 1.1 takes 1e-3 for text.
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return value
    return value
